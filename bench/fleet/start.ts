import { Fleet } from '../../test/support/fleet/fleet.ts';
import { waitFor } from '../../test/support/live/processes.ts';
import { compareMedians, type Row } from '../report.ts';
import { startLocalRun } from './local.ts';

const ROUNDS = 10;

/** From putting a run on the queue to its being taken, and to its first session, with a worker that has nothing to do. */
export async function measureFleetStart(): Promise<Row[]> {
  const fleet = await Fleet.open({ pieces: 1 });
  try {
    return await rowsWith(fleet);
  } finally {
    await fleet.close();
  }
}

async function rowsWith(fleet: Fleet): Promise<Row[]> {
  const times = { taken: [] as number[], session: [] as number[], local: [] as number[] };
  const engine = await fleet.engine();
  fleet.startWorker('w1');
  await waitFor(async () => (await engine.workers()).length === 1);
  for (let round = 0; round < ROUNDS; round++) {
    const [run = ''] = await fleet.submit();
    await fleet.untilEnded([run]);
    const job = await waitFor(async () => {
      const seen = await engine.job(run);
      return seen?.state === 'ended' ? seen : undefined;
    });
    const began = fleet.deeds().find(({ cwd, kind }) => kind === 'began' && cwd.includes(run));
    times.taken.push((job.takenAt ?? Number.NaN) - job.submittedAt);
    times.session.push((began?.at ?? Number.NaN) - job.submittedAt);
    times.local.push((await startLocalRun(fleet)).sessionMs);
  }
  const against = 'run on one machine: start to first session';
  return [
    compareMedians(times.taken, times.local, { name: `submitted to taken`, against }),
    compareMedians(times.session, times.local, { name: `submitted to first session`, against }),
  ];
}
