import { Fleet } from '../../test/support/fleet/fleet.ts';
import { waitFor } from '../../test/support/live/processes.ts';
import { compareMedians, type Row } from '../report.ts';

const ROUNDS = 3;
const PROMISED_MS = 15_000;

/** From the SIGKILL of everything on a machine to the moment when another worker has a session at the same work. */
export async function measureFailOver(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const store of ['redis', 'postgres'] as const) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await failOver(store));
    const compared = { name: `fail-over, ${store}`, against: 'what is promised', target: 1 };
    rows.push(compareMedians(times, [PROMISED_MS], compared));
  }
  return rows;
}

async function failOver(store: 'redis' | 'postgres'): Promise<number> {
  const fleet = await Fleet.open({ store, pieces: 2 });
  try {
    await fleet.submit([], { waitFor: { 2: `${fleet.root}/never` } });
    const first = fleet.startWorker('first');
    const at = (machine: string) =>
      fleet.deeds().find(({ cwd, piece }) => piece === 2 && cwd.includes(`machines/${machine}/`));
    await waitFor(() => at('first'));
    fleet.startWorker('second');
    const engine = await fleet.engine();
    await waitFor(async () => (await engine.workers()).length === 2);
    const killed = Date.now();
    await first.machine.signal('SIGKILL');
    const next = await waitFor(() => at('second'));
    return next.at - killed;
  } finally {
    await fleet.close();
  }
}
