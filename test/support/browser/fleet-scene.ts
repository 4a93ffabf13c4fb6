/** A fleet for the browser: runs of the examples at work, ended, waiting, delayed and dead, on three workers. */
import { join } from 'node:path';
import { writeWhole } from '../../../src/engine/files/whole-file.ts';
import type { JobView } from '../../../src/engine/ports/fleet.ts';
import { keyOfRun } from '../../../src/fleet/secret.ts';
import { type MemoryFleet, SECRET } from '../dashboard/fleet.ts';
import { type Example, ExampleHome, type Played } from './examples.ts';

const MINUTE = 60_000;
const SHOP = 'https://git.example/acme/shop.git';
const SITE = 'ssh://git@git.example/acme/site.git';

export function playFleet(fleet: MemoryFleet, now: number): void {
  const { engine } = fleet;
  const play = (
    id: string,
    repo: string,
    worker: string,
    played: Partial<Played> & { example: Example },
    job: Partial<JobView> = {},
  ) => {
    const home = new ExampleHome(join(fleet.folder, `of-${id}`));
    writeWhole(home.home.keyFile, `${keyOfRun(id, SECRET)}\n`);
    const times = { at: now - 90 * MINUTE, until: now - MINUTE };
    const ref = home.play({ loop: id, project: 'tree', ...times, ...played });
    const run = fleet.run(id, { repo, task: home.store.task(ref), submittedAt: now - 95 * MINUTE });
    run.adopt(home.store, ref, worker);
    run.news({
      worker,
      at: now - MINUTE,
      costUsd: home.store.read(ref).spent.costUsd || 0.84,
      doing: 'the model works',
    });
    run.job(job);
    fleet.git.set(id, run.published());
  };
  play('r-cart', SHOP, 'till-1', {
    example: 'eight-cheats',
    task: 'Let the cart round like the till',
    entries: 12,
  });
  play('r-chunks', SHOP, 'till-1', { example: 'four-chunks', task: 'Four parts of the till', entries: 14 });
  play('r-many', SITE, 'gpu-1', {
    example: 'many-sessions',
    task: 'Make the build reproducible',
    entries: 9,
  });
  play(
    'r-leap',
    SITE,
    'gpu-1',
    { example: 'one-session', task: 'Leap years', at: now - 60 * MINUTE, until: now - 40 * MINUTE },
    { state: 'ended', endedAt: now - 40 * MINUTE },
  );
  const at = (minutes: number) => ({ submittedAt: now - minutes * MINUTE });
  fleet.run('r-dead', { repo: SITE, task: 'Move the blog to the new theme', ...at(240) }).job({
    state: 'dead',
    takes: 5,
    failures: 5,
    endedAt: now - 35 * MINUTE,
    why: 'untildone.yaml of the commit has no gate "tests": 5 takes in a row without an iteration',
  });
  fleet.run('r-wait', { repo: SHOP, task: 'Translate the receipts', ...at(12) });
  fleet.run('r-tpu', { repo: SITE, task: 'Train the ranking again', labels: ['tpu'], ...at(4) });
  fleet.run('r-later', { repo: SHOP, task: 'Nightly: look for flaky tests', ...at(20) }).job({
    state: 'delayed',
    takes: 1,
    why: 'what may be spent for its repository today is spent',
    notBefore: now + 9 * 60 * MINUTE,
  });
  const worker = {
    version: '0.1.0',
    pid: 1,
    draining: false,
    startedAt: now - 600 * MINUTE,
    at: now - 1_000,
  };
  engine.list = [
    {
      ...worker,
      name: 'till-1',
      host: 'build-7',
      labels: ['linux'],
      concurrency: 2,
      runs: ['r-cart', 'r-chunks'],
      diskFree: 48.2e9,
    },
    {
      ...worker,
      name: 'gpu-1',
      host: 'gpu-2',
      labels: ['linux', 'gpu'],
      concurrency: 4,
      runs: ['r-many'],
      diskFree: 410e9,
    },
    {
      ...worker,
      name: 'old-1',
      host: 'build-3',
      labels: ['linux'],
      concurrency: 2,
      runs: [],
      draining: true,
      diskFree: 3.1e9,
    },
  ];
  engine.most = {
    runs: 6,
    runsPerRepo: 2,
    usdPerDay: 40,
    usdPerRepoPerDay: 15,
    iterationsPerMinute: { '*': 30 },
  };
  engine.usd = 31.4;
}
