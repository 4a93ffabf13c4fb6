import { quoteForShell } from '../../engine/core/shell/words.ts';
import { sayDuration } from '../../engine/core/text/duration.ts';
import type { JobView, WorkerView } from '../../engine/ports/fleet.ts';

export interface FleetFacts {
  workers: readonly WorkerView[];
  paused: boolean;
  now: number;
}

/** A worker beats every 2 s; after so long nobody counts on it. */
export const GONE_MS = 15_000;
/** Delayed for longer than this: only a command wakes it. */
const UNTIL_TOLD_MS = 180 * 86_400_000;
const LONG_MS = 10 * 60_000;

export function isThere({ at }: WorkerView, now: number): boolean {
  return now - at < GONE_MS;
}

function serves(worker: WorkerView, job: Pick<JobView, 'labels'>): boolean {
  return job.labels.every((label) => worker.labels.includes(label));
}

/** Why a run is not being worked on; undefined for one that is, or that has ended. */
export function whyItWaits(job: JobView, { workers, paused, now }: FleetFacts): string | undefined {
  switch (job.state) {
    case 'ended':
      return undefined;
    case 'dead':
      return `in the dead letters: ${job.why ?? 'no cause was given'}`;
    case 'active':
      return isLost(job, workers, now)
        ? `its worker ${job.worker} has said nothing for ${sayDuration(now - lastBeat(job, workers, now))}; another one takes it within about 15 s`
        : undefined;
    case 'delayed':
      return whyDelayed(job, now);
    case 'waiting':
      return whyWaiting(job, workers, paused, now);
  }
}

function whyDelayed({ why, notBefore, takes }: JobView, now: number): string {
  if (notBefore === undefined) return why ?? 'it is put off';
  const wait = Math.max(0, notBefore - now);
  if (wait > UNTIL_TOLD_MS) return why ?? 'it rests until you say something';
  const when = wait === 0 ? 'now' : `in ${sayDuration(wait)}`;
  return why === undefined || takes === 0 ? `it begins ${when}` : `${why}; it is tried again ${when}`;
}

function whyWaiting(job: JobView, workers: readonly WorkerView[], paused: boolean, now: number): string {
  if (paused) return 'the fleet is paused: untildone fleet resume --all';
  const there = workers.filter((worker) => isThere(worker, now));
  if (there.length === 0) return 'there is no worker: untildone worker starts one';
  const able = there.filter((worker) => serves(worker, job));
  if (able.length === 0)
    return `no worker has the labels ${job.labels.join(', ')}: untildone worker --labels ${job.labels.join(',')}`;
  const taking = able.filter(({ draining }) => !draining);
  if (taking.length === 0) return 'every worker that could take it drains';
  const noted = taking.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`]));
  if (noted.length === taking.length) return `no worker takes anything at the moment: ${noted.join('; ')}`;
  const isFull = taking.every(({ runs, concurrency }) => runs.length >= concurrency);
  return isFull ? 'every worker that could take it is busy' : 'a worker is about to take it';
}

function isLost(job: JobView, workers: readonly WorkerView[], now: number): boolean {
  return job.worker !== undefined && now - lastBeat(job, workers, now) > GONE_MS;
}

function lastBeat(job: JobView, workers: readonly WorkerView[], now: number): number {
  const beat = workers.find(({ name }) => name === job.worker)?.at;
  return beat ?? job.news?.at ?? job.takenAt ?? now;
}

export interface Need {
  run: string;
  title: string;
  what: string;
  /** What to type. */
  how: string;
}

/** What only a person can do about a run. */
export function needOf(job: JobView, now: number): Need | undefined {
  const { run, title, why, news } = job;
  if (job.state === 'dead')
    return {
      run,
      title,
      what: `dead letter: ${why ?? 'no cause was given'}`,
      how: `untildone fleet retry ${run}, or untildone fleet remove ${run}`,
    };
  const rests = job.state === 'delayed' && (job.notBefore ?? 0) - now > UNTIL_TOLD_MS;
  const waits = job.state === 'active' && ASKS.test(news?.doing ?? '');
  if (!rests && !waits) return undefined;
  const said = (rests ? why : news?.doing) ?? 'it is paused';
  return { run, title, what: withoutLocalWays(said), how: howToAnswer(run, said) };
}

const ASKS = /\b(?:asks|your answer|needs you|waits for you|waiting for you|approv)/i;

/** A run names what to type where it runs; here it is another command. */
function withoutLocalWays(text: string): string {
  return text.replace(/; (?:go on with: )?untildone .*$/s, '');
}

function howToAnswer(run: string, what: string): string {
  if (/approv/i.test(what))
    return `untildone fleet approve ${run}, or untildone fleet reject ${run} --note "..."`;
  if (/\b(?:asks|answer|question)/i.test(what)) return `untildone fleet answer ${run} "..."`;
  return `untildone fleet resume ${run}`;
}

/** Runs that will not get on by themselves, or have waited long. Those that a person has to answer are not among them. */
export function isStuck(job: JobView, facts: FleetFacts): boolean {
  const { now, workers } = facts;
  if (job.state === 'active') return isLost(job, workers, now);
  if (job.state !== 'waiting') return job.failures > 0 && job.state === 'delayed';
  const able = workers.some((worker) => isThere(worker, now) && serves(worker, job));
  return facts.paused || !able || now - job.submittedAt > LONG_MS;
}

/** How the work of a run comes into a clone of its repository. */
export function howToFetch(job: Pick<JobView, 'run' | 'repo' | 'result'>, hasWork: boolean): string[] {
  const { run, repo, result } = job;
  const where = quoteForShell(repo);
  if (result?.branch !== undefined)
    return [`git fetch ${where} ${result.branch}`, 'git log --oneline FETCH_HEAD', 'git merge FETCH_HEAD'];
  if (!hasWork) return [];
  return [`git fetch ${where} refs/untildone/runs/${run}/work`, `git switch -c work-of-${run} FETCH_HEAD`];
}

/** `done`, `ended`, `dead`, `waits`, `works`: one word for lists. */
export function wordFor({ state, result, news }: JobView): string {
  if (state === 'ended') return result?.status ?? 'ended';
  if (state === 'active') return news?.status === 'paused' ? 'paused' : 'active';
  return state;
}
