/** How the runs stand that another one comes after. */
import type { Standing } from '../../engine/core/fleet/intake.ts';
import type { RunSpec } from '../../engine/core/fleet/spec.ts';
import type { Engine } from '../../engine/ports/fleet.ts';

/** What the remote knows of a run; undefined when it knows none. Throws `RemoteAway`. */
export type AskRemote = (repo: string, run: string) => Promise<Standing | undefined>;

/** The engine knows most; what it has forgotten, the remote of the same repository knows. */
export async function standingsOf(
  { after, repo }: Pick<RunSpec, 'after' | 'repo'>,
  engine: Pick<Engine, 'job'>,
  askRemote: AskRemote,
): Promise<Standing[]> {
  const standings: Standing[] = [];
  for (const run of after) {
    const job = await engine.job(run);
    if (job?.state === 'ended' && job.result) {
      standings.push({ run, is: 'ended', status: job.result.status, cause: job.result.cause });
    } else if (job?.state === 'dead') {
      standings.push({ run, is: 'dead', cause: job.why ?? 'no cause is known' });
    } else if (job && job.state !== 'ended') {
      standings.push({ run, is: 'going' });
    } else {
      standings.push((await askRemote(job?.repo ?? repo, run)) ?? { run, is: 'unknown' });
    }
  }
  return standings;
}
