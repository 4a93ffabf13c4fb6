import { expect, test } from 'vitest';
import { quoteForShell } from '../../../../src/engine/core/shell/words.ts';
import { fileNameFor, insideProject } from '../../../../src/engine/core/text/paths.ts';

test.each([
  ['.', '.'],
  ['', '.'],
  ['a/b', 'a/b'],
  ['./a//b/', 'a/b'],
  ['a/../b', 'b'],
  ['a/..', '.'],
  ['..', undefined],
  ['a/../../b', undefined],
  ['/etc', undefined],
  ['a\0b', undefined],
])('%j inside the project is %j', (path, expected) => {
  expect(insideProject(path)).toBe(expected);
});

test.each([
  ['tests', 'tests'],
  ['unit tests', 'unit-tests'],
  ['../../etc/passwd', 'etc-passwd'],
  ['.hidden', 'hidden'],
  ['', 'unnamed'],
  ['ü', 'unnamed'],
])('%j becomes the file name %j', (text, expected) => {
  expect(fileNameFor(text)).toBe(expected);
});

test.each([
  ['./a/b.sh', './a/b.sh'],
  ['a b', "'a b'"],
  ["it's", "'it'\\''s'"],
  ['$(rm)', "'$(rm)'"],
  ['', "''"],
])('%j is one word of the shell', (text, expected) => {
  expect(quoteForShell(text)).toBe(expected);
});
