import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt } from '../../../../src/engine/home/layout.ts';
import {
  parseSlashCommand,
  type SlashCommand,
  typedProblem,
} from '../../../../src/engine/hook/start/typed-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-typed-'));
  mkdirSync(join(folder, 'home/sessions'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const EVENT = {
  session_id: 's1',
  hook_event_name: 'UserPromptExpansion',
  expansion_type: 'slash_command',
  command_name: 'untildone:release',
  command_args: 'a\n"b"',
  command_source: 'plugin',
  prompt: '/untildone:release a\n"b"',
};

describe('a command', () => {
  const parsed = (event: object) => parseSlashCommand(JSON.stringify(event));

  test('is read with its arguments as they were typed', () => {
    expect(parsed(EVENT)).toMatchObject({ name: 'untildone:release', args: 'a\n"b"', session: 's1' });
  });

  test.each([
    ['/ralph-loop "x y"\nz', { name: 'ralph-loop', args: '"x y"\nz' }],
    ['/cancel-ralph', { name: 'cancel-ralph', args: '' }],
  ])('with an old name arrives as a prompt: %j', (prompt, command) => {
    const event = { session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt };
    expect(parsed(event)).toMatchObject({ event: 'UserPromptSubmit', ...command });
  });

  test.each([
    { ...EVENT, hook_event_name: 'PreToolUse' },
    { ...EVENT, command_name: undefined },
    { ...EVENT, session_id: undefined },
    { session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: 'go' },
    { session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: '/ralph-loop:ralph-loop x' },
    { session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: 'about /ralph-loop x' },
    { session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: '/untildone:release' },
  ])('is nothing else: %j', (event) => {
    expect(parsed(event)).toBeUndefined();
  });

  test('is not read from what is no JSON', () => {
    for (const input of ['', '{', 'null', '[]', '"x"']) expect(parseSlashCommand(input)).toBeUndefined();
  });
});

describe('a person typed it', () => {
  const env = { CLAUDE_CODE_SESSION_ID: 's1', CLAUDE_PROJECT_DIR: '/p', CLAUDE_PID: '4000001' };
  const ABOVE = [4_000_003, 4_000_002, 4_000_001, 4_000_000];
  const problem = (command: Partial<SlashCommand> = {}, more: object = {}, above = ABOVE) =>
    typedProblem(
      { event: 'UserPromptExpansion', name: 'untildone:release', args: '', session: 's1', ...command },
      homeAt(join(folder, 'home')),
      { ...env, ...more },
      above,
    );
  const transcript = (...lines: object[]) => {
    const path = join(folder, 's1.jsonl');
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return path;
  };
  const calling = (name: string, input: object) => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'tool_use', id: 't', name, input }] },
  });
  const SCHEDULED = calling('CronCreate', { cron: '* * * * *', prompt: '/untildone:release' });

  test('when it comes from a hook', () => {
    expect(problem()).toBeUndefined();
    expect(problem({ transcript: join(folder, 'is not there.jsonl') })).toBeUndefined();
  });

  test.each([
    ['the session is another one', {}, { CLAUDE_CODE_SESSION_ID: 's2' }],
    ['the Bash tool does not know the project', {}, { CLAUDE_PROJECT_DIR: undefined }],
    ['Claude Code names its agent', {}, { AI_AGENT: 'claude-code_2-1-325_agent' }],
    ['it is none of its processes', {}, { CLAUDE_PID: '4999999' }],
    ['a subagent sent it', { agentId: 'a1' }, {}],
  ])('not when %s', (_, command, more) => {
    expect(problem(command, more)).toBeTypeOf('string');
  });

  test('not when the agent has scheduled it', () => {
    expect(problem({ transcript: transcript(SCHEDULED) })).toContain('tool call');
  });

  test('not when a subagent has scheduled it', () => {
    mkdirSync(join(folder, 's1/subagents'), { recursive: true });
    writeFileSync(join(folder, 's1/subagents/agent-1.jsonl'), `${JSON.stringify(SCHEDULED)}\n`);
    expect(problem({ transcript: transcript() })).toContain('tool call');
  });

  test('although the agent wrote about it, or scheduled something else', () => {
    const path = transcript(
      calling('Write', { file_path: 'README.md', content: 'Type /untildone:release' }),
      calling('CronCreate', { prompt: '/untildone:status' }),
      { type: 'assistant', message: { content: [{ type: 'text', text: 'Type /untildone:release' }] } },
      { type: 'user', message: { content: 'tool_use /untildone:release' } },
    );
    expect(problem({ transcript: path })).toBeUndefined();
  });
});
