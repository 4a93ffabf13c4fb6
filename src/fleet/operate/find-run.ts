/** Finds the run that a person means: by its id or the beginning of it, on the queue, else on the remotes. */
import { UsageError } from '../../engine/core/text/errors.ts';
import { isSafeId } from '../../engine/core/text/paths.ts';
import type { Engine, JobState, JobView } from '../../engine/ports/fleet.ts';
import type { Fleet } from './fleet.ts';
import { knownRepos } from './repos.ts';

export const ALL_STATES: readonly JobState[] = ['active', 'waiting', 'delayed', 'dead', 'ended'];
const PAGE = 500;

export interface FoundRun {
  run: string;
  repo: string;
  /** Absent where only git knows the run. */
  job?: JobView;
}

/** `strangers`: also one whose spec does not have our seal. */
export async function findRun(text: string, fleet: Fleet, { strangers = false } = {}): Promise<FoundRun> {
  const id = text.trim();
  if (!isSafeId(id)) throw new UsageError(`"${text}" is no id of a run; see: untildone fleet list`);
  const exact = await fleet.engine.job(id);
  if (exact) return foundJob(exact, strangers);
  const jobs = await allJobs(fleet.engine, ALL_STATES);
  const begin = jobs.filter(({ run }) => run.startsWith(id));
  const [only] = begin;
  if (only && begin.length === 1) return foundJob(only, strangers);
  if (begin.length > 1)
    throw several(
      id,
      begin.map(({ run }) => run),
    );
  return onRemotes(id, jobs, fleet);
}

function foundJob(job: JobView, strangers: boolean): FoundRun {
  if (job.isStranger && !strangers) throw wrongSecret(job.run);
  return { run: job.run, repo: job.repo, job };
}

/** Every run of these states. New ones may come in between: each is returned once. */
export async function allJobs(engine: Engine, states: readonly JobState[]): Promise<JobView[]> {
  const found = new Map<string, JobView>();
  for (let from = 0; ; from += PAGE) {
    const page = await engine.jobs(states, from, PAGE);
    for (const job of page) found.set(job.run, job);
    // A page may lack runs that were removed meanwhile.
    if (page.length === 0) return [...found.values()];
  }
}

/** The repositories that runs may be in: those of the queue, and those that this machine submitted to. */
export async function allRepos(fleet: Fleet, jobs?: readonly JobView[]): Promise<string[]> {
  const known = jobs ?? (await allJobs(fleet.engine, ALL_STATES));
  const ours = known.filter(({ isStranger }) => !isStranger).map(({ repo }) => repo);
  return [...new Set([...knownRepos(fleet.home), ...ours])];
}

async function onRemotes(id: string, jobs: readonly JobView[], fleet: Fleet): Promise<FoundRun> {
  const found: FoundRun[] = [];
  const away: string[] = [];
  for (const repo of await allRepos(fleet, jobs)) {
    try {
      const runs = await fleet.remoteRunsOf(repo).runs();
      found.push(...runs.filter(({ run }) => run.startsWith(id)).map(({ run }) => ({ run, repo })));
    } catch (error) {
      away.push(`${repo} (${(error as Error).message})`);
    }
  }
  const exact = found.find(({ run }) => run === id);
  const [only] = found;
  if (exact ?? (only && found.length === 1)) return exact ?? (only as FoundRun);
  if (found.length > 1)
    throw several(
      id,
      found.map(({ run }) => run),
    );
  const near = nearest(id, jobs);
  throw new UsageError(
    `there is no run ${id}${away.length === 0 ? '' : `, as far as could be seen: ${away.join(', ')}`}${near.length === 0 ? '; see: untildone fleet list' : `; did you mean: ${near.join(', ')}?`}`,
  );
}

function several(id: string, runs: readonly string[]): UsageError {
  const shown = runs.slice(0, 5).join(', ');
  const more = runs.length > 5 ? ` and ${runs.length - 5} more` : '';
  return new UsageError(
    `${runs.length} runs begin with ${id}: ${shown}${more}; type more of the one that you mean`,
  );
}

const NEAR = 3;

/** Runs whose ids have the longest beginning in common with what was typed; else the newest. */
function nearest(id: string, jobs: readonly JobView[]): string[] {
  const common = (run: string) => {
    let length = 0;
    while (length < run.length && run[length] === id[length]) length++;
    return length;
  };
  return [...jobs]
    .sort((a, b) => common(b.run) - common(a.run) || b.submittedAt - a.submittedAt)
    .slice(0, NEAR)
    .map(({ run }) => run);
}

export function wrongSecret(run: string): UsageError {
  return new UsageError(
    `run ${run} was submitted with another secret than this machine has: give all machines of the fleet the same (UNTILDONE_FLEET_SECRET, or the file that this names: untildone fleet secret)`,
  );
}
