import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/files/workers.ts';
import { loadProgram, type Program, runCli, runHook } from '../../support/in-process.ts';
import { bash, MadeTranscript } from '../../support/reflect/made-transcript.ts';

let program: Program;
beforeAll(async () => {
  program = await loadProgram();
});

let folder: string;
let project: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = realpathSync(temporaryFolder());
  project = join(folder, 'my project');
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(folder, 'untildone.cjs'), '// the program');
  env = { PATH: process.env.PATH ?? '', HOME: folder, UNTILDONE_HOME: join(folder, 'home'), TZ: 'UTC' };
});

async function run(...args: string[]) {
  const command = { line: '', env, cwd: project, input: '', limitMs: 0 };
  const { exitCode, stdout, stderr } = await runCli(program, args, command, join(folder, 'untildone.cjs'));
  return { code: exitCode ?? 0, stdout, stderr };
}
const reflect = (...args: string[]) => run('reflect', ...args);
const json = async (...args: string[]) => JSON.parse((await reflect(...args, '--json')).stdout);

const DAY = 86_400_000;
const A = 'aaaaaaaa-1111-4111-8111-111111111111';
const B = 'aaaaaaab-2222-4222-8222-222222222222';

/** A session of this project, or of another folder, in which a command was repeated so often. */
function session(
  id: string,
  times: number,
  { cwd = project, daysAgo = 1, command = 'make it' } = {},
): string {
  const at = Date.now() - daysAgo * DAY;
  const made = new MadeTranscript({ session: id, cwd, at }).prompt('go');
  for (let i = 0; i < times; i++) made.call(bash(command));
  const place = join(folder, '.claude', 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(place, { recursive: true });
  const file = join(place, `${id}.jsonl`);
  writeFileSync(file, made.text);
  utimesSync(file, at / 1000, at / 1000);
  return file;
}

describe('without a name', () => {
  test('says that there is nothing, and how to look further back', async () => {
    const { code, stderr } = await reflect();
    expect([code, stderr]).toEqual([1, expect.stringContaining('no session and no loop of')]);
    session(A, 3, { daysAgo: 8 });
    expect((await reflect()).code).toBe(1);
    expect((await reflect('--since', '9d')).code).toBe(0);
    expect(await json()).toEqual({ nothing: expect.stringContaining('--since 30d') });
    expect(existsSync(env.UNTILDONE_HOME ?? '')).toBe(false);
  });

  test('ranks the sessions of this project, and adds up what they share', async () => {
    session(A, 3);
    session(B, 15);
    session('cccccccc', 9, { cwd: join(folder, 'my-project') });
    const report = await json();
    expect(report.scope).toMatchObject({ kind: 'project', id: project });
    expect(report.sessions.map((one: { session: string }) => one.session)).toEqual([B, A]);
    expect(report.findings[0]).toMatchObject({
      type: 'repeated_command',
      count: 18,
      severity: 'high',
      in: [B, A],
    });
    const { stdout } = await reflect();
    expect(stdout).toContain(`2 sessions of ${project} since`);
    expect(stdout.indexOf(B)).toBeLessThan(stdout.indexOf(A));
  });
});

describe('with a name', () => {
  test('finds a session by the beginning of its id, in whichever project', async () => {
    session(A, 3, { cwd: '/elsewhere' });
    expect((await json('aaaaaaaa')).scope).toEqual({ kind: 'session', id: A, since: null });
    session(B, 3);
    const { code, stderr } = await reflect('aaaaaaa');
    expect(code).toBe(2);
    expect(stderr).toContain(`"aaaaaaa" could be any of:`);
    expect(stderr).toContain(`${A} (session)`);
    expect((await json(A)).scope.id).toBe(A);
  });

  test.each([
    ['nope', 'there is no session, loop or file "nope"'],
    ['nope.jsonl', 'there is no file'],
    ['.', 'is no file'],
    ['', 'the name is empty'],
    ['wrong.jsonl', 'is no transcript of Claude Code'],
    ['text.txt', 'is no transcript of Claude Code'],
  ])('refuses %j', async (name, why) => {
    writeFileSync(join(project, 'wrong.jsonl'), '{"a":1}\n');
    writeFileSync(join(project, 'text.txt'), 'hello\nworld\n');
    const { code, stderr, stdout } = await reflect(name);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^untildone: [^\n]+\n$/);
    expect(stderr).toContain(why);
  });

  test('says that an empty file holds nothing', async () => {
    writeFileSync(join(project, 'empty.jsonl'), '');
    expect(await reflect('empty.jsonl')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is empty'),
    });
  });

  test('reads a log of claude-trace, too', async () => {
    const line = { request: { timestamp: 1 }, response: { timestamp: 50, status_code: 429 } };
    writeFileSync(join(project, 'log.jsonl'), `${JSON.stringify(line)}\n`);
    expect((await json('log.jsonl')).claude_trace).toMatchObject({
      requests: 1,
      rate_limits: 1,
      slow_requests: 1,
    });
  });

  test('leaves out damaged lines, and says so', async () => {
    const file = session(A, 3);
    writeFileSync(file, `not json\n${readFileSync(file, 'utf8')}{"torn`);
    const { stdout } = await reflect(file);
    expect(stdout).toContain('count: 3');
    expect(stdout).toContain('1 lines are no JSON, and were left out.');
  });
});

test('a loop: its journal, the transcripts of its sessions, and a summary in its folder', async () => {
  session('s1', 4);
  const { stdout } = await run('start', '--session', 's1', '--promise', 'ALL DONE', 'a task');
  const loop = /^Loop (\S+) started/.exec(stdout)?.[1] ?? '';
  for (let i = 0; i < 3; i++) {
    const stop = { hook_event_name: 'Stop', session_id: 's1', last_assistant_message: `not yet ${i}` };
    await runHook(program, { line: '', env, cwd: project, input: JSON.stringify(stop), limitMs: 0 });
  }
  const report = await json(loop);
  expect(report.scope).toMatchObject({ kind: 'loop', id: loop });
  expect(report.loops).toMatchObject([{ loop, held: 3, stops: 3, iterations: 4, sessions: ['s1'] }]);
  const types = report.findings.map(({ type }: { type: string }) => type);
  expect(types).toEqual(expect.arrayContaining(['blocking_gate', 'repeated_reason', 'repeated_command']));
  const projects = join(folder, 'home', 'projects');
  const [name = ''] = readdirSync(projects).filter((one) => existsSync(join(projects, one, 'loops', loop)));
  const summary = JSON.parse(
    readFileSync(join(projects, name, 'loops', loop, 'reflection_summary.json'), 'utf8'),
  );
  expect(summary).toMatchObject({ session_id: 's1', scope: 'loop', issues_created: [] });
  expect(summary.patterns).toHaveLength(report.findings.length);
});

test('in a project of document 004 the summary lies beside the logs of the session', async () => {
  mkdirSync(join(project, '.claude/runtime/locks'), { recursive: true });
  session(A, 3);
  expect((await reflect(A)).code).toBe(0);
  const summary = join(project, '.claude/runtime/logs', A, 'reflection_summary.json');
  expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({
    session_id: A,
    metrics: { tool_uses: 3 },
  });
});

test('a file from anywhere does not decide where a summary is written', async () => {
  const elsewhere = join(folder, 'elsewhere');
  for (const place of [project, elsewhere])
    mkdirSync(join(place, '.claude/runtime/locks'), { recursive: true });
  const file = session(A, 3, { cwd: elsewhere });
  expect((await reflect(file)).code).toBe(0);
  expect([project, elsewhere].map((place) => existsSync(join(place, '.claude/runtime/logs')))).toEqual([
    false,
    false,
  ]);
  // A session of that folder, by its name: there its summary belongs.
  expect((await reflect(A)).code).toBe(0);
  expect([project, elsewhere].map((place) => existsSync(join(place, '.claude/runtime/logs')))).toEqual([
    false,
    true,
  ]);
});

test('--issues without a terminal prints them, and files nothing; as JSON they are in the report', async () => {
  session(A, 3, { command: 'make \u001b[31mred' });
  const { stdout, code } = await reflect(A, '--issues');
  expect(code).toBe(0);
  expect(stdout).toContain('Nobody can be asked here');
  expect(stdout).toContain('# Improvement: Put a repeated command into a script');
  expect(stdout).not.toContain('\u001b');
  expect((await json(A, '--issues')).issue_drafts[0].labels).toEqual([
    'improvement',
    'automation',
    'reflection',
  ]);
});

test('flags that exclude each other are refused', async () => {
  expect((await reflect('--json', '--markdown')).stderr).toContain('exclude each other');
  expect((await reflect(A, '--since', '3d')).stderr).toContain('--since is for the sessions of a project');
  expect((await reflect('--since', 'x')).stderr).toContain('Type a time like 30d');
});
