import { describe, expect, test } from 'vitest';
import { otherHost } from '../../../../src/engine/client/hooks/other-host.ts';

type Env = Record<string, string>;

const CLAUDE_STOP = {
  session_id: 's1',
  transcript_path: '/home/me/.claude/projects/-p/s1.jsonl',
  cwd: '/p',
  prompt_id: 'p1',
  permission_mode: 'default',
  hook_event_name: 'Stop',
  stop_hook_active: false,
};
const CURSOR_STOP = {
  conversation_id: 'c1',
  generation_id: 'g1',
  hook_event_name: 'stop',
  cursor_version: '3.9.16',
  workspace_roots: ['/p'],
  status: 'completed',
  loop_count: 0,
};
const COPILOT_STOP = {
  hook_event_name: 'Stop',
  session_id: 'c1',
  timestamp: '2026-05-21T19:00:00.000Z',
  cwd: '/p',
  transcript_path: '/home/me/.copilot/t.jsonl',
  stop_reason: 'end_turn',
};
const CONTINUE_STOP = {
  session_id: 'c1',
  transcript_path: '',
  cwd: '/p',
  hook_event_name: 'Stop',
  stop_hook_active: true,
  last_assistant_message: 'done',
};
const DEVIN_STOP = { session_id: 'bramble-scorpion', prompt_id: 'p1', hook_event_name: 'Stop' };

const OF_CLAUDE: Env = {
  CLAUDE_CODE_SESSION_ID: 's1',
  CLAUDE_PROJECT_DIR: '/p',
  CLAUDE_PID: '1',
  CLAUDECODE: '1',
};
/** A program that Claude Code started, directly or through an editor, has these of another session. */
const INSIDE_CLAUDE: Env = { ...OF_CLAUDE, CLAUDE_CODE_SESSION_ID: 'another' };
const OF_CURSOR: Env = { CURSOR_VERSION: '3.9.16', CURSOR_PROJECT_DIR: '/p', CLAUDE_PROJECT_DIR: '/p' };
const OF_CONTINUE: Env = { CONTINUE_PROJECT_DIR: '/p', CLAUDE_PROJECT_DIR: '/p' };
const OF_DEVIN: Env = { DEVIN_PROJECT_DIR: '/p' };
const TERMINAL: Env = { TERM_PROGRAM: 'vscode', VSCODE_PID: '7', CURSOR_TRACE_ID: 't', CURSOR_AGENT: '1' };

describe('left alone', () => {
  test.each<[string, object, Env, string]>([
    ['Cursor', CURSOR_STOP, OF_CURSOR, 'Cursor'],
    ['Cursor without its variables', CURSOR_STOP, {}, 'Cursor'],
    ['Cursor, opened from a session', CURSOR_STOP, { ...INSIDE_CLAUDE, ...OF_CURSOR }, 'Cursor'],
    ['Cursor, in the words of Claude Code', { ...CLAUDE_STOP, cursor_version: '4' }, OF_CURSOR, 'Cursor'],
    ['Cursor with no field of its own', { ...CLAUDE_STOP, transcript_path: null }, OF_CURSOR, 'Cursor'],
    [
      'Cursor with its own transcript',
      { ...CLAUDE_STOP, transcript_path: '/home/me/.cursor/projects/p/agent-transcripts/c.jsonl' },
      OF_CURSOR,
      'Cursor',
    ],
    ['a tool call of Cursor', { ...CURSOR_STOP, hook_event_name: 'preToolUse' }, OF_CURSOR, 'Cursor'],
    ['Copilot CLI', COPILOT_STOP, {}, 'Copilot'],
    [
      'Copilot CLI, its own spelling',
      { sessionId: 'c1', timestamp: 1, stopReason: 'end_turn' },
      {},
      'Copilot',
    ],
    ['Copilot CLI, started in a session', COPILOT_STOP, INSIDE_CLAUDE, 'Copilot'],
    [
      'Copilot in VS Code',
      { ...COPILOT_STOP, hookEventName: 'Stop', stop_hook_active: false },
      TERMINAL,
      'Copilot',
    ],
    ['Continue', CONTINUE_STOP, OF_CONTINUE, 'Continue'],
    ['Continue, started in a session', CONTINUE_STOP, { ...INSIDE_CLAUDE, ...OF_CONTINUE }, 'Continue'],
    ['Devin', DEVIN_STOP, OF_DEVIN, 'Devin'],
    ['Devin, started in a session', DEVIN_STOP, { ...INSIDE_CLAUDE, ...OF_DEVIN }, 'Devin'],
    ['Codex', { ...CLAUDE_STOP, transcript_path: null, turn_id: 't1', model: 'm' }, {}, 'Codex'],
    [
      'a program with events of its own',
      { session_id: 'x', hook_event_name: 'agentStop' },
      {},
      'another program',
    ],
  ])('%s', (_, payload, env, host) => {
    expect(otherHost(JSON.stringify(payload), env)).toBe(host);
  });
});

describe('answered', () => {
  test.each<[string, object, Env]>([
    ['Claude Code', CLAUDE_STOP, OF_CLAUDE],
    ['an older one, which does not name the session', CLAUDE_STOP, { CLAUDE_PROJECT_DIR: '/p' }],
    ['the shape of Claude Code without any variable', CLAUDE_STOP, {}],
    ['the least of it', { session_id: 's1', hook_event_name: 'Stop' }, {}],
    ['in a terminal of VS Code or Cursor', CLAUDE_STOP, { ...OF_CLAUDE, ...TERMINAL }],
    ['the same, an older one', CLAUDE_STOP, TERMINAL],
    [
      'with all variables of others',
      CLAUDE_STOP,
      { ...OF_CLAUDE, ...OF_CURSOR, ...OF_CONTINUE, ...OF_DEVIN },
    ],
    ['started by a hook of Cursor, an older one', CLAUDE_STOP, OF_CURSOR],
    ['with fields that a later version may bring', { ...CLAUDE_STOP, timestamp: 1, turn_id: 't' }, OF_CLAUDE],
    ['the same without variables', { ...CLAUDE_STOP, timestamp: 1 }, {}],
    [
      'an agent that writes such variables into its settings',
      { ...CLAUDE_STOP, transcript_path: '' },
      { ...OF_CLAUDE, ...OF_CONTINUE, ...OF_DEVIN },
    ],
    [
      'a tool call about such fields',
      {
        ...CLAUDE_STOP,
        hook_event_name: 'PreToolUse',
        tool_input: { content: '"cursor_version": 1', more: { conversation_id: 'c', sessionId: 's' } },
      },
      {},
    ],
    ['a misspelt event of a known session', { ...CLAUDE_STOP, hook_event_name: 'stop' }, OF_CLAUDE],
  ])('%s', (_, payload, env) => {
    expect(otherHost(JSON.stringify(payload), env)).toBeUndefined();
  });
  test.each(['', 'null', '[]', '{"timestamp":', '{"hook_event_name":"stop"', '"cursor_version":"1"'])(
    'what is no event is not another host: %j',
    (input) => {
      expect(otherHost(input, OF_CURSOR)).toBeUndefined();
    },
  );
});
