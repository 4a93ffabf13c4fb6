import { expect, test } from 'vitest';
import type { ChildState } from '../../../../src/engine/core/loop/state.ts';
import type { RunEvent } from '../../../../src/engine/run/reporter.ts';
import { jsonReporter } from '../../../../src/engine/run/view/json.ts';
import { lineReporter } from '../../../../src/engine/run/view/report.ts';
import { screenLines } from '../../../../src/engine/run/view/screen.ts';
import { emptyViewModel, withChildEvent, withEvent } from '../../../../src/engine/run/view/view-model.ts';
import { freshLoop } from '../../../support/core/samples.ts';

const CHILD: ChildState = {
  piece: '7',
  loop: 'c7',
  status: 'open',
  share: { costUsd: 1, tokens: 1, iterations: 1 },
  spent: { costUsd: 0, tokens: 0, iterations: 0 },
};
const state = freshLoop();
const begun: RunEvent = { type: 'child', child: CHILD, change: 'begun', text: 'the seventh', state };
const conflict: RunEvent = {
  type: 'child',
  child: { ...CHILD, branch: 'untildone/seven', merge: 'conflict', files: ['a.ts'] },
  change: 'conflict',
  text: '',
  state,
};
const called: RunEvent = {
  type: 'happening',
  happening: { kind: 'called', tool: 'Bash', input: { command: 'npm test' } },
};

test('a line of a child says which of them it speaks of', () => {
  const lines: string[] = [];
  const reporter = lineReporter(
    (line) => lines.push(line.slice(9)),
    () => 0,
    false,
  );
  reporter.event(begun);
  const child = reporter.child(CHILD);
  child.event(called);
  child.event({ type: 'ended', state });
  child.note('Committed 1 file');
  reporter.event(conflict);
  expect(lines).toEqual([
    '[7] child c7 begins: the seventh',
    '[7]   * $ npm test',
    '[7] Committed 1 file',
    '[7] not merged: it conflicts in a.ts; its work is on untildone/seven',
  ]);
});

test('and so does a JSON line, of which only the very first has the version', () => {
  const lines: Record<string, unknown>[] = [];
  const reporter = jsonReporter(
    (line) => lines.push(JSON.parse(line)),
    () => 0,
  );
  reporter.event(conflict);
  reporter.child(CHILD).event(called);
  reporter.event({ type: 'judging' });
  expect(lines[0]).toMatchObject({
    v: 1,
    type: 'child',
    child: { loop: 'c7', piece: '7' },
    change: 'conflict',
    files: ['a.ts'],
  });
  expect(lines[1]).toMatchObject({ type: 'happening', child: { loop: 'c7', piece: '7' } });
  expect(lines[1]).not.toHaveProperty('v');
  expect(lines[2]).not.toHaveProperty('child');
});

test('the live view has a line for each child that is at work', () => {
  const at = withChildEvent(withEvent(emptyViewModel('/p', 0), begun, 0), '7', called, 0);
  const drawn = (view: typeof at) => screenLines(view, { columns: 80, rows: 30 }, 5000, false).join('\n');
  expect(drawn(at)).toMatch(/children {2}\[7\] 0:05 {2}\$ npm test/);
  expect(drawn(withEvent(at, { ...begun, change: 'ended' }, 0))).not.toContain('[7]');
});
