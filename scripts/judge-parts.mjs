// `judge.cjs` holds what nearly every judged Stop needs. Each of its dynamic imports is a bundle of its own beside it: a Stop parses
// what its contract asks for. What lies in several of them keeps nothing that has to be the same in all.
import { resolve } from 'node:path';

/** The bundles beside `judge.cjs`, each with the module that is imported. */
export const PARTS_OF_JUDGE = {
  // Kinds of gates without a library.
  'judge-plain': 'src/engine/gates/plain-kinds.ts',
  // Kinds of gates, and tool rules, that match patterns: 150 KB of engine.
  'judge-patterns': 'src/engine/gates/pattern-kinds.ts',
  // Kinds of gates that read tests and sources.
  'judge-sources': 'src/engine/gates/source-kinds.ts',
  // Parsers of languages: loaded when the first file is parsed.
  'judge-parser': 'src/engine/project/source/parser.ts',
  // Reports of test runners in XML.
  'judge-junit': 'src/engine/project/test-report/junit.ts',
  // Runs of tests that gates share, and the test of our own that lies among them.
  'judge-shared-run': 'src/engine/gates/shared/room-run.ts',
  'judge-canary': 'src/engine/project/test-report/canary.ts',
  // Clean rooms, and copies of trees.
  'judge-rooms': 'src/engine/hook/wiring/rooms.ts',
  // Walls around commands.
  'judge-walls': 'src/engine/project/walls/walls-for.ts',
  // Questions to models.
  'judge-models': 'src/engine/client/sdk/ask-model.ts',
  // Sessions of runs.
  'judge-sessions': 'src/engine/run/client/session.ts',
};

const bundleOf = new Map(
  Object.entries(PARTS_OF_JUDGE).map(([name, path]) => [resolve(path), `./${name}.cjs`]),
);

/** An import of a part becomes a `require`: the loader of ES modules would cost more than the part. */
const besideEachOther = {
  supported: { 'dynamic-import': false },
  plugins: [
    {
      name: 'parts of judge.cjs',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
          const bundle = kind === 'dynamic-import' ? bundleOf.get(resolve(resolveDir, path)) : undefined;
          return bundle && { path: bundle, external: true };
        }),
    },
  ],
};

/** The settings of esbuild for the core. */
export const coreOfJudge = { ...besideEachOther, entryPoints: ['src/main/judge.ts'] };

/** Parts that load the Agent SDK, an ES module of whoever installed it. */
const LOADING_THE_SDK = new Set(['judge-models', 'judge-sessions']);

/** The settings of esbuild for each part. One that rarely needs another part loads that one's bundle. */
export const partsOfJudge = Object.entries(PARTS_OF_JUDGE).map(([name, entry]) => ({
  name,
  settings: LOADING_THE_SDK.has(name)
    ? { entryPoints: [entry] }
    : { ...besideEachOther, entryPoints: [entry] },
}));
