/** What `fleet status`, `list` and `show` tell. */
import { limitsJson } from '../../engine/core/fleet/limit-changes.ts';
import type { RunSpec } from '../../engine/core/fleet/spec.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import type { JobState, JobView } from '../../engine/ports/fleet.ts';
import { keyOfRun, readSpec } from '../secret.ts';
import { allJobs, findRun } from './find-run.ts';
import type { Fleet } from './fleet.ts';
import { publishedOf } from './published.ts';
import { knownRepos } from './repos.ts';
import { type FleetFacts, howToFetch, isStuck, type Need, needOf, whyItWaits } from './situation.ts';
import { type RunView, resultView, runView, scheduleView, specView, workerView } from './views.ts';

/** What runs that are not over are looked at for. */
const OPEN: readonly JobState[] = ['active', 'waiting', 'delayed', 'dead'];
const MOST_LOOKED_AT = 2_000;

export async function factsOf({ engine, now }: Fleet): Promise<FleetFacts> {
  const [workers, paused] = await Promise.all([engine.workers(), engine.isPaused()]);
  return { workers, paused, now: now() };
}

export async function fleetStatus(fleet: Fleet) {
  const { engine, now } = fleet;
  await engine.ready();
  const today = new Date(now()).toISOString().slice(0, 10);
  const [facts, counts, limits, spent, schedules] = await Promise.all([
    factsOf(fleet),
    engine.counts(),
    engine.limits(),
    engine.spent(today),
    engine.schedules(),
  ]);
  const open = await engine.jobs(OPEN, 0, MOST_LOOKED_AT);
  const needs = open.flatMap((job): Need | Need[] => needOf(job, facts.now) ?? []);
  const stuck = open.filter((job) => isStuck(job, facts) && !needOf(job, facts.now));
  return {
    queue: engine.place,
    paused: facts.paused,
    workers: facts.workers.map((worker) => workerView(worker, facts.now)),
    counts,
    limits: limitsJson(limits),
    spent: { day: spent.day, usd: spent.usd, by_repo: spent.byRepo },
    needs_you: needs,
    stuck: stuck.map((job) => ({ run: job.run, title: job.title, why: whyItWaits(job, facts) ?? null })),
    active: open.filter(({ state }) => state === 'active').map((job) => runView(job, facts)),
    schedules: schedules.map((schedule) => scheduleView(schedule)),
  };
}

export type FleetStatus = Awaited<ReturnType<typeof fleetStatus>>;

export interface ListOptions {
  states?: readonly JobState[];
  repo?: string;
  limit: number;
}

const ORDER: readonly JobState[] = ['active', 'dead', 'waiting', 'delayed', 'ended'];

/** Runs that are worked on first. Of those that ended the newest come first. */
export async function listRuns({ states = ORDER, repo, limit }: ListOptions, fleet: Fleet) {
  await fleet.engine.ready();
  const facts = await factsOf(fleet);
  const wanted = ORDER.filter((state) => states.includes(state));
  const { jobs, all } =
    repo === undefined ? await firstJobs(wanted, limit, fleet) : await jobsOf(repo, wanted, fleet);
  const shown = jobs.slice(0, limit);
  return { runs: shown.map((job) => runView(job, facts)), more: Math.max(0, all - shown.length) };
}

/** The first of each state: what nobody sees is not fetched. */
async function firstJobs(states: readonly JobState[], limit: number, { engine }: Fleet) {
  const counts = await engine.counts();
  const jobs: JobView[] = [];
  for (const state of states)
    if (jobs.length < limit) jobs.push(...(await engine.jobs([state], 0, limit - jobs.length)));
  return { jobs, all: states.reduce((sum, state) => sum + counts[state], 0) };
}

async function jobsOf(repo: string, states: readonly JobState[], { engine }: Fleet) {
  const jobs: JobView[] = [];
  for (const state of states)
    jobs.push(...(await allJobs(engine, [state])).filter((job) => job.repo === repo));
  return { jobs, all: jobs.length };
}

export interface RunDetails {
  run: string;
  repo: string;
  /** Absent: the queue does not know the run. */
  queued: RunView | null;
  /** Absent: its seal does not fit. */
  spec: ReturnType<typeof specView> | null;
  result: ReturnType<typeof resultView> | null;
  refs: { journal: string; work: string | null } | null;
  published: { lines: number; iteration: number; status: string; at: string; workers: string[] } | null;
  fetch: string[];
  notes: string[];
}

export async function showRun(text: string, fleet: Fleet): Promise<RunDetails> {
  await fleet.engine.ready();
  const { run, repo, job } = await findRun(text, fleet, { strangers: true });
  const facts = await factsOf(fleet);
  const notes: string[] = [];
  // Where a run without our seal claims to be, nobody is asked, unless this machine has submitted to it.
  const isOurs = !job?.isStranger || knownRepos(fleet.home).includes(repo);
  const read = isOurs ? await readOrNote(run, repo, notes, fleet) : undefined;
  const published = read && publishedOf(run, read.files, fleet.secret);
  const spec = (job && specIn(job, fleet)) ?? published?.spec;
  if (!spec)
    notes.push('it was submitted with another secret than this machine has: its details cannot be read here');
  if (!job)
    notes.push(
      `the queue does not know it: untildone fleet reconcile --repo ${repo} brings it back if it has not ended`,
    );
  const result = job?.result ?? published?.result;
  return {
    run,
    repo,
    queued: job ? runView(job, facts) : null,
    spec: spec ? specView(spec) : null,
    result: result ? resultView(result) : null,
    refs: read ? { journal: read.refs.journal, work: read.refs.work ?? null } : null,
    published: published?.last ? publishedView(published) : null,
    fetch: howToFetch({ run, repo, result }, read?.refs.work !== undefined),
    notes,
  };
}

async function readOrNote(run: string, repo: string, notes: string[], { remoteRunsOf }: Fleet) {
  try {
    return await remoteRunsOf(repo).read(run);
  } catch (error) {
    notes.push(`the remote cannot be read (${(error as Error).message})`);
    return undefined;
  }
}

function specIn({ run, spec }: JobView, { secret }: Fleet): RunSpec | undefined {
  return readSpec(spec, run, keyOfRun(run, secret));
}

/** The workers that had the run, in their order, as its journal names them. */
function publishedView({ lines, last }: ReturnType<typeof publishedOf>): RunDetails['published'] {
  if (!last) return null;
  const workers = lines.flatMap((line): string[] => {
    const [, worker] = line.includes('"kind":"moved"') ? (/"worker":"([^"\\]+)"/.exec(line) ?? []) : [];
    return worker === undefined ? [] : [worker];
  });
  const { state, at } = last.line;
  return { lines: lines.length, iteration: state.iteration, status: state.status, at, workers };
}

export function stateNamed(text: string): JobState {
  const state = ORDER.find((one) => one === text);
  if (state) return state;
  throw new UsageError(`there is no state "${text}"; there are: ${ORDER.join(', ')}`);
}
