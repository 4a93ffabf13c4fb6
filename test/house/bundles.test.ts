import { type BuildOptions, build, type Metafile } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { coreOfJudge, PARTS_OF_JUDGE } from '../../scripts/judge-parts.mjs';

/** Bundles load each other when they need them. */
const BUNDLES = ['untildone', 'hook', 'tool', 'judge', ...Object.keys(PARTS_OF_JUDGE), 'formats'];

/** What a bundle is made of, built as `scripts/build.mjs` builds it. */
async function madeOf(entry: string): Promise<{ inputs: string[]; packages: string[]; kilobytes: number }> {
  const core: BuildOptions = entry === 'src/main/judge.ts' ? coreOfJudge : { entryPoints: [entry] };
  const { metafile } = await build({
    ...core,
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
    ['hook', 290, /gates\/(?!promise|traits|\w+\/traits)|formats\/(?!lock\/(reflection-config|lock-files))/],
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
    [
      'judge',
      130,
      /src\/formats\/|src\/cli\/|src\/hook\/(?!wiring)|src\/gates\/(?!all|run|changed|promise|hook\/event|shared|traits|\w+\/traits)|room\/(?!in-place|environment|programs)|walls\/(?!walls|protected)|src\/core\/(proof\/(?!test-results|statement)|source)|src\/client\/sdk|src\/run/,
    ],
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

describe('a Stop loads only those parts of judging that its contract asks for', () => {
  test('the core, for commands and changes, holds no library but the one of the hook', async () => {
    expect(await packagesIn('src/main/judge.ts')).toEqual(['ansi-regex', 'strip-ansi']);
  });

  test.each<[keyof typeof PARTS_OF_JUDGE, number, string[]]>([
    ['judge-plain', 85, ['jsonc-parser']],
    ['judge-patterns', 200, ['re2js']],
    ['judge-sources', 275, ['diff']],
    ['judge-parser', 95, ['web-tree-sitter']],
    ['judge-junit', 30, ['sax']],
    ['judge-rooms', 110, ['sax']],
    ['judge-walls', 15, []],
    ['judge-models', 40, []],
    ['judge-sessions', 50, []],
  ])('%s.cjs has at most %i KB, and the libraries %j', async (name, most, libraries) => {
    const { kilobytes, packages } = await madeOf(PARTS_OF_JUDGE[name]);
    expect(kilobytes).toBeLessThan(most);
    expect(packages.filter((one) => one !== 'ansi-regex' && one !== 'strip-ansi')).toEqual(libraries);
  });

  test('all of them are built', () => {
    expect(Object.keys(PARTS_OF_JUDGE)).toHaveLength(9);
  });
});
