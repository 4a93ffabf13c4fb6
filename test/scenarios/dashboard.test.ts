/** `untildone dashboard` and `untildone status --watch` as they are built and started. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { writeTranscript } from '../../bench/transcript.ts';
import { homeAt } from '../../src/engine/home/layout.ts';
import { FileStore } from '../../src/engine/home/store.ts';
import type { AuditAnswer, Overview } from '../../src/read/dashboard/view/types.ts';
import { temporaryFolder } from '../support/files/workers.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const CLI = resolve('dist/untildone.cjs');
const MB = 1024 * 1024;

function scene() {
  const folder = temporaryFolder();
  const project = join(folder, 'pro ject');
  mkdirSync(project);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    UNTILDONE_HOME: join(folder, 'untildone'),
    TERM: 'xterm',
  };
  const session = { ...env, CLAUDE_CODE_SESSION_ID: 's1', CLAUDE_PROJECT_DIR: project };
  const cli = (args: string[], more: object = env, input?: string) =>
    spawnSync(process.execPath, [CLI, ...args], {
      cwd: project,
      env: { ...env, ...more },
      input,
      encoding: 'utf8',
    });
  expect(cli(['start', 'a task', '--promise', 'ALL DONE'], session).status).toBe(0);
  const stop = () => {
    const event = {
      hook_event_name: 'Stop',
      session_id: 's1',
      cwd: project,
      stop_hook_active: false,
      last_assistant_message: 'not yet',
    };
    return cli(['hook'], session, JSON.stringify(event)).stdout;
  };
  return { folder, project, env, cli, stop };
}

function begun(
  args: string[],
  { env, project }: { env: object; project: string },
): { child: ChildProcess; line(): Promise<string> } {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: project,
    env: env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]();
  return { child, line: async () => String((await lines.next()).value) };
}

test('what a hook does is on the page; Ctrl-C ends the dashboard at once', async () => {
  const world = scene();
  const { child, line } = begun(['dashboard', '--port', '0', '--json'], world);
  const { url, pid } = JSON.parse(await line()) as { url: string; pid: number };
  expect(pid).toBe(child.pid);
  const entered = await fetch(url, { redirect: 'manual' });
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const base = new URL(entered.headers.get('location') ?? '', url);
  const overview = (await (
    await fetch(new URL('api/overview', base), { headers: { cookie } })
  ).json()) as Overview;
  expect(overview).toMatchObject({ totals: { active: 1 }, loops: [{ task: 'a task', iteration: 1 }] });
  const events = await fetch(new URL(`api/events?after=${overview.eventId}`, base), { headers: { cookie } });
  const reader = events.body?.getReader();
  expect(world.stop()).toContain('"decision":"block"');
  let text = '';
  while (!text.includes('"iteration":2'))
    text += Buffer.from((await reader?.read())?.value ?? []).toString('utf8');
  // Transcripts are read in a thread, by the bundle that lies beside, and not before somebody asks.
  const transcripts = join(world.folder, '.claude/projects/-project');
  mkdirSync(transcripts, { recursive: true });
  for (const session of ['one', 'two', 'three'])
    writeTranscript(join(transcripts, `${session}.jsonl`), 9 * MB);
  const headers = { cookie, origin: new URL(url).origin, 'content-type': 'application/json' };
  const audit = async (asked: RequestInit = { headers }) =>
    ((await (await fetch(new URL('api/audit?days=30', base), asked)).json()) as AuditAnswer).audit;
  const ask = { method: 'POST', headers, body: '{"days":30}' };
  expect(await audit()).toBeUndefined();
  expect(await audit(ask)).toMatchObject({ state: 'running' });
  await expect.poll(audit, { timeout: PATIENCE_MS }).toMatchObject({
    state: 'done',
    words: expect.stringMatching(/^3 sessions, \d\d(\.\d)? MB of transcripts/),
  });
  // It ends at once, although another one has just begun.
  await audit(ask);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

test('inside a session nobody gets the link; what is wrong is said in one line', () => {
  const { cli } = scene();
  const inside = cli(['dashboard', '--port', '0'], { CLAUDECODE: '1' });
  expect([inside.status, inside.stderr]).toEqual([
    2,
    expect.stringContaining('"untildone dashboard" is for a person'),
  ]);
  for (const [args, said] of [
    [['--host', '0.0.0.0'], 'lets every machine that reaches this one see your loops'],
    [['--project', 'none'], 'there is no such folder'],
  ] as const) {
    const { status, stderr } = cli(['dashboard', ...args]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
    expect(stderr).not.toMatch(/\n\s+at /);
  }
});

test('status --watch prints changes as lines, and draws in place on a terminal', async () => {
  const world = scene();
  const { child, line } = begun(['status', '--watch'], world);
  expect(await line()).toMatch(/active, iteration 1 of 50: .*/);
  world.stop();
  expect(await line()).toMatch(/active, iteration 2 of 50: /);
  child.kill('SIGINT');
  expect((await once(child, 'exit'))[0]).toBe(0);

  const command = `exec '${process.execPath}' '${CLI}' status --watch`;
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: world.project,
    env: world.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void terminal.kill('SIGKILL'));
  let seen = '';
  terminal.stdout.on('data', (chunk) => {
    seen += String(chunk);
  });
  await expect.poll(() => seen, { timeout: PATIENCE_MS }).toContain('iteration 2 of 50');
  world.stop();
  await expect.poll(() => seen, { timeout: PATIENCE_MS }).toContain('iteration 3 of 50');
  // It goes back to the top and writes over what was there: the screen is never cleared.
  expect(seen).toContain('\x1b[');
  expect(seen).not.toContain('\x1b[2J');
  terminal.stdin.write('\x03');
  expect((await once(terminal, 'exit'))[0]).toBe(0);
});

test('a home that vanishes under it does not end the dashboard', async () => {
  const world = scene();
  const { child, line } = begun(['dashboard', '--port', '0', '--json'], world);
  const { url } = JSON.parse(await line()) as { url: string };
  rmSync(world.env.UNTILDONE_HOME, { recursive: true });
  const entered = await fetch(url, { redirect: 'manual' });
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const overview = new URL(`${entered.headers.get('location')}api/overview`, url);
  await expect
    .poll(async () => (await fetch(overview, { headers: { cookie } })).text(), { timeout: PATIENCE_MS })
    .toContain('there is no untildone home yet');
  expect(child.exitCode).toBeNull();
  expect(new FileStore(homeAt(world.env.UNTILDONE_HOME), { now: () => 0 }).loops()).toEqual([]);
});

test('a watched loop has the fields of status --json', async () => {
  const world = scene();
  const { child, line } = begun(['status', '--watch', '--json'], world);
  const watched = JSON.parse(await line());
  const listed = JSON.parse(world.cli(['status', '--json']).stdout).loops[0];
  expect(Object.keys(watched)).toEqual(Object.keys(listed));
  expect(watched).toMatchObject({ id: listed.id, doing: listed.doing, max_iterations: 50 });
  child.kill('SIGINT');
  expect((await once(child, 'exit'))[0]).toBe(0);
});
