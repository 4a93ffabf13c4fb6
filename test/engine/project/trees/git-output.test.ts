import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeName,
  encodeName,
  PatchReader,
  parseGitlinks,
  parseNames,
  parseRawDiff,
} from '../../../../src/engine/project/trees/git-output.ts';

describe('names of files', () => {
  test('any bytes come back as they were', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(encodeName(decodeName(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test('UTF-8 is text, the replacement character included', () => {
    expect(decodeName(Buffer.from('ü\ufffd😀'))).toBe('ü\ufffd😀');
  });

  test('a listing ends with or without its last NUL', () => {
    expect(parseNames(Buffer.from('a\0b c\0'))).toEqual(['a', 'b c']);
    expect(parseNames(Buffer.from('a\0b\n'))).toEqual(['a', 'b\n']);
    expect(parseNames(Buffer.from(''))).toEqual([]);
  });

  test('other repositories are told by their mode', () => {
    expect(parseGitlinks(Buffer.from(['100644 aa 0\ta', '160000 bb 0\tsub\tx', ''].join('\0')))).toEqual([
      'sub\tx',
    ]);
  });
});

describe('changes', () => {
  test('letters become words; a copy is an added file', () => {
    const raw =
      ':0 1 a b A\0new\0:1 1 a b M\0m\0:1 0 a b D\0d\0:1 1 a b T\0t\0:1 1 a b R086\0old\0to\0:1 1 a b C100\0x\0copy\0';
    expect(parseRawDiff(Buffer.from(raw))).toEqual([
      { path: 'new', change: 'added' },
      { path: 'm', change: 'modified' },
      { path: 'd', change: 'deleted' },
      { path: 't', change: 'modified' },
      { path: 'to', change: 'renamed', from: 'old' },
      { path: 'copy', change: 'added' },
    ]);
  });

  test('what cannot be read is an error, not nothing', () => {
    expect(() => parseRawDiff(Buffer.from('odd\0a\0'))).toThrow(/cannot be read/);
    expect(() => parseRawDiff(Buffer.from(':1 1 a b R100\0a\0'))).toThrow(/rename/);
  });
});

describe('patches', () => {
  const LIMITS = { maxLineLength: 20, maxLines: 100 };
  const patch = [
    'diff --git a/a.ts b/a.ts',
    '--- a/a.ts',
    '+++ b/a.ts',
    '@@ -1,2 +1,3 @@ context',
    '-+++ b/not-a-file',
    '-old',
    '+one\r',
    '++++ b/evil',
    '+@@ -1 +1 @@',
    '\\ No newline at end of file',
    'diff --git a/gone b/gone',
    '--- a/gone',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-gone',
    'diff --git "a/t\\tab" "b/t\\tab"',
    '+++ "b/t\\tab\\303\\274\\377\\"\\\\"',
    '@@ -0,0 +5 @@',
    '+last',
  ].join('\n');
  const lines = [
    { path: 'a.ts', line: 1, text: 'one' },
    { path: 'a.ts', line: 2, text: '+++ b/evil' },
    { path: 'a.ts', line: 3, text: '@@ -1 +1 @@' },
    { path: 't\tabü\udcff"\\', line: 5, text: 'last' },
  ];

  test('are read the same in whatever pieces they come', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: patch.length }), { maxLength: 10 }), (cuts) => {
        const reader = new PatchReader(LIMITS);
        const bytes = Buffer.from(patch);
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        for (let i = 1; i < edges.length; i++) reader.push(bytes.subarray(edges[i - 1], edges[i]));
        expect(reader.end()).toEqual(lines);
      }),
    );
  });

  test('stop when there are enough lines', () => {
    const reader = new PatchReader({ ...LIMITS, maxLines: 2 });
    expect(reader.push(Buffer.from(patch))).toBe(false);
    expect(reader.end()).toEqual(lines.slice(0, 2));
  });
});
