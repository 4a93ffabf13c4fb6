import { describe, expect, test } from 'vitest';
import { signalsIn } from '../../../../src/engine/run/client/messages.ts';

const usage = {
  input_tokens: 10,
  cache_creation_input_tokens: 200,
  cache_read_input_tokens: 3_000,
  output_tokens: 1,
};
const answer = { id: 'm1', model: 'claude-opus-5-5', content: [{ type: 'text', text: 'Hello.' }], usage };

describe('a message of the SDK', () => {
  test('at the beginning of a turn names session and model', () => {
    const message = { type: 'system', subtype: 'init', session_id: 's1', model: 'claude-opus-5-5' };
    expect(signalsIn(message)).toEqual([{ kind: 'turn', session: 's1', model: 'claude-opus-5-5' }]);
  });

  test('of the model says how full the context is, output not counted', () => {
    expect(signalsIn({ type: 'assistant', message: answer, parent_tool_use_id: null })).toEqual([
      { kind: 'usage', message: 'm1', contextTokens: 3_210, model: 'claude-opus-5-5' },
    ]);
  });

  test('of a subagent says nothing about the session', () => {
    expect(signalsIn({ type: 'assistant', message: answer, parent_tool_use_id: 't1' })).toEqual([]);
  });

  test('in place of the model names the error', () => {
    const said = { ...answer, model: '<synthetic>', content: [{ type: 'text', text: 'API Error: 500' }] };
    expect(signalsIn({ type: 'assistant', message: said, error: 'server_error' })).toEqual([
      { kind: 'failed', error: 'server_error', text: 'API Error: 500' },
    ]);
  });

  test('with a result adds up the tokens of all models, without cache reads', () => {
    const model = {
      inputTokens: 100,
      outputTokens: 20,
      cacheCreationInputTokens: 3,
      cacheReadInputTokens: 9_999,
    };
    const message = {
      type: 'result',
      subtype: 'success',
      is_error: false,
      terminal_reason: 'completed',
      api_error_status: null,
      result: 'Done.',
      num_turns: 4,
      total_cost_usd: 0.25,
      modelUsage: { 'claude-opus-5-5': model, 'claude-haiku-5-5': model },
    };
    expect(signalsIn(message)).toEqual([
      {
        kind: 'result',
        result: {
          isError: false,
          subtype: 'success',
          terminalReason: 'completed',
          text: 'Done.',
          turns: 4,
          costTotalUsd: 0.25,
          tokensTotal: 246,
        },
      },
    ]);
  });

  test('with an error result has the errors for a text', () => {
    const message = {
      type: 'result',
      subtype: 'error_max_turns',
      is_error: true,
      terminal_reason: 'max_turns',
      errors: ['Reached maximum number of turns (2)', 'and more'],
    };
    expect(signalsIn(message)).toMatchObject([
      { result: { isError: true, text: 'Reached maximum number of turns (2); and more', tokensTotal: 0 } },
    ]);
  });

  test('about a retry says when, why, and whether it is a limit', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 2, max_retries: 10, retry_delay_ms: 600 };
    expect(signalsIn({ ...retry, error_status: 429, error: 'rate_limit' })).toEqual([
      { kind: 'retry', attempt: 2, delayMs: 600, why: '429 rate_limit', limited: true },
    ]);
    expect(signalsIn({ ...retry, error_status: null, error: 'server_error' })).toEqual([
      { kind: 'retry', attempt: 2, delayMs: 600, why: 'server_error', limited: false },
    ]);
  });

  test('about a limit counts only when something is the matter', () => {
    const event = (info: object) => signalsIn({ type: 'rate_limit_event', rate_limit_info: info });
    expect(event({ status: 'allowed' })).toEqual([]);
    expect(event({ status: 'rejected', rateLimitType: 'seven_day', resetsAt: 1_794_753_321 })).toEqual([
      { kind: 'limit', reached: true, resetsAt: 1_794_753_321_000, text: 'the weekly limit is reached' },
    ]);
    expect(event({ status: 'allowed_warning', rateLimitType: 'of tomorrow', utilization: 0.934 })).toEqual([
      { kind: 'limit', reached: false, text: '93 % of the usage limit is used' },
    ]);
  });

  test('tells of compaction, of the cap, and of work in the background', () => {
    const system = (subtype: string, more: object = {}) => signalsIn({ type: 'system', subtype, ...more });
    expect(system('compact_boundary')).toEqual([{ kind: 'compacted' }]);
    expect(system('notification', { key: 'stop-hook-block-cap' })).toEqual([{ kind: 'capped' }]);
    expect(system('notification', { key: 'stop-hook-error' })).toEqual([]);
    const tasks = [{ task_id: 'a' }, { task_id: 'b', ambient: true }];
    expect(system('background_tasks_changed', { tasks })).toEqual([{ kind: 'background', running: 1 }]);
  });

  test.each([
    {},
    { type: 'assistant' },
    { type: 'assistant', message: 'text' },
    { type: 'system' },
    { type: 'rate_limit_event', rate_limit_info: 7 },
    { type: 'stream_event', event: {} },
    { type: 'of tomorrow' },
  ])('that holds nothing known is no signal: %j', (message) => {
    expect(signalsIn(message)).toEqual([]);
  });
});
