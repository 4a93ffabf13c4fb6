import { describe, expect, test } from 'vitest';
import type { HookEvent, WakeUp } from '../../../../src/engine/core/loop/event.ts';
import { nameEnd } from '../../../../src/engine/core/run/session-end.ts';
import type { SessionHappening } from '../../../../src/engine/ports/ports.ts';
import { SessionRecorder } from '../../../../src/engine/run/client/session-recorder.ts';

const INIT = { type: 'system', subtype: 'init', session_id: 's1', model: 'opus' };
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  terminal_reason: 'completed',
  result: 'Done.',
};
const tasks = (...ids: string[]) => ({
  type: 'system',
  subtype: 'background_tasks_changed',
  tasks: ids.map((task_id) => ({ task_id })),
});

function recorded(...messages: object[]) {
  const told: SessionHappening[] = [];
  const heard = new SessionRecorder((happening) => told.push(happening));
  for (const message of messages) heard.hear({ ...message });
  return { heard, told };
}

function stop(...wakeUps: Pick<WakeUp, 'recurring'>[]): HookEvent {
  return {
    name: 'Stop',
    session: 's1',
    stopHookActive: false,
    backgroundTasks: [],
    wakeUps: wakeUps.map((wakeUp) => ({ id: 'w', schedule: '', ...wakeUp })),
  };
}

describe('what is told', () => {
  test('a session begins once, however many turns it has', () => {
    expect(recorded(INIT, RESULT, INIT, RESULT).told).toEqual([
      { kind: 'began', session: 's1', model: 'opus' },
    ]);
  });

  test('the usage of an answer is told once, however many blocks it has', () => {
    const message = { id: 'm1', model: 'opus', content: [], usage: { input_tokens: 5 } };
    const { told } = recorded({ type: 'assistant', message }, { type: 'assistant', message });
    expect(told).toEqual([{ kind: 'usage', contextTokens: 5, model: 'opus' }]);
  });

  test('what the client says in place of the model is not said by the model', () => {
    const message = { content: [{ type: 'text', text: 'API Error: 500' }] };
    expect(recorded({ type: 'assistant', message, error: 'server_error' }).told).toEqual([
      { kind: 'told', text: 'API Error: 500' },
    ]);
  });

  test('a denied call is told once with its input, and does not count as one that failed', () => {
    const input = { command: 'git push' };
    const call = { type: 'tool_use', id: 't1', name: 'Bash', input };
    const back = { type: 'tool_result', tool_use_id: 't1', content: 'denied', is_error: true };
    const other = { tool_name: 'Write', tool_use_id: 't2', tool_input: { file_path: '/x' } };
    const { told } = recorded(
      { type: 'assistant', message: { content: [call] } },
      { type: 'system', subtype: 'permission_denied', tool_name: 'Bash', tool_use_id: 't1' },
      { type: 'user', message: { content: [back] } },
      { ...RESULT, permission_denials: [{ tool_name: 'Bash', tool_use_id: 't1', tool_input: input }, other] },
    );
    expect(told).toEqual([
      { kind: 'called', tool: 'Bash', input },
      { kind: 'denied', tool: 'Bash', input },
      { kind: 'returned', tool: 'Bash', failed: true, denied: true },
      { kind: 'denied', tool: 'Write', input: { file_path: '/x' } },
    ]);
  });

  test('what a tool returned is told with its name', () => {
    const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } };
    const back = { type: 'tool_result', tool_use_id: 't1', content: 'x', is_error: true };
    const { told } = recorded(
      { type: 'assistant', message: { content: [call] } },
      { type: 'user', message: { content: [back] } },
    );
    expect(told).toEqual([
      { kind: 'called', tool: 'Bash', input: { command: 'ls' } },
      { kind: 'returned', tool: 'Bash', failed: true },
    ]);
  });
});

describe('what is waited for', () => {
  test('nothing while a turn runs, and nothing after a plain end', () => {
    expect(recorded(INIT, tasks('a')).heard).toMatchObject({ turnIsOpen: true, waitsFor: undefined });
    expect(recorded(INIT, RESULT).heard).toMatchObject({ turnIsOpen: false, waitsFor: undefined });
  });

  test('work in the background, then the word of it, then nothing', () => {
    const { heard } = recorded(INIT, tasks('a', 'b'), RESULT);
    expect(heard.waitsFor).toBe('work');
    heard.hear(tasks('b'));
    expect(heard.waitsFor).toBe('work');
    heard.hear(tasks());
    expect(heard.waitsFor).toBe('notice');
    heard.hearEvent({ name: 'UserPromptSubmit', session: 's1', prompt: '<task-notification>done' });
    expect(heard.waitsFor).toBeUndefined();
  });

  test('a wake-up, but none that recurs', () => {
    const { heard } = recorded(INIT);
    heard.hearEvent(stop({ recurring: false }));
    heard.hear(RESULT);
    expect(heard.waitsFor).toBe('work');
    heard.hearEvent(stop({ recurring: true }));
    expect(heard.waitsFor).toBeUndefined();
  });

  test.each([
    { is_error: true, terminal_reason: 'api_error' },
    { is_error: false, terminal_reason: 'stop_hook_prevented' },
  ])('nothing after %j, whatever still runs', (ending) => {
    expect(recorded(INIT, tasks('a'), { ...RESULT, ...ending }).heard.waitsFor).toBeUndefined();
  });
});

describe('a limit of the account', () => {
  const failed = (text: string) => ({
    type: 'assistant',
    message: { content: [{ type: 'text', text }] },
    error: 'rate_limit',
  });
  const rejected = {
    type: 'rate_limit_event',
    rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour', resetsAt: 1_794_753_321 },
  };

  test('ends when the event says, not when its words do', () => {
    const { heard } = recorded(rejected, failed("You've hit your 5-hour limit · resets 2:35pm (UTC)"));
    expect(heard.facts.rateLimit).toEqual({
      resetsAt: 1_794_753_321_000,
      text: "You've hit your 5-hour limit · resets 2:35pm (UTC)",
    });
  });

  test('ends when its words say, where there is no event', () => {
    const { heard } = recorded(failed('Your limit will reset at 3pm (UTC)'));
    expect(new Date(heard.facts.rateLimit?.resetsAt ?? 0).toISOString()).toContain('T15:00:00.000Z');
  });

  test('of an older client is named with its time', () => {
    const { heard } = recorded(INIT, { ...RESULT, result: 'Claude AI usage limit reached|1794753321' });
    expect(nameEnd(heard.facts)).toMatchObject({ kind: 'rate_limited', until: 1_794_753_321_000 });
  });
});
