import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** The packages of which a bundle holds something. */
async function packagesIn(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    external: ['@anthropic-ai/*', './*.cjs'],
    logOverride: { 'empty-import-meta': 'silent' },
  });
  const names = Object.keys(metafile.inputs).map(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1],
  );
  return [...new Set(names.filter((name) => name !== undefined))];
}

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
