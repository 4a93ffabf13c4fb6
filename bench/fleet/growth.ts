import { Fleet } from '../../test/support/fleet/fleet.ts';
import { compareMedians, type Row } from '../report.ts';
import { drained } from './throughput.ts';

const EACH = 3;
/** Sessions wait for their model nearly all the time, as they do in earnest. */
const WORK_MS = 5_000;

/** So many runs for each worker: with twice the workers, twice the runs take as long. */
export async function measureGrowth(): Promise<Row[]> {
  const times = new Map<number, number>();
  for (const count of [1, 2, 4, 8]) {
    const fleet = await Fleet.open({ pieces: 2 });
    try {
      const names = Array.from({ length: count }, (_, i) => `w${i + 1}`);
      times.set(count, await drained(fleet, EACH * count, names, ['--concurrency', '1'], WORK_MS));
    } finally {
      await fleet.close();
    }
  }
  const alone = times.get(1) ?? Number.NaN;
  return [2, 4, 8].map((count) =>
    compareMedians([times.get(count) ?? Number.NaN], [alone], {
      name: `${EACH * count} runs, ${count} workers`,
      against: `${EACH} runs, 1 worker`,
    }),
  );
}
