import { build, type Metafile } from 'esbuild';
import { describe, expect, test } from 'vitest';

/** Bundles load each other when they need them. */
const BUNDLES = ['untildone', 'hook', 'events', 'tool', 'judge', 'formats'];

/** What a bundle is made of, built as `scripts/build.mjs` builds it. */
async function madeOf(entry: string): Promise<{ inputs: string[]; packages: string[]; kilobytes: number }> {
  const { metafile } = await build({
    entryPoints: [entry],
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
  const inputs = inputsOf(metafile);
  const packages = inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  return { inputs, packages: [...new Set(packages)].sort(), kilobytes: bytes / 1000 };
}

/** Those of which something is left in the bundle. */
function inputsOf({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
}

async function packagesIn(entry: string): Promise<string[]> {
  return (await madeOf(entry)).packages;
}

/** Node parses a bundle anew at every event: a hundred kilobytes cost about a sixth of its own start. */
describe('bundles on the way of a hook stay small, and hold nothing of the rooms that their events need not', () => {
  test.each([
    [
      'hook',
      190,
      /gates\/(?!promise|traits|\w+\/traits)|formats\/(?!lock\/lock-files)|hook\/(events|guard|start)\/|client\/settings|core\/tools\/(?!tool-rules)|project\/git/,
    ],
    [
      'events',
      260,
      /gates\/(?!promise|traits|\w+\/traits)|formats\/(?!lock\/(reflection-config|lock-files))|hook\/stop\/(handle|answer-stop|endings)|core\/loop\/decide/,
    ],
    [
      'tool',
      180,
      /hook\/(stop\/(handle|answer-stop|endings)|events\/(compaction|notes)|guard\/guard-(work|prompt))|core\/loop\/decide|judging\/(judge|verdict-reuse)\.ts/,
    ],
    [
      'formats',
      130,
      /src\/gates\/(?!traits|\w+\/traits|text|checklist|features|hook\/traits|gate)|src\/hook\/(?!wiring|start)/,
    ],
    ['judge', 860, /src\/formats\/|src\/cli\/|src\/hook\/(?!wiring)/],
  ])('%s.cjs has at most %i KB', async (name, most, never) => {
    const { inputs, kilobytes } = await madeOf(`src/main/${name}.ts`);
    expect(kilobytes).toBeLessThan(most);
    expect(inputs.filter((path) => never.test(path))).toEqual([]);
    expect(inputs.filter((path) => path.includes('node_modules/zod'))).toEqual([]);
  });
});

test('the hook, which runs on every event, holds no library but the small one that strips escapes', async () => {
  expect(await packagesIn('src/main/hook.ts')).toEqual(['ansi-regex', 'strip-ansi']);
});

test('the status line, which is printed all the time, holds nothing but what measures the width of a text', async () => {
  const packages = await packagesIn('src/main/statusline.ts');
  expect(packages.sort()).toEqual(['ansi-regex', 'get-east-asian-width', 'string-width', 'strip-ansi']);
});

test('the gates hold few libraries: patterns, differences, XML, the engine of parsers, faults of JSON, and escapes of a terminal', async () => {
  const packages = await packagesIn('src/main/judge.ts');
  expect(packages.sort()).toEqual([
    'ansi-regex',
    'diff',
    'jsonc-parser',
    're2js',
    'sax',
    'strip-ansi',
    'web-tree-sitter',
  ]);
});
