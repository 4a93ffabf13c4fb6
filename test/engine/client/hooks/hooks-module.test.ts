import { describe, expect, test } from 'vitest';
import { beside, type Ended, translate } from '../../../../plugin/hooks/answer.ts';
import { linesOf, loopIn } from '../../../../plugin/hooks/band-lines.ts';
import { renderAnswer } from '../../../../src/engine/client/hooks/render.ts';
import type { Answer } from '../../../../src/engine/core/loop/event.ts';

/** The hook process prints an answer; the module translates it. */
function through(event: string, answer: Answer) {
  const { stdout, stderr, exitCode } = renderAnswer(event, answer);
  return translate({ code: exitCode, stdout: `${stdout}\n`, stderr });
}

describe('what the hook process says reaches Claude Code', () => {
  test.each(['Stop', 'SubagentStop', 'TaskCreated', 'TaskCompleted', 'TeammateIdle'])('at %s', (event) => {
    expect(through(event, { kind: 'silence' })).toEqual({ answer: {} });
    expect(through(event, { kind: 'refuse', reason: 'not yet\n\n"so"' }).answer).toEqual({
      block: 'not yet\n\n"so"',
    });
    expect(through(event, { kind: 'halt', message: 'over' }).answer).toEqual({
      preventContinuation: true,
      stopReason: 'over',
    });
    expect(through(event, { kind: 'tell', message: 'done' })).toEqual({ answer: {}, message: 'done' });
    expect(through(event, { kind: 'inject', context: 'read this', message: 'said' })).toEqual({
      answer: { additionalContext: ['read this'] },
      message: 'said',
    });
  });

  const NO_ANSWERS: Ended[] = [
    { code: 1, stdout: '', stderr: 'broken' },
    { code: null, stdout: '', stderr: '' },
    { code: 127, stdout: '{}', stderr: '' },
    { code: 0, stdout: '{"decision":"blo', stderr: '' },
    { code: 0, stdout: 'null', stderr: '' },
  ];
  test.each(NO_ANSWERS)('an end that is no answer throws, so that the session is held: %o', (ended) => {
    expect(() => translate(ended)).toThrow();
  });

  test('reasons of other hooks stay', () => {
    expect(beside({ block: 'theirs', additionalContext: ['a'] }, { block: 'ours' })).toEqual({
      block: 'theirs\n\nours',
      additionalContext: ['a'],
    });
    expect(beside({}, {})).toEqual({});
    expect(beside({ preventContinuation: true }, { block: 'ours' })).toEqual({
      preventContinuation: true,
      block: 'ours',
    });
  });
});

const LOOP = {
  id: '1',
  session: 's',
  status: 'active',
  iteration: 3,
  max_iterations: 50,
  cost_usd: 0.416,
  waiting: null,
  ending: null,
  gates: [
    { name: 'lint', verdict: 'pass', summary: '' },
    { name: 'tests', verdict: 'fail', summary: '2 of 14 fail' },
    { name: 'review', verdict: 'unproven', summary: '' },
  ],
};

describe('the band', () => {
  test('says why the session is held, and what ends it', () => {
    expect(linesOf(LOOP)).toEqual([
      'untildone: held: tests 2 of 14 fail · iteration 3 of 50 · $0.42',
      'Gates: ✓ lint  ✗ tests  ? review',
      'Ends: when all gates pass, at the latest after iteration 50; or with /untildone:cancel',
    ]);
    const waiting = { ...LOOP, waiting: { text: 'waits for your answer' }, max_iterations: null, gates: [] };
    expect(linesOf(waiting)).toEqual([
      'untildone: waits for your answer · iteration 3 · $0.42',
      'Ends: when all gates pass; or with /untildone:cancel',
    ]);
    expect(linesOf({ ...LOOP, status: 'paused' })[0]).toContain('paused, the session may stop');
  });

  test('rows are short and steer no terminal', () => {
    const summary = `\u001b[31mred\u001b[0m\n${'x'.repeat(500)}`;
    const lines = linesOf({ ...LOOP, gates: [{ name: 'tests', verdict: 'fail', summary }] });
    for (const line of lines) expect(line).toMatch(/^\P{C}{1,100}$/u);
  });

  test('is that of the own session, while its loop goes on', () => {
    const text = JSON.stringify({
      loops: [
        { ...LOOP, session: 'other' },
        { ...LOOP, id: '2' },
      ],
    });
    expect(loopIn(text, 's')?.id).toBe('2');
    expect(loopIn(JSON.stringify({ loops: [{ ...LOOP, ending: {} }] }), 's')).toBeUndefined();
    for (const odd of ['', 'null', '{}', '[]']) expect(loopIn(odd, 's')).toBeUndefined();
    expect(linesOf(undefined)).toEqual([]);
  });
});
