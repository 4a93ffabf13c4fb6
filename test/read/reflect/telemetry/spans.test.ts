import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { advance } from '../../../../src/engine/core/loop/journal.ts';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import { measuresOf } from '../../../../src/read/reflect/telemetry/measures.ts';
import {
  type FinishedSpan,
  SpanBuilder,
  sessionContext,
} from '../../../../src/read/reflect/telemetry/spans.ts';
import { anyJournal } from '../../../support/core/any-entry.ts';
import { STARTED, seenStop, T0, verdict } from '../../../support/core/samples.ts';

const SECRET = 'sk-ant-secret /home/me/file.ts unlink --recursive';
const stop = (decision: Extract<Entry, { kind: 'stop' }>['decision'], outcome: 'fail' | 'pass'): Entry => ({
  kind: 'stop',
  seen: seenStop({ note: SECRET }),
  verdicts: [
    verdict(outcome, { summary: SECRET, evidence: [SECRET], proof: { command: SECRET, exitCode: 1 } }),
  ],
  decision,
  took: { tests: { at: T0 + 1500, ms: 400 } },
});
const RUN: Entry[] = [
  { ...STARTED, run: { mode: 'hybrid' }, task: { ...STARTED.task, preview: SECRET } },
  { kind: 'intent', session: 'a', resume: false, why: 'first' },
  stop({ kind: 'block', instruction: 'continue' }, 'fail'),
  stop({ kind: 'end', status: 'verified_done', cause: 'gates_passed', detail: SECRET }, 'pass'),
  { kind: 'result', end: { kind: 'completed', detail: SECRET }, costTotalUsd: 0.5, tokensTotal: 100 },
];

function spansOf(entries: readonly Entry[], around?: { traceId: string; spanId: string }): FinishedSpan[] {
  const builder = new SpanBuilder('l1', around);
  let state: LoopState | undefined;
  const spans = entries.flatMap((entry, index) => {
    const at = T0 + index * 1000;
    state = advance(state, entry, at);
    return builder.line({ at: new Date(at).toISOString(), entry, state });
  });
  return [...spans, ...builder.finish()];
}

test('a paused run has its span, too: without an ending, without an error, and not counted before it ends', () => {
  const paused = spansOf([...RUN.slice(0, 3), { kind: 'command', command: 'pause' }]);
  const root = paused.at(-1);
  expect(root).toMatchObject({
    name: 'untildone.run',
    attributes: { 'untildone.paused': true },
    error: undefined,
  });
  expect(root?.attributes).not.toHaveProperty('untildone.ending');
  expect(root && measuresOf(root)).toEqual([]);
  expect(paused.find(({ name }) => name.startsWith('invoke_agent'))?.parentId).toBe(root?.spanId);
  expect(spansOf(RUN).at(-1)?.spanId).toBe(root?.spanId);
  expect(spansOf(RUN.slice(0, 3)).some(({ name }) => name === 'untildone.run')).toBe(false);
});

test('a run becomes one trace: run, session, iterations, gates', () => {
  const spans = spansOf(RUN);
  const [gate, first, , second, session, run] = spans;
  expect(spans.map(({ name }) => name)).toEqual([
    ...['gate tests', 'untildone.iteration', 'gate tests', 'untildone.iteration'],
    ...['invoke_agent Claude Code', 'untildone.run'],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(6);
  expect([gate?.parentId, first?.parentId, session?.parentId, run?.parentId]).toEqual([
    ...[first?.spanId, session?.spanId, run?.spanId, undefined],
  ]);
  expect(gate).toMatchObject({ startMs: T0 + 1500, endMs: T0 + 1900, error: 'fail' });
  expect([first?.startMs, first?.endMs, second?.startMs]).toEqual([T0 + 1000, T0 + 2000, T0 + 2000]);
  expect(first?.attributes).toMatchObject({ 'untildone.iteration': 1, 'untildone.decision': 'block' });
  expect(session?.attributes).toMatchObject({ 'gen_ai.operation.name': 'invoke_agent', 'session.id': 'a' });
  expect(run).toMatchObject({ attributes: { 'untildone.ending': 'verified_done' }, error: undefined });
  expect(sessionContext({ loop: 'l1' }, 'a')).toEqual({ traceId: run?.traceId, spanId: session?.spanId });
});

test('nothing of prompts, commands, files and messages is in it', () => {
  const text = JSON.stringify(spansOf(RUN).map((span) => [span, measuresOf(span)]));
  for (const part of SECRET.split(' ')) expect(text).not.toContain(part);
});

test('a run inside of a trace is a part of it, and a child is a part of its run', () => {
  const around = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  expect(spansOf(RUN, around).at(-1)).toMatchObject({ traceId: around.traceId, parentId: around.spanId });
  const [started, ...rest] = RUN as [typeof STARTED, ...Entry[]];
  const child = spansOf([{ ...started, run: { mode: 'hybrid', parent: 'p1' } }, ...rest]).at(-1);
  const parent = new SpanBuilder('p1');
  parent.line({ at: new Date(T0).toISOString(), entry: STARTED, state: advance(undefined, STARTED, T0) });
  expect(child?.traceId).toBe(sessionContext({ loop: 'p1' }, 's').traceId);
  expect(child?.traceId).toBe(sessionContext({ loop: 'l1', parentLoop: 'p1' }, 's').traceId);
});

test('whatever a journal holds, no span ends before it begins, and every one but the root has a parent', () => {
  fc.assert(
    fc.property(anyJournal(), (timed) => {
      for (const { startMs, endMs, name, parentId } of spansOf(timed.map(({ entry }) => entry))) {
        expect(name.startsWith('gate ') || endMs >= startMs).toBe(true);
        expect(parentId !== undefined || /^untildone\.(run|loop)$/.test(name)).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});
