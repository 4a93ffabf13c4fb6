import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { colourWanted, paint, rendered, styled, useColour } from '../../../src/engine/terminal/style.ts';
import { hostileText, STEERS } from '../../support/hostile-text.ts';

afterEach(() => useColour(false));

test('colour is for terminals, FORCE_COLOR asks for it elsewhere, and NO_COLOR has the last word', () => {
  expect(colourWanted({ isTTY: true }, {})).toBe(true);
  expect(colourWanted({ isTTY: true }, { NO_COLOR: '' })).toBe(true);
  expect(colourWanted({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
  expect(colourWanted({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
  expect(colourWanted({}, {})).toBe(false);
  expect(colourWanted({}, { FORCE_COLOR: '1' })).toBe(true);
  expect(colourWanted({}, { FORCE_COLOR: '', TERM: 'dumb' })).toBe(true);
  expect(colourWanted({ isTTY: true }, { FORCE_COLOR: '0' })).toBe(false);
  expect(colourWanted({ isTTY: true }, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
});

test('a style becomes a colour, around a text that steers nothing', () => {
  expect(rendered(`${styled('good', 'pass')} a`)).toBe('\x1b[32mpass\x1b[0m a');
  expect(rendered(styled('bad', 'x\x1b[0m'))).toBe('\x1b[31mx\\u{1b}[0m\x1b[0m');
  expect(styled('good', '  ')).toBe('  ');
});

test('without a wish for colour nothing is painted', () => {
  expect(paint('good', 'pass')).toBe('pass');
  useColour(true);
  expect(rendered(paint('good', 'pass'))).toBe('\x1b[32mpass\x1b[0m');
});

test('tabs become spaces, and the end of a line of Windows is dropped', () => {
  expect(rendered('a\tb\r')).toBe('a    b');
});

test('what is from outside has no colour of its own, and cannot end ours', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (one, two) => {
      const line = rendered(`${one}${styled('bad', two)}${one}`);
      const rest = two.trim() === '' ? line : line.replace('\x1b[31m', '').replace('\x1b[0m', '');
      expect(rest).not.toMatch(STEERS);
      expect(rest).not.toContain('\n');
    }),
  );
});
