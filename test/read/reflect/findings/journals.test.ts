import { describe, expect, test } from 'vitest';
import type { StopSeen } from '../../../../src/engine/core/loop/count-stop.ts';
import { decide } from '../../../../src/engine/core/loop/decide.ts';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { replay } from '../../../../src/engine/core/loop/journal.ts';
import type { Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import type { Finding } from '../../../../src/read/reflect/findings/finding.ts';
import { journalFindings } from '../../../../src/read/reflect/findings/journal-findings.ts';
import { JournalTally } from '../../../../src/read/reflect/findings/journal-tally.ts';
import { LIMITS, STARTED, seenStop, T0, verdict } from '../../../support/core/samples.ts';

const MINUTE = 60_000;

/** Plays a loop a minute a Stop, and counts its journal. */
function played(stops: { verdicts: Verdict[]; seen?: Partial<StopSeen> }[], between: Entry[] = []) {
  const tally = new JournalTally();
  const entries: { entry: Entry; at: number }[] = [];
  const see = (entry: Entry, at: number) => {
    entries.push({ entry, at });
    tally.see(entry, at, { file: 'journal.jsonl', line: entries.length, at });
  };
  see(STARTED, T0);
  for (const entry of between) see(entry, T0);
  stops.forEach(({ verdicts, seen }, index) => {
    const at = T0 + (index + 1) * MINUTE;
    const facts = seenStop({ usage: { offset: 0, tokens: 1_000 }, toolSinceBlock: true, ...seen });
    if (!tally.state) throw new Error('it has started');
    see(
      { kind: 'stop', seen: facts, verdicts, decision: decide(tally.state, facts, verdicts, LIMITS, at) },
      at,
    );
  });
  expect(tally.state).toEqual(replay(entries));
  return { tally, findings: journalFindings(tally, 'l1') };
}

const failing = (summary: string, changes: Partial<Verdict> = {}) => verdict('fail', { summary, ...changes });
const lint = (outcome: Verdict['outcome'], summary = 'no-unused-vars') =>
  verdict(outcome, { gate: 'lint', summary, fingerprint: summary });
const only = (findings: readonly Finding[], type: Finding['type']) =>
  findings.filter((one) => one.type === type);

describe('the journal of a loop', () => {
  const { tally, findings } = played([
    { verdicts: [failing('3 failed'), lint('fail')], seen: { tree: 'a' } },
    { verdicts: [failing('2 failed'), lint('fail')], seen: { tree: 'b' } },
    { verdicts: [verdict('pass'), lint('fail')], seen: { tree: 'c' } },
    { verdicts: [verdict('pass'), lint('fail', 'no-undef')], seen: { tree: 'd' } },
    { verdicts: [verdict('pass'), lint('pass')], seen: { tree: 'e' } },
  ]);

  test('gates that block most, with the time and tokens until the next Stop', () => {
    const blocking = only(findings, 'blocking_gate');
    expect(blocking.map(({ fields }) => fields)).toEqual([
      { gate: 'lint', count: 4, held: 4 },
      { gate: 'tests', count: 2, held: 4 },
    ]);
    expect(blocking[0]).toMatchObject({ severity: 'medium', cost: { ms: 4 * MINUTE, tokens: 4_000 } });
    expect(blocking[0]?.places.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
  });

  test('reasons that repeat', () => {
    expect(only(findings, 'repeated_reason').map(({ fields }) => fields)).toEqual([
      { reason: 'lint: no-unused-vars', count: 3 },
    ]);
  });

  test('iterations until each gate passed', () => {
    expect(only(findings, 'many_iterations')[0]?.fields).toEqual({ iterations: 5, status: 'verified_done' });
    expect(tally.gates.get('tests')).toMatchObject({ judged: 5, blocked: 2 });
    expect(tally.gates.get('lint')).toMatchObject({ judged: 5, blocked: 4, passedAt: 5 });
  });

  test('nothing about a loop that passed at once', () => {
    expect(played([{ verdicts: [verdict('pass')] }]).findings).toEqual([]);
  });
});

test('a loop that stalled says so', () => {
  const same = Array.from({ length: 12 }, () => ({
    verdicts: [failing('the same', { fingerprint: 'f' })],
    seen: { tree: 't' },
  }));
  const { findings, tally } = played(same);
  expect(tally.state?.status).toBe('stalled');
  expect(only(findings, 'stalls')[0]).toMatchObject({ severity: 'high', fields: { status: 'stalled' } });
});

test.each<[string, Parameters<typeof played>]>([
  ['lines of others in the journal', [[], [{ kind: 'foreign', lines: 2 }]]],
  ['a Stop of somebody else', [[], [{ kind: 'event', event: 'Stop', detail: { refused: 'forged' } }]]],
  [
    'another contract in the place of the frozen one',
    [[{ verdicts: [verdict('pass')], seen: { contractReplaced: true } }]],
  ],
  [
    'weakened tests',
    [[{ verdicts: [failing('a test was removed', { gate: 'intact', kind: 'tests_intact' })] }]],
  ],
  [
    'suppressed checks inside of a combination',
    [
      [
        {
          verdicts: [
            failing('open: quiet', {
              kind: 'all',
              children: [failing('2 new', { gate: 'quiet', kind: 'suppressions' })],
            }),
          ],
        },
      ],
    ],
  ],
])('%s is an attempt to cheat', (_, args) => {
  expect(only(played(...args).findings, 'cheat_attempts')).toMatchObject([{ count: 1, severity: 'high' }]);
});
