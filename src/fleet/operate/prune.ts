/** Removes refs of runs that ended long ago. The branches for people stay. */
import type { Refs } from '../remote/remote-runs.ts';
import { allRepos } from './find-run.ts';
import type { Fleet } from './fleet.ts';
import { publishedOf } from './published.ts';

export interface Prunable {
  run: string;
  repo: string;
  status: string;
  endedAt: number;
  refs: Refs;
}

export interface Prune {
  runs: Prunable[];
  /** Repositories that could not be read. */
  problems: { repo: string; problem: string }[];
}

/** Looks only. A run whose end cannot be read is left alone. */
export async function prunable(
  { olderThanMs, repos }: { olderThanMs: number; repos?: readonly string[] },
  fleet: Fleet,
): Promise<Prune> {
  await fleet.engine.ready();
  const found: Prune = { runs: [], problems: [] };
  for (const repo of repos ?? (await allRepos(fleet))) {
    try {
      const remoteRuns = fleet.remoteRunsOf(repo);
      for (const { run } of await remoteRuns.runs()) {
        const read = await remoteRuns.read(run);
        const { result, endedAt } = read ? publishedOf(run, read.files, fleet.secret) : {};
        if (!read || !result || endedAt === undefined || fleet.now() - endedAt < olderThanMs) continue;
        found.runs.push({ run, repo, status: result.status, endedAt, refs: read.refs });
      }
    } catch (error) {
      found.problems.push({ repo, problem: (error as Error).message });
    }
  }
  return found;
}

/** Removes a run that `prunable` found: from its remote if nothing was published since, and from the queue. */
export async function pruneRun({ run, repo, refs }: Prunable, fleet: Fleet): Promise<void> {
  await fleet.remoteRunsOf(repo).remove(run, refs);
  const job = await fleet.engine.job(run);
  if (job?.state === 'ended') await fleet.engine.remove(run);
}
