import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keepShort, lastLines, oneLine } from '../../../../src/engine/core/text/clip.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 400 });

const isWellFormed = (given: string) => Buffer.from(given).toString() === given;

describe('keeping a text short', () => {
  test('leaves a text that fits as it is', () => {
    expect(keepShort('12345', 5)).toBe('12345');
    expect(keepShort('', 0)).toBe('');
  });
  test('says how much is missing', () => {
    expect(keepShort('a'.repeat(100), 60)).toBe(`${'a'.repeat(34)}\n[... 66 characters more]`);
  });
  test('is never longer than allowed, once there is room to say what is missing', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 40, max: 300 }), (given, limit) => {
        expect(keepShort(given, limit).length).toBeLessThanOrEqual(limit);
      }),
    );
  });
  test('keeps the beginning and never cuts a character in two', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 300 }), (given, limit) => {
        const kept = keepShort(given, limit);
        expect(isWellFormed(kept)).toBe(isWellFormed(given));
        if (kept !== given) {
          const [, head = '', missing] = /^(.*)\n\[\.\.\. (\d+) characters more\]$/s.exec(kept) ?? [];
          expect(given.startsWith(head)).toBe(true);
          expect(head.length + Number(missing)).toBe(given.length);
        }
      }),
    );
  });
  test('without any room still says what is missing', () => {
    expect(keepShort('abc', 0)).toBe('\n[... 3 characters more]');
    expect(keepShort('abc', -100)).toBe('\n[... 3 characters more]');
  });
});

describe('the last lines', () => {
  test('of a text that fits are all of it', () => {
    expect(lastLines('a\nb', 3)).toBe('a\nb');
  });
  test('of a longer one are whole lines, as many as fit', () => {
    expect(lastLines('first\nsecond\nthird', 9)).toBe('third');
    expect(lastLines('first\nsecond\nthird', 14)).toBe('second\nthird');
  });
  test('of one endless line are its end', () => {
    expect(lastLines('abcdef', 3)).toBe('def');
  });
});

describe('one line', () => {
  test('makes one space of line breaks, tabs and control characters', () => {
    expect(oneLine('  a\r\n\tb\u0000c\u001b[31md\u007fe\u2028f\u009b0mg  ', 99)).toBe('a b c [31md e f 0mg');
  });
  test('cuts with an ellipsis, never in the middle of a character', () => {
    expect(oneLine('abcdef', 4)).toBe('abc…');
    expect(oneLine('ab😀def', 4)).toBe('ab…');
    expect(oneLine('abcdef', 0)).toBe('…');
  });
  test('has no line break and no control character, whatever came in', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.nat(50), (given, limit) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
        expect(oneLine(given, limit)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
        expect(oneLine(given, limit).length).toBeLessThanOrEqual(Math.max(1, limit));
      }),
    );
  });
});
