#!/usr/bin/env node
// Builds untildone for Node 20. `untildone.cjs` is the program and chooses. Each class of events has a bundle of its own, which is whole
// in itself: `tool.cjs` answers events of tool calls, `hook.cjs` Stops, `events.cjs` all others (what the first two seldom need:
// `later.mjs`), `statusline.cjs` prints a line about a session, `judge.cjs` has the core of judging (its parts: `judge-parts.mjs`),
// `formats.cjs` the formats of other systems, `telemetry.cjs` sends OTLP. Everything else is one build of ES modules that share their
// code, in `program/`: the commands, each loaded when it is called, `reflect.mjs` for worker threads, `drive.mjs` for the process of one
// run of a fleet, which `fleet-run.cjs` starts. `index.mjs` is the library, with its types.
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { buildPage } from './build-page.mjs';
import { writeDeclarations } from './declarations.mjs';
import { requireInEsm } from './esm-require.mjs';
import { coreOfJudge, partsOfJudge } from './judge-parts.mjs';
import { LATER, LATER_BUNDLES, laterSource, putOff } from './later.mjs';
import { oneBase } from './one-base.mjs';
import { thirdPartyNotices } from './third-party.mjs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync('dist', { recursive: true, force: true });

const common = {
  bundle: true,
  metafile: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'warning',
  // Some packages ship a UMD main that cannot be bundled; their ES modules can.
  mainFields: ['module', 'main'],
  logOverride: { 'empty-import-meta': 'silent' },
  // Its ES module asks for its own address, which a CommonJS bundle does not have.
  alias: { 'web-tree-sitter': './node_modules/web-tree-sitter/web-tree-sitter.cjs' },
  define: { UNTILDONE_VERSION: JSON.stringify(version) },
  external: [
    '@anthropic-ai/*',
    './untildone.cjs',
    './hook.cjs',
    './tool.cjs',
    './events.cjs',
    ...LATER_BUNDLES.map((name) => `./${name}.cjs`),
    './statusline.cjs',
    './judge.cjs',
    './formats.cjs',
    './telemetry.cjs',
    './program/*',
    // Optional packages of the engine of a fleet.
    'bullmq',
    'ioredis',
  ],
};

const bundles = await Promise.all([
  build({ ...common, entryPoints: ['src/main/events.ts'], outfile: 'dist/events.cjs', minify: true }),
  ...Object.keys(LATER).map((name) =>
    build({
      ...common,
      entryPoints: [`src/main/${name}.ts`],
      outfile: `dist/${name}.cjs`,
      minify: true,
      plugins: [putOff(name)],
    }),
  ),
  ...LATER_BUNDLES.map((name) =>
    build({
      ...common,
      stdin: { contents: laterSource(name), resolveDir: '.', loader: 'ts' },
      outfile: `dist/${name}.cjs`,
      minify: true,
    }),
  ),
  build({ ...common, entryPoints: ['src/main/statusline.ts'], outfile: 'dist/statusline.cjs', minify: true }),
  build({ ...common, ...coreOfJudge, outfile: 'dist/judge.cjs', minify: true }),
  ...partsOfJudge.map(({ name, settings }) =>
    build({ ...common, ...settings, outfile: `dist/${name}.cjs`, minify: true }),
  ),
  build({ ...common, entryPoints: ['src/main/telemetry.ts'], outfile: 'dist/telemetry.cjs', minify: true }),
  build({ ...common, entryPoints: ['src/main/fleet-run.ts'], outfile: 'dist/fleet-run.cjs', minify: true }),
  build({
    ...common,
    entryPoints: ['src/main/untildone.ts'],
    outfile: 'dist/untildone.cjs',
    banner: { js: '#!/usr/bin/env node' },
  }),
  build({
    ...common,
    format: 'esm',
    entryPoints: {
      'program/cli': 'src/main/cli.ts',
      'program/reflect': 'src/main/reflect.ts',
      'program/drive': 'src/main/drive.ts',
      index: 'src/library/index.ts',
    },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    splitting: true,
    plugins: [
      oneBase({ bases: ['src/cli/cli.ts', 'src/cli/loop/show-status.ts'], entries: ['src/main/drive.ts'] }),
    ],
    chunkNames: 'program/[name]-[hash]',
    // Names stay: `--debug` shows them.
    minifyWhitespace: true,
    minifySyntax: true,
    // Bundles of hooks are CommonJS, and lie beside the entry.
    banner: requireInEsm("import.meta.url.replace(/(program\\/)?[^/]+$/, 'untildone.cjs')"),
  }),
  buildPage(),
]);
// Parsers of the languages that tests are written in. Each is loaded when a file of its language is read.
const GRAMMARS = [
  'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-typescript/tree-sitter-typescript.wasm',
  'tree-sitter-typescript/tree-sitter-tsx.wasm',
  'tree-sitter-python/tree-sitter-python.wasm',
  'tree-sitter-go/tree-sitter-go.wasm',
  'tree-sitter-rust/tree-sitter-rust.wasm',
  'tree-sitter-java/tree-sitter-java.wasm',
  'tree-sitter-ruby/tree-sitter-ruby.wasm',
];
for (const file of GRAMMARS) cpSync(`node_modules/${file}`, `dist/grammars/${file.split('/')[1]}`);
const copied = GRAMMARS.map((file) => `node_modules/${file}`);
writeFileSync(
  'dist/THIRD-PARTY.txt',
  thirdPartyNotices(
    bundles.map(({ metafile }) => metafile),
    copied,
  ),
);
writeDeclarations('src/library/index.ts', 'src', 'dist/types');
chmodSync('dist/untildone.cjs', 0o755);
// `untildone conformance` replays these.
cpSync('test/scenarios/bugs', 'dist/scenarios', { recursive: true });
// `untildone demo` plays these.
for (const name of ['one-session', 'many-sessions', 'four-chunks', 'eight-cheats']) {
  cpSync(`examples/${name}`, `dist/examples/${name}`, { recursive: true });
}

// The plugin brings the program with it: all of it but the library and what only authors of hooks need.
rmSync('plugin/dist', { recursive: true, force: true });
for (const part of [
  ...[
    ...['untildone', 'hook', 'tool', 'events', 'statusline', 'judge', 'formats', 'telemetry', 'fleet-run'],
    ...LATER_BUNDLES,
    ...partsOfJudge.map(({ name }) => name),
  ].map((name) => `${name}.cjs`),
  ...['program', 'grammars', 'examples', 'dashboard', 'THIRD-PARTY.txt'],
]) {
  cpSync(`dist/${part}`, `plugin/dist/${part}`, { recursive: true });
}
