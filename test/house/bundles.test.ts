import { readFileSync } from 'node:fs';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { coreOfJudge, PARTS_OF_JUDGE } from '../../scripts/judge-parts.mjs';
import { LATER, LATER_BUNDLES, laterSource, putOff } from '../../scripts/later.mjs';
import { FORMAT_NAMES } from '../../src/engine/formats/format.ts';

/** Bundles load each other when they need them. */
const BUNDLES = [
  ...['untildone', 'hook', 'events', 'tool', 'judge', 'formats'],
  ...LATER_BUNDLES,
  ...Object.keys(PARTS_OF_JUDGE),
];

/** Bundles that are made in a way of their own. */
const MADE: Record<string, BuildOptions> = {
  judge: coreOfJudge,
  ...Object.fromEntries(
    Object.keys(LATER).map((name) => [
      name,
      { entryPoints: [`src/main/${name}.ts`], plugins: [putOff(name)] },
    ]),
  ),
  ...Object.fromEntries(
    LATER_BUNDLES.map((name) => [
      name,
      { stdin: { contents: laterSource(name), resolveDir: '.', loader: 'ts' } },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(PARTS_OF_JUDGE).map(([name, entry]) => [name, { entryPoints: [entry] }]),
  ),
};

/** What a bundle is made of, built as `scripts/build.mjs` builds it. */
async function madeOf(name: string): Promise<{ inputs: string[]; packages: string[]; kilobytes: number }> {
  const { metafile } = await build({
    ...(MADE[name] ?? { entryPoints: [`src/main/${name}.ts`] }),
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    legalComments: 'none',
    target: 'node20',
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    external: ['@anthropic-ai/*', ...BUNDLES.map((name) => `./${name}.cjs`)],
    alias: { 'web-tree-sitter': './node_modules/web-tree-sitter/web-tree-sitter.cjs' },
    logOverride: { 'empty-import-meta': 'silent' },
  });
  // A file whose functions are put off is there as the calls of them.
  const inputs = inputsOf(metafile).filter((path) => !path.startsWith('later:'));
  const packages = inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  return { inputs, packages: [...new Set(packages)].sort(), kilobytes: bytes / 1000 };
}

/** Those of which something is left in the bundle. */
function inputsOf({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap((output) =>
    Object.keys(output.inputs).filter((path) => (output.inputs[path]?.bytesInOutput ?? 0) > 0),
  );
}

async function packagesIn(name: string): Promise<string[]> {
  return (await madeOf(name)).packages;
}

/** Node parses a bundle anew at every event: a hundred kilobytes cost about a sixth of its own start. */
describe('bundles on the way of a hook stay small, and hold nothing of the rooms that their events need not', () => {
  test.each([
    [
      'hook',
      160,
      /gates\/(?!promise|traits|\w+\/traits)|formats\/(?!lock\/lock-files)|hook\/(events|guard|start)\/|client\/settings|core\/tools\/(?!tool-rules)|project\/git/,
    ],
    [
      'events',
      260,
      /gates\/(?!promise|traits|\w+\/traits)|formats\/(?!lock\/(reflection-config|lock-files))|hook\/stop\/(handle|answer-stop|endings)|core\/loop\/decide/,
    ],
    [
      'tool',
      82,
      /hook\/(stop\/(handle|answer-stop|endings)|events\/(compaction|notes)|guard\/guard-(work|prompt))|core\/(loop\/decide|lessons|tools\/(dangerous|judge|permission)|text\/globs)|judging\/(judge|verdict-reuse)|client\/transcript|project\/(git|path|trees)|src\/engine\/gates\//,
    ],
    [
      'tool-rules',
      50,
      /src\/engine\/(home\/(?!layout|journal\/file)|hook\/(?!wiring\/session-tools)|core\/loop\/(?!excuses))/,
    ],
    ['tool-rest', 83, /home\/store\.ts|core\/tools\/(dangerous|judge|permission)|project\/(git|path)/],
    [
      'hook-rest',
      60,
      /src\/engine\/(home\/store|hook\/stop\/handle)|core\/loop\/decide|core\/tools\/(dangerous|judge|permission)|project\/git/,
    ],
    [
      'formats',
      30,
      /src\/engine\/gates\/(?!traits|\w+\/traits|text|checklist|features|hook\/traits|gate)|src\/engine\/hook\/(?!wiring|start)/,
    ],
    ...FORMAT_NAMES.map((name): [string, number, RegExp] => [
      `format-${name}`,
      37,
      new RegExp(
        `src/engine/formats/(?!${name}/|take-up|format)|src/engine/gates/(?!features|gate|text|traits)|src/engine/home/(?!layout)`,
      ),
    ]),
    ['formats-rest', 48, /src\/(cli|engine\/gates\/(?!traits|\w+\/traits))\//],
    [
      'judge',
      136,
      /src\/engine\/formats\/|src\/cli\/|src\/engine\/hook\/(?!wiring)|src\/engine\/gates\/(?!all|run|changed|promise|hook\/event|shared|traits|\w+\/traits)|room\/(?!in-place|environment|programs)|walls\/(?!walls|protected)|src\/engine\/core\/(proof\/(?!test-results|statement)|source)|src\/engine\/client\/sdk|src\/engine\/run/,
    ],
  ])('%s.cjs has at most %i KB', async (name, most, never) => {
    const { inputs, kilobytes } = await madeOf(name);
    expect(kilobytes).toBeLessThan(most);
    expect(inputs.filter((path) => never.test(path))).toEqual([]);
    expect(inputs.filter((path) => path.includes('node_modules/zod'))).toEqual([]);
  });
});

test('the hook, which runs on every event, holds no library but the small one that strips escapes', async () => {
  expect(await packagesIn('hook')).toEqual(['ansi-regex', 'strip-ansi']);
});

describe('what an allowed tool call does not need', () => {
  test('is a list of functions that are there', async () => {
    const files = Object.values(LATER).flatMap((bundles) =>
      Object.values(bundles).flatMap((those) => Object.entries(those)),
    );
    for (const [file, names] of files)
      for (const name of names)
        expect(readFileSync(file, 'utf8'), `${name} of ${file}`).toMatch(
          new RegExp(`^export (?:async )?function ${name}\\b`, 'm'),
        );
  });

  test('lies in the bundles whose absence makes events.cjs answer', () => {
    const [, parts] =
      /const TOOL_PARTS = \[(.*)\];/.exec(readFileSync('src/main/untildone.ts', 'utf8')) ?? [];
    expect(parts).toBe(
      Object.keys(LATER.tool ?? {})
        .map((name) => `'${name}.cjs'`)
        .join(', '),
    );
  });

  test.each(Object.keys(LATER))(
    'is called in %s.cjs, each function of it: one that is not is listed for nothing',
    async (main) => {
      const { outputFiles } = await build({
        ...MADE[main],
        bundle: true,
        write: false,
        platform: 'node',
        target: 'node20',
        mainFields: ['module', 'main'],
        external: ['./*.cjs'],
      });
      const text = outputFiles?.[0]?.text ?? '';
      const unused = Object.values(LATER[main] ?? {}).flatMap((files) =>
        Object.entries(files).flatMap(([file, names]) =>
          names.filter((name) => !text.includes(`.${file.replace(/\W/g, '_')}_${name}(`)),
        ),
      );
      expect(unused).toEqual([]);
    },
  );
});

test('the status line, which is printed all the time, holds nothing but what measures the width of a text', async () => {
  const packages = await packagesIn('statusline');
  expect(packages.sort()).toEqual(['ansi-regex', 'get-east-asian-width', 'string-width', 'strip-ansi']);
});

describe('a Stop loads only those parts of judging that its contract asks for', () => {
  test('the core, for commands and changes, holds no library but the one of the hook', async () => {
    expect(await packagesIn('judge')).toEqual(['ansi-regex', 'strip-ansi']);
  });

  test.each<[keyof typeof PARTS_OF_JUDGE, number, string[]]>([
    ['judge-plain', 95, ['jsonc-parser']],
    ['judge-patterns', 200, ['re2js']],
    ['judge-sources', 285, ['diff']],
    ['judge-parser', 95, ['web-tree-sitter']],
    ['judge-junit', 30, ['sax']],
    ['judge-rooms', 128, ['sax']],
    ['judge-shared-run', 25, []],
    ['judge-canary', 10, []],
    ['judge-walls', 15, []],
    ['judge-models', 40, []],
    ['judge-sessions', 50, []],
  ])('%s.cjs has at most %i KB, and the libraries %j', async (name, most, libraries) => {
    const { kilobytes, packages } = await madeOf(name);
    expect(kilobytes).toBeLessThan(most);
    expect(packages.filter((one) => one !== 'ansi-regex' && one !== 'strip-ansi')).toEqual(libraries);
  });

  test('all of them are built', () => {
    expect(Object.keys(PARTS_OF_JUDGE)).toHaveLength(11);
  });
});
