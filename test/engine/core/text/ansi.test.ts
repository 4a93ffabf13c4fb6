import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainLines, stripAnsi } from '../../../../src/engine/core/text/ansi.ts';

test.each([
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['colours with colons', '\u001b[38:2::255:0:0mred\u001b[m', 'red'],
  ['cursor movements', 'a\u001b[2K\u001b[1Gb\u001b[?25l', 'ab'],
  ['a title', '\u001b]0;my title\u0007text', 'text'],
  ['a link', '\u001b]8;;https://example.com\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['a character set', '\u001b(Btext', 'text'],
  ['the one-byte form', '\u009b31mred', 'red'],
  ['a title without an end', '\u001b]0;text', '0;text'],
])('%s leave the text alone', (_name, coloured, plain) => {
  expect(stripAnsi(coloured)).toBe(plain);
});

test('text without escapes stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!text.includes('\u001b') && !text.includes('\u009b'));
      expect(stripAnsi(text)).toBe(text);
    }),
  );
});

test('of a line that was drawn again, the last state that shows anything is left', () => {
  expect(plainLines('1%\r2%\r3%\nnext\r\nlast  \r')).toEqual(['3%', 'next', 'last']);
});

test('no line holds a control character other than a tab', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      expect(plainLines(text).join('')).not.toMatch(/(?!\t)\p{Cc}/u);
    }),
  );
});
