import { Fleet } from '../../test/support/fleet/fleet.ts';
import { waitFor } from '../../test/support/live/processes.ts';
import { compareMedians, type Row } from '../report.ts';

const ROUNDS = 3;
const PROMISED_MS = 15_000;

/** From the SIGKILL of everything on a machine until another worker has the run, and until a session works on it again. */
export async function measureFailOver(): Promise<Row[]> {
  const times: FailOver[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await failOver());
  const against = 'what is promised';
  const row = (name: string, of: keyof FailOver, target?: number) =>
    compareMedians(
      times.map((each) => each[of]),
      [PROMISED_MS],
      { name, against, ...(target === undefined ? {} : { target }) },
    );
  return [row('killed to taken', 'taken', 1), row('killed to session', 'session')];
}

interface FailOver {
  taken: number;
  session: number;
}

async function failOver(): Promise<FailOver> {
  const fleet = await Fleet.open({ pieces: 2 });
  try {
    const [run = ''] = await fleet.submit([], { waitFor: { 2: `${fleet.root}/never` } });
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
    const job = await engine.job(run);
    return { taken: (job?.takenAt ?? Number.NaN) - killed, session: next.at - killed };
  } finally {
    await fleet.close();
  }
}
