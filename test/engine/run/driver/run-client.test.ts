import { describe, expect, test } from 'vitest';
import type { StopEvent } from '../../../../src/engine/core/loop/event.ts';
import { LastAnswer } from '../../../../src/engine/run/driver/run-client.ts';

const stop = (lastMessage: string): StopEvent => ({
  name: 'Stop',
  session: 's',
  stopHookActive: false,
  backgroundTasks: [],
  wakeUps: [],
  lastMessage,
});

function heard(asked?: string): LastAnswer {
  const answer = new LastAnswer(asked);
  answer.hear({ kind: 'usage', contextTokens: 150_000, model: 'claude-sonnet-4-5' });
  answer.hear({ kind: 'said', text: 'It is done.\n' });
  return answer;
}

describe('how full a session is', () => {
  test('is known from its messages when they tell of this very answer', () => {
    expect(heard().with(stop('It is done.')).context).toEqual({
      tokens: 150_000,
      model: 'claude-sonnet-4-5',
    });
  });
  test('is not known when the message of this Stop is still on its way', () => {
    expect(heard().with(stop('Another answer.')).context).toBeUndefined();
  });
  test('is not known from an answer that began and has said nothing yet', () => {
    const answer = heard();
    answer.hear({ kind: 'usage', contextTokens: 160_000, model: 'claude-sonnet-4-5' });
    expect(answer.with(stop('It is done.')).context).toBeUndefined();
  });
  test('is not known any more after a compaction', () => {
    const answer = heard();
    answer.hear({ kind: 'compacted' });
    expect(answer.with(stop('It is done.')).context).toBeUndefined();
  });
  test('is measured against the window that was asked for', () => {
    expect(heard('claude-sonnet-4-5[1m]').with(stop('It is done.')).context?.model).toBe(
      'claude-sonnet-4-5[1m]',
    );
  });
});
