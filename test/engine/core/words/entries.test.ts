import { expect, test } from 'vitest';
import { newRun } from '../../../../src/engine/core/run/run.ts';
import { describeEntry } from '../../../../src/engine/core/words/entries.ts';
import { freshLoop } from '../../../support/core/samples.ts';

const STATE = freshLoop();

test('what a tool rule did stands in the log under its name', () => {
  const detail = { tool: 'Bash', refused: 'dangerous: removes the home folder' };
  expect(describeEntry({ kind: 'event', event: 'PreToolUse', detail }, STATE)).toBe(
    'PreToolUse (Bash, refused: dangerous: removes the home folder)',
  );
});

test('what is plain beside its event needs no name', () => {
  expect(describeEntry({ kind: 'event', event: 'SessionEnd', detail: { reason: 'other' } }, STATE)).toBe(
    'SessionEnd (other)',
  );
});

test('a run that paused by itself was not paused by you', () => {
  const pause = { kind: 'command' as const, command: 'pause' as const, note: 'a person is needed' };
  const run = freshLoop({ run: newRun({ mode: 'hybrid' }) });
  expect(describeEntry(pause, run)).toBe('paused: a person is needed');
  expect(describeEntry(pause, STATE)).toBe('you paused it: a person is needed');
});
