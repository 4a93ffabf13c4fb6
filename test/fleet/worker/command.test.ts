import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../support/fleet/stores.ts';
import { waitFor } from '../../support/live/processes.ts';

/** `untildone worker` as a process of its own. */

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-worker-command-')));
  store = await openStore();
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[], env: Record<string, string> = {}) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const child = spawn(process.execPath, [resolve('dist/untildone.cjs'), 'worker', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const code = new Promise<number | null>((done) => child.on('close', done));
  return { child, code, said: () => said };
}

describe.concurrent('is refused, with what to do', () => {
  test.each<[string, string[], Record<string, string>, RegExp]>([
    [
      'inside of Claude Code',
      [],
      { CLAUDECODE: '1', UNTILDONE_QUEUE: 'redis://127.0.0.1:1' },
      /is for a person/,
    ],
    ['without a queue', [], {}, /no queue is named/],
    [
      'on another machine than the queue, without the secret',
      ['--queue', 'redis://queue.example:6379'],
      {},
      /does not have the secret of the fleet.*untildone fleet secret --show/,
    ],
    [
      'where nothing can be confined',
      ['--queue', 'redis://127.0.0.1:1', '--once'],
      { PATH: '/nowhere', UNTILDONE_FLEET_SECRET: 'a'.repeat(64) },
      /there are no walls on this machine: .*untildone worker --without-walls/,
    ],
    [
      'with a variable to give that is not there',
      ['--queue', 'redis://127.0.0.1:1', '--env', 'UNTILDONE_QUEUE', '--env', 'NPM_TOKEN'],
      { UNTILDONE_QUEUE: 'redis://127.0.0.1:1', UNTILDONE_FLEET_SECRET: 'a'.repeat(64) },
      /cannot give UNTILDONE_QUEUE, NPM_TOKEN to runs/,
    ],
    ['with a name that is none', ['--name', '../x'], {}, /Type a name/],
    ['with a size that is none', ['--max-disk', 'much'], {}, /Type a size/],
  ])('%s', async (_, args, env, words) => {
    const { code, said } = start(args, env);
    expect(await code).toBe(2);
    expect(said()).toMatch(words);
    expect(said()).not.toMatch(/\n\s+at /);
  });
});

test('a worker without walls says so loudly, and the fleet shows it', async () => {
  const queue = `${store.url}?prefix=nowalls`;
  const env = { PATH: '/nowhere', UNTILDONE_QUEUE: queue };
  const worker = start(['--without-walls', '--health-port', 'off', '--name', 'open'], env);
  await waitFor(() => worker.said().includes('NO WALLS: '));
  const status = spawn(process.execPath, [resolve('dist/untildone.cjs'), 'fleet', 'status'], {
    env: { PATH: process.env.PATH ?? '', HOME: join(folder, 'home'), UNTILDONE_QUEUE: queue },
  });
  let said = '';
  status.stdout.on('data', (text) => (said += text));
  await new Promise((done) => status.on('close', done));
  expect(said).toMatch(/open .*no walls/);
  worker.child.kill('SIGTERM');
  expect(await worker.code).toBe(0);
});

test('says who it is, serves its health, refuses a second one of its name, and ends when it is told to', async () => {
  const args = [
    '--queue',
    store.url.replace('//', '//:pass-word@'),
    '--workdir',
    join(folder, 'work'),
    '--name',
    'w1',
  ];
  const { child, code, said } = start([...args, '--health-port', '0', '--labels', 'gpu,linux', '--json']);
  const started = await waitFor(() => /^.*"type":"started".*$/m.exec(said())?.[0]);
  const line = JSON.parse(started) as { health: string };
  expect(line).toMatchObject({ worker: 'w1', labels: ['gpu', 'linux'], concurrency: 1, repos: [] });
  expect(said()).not.toContain('pass-word');
  const ready = await fetch(`${line.health}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([200, 'ok\n']);
  expect(await (await fetch(`${line.health}/metrics`)).text()).toContain('untildone_worker_runs_most 1');
  const second = start([...args, '--health-port', 'off']);
  expect(await second.code).toBe(2);
  expect(second.said()).toMatch(/a worker named w1 works in .* already/);
  child.kill('SIGTERM');
  expect(await code).toBe(0);
  const last = said().trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ type: 'stopped', why: 'drained', taken: 0 });
});

test('with --once it ends when there is nothing to do', async () => {
  const { code, said } = start([
    '--queue',
    store.url,
    '--workdir',
    join(folder, 'once'),
    '--once',
    '--health-port',
    'off',
  ]);
  expect(await code).toBe(0);
  expect(said()).toMatch(/^\d\d:\d\d:\d\d worker /);
  expect(said()).toContain('stopped (the queue is empty)');
});
