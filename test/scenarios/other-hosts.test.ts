import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hookLine } from '../../src/engine/home/hook-line.ts';
import { LINE_SESSION, type LineWorld, lineWorld } from '../support/chaos/line-world.ts';

/** The installed line, in a project with a loop that holds its session, run by other programs. */
let line: LineWorld;
beforeAll(() => {
  line = lineWorld();
});
afterAll(() => line.close());

const NO_SESSION = { CLAUDE_CODE_SESSION_ID: '' };
const CURSOR = { CURSOR_VERSION: '3.9', CURSOR_PROJECT_DIR: '/p' };
const CURSOR_FIELDS = { conversation_id: 'c1', cursor_version: '3.9', workspace_roots: ['/p'] };

const HOSTS: [string, Record<string, unknown>, Record<string, string>][] = [
  ['Cursor', { hook_event_name: 'stop', session_id: 'c1', ...CURSOR_FIELDS }, { ...NO_SESSION, ...CURSOR }],
  [
    'Cursor without a session id',
    { hook_event_name: 'stop', session_id: undefined, ...CURSOR_FIELDS },
    NO_SESSION,
  ],
  [
    'Cursor, opened from the held session',
    { hook_event_name: 'Stop', session_id: 'c1', ...CURSOR_FIELDS },
    CURSOR,
  ],
  [
    'Copilot CLI',
    { hook_event_name: 'Stop', session_id: 'c1', timestamp: '2026-05-21T19:00:00.000Z' },
    NO_SESSION,
  ],
  ['Copilot CLI, its own spelling', { session_id: undefined, sessionId: 'c1', timestamp: 1 }, NO_SESSION],
  [
    'Continue',
    { hook_event_name: 'Stop', session_id: 'c1', transcript_path: '' },
    { ...NO_SESSION, CONTINUE_PROJECT_DIR: '/p' },
  ],
  ['Devin', { hook_event_name: 'Stop', session_id: 'slug' }, { ...NO_SESSION, DEVIN_PROJECT_DIR: '/p' }],
];

function contentOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (name.startsWith('compile-cache') || !statSync(path).isFile()) continue;
    found[name] = createHash('sha256').update(readFileSync(path)).digest('hex');
  }
  return found;
}

describe.each(HOSTS)('%s', (_, fields, env) => {
  test.each(['Stop', 'SessionStart', 'PreToolUse', 'UserPromptSubmit'] as const)(
    'is left alone at %s: no answer, and nothing is written',
    (event) => {
      const named = fields.hook_event_name === 'Stop' ? { hook_event_name: event } : {};
      const before = contentOf(line.world.home);
      const end = line.run({ ...fields, ...named }, { line: hookLine(event), env });
      expect(end).toEqual({ status: 0, stdout: '', stderr: '' });
      const after = contentOf(line.world.home);
      // SessionStart of a program that has the variables of the held session writes where that is: as before.
      delete before[`sessions/${LINE_SESSION}.at`];
      delete after[`sessions/${LINE_SESSION}.at`];
      expect(after).toEqual(before);
    },
  );
});

test('the state of another system holds no other host, and stays as it is', () => {
  const lock = join(line.world.project, '.claude/ralph-loop.local.md');
  line.write('.claude/ralph-loop.local.md', '---\niteration: 1\nmax_iterations: 5\n---\ngo on\n');
  for (const [, fields, env] of HOSTS)
    expect(line.run(fields, { env })).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(readFileSync(lock, 'utf8')).toContain('iteration: 1\n');
  rmSync(lock);
});

test('Claude Code in a terminal of Cursor is held', () => {
  const env = { ...CURSOR, CONTINUE_PROJECT_DIR: '/p', TERM_PROGRAM: 'vscode', VSCODE_PID: '1' };
  expect(line.stop({ env }).stdout).toContain('"decision":"block"');
  // An older Claude Code does not name the session in the environment.
  const transcript_path = join(line.world.project, 't.jsonl');
  const older = { hook_event_name: 'Stop', transcript_path, last_assistant_message: 'again' };
  expect(line.run(older, { env: { ...env, ...NO_SESSION } }).stdout).toContain('"decision":"block"');
});

test('nor does hold.sh hold another host, when the program is broken', () => {
  writeFileSync(join(line.world.home, 'hook.sh'), 'untildone_ran=1 untildone_status=137\n');
  expect(line.stop().stdout).toContain('"decision":"block"');
  for (const [name, fields, env] of HOSTS)
    if (env.CLAUDE_CODE_SESSION_ID === '')
      expect([name, line.run(fields, { env }).stdout]).toEqual([name, '']);
});
