/**
 * Brings the queue back from the remotes: every run that was submitted and has not ended is put on the queue if it is not
 * there. It only adds, and adding twice does nothing, so it can run at any time, twice, and on two machines at once.
 */
import type { JobView } from '../../engine/ports/fleet.ts';
import type { RemoteRuns } from '../remote/remote-runs.ts';
import { ALL_STATES, allJobs, allRepos } from './find-run.ts';
import type { Fleet } from './fleet.ts';
import { jobOf, publishedOf } from './published.ts';
import { rememberRepo } from './repos.ts';
import { restoreSchedules } from './schedules.ts';
import { GONE_MS } from './situation.ts';

export interface Reconciled {
  repos: { repo: string; runs: number; problem: string | null }[];
  /** Runs that were put on the queue, or would be. */
  added: { run: string; repo: string; title: string }[];
  /** Schedules that were brought back, or would be. */
  schedules: string[];
  /** Runs on remotes that have ended, and runs that the queue knows already. */
  ended: number;
  known: number;
  /** Submitted with another secret, or damaged. */
  unreadable: { run: string; repo: string }[];
  /** On the queue, but not on their remote. They stay as they are. */
  missing: { run: string; repo: string }[];
  /** The queue has no limits: they are kept nowhere else. */
  no_limits: boolean;
  /** On workers that are gone. The engine gives them to others by itself. */
  lost: { run: string; worker: string }[];
}

export interface ReconcileOptions {
  /** Absent: all that the queue knows, and that this machine submitted to. */
  repos?: readonly string[];
  dryRun: boolean;
}

export async function reconcile(options: ReconcileOptions, fleet: Fleet): Promise<Reconciled> {
  await fleet.engine.ready();
  const jobs = await allJobs(fleet.engine, ALL_STATES);
  const repos = options.repos ?? (await allRepos(fleet, jobs));
  const done: Reconciled = {
    repos: [],
    added: [],
    schedules: [],
    ended: 0,
    known: 0,
    unreadable: [],
    missing: [],
    no_limits: Object.keys(await fleet.engine.limits()).length === 0,
    lost: await lostRuns(jobs, fleet),
  };
  for (const repo of repos) {
    try {
      await reconcileRepo(repo, jobs, options.dryRun, done, fleet);
    } catch (error) {
      done.repos.push({ repo, runs: 0, problem: (error as Error).message });
    }
  }
  return done;
}

async function reconcileRepo(
  repo: string,
  jobs: readonly JobView[],
  dryRun: boolean,
  done: Reconciled,
  fleet: Fleet,
): Promise<void> {
  const remoteRuns = fleet.remoteRunsOf(repo);
  const there = await remoteRuns.runs();
  const known = new Set(jobs.map(({ run }) => run));
  for (const { run } of there) {
    if (known.has(run)) done.known++;
    else await bringBack(run, remoteRuns, dryRun, done, fleet);
  }
  const onRemote = new Set(there.map(({ run }) => run));
  done.missing.push(
    ...jobs
      .filter((job) => job.repo === repo && job.state !== 'ended' && !onRemote.has(job.run))
      .map(({ run }) => ({ run, repo })),
  );
  done.schedules.push(...(await restoreSchedules(remoteRuns, dryRun, fleet)));
  if (!dryRun && there.length > 0) rememberRepo(fleet.home, repo);
  done.repos.push({ repo, runs: there.length, problem: null });
}

async function bringBack(
  run: string,
  remoteRuns: RemoteRuns,
  dryRun: boolean,
  done: Reconciled,
  fleet: Fleet,
): Promise<void> {
  const { repo } = remoteRuns;
  const read = await remoteRuns.read(run);
  if (!read) return;
  const { spec, sealed, result } = publishedOf(run, read.files, fleet.secret);
  if (!spec) {
    done.unreadable.push({ run, repo });
    return;
  }
  if (result) {
    done.ended++;
    return;
  }
  const job = jobOf(spec, sealed);
  // Read again on another machine at the same moment, it may be there by now.
  const { notBefore } = spec;
  const added = dryRun ? 'added' : await fleet.engine.add(job, notBefore === undefined ? {} : { notBefore });
  if (added === 'known') done.known++;
  else done.added.push({ run, repo, title: job.title });
}

async function lostRuns(jobs: readonly JobView[], { engine, now }: Fleet): Promise<Reconciled['lost']> {
  const workers = await engine.workers();
  const there = new Set(workers.filter(({ at }) => now() - at < GONE_MS).map(({ name }) => name));
  return jobs.flatMap(({ run, state, worker }) =>
    state === 'active' && worker !== undefined && !there.has(worker) ? [{ run, worker }] : [],
  );
}
