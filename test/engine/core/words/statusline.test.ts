import { describe, expect, test } from 'vitest';
import { type StatuslineFacts, statusline } from '../../../../src/engine/core/words/statusline.ts';

const GATES = [
  { name: 'tests', verdict: 'pass' },
  { name: 'lint', verdict: 'fail' },
  { name: 'types', verdict: 'unproven' },
  { name: 'ci', verdict: 'skip' },
] as const;

const LOOP = {
  id: '20261116-101112-a1b2c3',
  status: 'active',
  iteration: 3,
  maxIterations: 50,
  gates: GATES,
} as const;
const FACTS: StatuslineFacts = { loop: LOOP, contextPercent: 41.6, costUsd: 1.234 };

const text = (facts: StatuslineFacts, columns = 1000) =>
  statusline(facts, (line) => line.length <= columns)
    .map((piece) => piece.text)
    .join('');

describe('the status line', () => {
  test('names the loop, its iteration, its gates with marks, the context and the cost', () => {
    expect(text(FACTS)).toBe('untildone a1b2c3 3/50 ✓tests ✗lint ?types –ci · context 42% · $1.23');
  });

  test.each([
    [80, 'untildone a1b2c3 3/50 ✓tests ✗lint ?types –ci · context 42% · $1.23'],
    [60, 'untildone a1b2c3 3/50 1✓ 1✗ 1? 1– · context 42% · $1.23'],
    [50, 'untildone 3/50 1✓ 1✗ 1? 1– · context 42% · $1.23'],
    [42, 'untildone 3/50 1✓ 1✗ 1? 1– · context 42%'],
    [30, 'untildone 3/50 1✓ 1✗ 1? 1–'],
    [10, '3/50 1✓ 1✗ 1? 1–'],
  ])('is shorter where only %i columns are free', (columns, line) => {
    expect(text(FACTS, columns)).toBe(line);
  });

  test.each<[string, StatuslineFacts, string]>([
    ['no loop', { contextPercent: 10, costUsd: 0 }, 'context 10% · $0.00'],
    ['nothing at all', {}, ''],
    ['no limit', { loop: { ...LOOP, maxIterations: 'unlimited', gates: [] } }, 'untildone a1b2c3 3'],
    ['a question', { loop: { ...LOOP, asks: true, gates: [] } }, 'untildone a1b2c3 3/50 asks you'],
    ['a missed Stop', { loop: { ...LOOP, missed: true, gates: [] } }, 'untildone a1b2c3 3/50 NOT JUDGED'],
    ['a pause', { loop: { ...LOOP, status: 'paused', gates: [] } }, 'untildone a1b2c3 3/50 paused'],
    [
      'an ending',
      { loop: { ...LOOP, status: 'verified_done', gates: [] } },
      'untildone a1b2c3 3/50 verified_done',
    ],
  ])('with %s', (_, facts, line) => {
    expect(text(facts)).toBe(line);
  });

  test('spells out what would steer a terminal, and cuts long names', () => {
    const gates = [{ name: `\u001b[31m${'x'.repeat(40)}`, verdict: 'pass' }] as const;
    expect(text({ loop: { ...LOOP, gates } })).toBe(`untildone a1b2c3 3/50 ✓\\u{1b}[31m${'x'.repeat(18)}…`);
  });
});
