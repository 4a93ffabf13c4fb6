import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { printedBy } from '../../../src/engine/terminal/print.ts';
import { DiskWatch, FLOOR_BYTES } from '../../../src/fleet/worker/disk.ts';
import { printer, type WorkerEvent } from '../../../src/fleet/worker/events.ts';
import { Figures } from '../../../src/fleet/worker/figures.ts';
import { bytesIn, WorkerFolders } from '../../../src/fleet/worker/folders.ts';
import { serveHealth } from '../../../src/fleet/worker/health.ts';
import { settlementOf, UNTIL_TOLD_MS } from '../../../src/fleet/worker/settle.ts';
import { waitFor } from '../../support/live/processes.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-worker-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the work folder', () => {
  test('a second worker of the same name is refused, one without a name gets another', () => {
    const first = WorkerFolders.open(folder, undefined, 'my machine.local');
    expect(first.worker).toBe('my-machine.local');
    expect(() => WorkerFolders.open(folder, 'my-machine.local', 'x')).toThrow(/works in .* already.*--name/);
    const second = WorkerFolders.open(folder, undefined, 'my machine.local');
    expect(second.worker).toBe('my-machine.local-2');
    first.release();
    WorkerFolders.open(folder, 'my-machine.local', 'x').release();
    second.release();
  });

  test.each(['', '...', 'ümlaut', '-x', 'a'.repeat(300)])(
    'a machine called %j has a worker with a name',
    (machine) => {
      const folders = WorkerFolders.open(folder, undefined, machine);
      expect(folders.worker).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/);
      folders.release();
    },
  );

  test('what a killed worker left is swept, with its processes; that of a living one stays', async () => {
    const living = WorkerFolders.open(folder, 'living', 'x');
    const kept = living.makeFolder('r-1');
    const dead = join(folder, 'workers', 'dead', 'r-2-1-1');
    mkdirSync(dead, { recursive: true });
    writeFileSync(join(dead, 'process'), 'UNTILDONE_FLEET_PROCESS=left-of-r-2');
    const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      env: { UNTILDONE_FLEET_PROCESS: 'left-of-r-2' },
      stdio: 'ignore',
    });
    await once(left, 'spawn');
    const own = WorkerFolders.open(folder, 'own', 'x');
    expect(await own.sweep()).toBe(1);
    await waitFor(() => left.signalCode !== null || left.exitCode !== null);
    expect(existsSync(dead)).toBe(false);
    expect(existsSync(kept)).toBe(true);
    living.release();
    own.release();
  });

  test('folders without the right to write are removed, too', async () => {
    const folders = WorkerFolders.open(folder, 'own', 'x');
    const run = folders.makeFolder('r-1');
    mkdirSync(join(run, 'module'));
    writeFileSync(join(run, 'module', 'file'), 'x');
    chmodSync(join(run, 'module'), 0o500);
    await folders.removeFolder(run);
    expect(existsSync(run)).toBe(false);
    folders.release();
  });

  test('two takes of the same run have folders of their own', () => {
    const folders = WorkerFolders.open(folder, 'own', 'x');
    expect(folders.makeFolder('r-1')).not.toBe(folders.makeFolder('r-1'));
    folders.release();
  });
});

describe('the disk', () => {
  const watched = (free: () => number, most: number) => {
    const told: (string | undefined)[] = [];
    mkdirSync(join(folder, 'caches'), { recursive: true });
    const sweep = async (caches: string, mostBytes: number) => {
      if ((await bytesIn(caches)) > mostBytes) rmSync(join(caches, 'old'), { force: true });
    };
    const folders = { workdir: folder, caches: join(folder, 'caches'), diskFree: free };
    return { told, watch: new DiskWatch(folders, most, sweep, (obstacle) => told.push(obstacle)) };
  };

  test('with little room nothing is taken, which is told once, and once that there is room again', () => {
    let free = FLOOR_BYTES - 1;
    const { told, watch } = watched(() => free, 1e9);
    watch.look(10_000);
    watch.look(20_000);
    expect(watch.obstacle).toContain('takes nothing');
    free = FLOOR_BYTES;
    watch.look(30_000);
    expect(watch.obstacle).toBeUndefined();
    expect(told).toEqual([expect.stringContaining('are free in'), undefined]);
  });

  test('caches go before runs have to wait', async () => {
    const { watch } = watched(() => 1e12, 2_000);
    writeFileSync(join(folder, 'caches', 'old'), 'x'.repeat(5_000));
    watch.look(100_000);
    await waitFor(() => !existsSync(join(folder, 'caches', 'old')));
    expect(watch.obstacle).toBeUndefined();
  });
});

describe('the health endpoint', () => {
  test('says whether the worker lives, is ready, and what it has done', async () => {
    let draining: string | null = null;
    const served = await serveHealth(
      { alive: () => null, ready: () => draining, metrics: () => 'untildone_worker_runs_active 0\n' },
      { host: '127.0.0.1', port: 0 },
    );
    onTestFinished(served.close);
    const ask = async (path: string, method = 'GET') => {
      const response = await fetch(`${served.url}${path}`, { method });
      return [response.status, (await response.text()).trim()];
    };
    expect(await ask('/healthz')).toEqual([200, 'ok']);
    expect(await ask('/readyz?x=1')).toEqual([200, 'ok']);
    draining = 'draining';
    expect(await ask('/readyz')).toEqual([503, 'draining']);
    expect(await ask('/metrics')).toEqual([200, 'untildone_worker_runs_active 0']);
    expect((await ask('/secret'))[0]).toBe(404);
    expect((await ask('/healthz', 'POST'))[0]).toBe(405);
  });

  test('a port that was named and is in use is refused in words', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const health = { alive: () => null, ready: () => null, metrics: () => '' };
    await expect(serveHealth(health, { host: '127.0.0.1', port })).rejects.toThrow(/in use.*--health-port/);
    other.close();
  });

  test('the page for Prometheus names every figure with its type', () => {
    const figures = new Figures();
    figures.ended('verified_done');
    figures.putBack(true);
    figures.published('r', 1_000);
    figures.published('r', 9_000);
    const page = figures.page({ active: 1, concurrency: 2, storeAway: true, draining: false, diskFree: 5 });
    for (const line of page.trim().split('\n'))
      expect(line).toMatch(
        /^(# (HELP|TYPE) untildone_worker_\w+ .+|untildone_worker_\w+(\{\w+="[^"]*"\})? [\d.]+)$/,
      );
    for (const line of [
      'untildone_worker_runs_active 1',
      'untildone_worker_runs_ended_total{status="verified_done"} 1',
      'untildone_worker_failures_total 1',
      'untildone_worker_iteration_seconds_bucket{le="5"} 0',
      'untildone_worker_iteration_seconds_bucket{le="15"} 1',
      'untildone_worker_store_away 1',
    ])
      expect(page).toContain(`${line}\n`);
  });
});

describe('what it prints', () => {
  const printed = (events: WorkerEvent[], json = false) =>
    printedBy(async () => {
      const say = printer(json, () => Date.UTC(2026, 0, 5, 10, 0, 7));
      for (const event of events) say(event);
    });

  const putBack = (why: string): WorkerEvent => ({
    type: 'put_back',
    run: 'r-1',
    why,
    after_s: 2,
    failed: false,
  });

  test('a run that waits for the same thing is told once', async () => {
    const taken: WorkerEvent = { type: 'taken', run: 'r-1', repo: 'x', title: 't', takes: 3 };
    expect(
      await printed([putBack('a'), putBack('a'), putBack('b'), putBack('b'), taken, putBack('b')]),
    ).toEqual([
      '10:00:07 r-1 put back for 2 s: a',
      '10:00:07 r-1 put back for 2 s: b',
      '10:00:07 r-1 taken (take 3): t (x)',
      '10:00:07 r-1 put back for 2 s: b',
    ]);
  });

  test('JSON lines have the time, and nothing in them steers a terminal', async () => {
    const [line = ''] = await printed([putBack('\u001b[31mred')], true);
    expect(line).not.toContain('\u001b');
    expect(JSON.parse(line)).toMatchObject({ at: '2026-01-05T10:00:07.000Z', type: 'put_back', run: 'r-1' });
  });
});

describe('what becomes of a run', () => {
  const facts = { tries: { takes: 1, stalls: 0, failures: 0 }, attempts: 3, gotOn: false, now: 1_000 };

  test.each([
    [{ kind: 'rests', why: 'w', untilMs: 5_000 } as const, { do: 'give_back', afterMs: 4_000, why: 'w' }],
    [{ kind: 'rests', why: 'w', untilMs: 500 } as const, { do: 'give_back', afterMs: 0, why: 'w' }],
    [{ kind: 'rests', why: 'w' } as const, { do: 'give_back', afterMs: UNTIL_TOLD_MS, why: 'w' }],
    [{ kind: 'handed_back' } as const, { do: 'give_back', afterMs: 0 }],
    [{ kind: 'fenced', why: 'w' } as const, { do: 'give_back', why: 'w' }],
    [{ kind: 'hopeless', why: 'w' } as const, { do: 'bury', why: 'w' }],
    [{ kind: 'failed', why: 'w' } as const, { do: 'give_back', failed: true, why: 'w' }],
    [{ kind: 'crashed', why: 'w' } as const, { do: 'give_back', failed: true, why: 'w' }],
  ])('%j', (outcome, settled) => {
    expect(settlementOf(outcome, facts)).toMatchObject(settled);
  });

  test('failures count anew after an iteration', () => {
    for (const outcome of [
      { kind: 'failed', why: 'w' },
      { kind: 'handed_back' },
      { kind: 'rests', why: 'w' },
    ] as const)
      expect(settlementOf(outcome, { ...facts, gotOn: true })).toMatchObject({
        do: 'give_back',
        failed: false,
      });
  });
});
