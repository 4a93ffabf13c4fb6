import { Fleet } from '../../test/support/fleet/fleet.ts';
import { compareMedians, type Row } from '../report.ts';
import { localProject, runLocally } from './local.ts';

const ROUNDS = 2;
const RUNS = 6;

/** Time for each run with a model that takes none: one worker against one local runner, with one and two at a time. */
export async function measureFleetThroughput(): Promise<Row[]> {
  return [await rowWith(1), await rowWith(2)];
}

async function rowWith(atOnce: number): Promise<Row> {
  const fleet = await Fleet.open({ pieces: 2 });
  try {
    const times = { fleet: [] as number[], local: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      times.fleet.push(
        (await drained(fleet, RUNS, [`round-${round}`], ['--concurrency', `${atOnce}`])) / RUNS,
      );
      times.local.push((await locally(fleet, atOnce)) / RUNS);
    }
    return compareMedians(times.fleet, times.local, {
      name: `a run, ${atOnce} at a time`,
      against: `untildone run, ${atOnce} at a time`,
    });
  } finally {
    await fleet.close();
  }
}

/** The runs are there before the workers: from the start of the first session to the end of the last run. */
export async function drained(
  fleet: Fleet,
  count: number,
  workers: readonly string[],
  args: readonly string[],
  workMs = 0,
): Promise<number> {
  const runs = await fleet.submit(['--count', `${count}`], { workMs });
  const started = workers.map((name) => fleet.startWorker(name, args).worker);
  await fleet.untilEnded(runs, 600_000);
  const own = fleet.deeds().filter(({ cwd }) => runs.some((run) => cwd.includes(run)));
  const ends = runs.map((run) => Date.parse(fleet.history(run).lines.at(-1)?.at ?? ''));
  for (const worker of started) worker.signal('SIGTERM');
  await Promise.all(started.map(({ ended }) => ended));
  return Math.max(...ends) - Math.min(...own.map(({ at }) => at));
}

async function locally(fleet: Fleet, atOnce: number): Promise<number> {
  const folders: string[] = [];
  for (let i = 0; i < RUNS; i++) folders.push(await localProject(fleet));
  const before = Date.now();
  const runner = async () => {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
      await runLocally(fleet, folder);
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
  return Date.now() - before;
}
