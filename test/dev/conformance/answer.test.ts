import { describe, expect, test } from 'vitest';
import { answerOf, type Ran } from '../../../src/dev/conformance/run-command.ts';

function ran(exitCode: number, stdout = '', stderr = ''): Ran {
  return { exitCode, stdout, stderr, timedOut: false, ms: 1 };
}

const BLOCK = '{"decision":"block","reason":"go on"}';

describe('a Stop is held', () => {
  test.each([
    ['by a block', ran(0, BLOCK), 'go on'],
    ['by a block with exit 1', ran(1, BLOCK), 'go on'],
    ['by a block with exit 2, whose reason wins', ran(2, BLOCK, 'stderr'), 'go on'],
    ['by a block without a reason', ran(0, '{"decision":"block"}'), 'Blocked by hook'],
    ['by a block with unknown fields', ran(0, '{"decision":"block","reason":"go on","x":1}\n'), 'go on'],
    ['by exit 2', ran(2, 'ignored', 'fix it\n'), 'fix it'],
    ['by exit 2 without a word', ran(2), 'No stderr output'],
    ['by exit 2 although the JSON approves', ran(2, '{"decision":"approve"}', 'fix it'), 'fix it'],
    ['by additional context', ran(0, '{"hookSpecificOutput":{"additionalContext":"more"}}'), 'more'],
  ])('%s', (_, run, reason) => {
    expect(answerOf(run)).toMatchObject({ held: true, reason });
  });
});

describe('a Stop is let go', () => {
  test.each([
    ['by silence', ran(0)],
    ['by text', ran(0, 'all fine')],
    ['by exit 1', ran(1, '', 'crashed')],
    ['by exit 127', ran(127, '', 'not found')],
    ['by an approval', ran(0, '{"decision":"approve","reason":"done"}')],
    ['by a null decision', ran(0, '{"decision":null,"status":"COMPLETE"}')],
    ['by a decision that is not in the schema', ran(0, '{"decision":"deny","reason":"go on"}')],
    ['by a reason that is not in the schema', ran(0, '{"decision":"block","reason":{"text":"go on"}}')],
    ['by text before the JSON', ran(0, `debug\n${BLOCK}`)],
    ['by torn JSON', ran(0, BLOCK.slice(0, -3))],
    ['by a list', ran(0, `[${BLOCK}]`)],
    [
      'by continue: false, which beats a block',
      ran(0, '{"continue":false,"decision":"block","reason":"go on"}'),
    ],
    ['by a timeout, whatever it had said', { ...ran(0, BLOCK), timedOut: true }],
  ])('%s', (_, run) => {
    expect(answerOf(run)).toMatchObject({ held: false, reason: '' });
  });

  test('what the person is told comes with it', () => {
    expect(answerOf(ran(0, '{"systemMessage":"Loop complete."}')).message).toBe('Loop complete.');
    expect(answerOf(ran(0, '{"continue":false,"stopReason":"Enough."}')).message).toBe('Enough.');
  });
});
