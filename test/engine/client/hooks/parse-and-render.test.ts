import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHookEvent } from '../../../../src/engine/client/hooks/parse.ts';
import { renderAnswer, renderCallback } from '../../../../src/engine/client/hooks/render.ts';
import {
  type Answer,
  type HookEvent,
  isCompactionAgent,
  KNOWN_EVENTS,
} from '../../../../src/engine/core/loop/event.ts';
import { anyCharacter } from '../../../support/any-character.ts';

/** The fields that every event carries. */
const COMMON = {
  session_id: '0e9f3c2a-7f7b-4a61-9a57-5a1f0f6a7b11',
  transcript_path: '/home/me/.claude/projects/p/0e9f.jsonl',
  cwd: '/project',
  prompt_id: 'p1',
  permission_mode: 'default',
};
const BASE = {
  session: COMMON.session_id,
  transcript: COMMON.transcript_path,
  cwd: '/project',
  promptId: 'p1',
  permissionMode: 'default',
};

function parse(fields: object): HookEvent {
  const parsed = parseHookEvent(JSON.stringify({ ...COMMON, ...fields }));
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.event;
}

function problemOf(input: string): string {
  const parsed = parseHookEvent(input);
  if (parsed.ok) throw new Error(`parsed as ${parsed.event.name}`);
  return parsed.problem;
}

describe('events as the client sends them', () => {
  test('Stop', () => {
    const sent = {
      hook_event_name: 'Stop',
      stop_hook_active: true,
      last_assistant_message: 'done\n',
      effort: { level: 'high' },
      background_tasks: [
        { id: 'b1', type: 'shell', status: 'running', description: 'a server', command: 'npm start' },
        { id: 'a1', type: 'subagent', status: 'completed', description: 'd', agent_type: 'Explore' },
      ],
      session_crons: [{ id: 'c1', schedule: '*/5 * * * *', recurring: true, prompt: 'look' }],
    };
    expect(parse(sent)).toEqual({
      ...BASE,
      name: 'Stop',
      stopHookActive: true,
      lastMessage: 'done\n',
      backgroundTasks: [
        { id: 'b1', type: 'shell', status: 'running', description: 'a server' },
        { id: 'a1', type: 'subagent', status: 'completed', description: 'd' },
      ],
      wakeUps: [{ id: 'c1', schedule: '*/5 * * * *', recurring: true }],
    });
  });
  test('a Stop of an older client, with hardly anything in it', () => {
    const parsed = parseHookEvent('{"hook_event_name":"Stop","session_id":"s"}');
    expect(parsed).toEqual({
      ok: true,
      event: { session: 's', name: 'Stop', stopHookActive: false, backgroundTasks: [], wakeUps: [] },
    });
  });
  test('an empty final message is a message', () => {
    expect(parse({ hook_event_name: 'Stop', last_assistant_message: '' })).toMatchObject({ lastMessage: '' });
    expect(parse({ hook_event_name: 'Stop' })).not.toHaveProperty('lastMessage');
  });
  test("SubagentStop, and the client's own compaction agent among them", () => {
    const agent = {
      hook_event_name: 'SubagentStop',
      agent_id: 'a1',
      agent_transcript_path: '/t/agent.jsonl',
    };
    const typed = parse({ ...agent, agent_type: 'Explore' });
    expect(typed).toMatchObject({ agentId: 'a1', agentType: 'Explore', agentTranscript: '/t/agent.jsonl' });
    expect(isCompactionAgent(typed)).toBe(false);
    expect(isCompactionAgent(parse({ ...agent, agent_type: '' }))).toBe(true);
  });
  test('SubagentStart, as 2.1.325 sends it from a worktree', () => {
    const sent = { hook_event_name: 'SubagentStart', agent_id: 'a8a3dd59929b2a667', agent_type: 'chunk-a' };
    const cwd = '/project/.claude/worktrees/agent-a8a3dd59929b2a667';
    expect(parse({ ...sent, cwd })).toEqual({
      ...BASE,
      name: 'SubagentStart',
      agentId: sent.agent_id,
      agentType: 'chunk-a',
      cwd,
    });
    expect(isCompactionAgent(parse({ ...sent, agent_type: '' }))).toBe(true);
    expect(isCompactionAgent(parse(sent))).toBe(false);
  });
  test.each([
    [
      { hook_event_name: 'SessionStart', source: 'compact', model: 'm' },
      { name: 'SessionStart', source: 'compact', model: 'm' },
    ],
    [{ hook_event_name: 'SessionStart' }, { name: 'SessionStart', source: '' }],
    [
      { hook_event_name: 'SessionEnd', reason: 'clear' },
      { name: 'SessionEnd', reason: 'clear' },
    ],
    [
      { hook_event_name: 'StopFailure', error: 'rate_limit' },
      { name: 'StopFailure', error: 'rate_limit' },
    ],
    [{ hook_event_name: 'StopFailure' }, { name: 'StopFailure', error: 'unknown' }],
    [
      { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' },
      { name: 'PreToolUse', tool: 'Bash', input: { command: 'ls' }, toolUseId: 't1' },
    ],
    [
      { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: 'ls' },
      { name: 'PostToolUse', tool: 'Bash', input: {} },
    ],
    [
      { hook_event_name: 'TaskCreated', task_id: '3', task_subject: 's', task_description: 'd' },
      { name: 'TaskCreated', taskId: '3', subject: 's', description: 'd' },
    ],
    [
      { hook_event_name: 'TaskCompleted', task_id: '3' },
      { name: 'TaskCompleted', taskId: '3', subject: '' },
    ],
    [
      { hook_event_name: 'TeammateIdle', teammate_name: 'ann', team_name: 't' },
      { name: 'TeammateIdle', teammate: 'ann', team: 't' },
    ],
    [
      {
        hook_event_name: 'TaskCompleted',
        taskId: 7,
        taskSubject: 's',
        taskDescription: 'd',
        task_subject: '',
        extra: true,
      },
      { name: 'TaskCompleted', taskId: '7', subject: 's', description: 'd' },
    ],
    [
      {
        hook_event_name: 'TaskCompleted',
        task_id: '1',
        taskId: '2',
        task_subject: 'new',
        taskSubject: 'old',
      },
      { name: 'TaskCompleted', taskId: '1', subject: 'new' },
    ],
    [
      { hook_event_name: 'TeammateIdle', agentName: 'ann', teamName: 't' },
      { name: 'TeammateIdle', teammate: 'ann', team: 't' },
    ],
    [
      { hook_event_name: 'TeammateIdle', teammate_name: 'ann', agentName: 'old', team_name: 't' },
      { name: 'TeammateIdle', teammate: 'ann', team: 't' },
    ],
    [
      { hook_event_name: 'UserPromptSubmit', prompt: 'go' },
      { name: 'UserPromptSubmit', prompt: 'go' },
    ],
    [
      { hook_event_name: 'UserPromptExpansion', prompt: '/x', command_name: 'x' },
      { name: 'UserPromptExpansion', prompt: '/x', command: 'x' },
    ],
    [
      { hook_event_name: 'ConfigChange', source: 'project_settings', file_path: '/p/.claude/settings.json' },
      { name: 'ConfigChange', source: 'project_settings', file: '/p/.claude/settings.json' },
    ],
    [
      { hook_event_name: 'PreCompact', trigger: 'auto' },
      { name: 'other', eventName: 'PreCompact' },
    ],
    [
      { hook_event_name: 'SomethingNew', anything: [1] },
      { name: 'other', eventName: 'SomethingNew' },
    ],
  ])('%j', (sent, expected) => {
    expect(parse(sent)).toEqual({ ...BASE, ...expected });
  });
  test('every event that the client has today is understood', () => {
    for (const name of KNOWN_EVENTS) expect(parse({ hook_event_name: name }).session).toBe(COMMON.session_id);
  });
});

describe('fields of the wrong type count as absent', () => {
  // Older hooks got whole numbers as ids.
  const wrong = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.double({ noInteger: true }),
    fc.array(fc.anything()),
    fc.object(),
  );
  const fields = [
    ...[
      'transcript_path',
      'cwd',
      'prompt_id',
      'permission_mode',
      'agent_id',
      'agent_type',
      'source',
      'model',
    ],
    ...[
      'reason',
      'error',
      'tool_name',
      'tool_use_id',
      'task_id',
      'task_subject',
      'task_description',
      'prompt',
    ],
    ...['teammate_name', 'team_name', 'command_name', 'file_path', 'last_assistant_message'],
    ...['agent_transcript_path'],
  ];
  test('for every field of every event', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KNOWN_EVENTS),
        fc.constantFrom(...fields),
        wrong,
        (name, field, value) => {
          const base = { hook_event_name: name, session_id: 's' };
          const odd = JSON.stringify({ ...base, [field]: value });
          expect(parseHookEvent(odd)).toEqual(parseHookEvent(JSON.stringify(base)));
        },
      ),
    );
  });
  test('in lists of tasks and wake-ups too', () => {
    const stop = parse({
      hook_event_name: 'Stop',
      stop_hook_active: 'true',
      background_tasks: [null, 5, 'x', [], { id: 7, status: {}, type: [] }],
      session_crons: { not: 'a list' },
    });
    expect(stop).toMatchObject({
      stopHookActive: false,
      backgroundTasks: [{ id: '', type: 'task', status: 'running', description: '' }],
      wakeUps: [],
    });
  });
});

describe('input that cannot be used is a problem in words', () => {
  test.each([
    ['', 'stdin was empty'],
    [' \n', 'stdin was empty'],
    ['{"hook_event_name":"Stop"', 'not JSON'],
    ['not json', 'not JSON'],
    ['[]', 'not an object'],
    ['null', 'not an object'],
    ['"Stop"', 'not an object'],
    ['{}', '"hook_event_name" is missing'],
    ['{"hook_event_name":5,"session_id":"s"}', '"hook_event_name" is missing or not a string'],
    ['{"hook_event_name":"Stop"}', '"session_id" is missing'],
    ['{"hook_event_name":"Stop","session_id":{}}', '"session_id" is missing or not a string'],
    ['{"hook_event_name":"Stop","session_id":""}', '"session_id" is missing'],
  ])('%j', (input, problem) => {
    expect(problemOf(input)).toContain(problem);
  });
  test('and never an exception, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.json(),
          fc.anything().map((value) => fc.stringify(value)),
        ),
        (input) => {
          expect(typeof parseHookEvent(input).ok).toBe('boolean');
        },
      ),
    );
  });
  test('nor for a million brackets', () => {
    expect(problemOf('['.repeat(1_000_000))).toContain('not JSON');
    expect(problemOf(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)).toMatch(/not (JSON|an object)/);
  });
});

describe('answers as the client wants them', () => {
  const reason = 'line one\n\t"two" 😀 \ud800\x1b[2J\u202e';
  const shown = 'line one\n\t"two" 😀 \\u{d800}\\u{1b}[2J\\u{202e}';
  test('silence is nothing at all, for every event', () => {
    for (const name of KNOWN_EVENTS) {
      expect(renderAnswer(name, { kind: 'silence' })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    }
  });
  test.each(['Stop', 'SubagentStop', 'TaskCompleted', 'ConfigChange', 'UserPromptSubmit', 'PreCompact'])(
    'a refusal of %s is a block with its reason',
    (name) => {
      expect(renderAnswer(name, { kind: 'refuse', reason })).toEqual({
        stdout: JSON.stringify({ decision: 'block', reason: shown }),
        stderr: '',
        exitCode: 0,
      });
    },
  );
  test('a refusal of PreToolUse is a denied permission', () => {
    expect(renderAnswer('PreToolUse', { kind: 'refuse', reason: 'protected' })).toEqual({
      stdout:
        '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"protected"}}',
      stderr: '',
      exitCode: 0,
    });
  });
  test.each(['TeammateIdle', 'TaskCreated'])(
    'a refusal of %s is exit 2 with the reason on stderr',
    (name) => {
      expect(renderAnswer(name, { kind: 'refuse', reason })).toEqual({
        stdout: '',
        stderr: shown,
        exitCode: 2,
      });
    },
  );
  test('only what a summary is to keep is said before a compaction, as plain text', () => {
    const said = (answer: Parameters<typeof renderAnswer>[1]) => renderAnswer('PreCompact', answer);
    expect(said({ kind: 'inject', context: 'Keep "this".', message: 'for the person' })).toEqual({
      stdout: 'Keep "this".',
      stderr: '',
      exitCode: 0,
    });
    expect(said({ kind: 'tell', message: 'for the person' }).stdout).toBe('');
    expect(said({ kind: 'halt', message: 'Enough.' }).stdout).toBe('');
  });
  test('a permission, and another input, in the words of the client; neither decides more than it says', () => {
    const said = (event: string, answer: Answer) => JSON.parse(renderAnswer(event, answer).stdout);
    expect(said('PermissionRequest', { kind: 'permit' })).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    });
    expect(said('PreToolUse', { kind: 'rewrite', input: { command: 'ls' }, message: 'm' })).toEqual({
      systemMessage: 'm',
      hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'ls' } },
    });
    expect(renderCallback('PermissionRequest', { kind: 'permit' })).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    });
  });
  test('what a person is told, and what a model is given', () => {
    expect(renderAnswer('Stop', { kind: 'tell', message: 'it ended' }).stdout).toBe(
      '{"systemMessage":"it ended"}',
    );
    expect(
      JSON.parse(renderAnswer('UserPromptSubmit', { kind: 'inject', context: 'c', message: 'm' }).stdout),
    ).toEqual({
      systemMessage: 'm',
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'c' },
    });
    expect(renderAnswer('SessionStart', { kind: 'inject', context: 'go on' }).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"go on"}}',
    );
  });
  test('are one line of JSON, whatever the text', () => {
    fc.assert(
      fc.property(fc.constantFrom('Stop', 'PreToolUse'), fc.string({ unit: anyCharacter }), (name, text) => {
        const { stdout } = renderAnswer(name, { kind: 'refuse', reason: text });
        expect(stdout).not.toContain('\n');
        expect(JSON.stringify(JSON.parse(stdout))).toBe(stdout);
      }),
    );
  });
});
