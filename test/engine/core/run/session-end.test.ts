import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  nameEnd,
  type SessionEnd,
  type SessionFacts,
  type SessionResult,
} from '../../../../src/engine/core/run/session-end.ts';

function result(more: Partial<SessionResult> = {}): SessionResult {
  return {
    isError: false,
    terminalReason: 'completed',
    subtype: 'success',
    text: 'All done.',
    turns: 3,
    costTotalUsd: 0.5,
    tokensTotal: 1_000,
    ...more,
  };
}

/** An API error as Claude Code reports it: called a success. */
function failure(more: Partial<SessionResult>): SessionFacts {
  return { result: result({ isError: true, terminalReason: 'api_error', text: 'API Error', ...more }) };
}

function without(facts: SessionResult, key: keyof SessionResult): SessionResult {
  const { [key]: _gone, ...rest } = facts;
  return rest as SessionResult;
}

describe('an ending is named', () => {
  test.each<[string, SessionFacts, SessionEnd['kind']]>([
    ['a completed turn', { result: result() }, 'completed'],
    ['the cap, which looks like success', { result: result({ text: '' }), capped: true }, 'capped'],
    [
      'a Stop that was halted',
      { result: result({ terminalReason: 'stop_hook_prevented' }) },
      'stopped_by_hook',
    ],
    [
      'a tool hook that stopped it',
      { result: result({ terminalReason: 'hook_stopped' }) },
      'stopped_by_hook',
    ],
    [
      'a prompt that a hook refused',
      { result: without(result({ turns: 0, text: 'blocked' }), 'terminalReason') },
      'stopped_by_hook',
    ],
    ['Ctrl-C in another place', failure({ terminalReason: 'aborted_streaming' }), 'interrupted'],
    ['Ctrl-C during a tool', failure({ terminalReason: 'aborted_tools' }), 'interrupted'],
    ['turns', failure({ terminalReason: 'max_turns', subtype: 'error_max_turns' }), 'max_turns'],
    ['money', failure({ terminalReason: 'budget_exhausted' }), 'budget'],
    ['a prompt that is too long', failure({ terminalReason: 'prompt_too_long' }), 'prompt_too_long'],
    [
      'a request that is too large',
      failure({ terminalReason: 'image_error', apiErrorStatus: 413 }),
      'prompt_too_long',
    ],
    ['a full context', failure({ terminalReason: 'blocking_limit' }), 'context_full'],
    ['a context that fills at once', failure({ terminalReason: 'rapid_refill_breaker' }), 'context_full'],
    [
      'an image that is not taken',
      failure({ terminalReason: 'image_error', apiErrorStatus: 400 }),
      'refused',
    ],
    ['500', failure({ apiErrorStatus: 500, error: 'server_error' }), 'api_error'],
    ['a lost connection', failure({ error: 'server_error' }), 'api_error'],
    ['401', failure({ apiErrorStatus: 401, error: 'authentication_failed' }), 'auth'],
    ['401 of an older client', failure({ apiErrorStatus: 401 }), 'auth'],
    ['an account on hold', failure({ error: 'account_on_hold' }), 'auth'],
    ['an empty purse', failure({ apiErrorStatus: 400, error: 'billing_error' }), 'billing'],
    ['402', failure({ apiErrorStatus: 402, error: 'unknown' }), 'billing'],
    [
      'a model that is not there',
      failure({ apiErrorStatus: 404, error: 'model_not_found' }),
      'model_not_found',
    ],
    ['a refusal', failure({ error: 'invalid_request' }), 'refused'],
    ['429', failure({ apiErrorStatus: 429, error: 'rate_limit' }), 'rate_limited'],
    ['a limit in words alone', failure({ text: 'Your limit will reset at 3pm.' }), 'rate_limited'],
    [
      'a limit of an older client',
      { result: result({ text: 'Claude AI usage limit reached|1794753321' }) },
      'rate_limited',
    ],
    [
      'an answer about limits',
      { result: result({ text: 'The usage limit reached|0 case is handled.' }) },
      'completed',
    ],
    [
      'no session',
      failure({ text: 'No conversation found with session ID: x', terminalReason: 'odd' }),
      'no_session',
    ],
    [
      'no session, found out at the start',
      { crash: 'No conversation found with session ID: x' },
      'no_session',
    ],
    ['a process that died', { crash: 'terminated by signal SIGKILL' }, 'crashed'],
    ['a process that died after a first result', { result: result(), crash: 'SIGKILL' }, 'crashed'],
    ['a hang', { cutBy: 'hang' }, 'hung'],
    ['a session that was called off', { cutBy: 'abort', result: failure({}).result ?? result() }, 'aborted'],
    ['a deadline', { cutBy: 'deadline', crash: 'exit 143' }, 'deadline'],
    ['a reason of tomorrow', failure({ terminalReason: 'solar_flare' }), 'unknown'],
    ['nothing at all', {}, 'unknown'],
  ])('%s', (_what, facts, kind) => {
    const end = nameEnd(facts);
    expect(end.kind).toBe(kind);
    expect(end.detail).toMatch(/\w{3}/);
  });

  test('an API error with its status', () => {
    expect(nameEnd(failure({ apiErrorStatus: 529, text: 'API Error: 529\noverloaded' }))).toEqual({
      kind: 'api_error',
      status: 529,
      detail: 'API Error: 529 overloaded',
    });
  });

  test('a limit with the time at which it ends, when one is known', () => {
    const limited = failure({
      apiErrorStatus: 429,
      error: 'rate_limit',
      text: "You've hit your weekly limit",
    });
    expect(nameEnd(limited)).toEqual({ kind: 'rate_limited', detail: "You've hit your weekly limit" });
    const facts = {
      ...limited,
      rateLimit: { resetsAt: 1_794_753_321_000, text: 'the weekly limit is reached' },
    };
    expect(nameEnd(facts)).toMatchObject({ kind: 'rate_limited', until: 1_794_753_321_000 });
  });

  test('a login that is refused with what to do', () => {
    expect(nameEnd(failure({ apiErrorStatus: 401, text: 'Failed to authenticate.' })).detail).toBe(
      'Failed to authenticate. (log in with `claude`, or set ANTHROPIC_API_KEY)',
    );
  });

  test('a limit that was got past ends nothing', () => {
    expect(nameEnd({ result: result(), rateLimit: { text: '429', resetsAt: 5 } }).kind).toBe('completed');
  });
});

const anyResult: fc.Arbitrary<SessionResult> = fc.record(
  {
    isError: fc.boolean(),
    terminalReason: fc.constantFrom('completed', 'api_error', 'max_turns', 'hook_stopped', 'what'),
    subtype: fc.constantFrom('success', 'error_during_execution', 'error_max_turns'),
    text: fc.string(),
    apiErrorStatus: fc.constantFrom(400, 401, 429, 500),
    error: fc.constantFrom('rate_limit', 'unknown', 'toString', '__proto__'),
    turns: fc.nat(),
    costTotalUsd: fc.double({ min: 0, noNaN: true }),
    tokensTotal: fc.nat(),
  },
  { requiredKeys: ['isError', 'subtype', 'text', 'turns', 'costTotalUsd', 'tokensTotal'] },
);

describe('whatever the facts are', () => {
  test('the subtype changes nothing', () => {
    fc.assert(
      fc.property(anyResult, fc.string(), (given, subtype) => {
        expect(nameEnd({ result: { ...given, subtype } })).toEqual(nameEnd({ result: given }));
      }),
    );
  });

  test('an error is never called completed, nor anything that was cut', () => {
    fc.assert(
      fc.property(anyResult, fc.constantFrom('hang', 'abort', 'deadline'), (given, cutBy) => {
        expect(nameEnd({ result: { ...given, isError: true } }).kind).not.toBe('completed');
        expect(nameEnd({ result: given, cutBy }).kind).not.toBe('completed');
      }),
    );
  });

  test('there is a name and a sentence of one line', () => {
    fc.assert(
      fc.property(anyResult, (given) => {
        const { kind, detail } = nameEnd({ result: given });
        expect(typeof kind).toBe('string');
        expect(detail).not.toMatch(/\n/);
        expect(detail.length).toBeLessThanOrEqual(400);
      }),
    );
  });
});
