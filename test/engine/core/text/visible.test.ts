import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  escapedJson,
  jsonLines,
  jsonText,
  visible,
  visibleText,
} from '../../../../src/engine/core/text/visible.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { hostileText, STEERS } from '../../../support/hostile-text.ts';

const anyText = fc
  .array(fc.oneof(anyCharacter, hostileText), { maxLength: 20 })
  .map((parts) => parts.join(''));

describe('a line from outside', () => {
  test('has its control characters spelled out, all in one notation', () => {
    expect(visible('a\x1b[31mb')).toBe('a\\u{1b}[31mb');
    expect(visible('\x9b2J')).toBe('\\u{9b}2J');
    expect(visible('\x1b]0;title\x07')).toBe('\\u{1b}]0;title\\u{7}');
    expect(visible('a\nuntildone: done')).toBe('a\\u{a}untildone: done');
    expect(visible('a\u202eb\u2066c\u200e\u061c')).toBe('a\\u{202e}b\\u{2066}c\\u{200e}\\u{61c}');
    expect(visible('a\u2028b\u2029c\x7f')).toBe('a\\u{2028}b\\u{2029}c\\u{7f}');
    expect(visible('\ud800x')).toBe('\\u{d800}x');
  });

  test('shows what is drawn as nothing', () => {
    expect(visible('r\u200bm\ufeff \u00ad\u2060\u3164')).toBe(
      'r\\u{200b}m\\u{feff} \\u{ad}\\u{2060}\\u{3164}',
    );
    expect(visible('x\u200dy r\ufe0fm')).toBe('x\\u{200d}y r\\u{fe0f}m');
    expect(visible('hi\u{e0041}')).toBe('hi\\u{e0041}');
  });

  test.each([
    'plain',
    'naïve …',
    '漢字 한글',
    '👩‍👩‍👧 ❤️ 1️⃣ 👍🏽',
    'می‌خواهم',
    'क्‍ष',
    '葛\u{e0100}',
    'e\u0301',
    '\u00a0',
  ])('stays as it is where it is only writing: %s', (text) => expect(visible(text)).toBe(text));

  test('never steers a terminal, and is spelled once', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = visible(text);
        expect(shown).not.toMatch(STEERS);
        expect(shown).not.toContain('\n');
        expect(visible(shown)).toBe(shown);
      }),
    );
  });
});

test('a text keeps its lines and tabs, and nothing else that steers', () => {
  expect(visibleText('a\r\n\tb\x1b[2J')).toBe('a\n\tb\\u{1b}[2J');
  fc.assert(
    fc.property(anyText, (text) => {
      expect(visibleText(text).replaceAll('\t', '')).not.toMatch(STEERS);
    }),
  );
});

describe('JSON', () => {
  const value = fc.dictionary(anyText, fc.oneof(anyText, fc.array(anyText)));

  test('means the same, and a terminal may show it as it is', () => {
    fc.assert(
      fc.property(value, (one) => {
        for (const text of [jsonText(one), jsonText(one, 2), escapedJson(JSON.stringify(one, null, '\t'))]) {
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(one)));
          expect(text.replaceAll('\t', '')).not.toMatch(STEERS);
        }
        // What prints lines has nothing left to spell out, which would break the JSON.
        for (const line of jsonLines(one)) expect(visible(line)).toBe(line);
      }),
    );
  });

  test('escapes every unit', () => {
    expect(jsonText('\x9b\u202e\x7f\u{e0041}')).toBe('"\\u009b\\u202e\\u007f\\udb40\\udc41"');
  });
});
