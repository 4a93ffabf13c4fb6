import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadProgram, type Program, runHook } from '../../../support/in-process.ts';

/** A project of lock mode through a whole session, read with the commands of its guide and of ours. */

let program: Program;
let project: string;
let root: string;

const GUIDE = readFileSync(resolve(import.meta.dirname, '../../../../docs/guides/metrics.md'), 'utf8');
const JQ = [...GUIDE.matchAll(/^jq .*$/gm)].map(([line]) => line);

const sh = (command: string) => execFileSync('sh', ['-c', command], { cwd: project, encoding: 'utf8' });

function hook(event: object, session = 's1') {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: root,
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_CODE_SESSION_ID: session,
  };
  const input = JSON.stringify({
    session_id: session,
    cwd: project,
    transcript_path: transcript(session),
    ...event,
  });
  return runHook(program, { line: '', env, cwd: project, input, limitMs: 0 });
}
const transcript = (session = 's1') => join(root, `${session}.jsonl`);
const use = (id: string, name: string) => [
  { type: 'assistant', message: { content: [{ type: 'tool_use', id, name }] } },
  { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] } },
];

beforeAll(async () => {
  program = await loadProgram();
  root = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-lock-metrics-')));
  project = join(root, 'it is "mine"');
  mkdirSync(join(project, '.claude/runtime/locks'), { recursive: true });
  writeFileSync(join(project, '.claude/runtime/locks/.lock_active'), '');
  const lines = ['Bash', 'Bash', 'Read', 'Grep'].flatMap((name, index) => use(`t${index}`, name));
  await hook({ hook_event_name: 'SessionStart', source: 'startup' });
  await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'Implement user authentication' });
  writeFileSync(transcript(), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  for (const message of ['one', 'two'])
    await hook({ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: message });
  await hook({ hook_event_name: 'PreCompact', trigger: 'auto' });
  await hook({ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'x' }, 'another');
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the metrics of lock mode', () => {
  test('are found with the commands of its guide', () => {
    const listed = sh('ls -la .claude/runtime/metrics/');
    for (const hookName of ['stop', 'session_start', 'post_tool_use', 'pre_compact'])
      expect(listed).toContain(`${hookName}_hook_metrics.jsonl`);
    const lines = sh('cat .claude/runtime/metrics/stop_hook_metrics.jsonl').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      [1, 2].map((value) => ({
        timestamp: expect.any(String),
        metric: 'lock_blocks',
        value,
        session_id: 's1',
        hook: 'stop',
      })),
    );
    expect(sh('cat .claude/runtime/logs/*/hook_logs.txt')).toContain(
      '[INFO] stop: blocked, iteration 2 of 50',
    );
  });

  test('have every name of the guide, counted once', () => {
    const all = sh('cat .claude/runtime/metrics/*.jsonl').trimEnd().split('\n');
    const counts: Record<string, number> = {};
    for (const { metric } of all.map((line) => JSON.parse(line))) counts[metric] = (counts[metric] ?? 0) + 1;
    expect(counts).toEqual({
      lock_blocks: 2,
      session_start: 1,
      prompt_length: 1,
      conversation_exports: 1,
      tool_usage: 4,
      bash_commands: 2,
      file_operations: 1,
      search_operations: 1,
    });
  });

  test('are read by jq as the page says', () => {
    expect(JQ.map((line) => JSON.parse(sh(line)))).toEqual([2, { Bash: 2, Grep: 1, Read: 1 }]);
  });

  test('are beside the figures of hook calls, of every session', () => {
    const day = new Date().toISOString().slice(0, 10);
    const figures = readFileSync(join(root, `.untildone/metrics/hooks-${day}.jsonl`), 'utf8');
    const seen = figures
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(seen.map(({ event, session, answer }) => [event, session, answer])).toEqual([
      ['SessionStart', 's1', expect.any(String)],
      ['UserPromptSubmit', 's1', expect.any(String)],
      ...[1, 2].map(() => ['Stop', 's1', 'refuse']),
      ['PreCompact', 's1', expect.any(String)],
      ['Stop', 'another', expect.any(String)],
    ]);
    expect(existsSync(join(project, '.untildone'))).toBe(false);
  });
});
