import { describe, expect, test } from 'vitest';
import { columnsOf, cutTo, harmless, TerminalRegion, wrapLine } from '../../../src/engine/terminal/text.ts';
import { HOSTILE, STEERS } from '../../support/hostile-text.ts';
import { workMs } from '../../support/work-time.ts';

test('the columns of a text are those that a terminal uses for it', () => {
  expect(columnsOf('plain')).toBe(5);
  expect(columnsOf('naïve …')).toBe(7);
  expect(columnsOf('e\u0301')).toBe(1);
  expect(columnsOf('漢字')).toBe(4);
  expect(columnsOf('한글')).toBe(4);
  expect(columnsOf('ｶﾅ')).toBe(2);
  expect(columnsOf('😀')).toBe(2);
  expect(columnsOf('👩‍👩‍👧')).toBe(2);
  expect(columnsOf('❤\ufe0f')).toBe(2);
  expect(columnsOf('✓')).toBe(1);
  expect(columnsOf('\u200b')).toBe(0);
  expect(columnsOf('\x1b[31mred\x1b[0m')).toBe(3);
});

test('a text is cut between signs, and says so', () => {
  expect(cutTo('abcdef', 6)).toBe('abcdef');
  expect(cutTo('abcdef', 5)).toBe('abcd…');
  expect(cutTo('漢字漢字', 6)).toBe('漢字…');
  expect(cutTo('a👩‍👩‍👧b', 3)).toBe('a…');
  expect(cutTo('abc', 1)).toBe('…');
  expect(cutTo('abc', 0)).toBe('');
});

test('lines are broken between words, and what is broken stays indented', () => {
  expect(wrapLine('  go on with: untildone run', 16)).toEqual(['  go on with:', '  untildone run']);
  expect(wrapLine('short', 16)).toEqual(['short']);
  expect(wrapLine('漢字 漢字 漢字', 9)).toEqual(['漢字 漢字', '漢字']);
});

describe('what others wrote', () => {
  test('is one line that steers nothing', () => {
    expect(harmless('a\x1b[2Jb\r\nc\x07\td\x9b1me\u202ef')).toBe('ab c de\\u{202e}f');
    expect(harmless('\x1b]0;title\x07x')).toBe('x');
    expect(harmless('\x1b\x1b[31m[2J')).not.toContain('\x1b');
  });

  test('holds no secrets, not even those that a colour was put into', () => {
    expect(harmless('key ghp_\x1b[1mabcdefghijklmnop1234')).toBe('key [redacted]');
    expect(harmless('a\nPASSWORD=hunter22\nb')).toBe('a PASSWORD=[redacted] b');
  });

  test('may be long', () => {
    const began = workMs();
    expect(harmless('x '.repeat(5_000_000)).length).toBeLessThanOrEqual(8_000);
    expect(workMs() - began).toBeLessThan(1_000);
  });
});

test('a region that is drawn in place steers the terminal by itself alone', () => {
  const writes: string[] = [];
  const write = (text: string) => writes.push(text) > 0;
  const region = new TerminalRegion({ write, columns: 80, rows: 24, writableNeedDrain: false } as never);
  const hostile = `${HOSTILE.join('x')}end`;
  region.draw([hostile], [hostile]);
  region.finish([hostile]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: its own sequences are taken away
  const rest = writes.join('').replace(/\x1b\[(?:\?7[lh]|[KJ]|\d+A\r)/g, '');
  expect(rest).not.toMatch(STEERS);
  expect(rest.split('\n')).toHaveLength(4);
});
