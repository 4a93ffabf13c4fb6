import { describe, expect, test } from 'vitest';
import type { KnownFailure } from '../../../../src/engine/core/contract/contract.ts';
import type { TestResults } from '../../../../src/engine/core/proof/test-results.ts';
import type { Judgement } from '../../../../src/engine/gates/gate.ts';
import { withoutKnown } from '../../../../src/engine/gates/run/known-failures.ts';

const FAIL: Judgement = {
  outcome: 'fail',
  summary: '`npm test` fails with exit code 1',
  evidence: ['✖ zone'],
  fingerprint: 'f',
};
const PASS: Judgement = { outcome: 'pass', summary: '`npm test` succeeds' };
const ZONE: KnownFailure = {
  gate: 'tests',
  test: 'time.test.js > zone',
  since: '2026-01-05',
  reason: 'needs a zone',
};
const WHOLE: KnownFailure = { gate: 'tests' };

function report(names: Record<string, 'passed' | 'failed' | 'skipped'>, whole = true): TestResults {
  const none = { passed: 0, failed: 0, skipped: 0 };
  return { tests: new Map(Object.entries(names).map(([name, how]) => [name, { ...none, [how]: 1 }])), whole };
}

/** Judges runs of one command one after the other, with one memory. */
function judging(known: readonly KnownFailure[]) {
  const kept = new Map<string, unknown>();
  const memory = {
    read: (name: string) => kept.get(name),
    write: (name: string, value: unknown) => void kept.set(name, value),
  };
  return (judgement: Judgement, tests?: TestResults) => withoutKnown(judgement, tests, known, memory);
}

const RED = report({ 'time.test.js > zone': 'failed', 'time.test.js > adds': 'passed' });
const GREEN = report({ 'time.test.js > zone': 'passed', 'time.test.js > adds': 'passed' });

describe('a test that is known to fail', () => {
  test('holds nobody while it is the only one, and is named with day and reason', () => {
    expect(judging([ZONE])(FAIL, RED)).toMatchObject({
      outcome: 'pass',
      summary:
        '`npm test` fails with exit code 1, but only in 1 test that is known to fail from before the work began',
      exceptions: ['known failure: time.test.js > zone (since 2026-01-05: needs a zone)'],
    });
  });

  test.each<[string, TestResults | undefined]>([
    ['another test fails, too', report({ 'time.test.js > zone': 'failed', 'time.test.js > adds': 'failed' })],
    ['only another test fails', report({ 'time.test.js > zone': 'passed', 'time.test.js > adds': 'failed' })],
    ['no test fails, so that something else must', GREEN],
    ['the report is cut off', { ...RED, whole: false }],
    ['there is no report', undefined],
    ['a test fails of which the name is a part', report({ 'time.test.js > zone > later': 'failed' })],
  ])('%s: the command fails', (_, tests) => {
    expect(judging([ZONE])(FAIL, tests).outcome).toBe('fail');
  });

  test('ends when it has passed once: it is said, and the next failure counts', () => {
    const judge = judging([ZONE]);
    expect(judge(FAIL, RED).outcome).toBe('pass');
    expect(judge(PASS, GREEN)).toEqual({
      ...PASS,
      notes: [
        'passes now, and counts from here on: time.test.js > zone; take it out of known_failures in untildone.yaml',
      ],
    });
    expect(judge(PASS, GREEN)).toEqual(PASS);
    const again = judge(FAIL, RED);
    expect(again.outcome).toBe('fail');
    expect(again.evidence).toEqual([
      'time.test.js > zone is in known_failures, but has passed since then, so it counts.',
      '✖ zone',
    ]);
  });

  test('ends as well when it passes while another test fails', () => {
    const judge = judging([ZONE]);
    const other = report({ 'time.test.js > zone': 'passed', 'time.test.js > adds': 'failed' });
    expect(judge(FAIL, other).outcome).toBe('fail');
    expect(judge(FAIL, RED).outcome).toBe('fail');
  });

  test('what could not be judged stays so', () => {
    const unproven: Judgement = { outcome: 'unproven', summary: '`npm test` was ended by a signal' };
    expect(judging([ZONE, WHOLE])(unproven, RED)).toBe(unproven);
  });
});

describe('a command that is known to fail as a whole', () => {
  test('is skipped, and shows nothing; when it has passed once, it counts', () => {
    const judge = judging([WHOLE]);
    expect(judge(FAIL)).toMatchObject({
      outcome: 'skip',
      summary: '`npm test` fails with exit code 1, as it did before the work began',
      exceptions: ['known failure: the whole command'],
    });
    expect(judge(PASS).notes).toHaveLength(1);
    expect(judge(FAIL)).toMatchObject({ outcome: 'fail' });
  });
});
