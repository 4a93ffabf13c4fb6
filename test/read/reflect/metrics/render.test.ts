import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { advance } from '../../../../src/engine/core/loop/journal.ts';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import { columnsOf } from '../../../../src/engine/terminal/text.ts';
import { Figures } from '../../../../src/read/reflect/metrics/figures.ts';
import { renderStats, sparkline } from '../../../../src/read/reflect/metrics/render.ts';
import { STARTED, seenStop, T0, verdict } from '../../../support/core/samples.ts';

const DAY = 86_400_000;
const READ = { journals: 1, unreadable: 0, transcripts: 0, bytes: 0, hookLines: 0, badLines: 0 };

function figuresOf(entries: readonly Entry[], since = 0): Figures {
  const figures = new Figures();
  const loop = figures.loop(since);
  let state: LoopState | undefined;
  for (const [index, entry] of entries.entries()) {
    const at = T0 + index * DAY;
    state = advance(state, entry, at);
    loop.line({ at: new Date(at).toISOString(), entry, state });
  }
  loop.end();
  return figures;
}

const name = `a gate with a very long name \u001b[31m ${'漢字'.repeat(20)}`;
const hold: Entry = {
  kind: 'stop',
  seen: seenStop(),
  verdicts: [
    verdict('fail', { gate: name }),
    verdict('pass', { gate: 'lint', reused: true, proof: { durationMs: 999 } }),
    verdict('unproven', { gate: 'late', waits: true }),
  ],
  decision: { kind: 'block', instruction: 'continue' },
  took: { [name]: { at: T0, ms: 65_000 } },
};
const LOOP: Entry[] = [
  STARTED,
  hold,
  hold,
  { ...hold, decision: { kind: 'end', status: 'verified_done', cause: 'gates_passed', detail: '' } },
];

describe('what journals tell', () => {
  test('is counted: holds, endings, gates, re-use, durations, what waits not at all', () => {
    const figures = figuresOf(LOOP);
    expect(figures.loops).toMatchObject({ total: 1, active: 0 });
    expect(figures.loops.endings.sorted()).toEqual([['verified_done', 1]]);
    expect([figures.stops.calls, figures.stops.holds]).toEqual([3, 2]);
    expect(figures.iterations.at(0.5)).toBe(3);
    const [long, lint, late] = [...figures.gates.values()];
    expect([long?.judged, long?.held, long?.ms.at(0.5)]).toEqual([3, 2, 65_000]);
    expect([lint?.judged, lint?.reused, lint?.ms.count]).toEqual([0, 3, 0]);
    expect([late?.judged, late?.outcomes.total]).toEqual([0, 0]);
  });

  test('counts from a time on, and a loop that ended before it not at all', () => {
    const later = figuresOf(LOOP, T0 + 2 * DAY);
    expect([later.loops.total, later.stops.calls, later.stops.holds]).toEqual([1, 2, 1]);
    expect(figuresOf(LOOP, T0 + 9 * DAY).loops.total).toBe(0);
  });
});

describe('the page', () => {
  const period = { since: T0, until: T0 + 5 * DAY, project: '/srv/shop' };

  test.each([20, 40, 60, 80, 200])(
    'has no line that is wider than %i columns, and steers no terminal',
    (width) => {
      const lines = renderStats({ figures: figuresOf(LOOP), read: READ }, period, width);
      for (const line of lines.slice(1)) expect(columnsOf(line)).toBeLessThanOrEqual(width);
      expect(lines.join('\n')).not.toContain('\u001b');
      expect(lines.some((line) => line.includes('█████'))).toBe(width >= 60);
    },
  );

  test('says how much could not be read', () => {
    const lines = renderStats({ figures: figuresOf(LOOP), read: { ...READ, unreadable: 2 } }, period, 80);
    expect(lines.at(-1)).toContain('2 journals, transcripts or lines could not be read');
  });
});

test.each<[number[], number, string]>([
  [[], 10, ''],
  [[0, 0], 10, '▁▁'],
  [[0, 1, 7], 10, '▁▂█'],
  [[1, 1, 2, 2], 2, '▅█'],
])('the line of %j in %i columns is %j', (values, room, line) => {
  expect(sparkline(values, room)).toBe(line);
});
