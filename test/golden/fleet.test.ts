// Tier: world
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Entry } from '../../src/engine/core/loop/entry.ts';
import type { WorkerView } from '../../src/engine/ports/fleet.ts';
import type { Fleet } from '../../src/fleet/operate/fleet.ts';
import { operateScene, published, taken } from '../support/fleet/operate-scene.ts';
import { openStore, type Store } from '../support/fleet/stores.ts';
import { laidOutJson } from '../support/golden/laid-out.ts';
import { steady } from '../support/golden/steady.ts';
import { loadProgram, runCli } from '../support/in-process.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const WORKER: WorkerView = {
  name: 'w1',
  host: 'machine',
  pid: 7,
  version: '0.0.0',
  labels: ['gpu'],
  concurrency: 2,
  runs: [],
  draining: false,
  startedAt: 0,
  at: 0,
};
const HELD: Entry = { kind: 'event', event: 'SessionStart', detail: { source: 'startup' } };

/** A queue, a remote and a clone of it. Commands are calls in this process, over a real store. */
async function fleetScene() {
  const scene = operateScene(store);
  const clone = join(scene.folder, 'clone');
  execFileSync('git', ['clone', '-q', scene.remote.url, clone], { stdio: 'pipe' });
  const fleet = await scene.machine('m1');
  const program = await loadProgram();
  const env = Object.fromEntries(
    Object.entries(scene.envOf('m1')).map(([name, value]) => [name, value ?? '']),
  );
  const said: string[] = [];
  const runs: string[] = [];
  const callIn = async (more: Record<string, string>, ...words: string[]): Promise<string> => {
    const { stdout, stderr, exitCode } = await runCli(program, [...words, '--json'], {
      line: '',
      env: { ...env, ...more },
      cwd: clone,
      input: '',
      limitMs: 0,
    });
    const title = words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
    said.push(`# untildone ${title} --json (${exitCode})\n\n${laidOutJson(stdout)}${stderr}`);
    return stdout;
  };
  const call = (...words: string[]) => callIn({}, ...words);
  const submitted = async (...words: string[]): Promise<string> => {
    const { runs: made } = JSON.parse(await call('submit', ...words)) as { runs: { run: string }[] };
    runs.push(made[0]?.run ?? '');
    return runs.at(-1) ?? '';
  };
  const text = () => {
    const named = runs.reduce((all, run, n) => all.replaceAll(run, `<run ${n + 1}>`), said.join('\n'));
    const known = named
      .replaceAll(fleet.engine.place, '<queue>')
      .replace(/(?<="day": ")[\d-]+/g, '<day>')
      .replace(/(?<=NO WALLS: ).*(?=\. Sessions)/g, '<why>');
    return steady(known, { root: scene.folder });
  };
  return { ...scene, fleet, call, callIn, submitted, text };
}

test('every --json of a fleet', async () => {
  const { remote, fleet, call, callIn, submitted, text } = await fleetScene();
  await callIn(
    { PATH: '/nowhere' },
    'worker',
    '--once',
    '--name',
    'w1',
    '--health-port',
    'off',
    '--without-walls',
  );
  const first = await submitted('Build the thing', '--key', 'k', '--max-cost', '3');
  const second = await submitted('Tidy it up', '--after', first);
  await call('fleet', 'limits', '--runs', '2', '--label', 'gpu=1');
  const beat = await atWork(fleet, first, remote.url);
  for (const words of [['status'], ['list'], ['show', first], ['logs', first], ['pause', first]])
    await beat(() => call('fleet', ...words));
  for (const words of [
    ['resume', first],
    ['approve', first],
    ['reject', first],
    ['answer', first, 'Yes'],
  ])
    await beat(() => call('fleet', ...words));
  await beat(() => call('fleet', 'drain', 'w1'));
  await call('fleet', 'pause', '--all');
  await call('fleet', 'resume', '--all');
  await call('fleet', 'cancel', second);
  await call('fleet', 'retry', second);
  await fleet.engine.bury(await taken(fleet, second), 'its folder cannot be written');
  await call('fleet', 'remove', second);
  await submitted('Once more');
  await call('submit', 'Look for leaks', '--every', '1d', '--name', 'nightly');
  await call('fleet', 'schedules');
  await call('fleet', 'unschedule', 'nightly');
  await call('fleet', 'secret');
  await store.wipe();
  await call('fleet', 'reconcile');
  await call('fleet', 'prune', '--older', '1ms', '--yes');
  await expect(text()).toMatchFileSnapshot(join(import.meta.dirname, 'expected/json-fleet.txt'));
});

/** A worker has taken the run, and has published a first line of its work. Returns what lets it beat before a call. */
async function atWork(fleet: Fleet, run: string, repo: string) {
  const held = await taken(fleet, run);
  const lines = await published(fleet, { run, repo }, [HELD]);
  const news = { status: 'active', iteration: 2, costUsd: 0.5, tokens: 900, doing: 'the model works' };
  await fleet.engine.tell(run, { ...news, worker: 'w1', at: Date.now() }, lines);
  return async (work: () => Promise<unknown>) => {
    await fleet.engine.beat({ ...WORKER, runs: [run], startedAt: Date.now(), at: Date.now() }, [held]);
    await work();
  };
}
