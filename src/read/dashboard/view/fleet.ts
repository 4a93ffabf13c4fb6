/** The fleet as its page shows it. Pure. */
import type { FleetLimits } from '../../../engine/core/fleet/limits.ts';
import { oneLine } from '../../../engine/core/text/clip.ts';
import { defined } from '../../../engine/core/text/defined.ts';
import { redact } from '../../../engine/core/text/redact.ts';
import type { JobState, JobView, Spent, WorkerView } from '../../../engine/ports/fleet.ts';
import { type FleetFacts, isThere, whyItWaits } from '../../../fleet/operate/situation.ts';
import type { FleetRun, FleetView, FleetWorker } from './fleet-types.ts';
import type { ActionName } from './overview-types.ts';

const MOST_RUNS = 200;
const MOST_WORKERS = 200;
const WORDS = 300;
const BEATS_TOLD_MS = 5_000;
const HOUR_MS = 3_600_000;

export interface KnownFleet {
  place: string;
  away?: { since: number; why: string };
  paused: boolean;
  counts: Record<JobState, number>;
  workers: readonly WorkerView[];
  limits: FleetLimits;
  spent: Spent;
  runs: readonly KnownJob[];
  /** What was asked of workers and is not told by them yet. */
  asked: ReadonlyMap<string, 'drain' | 'undrain'>;
}

export interface KnownJob {
  job: JobView;
  repo: string;
  hasLoop: boolean;
  requested: string[];
}

const ORDER: Record<FleetRun['state'], number> = { dead: 0, active: 1, delayed: 2, waiting: 3 };

export function fleetView(known: KnownFleet, now: number): FleetView {
  const { place, away, paused, counts } = known;
  const facts = { workers: known.workers, paused, now };
  const open = known.runs.flatMap((run) => fleetRun(run, facts) ?? []);
  open.sort((a, b) => ORDER[a.state] - ORDER[b.state] || a.since - b.since);
  const workers = known.workers.map((worker) => workerOf(worker, known, now));
  workers.sort(
    (a, b) =>
      Number(b.lost ?? false) - Number(a.lost ?? false) || b.runs - a.runs || (a.name < b.name ? -1 : 1),
  );
  const ended = known.runs.flatMap(({ job }) => (job.state === 'ended' ? [job.endedAt ?? 0] : []));
  const endedWithin = (ms: number) => ended.filter((at) => at > now - ms).length;
  const waiting = open.filter(({ state }) => state === 'waiting').map(({ since }) => since);
  return {
    now,
    place,
    paused,
    counts,
    ...defined({ away, oldestWaiting: waiting.length > 0 ? Math.min(...waiting) : undefined }),
    endedLastHour: endedWithin(HOUR_MS),
    endedLastDay: endedWithin(24 * HOUR_MS),
    spentUsd: known.spent.usd,
    limits: limitWords(known),
    workers: workers.slice(0, MOST_WORKERS),
    workerCount: workers.length,
    runs: open.slice(0, MOST_RUNS),
    more: Math.max(
      0,
      counts.dead + counts.active + counts.delayed + counts.waiting - Math.min(open.length, MOST_RUNS),
    ),
  };
}

/** What tells one view from the next. Beats come all the time: they are told now and then. */
export function comparableFleet(view: FleetView): string {
  const workers = view.workers.map((worker) => ({ ...worker, at: Math.floor(worker.at / BEATS_TOLD_MS) }));
  return JSON.stringify({ ...view, now: 0, workers });
}

function workerOf(worker: WorkerView, { asked }: KnownFleet, now: number): FleetWorker {
  const { name, host, version, labels, runs, concurrency, draining, startedAt, at, diskFree } = worker;
  const wanted = asked.get(name);
  return {
    name,
    host,
    version,
    labels,
    runs: runs.length,
    concurrency,
    draining,
    startedAt,
    at,
    ...(!isThere(worker, now) ? { lost: true as const } : {}),
    ...defined({ diskFree, requested: wanted === (draining ? 'drain' : 'undrain') ? undefined : wanted }),
  };
}

function fleetRun({ job, repo, hasLoop, requested }: KnownJob, facts: FleetFacts): FleetRun | undefined {
  const { state, news, worker } = job;
  if (state === 'ended') return undefined;
  return {
    run: job.run,
    title: oneLine(redact(job.title), WORDS),
    repo,
    state,
    labels: job.labels,
    hasLoop,
    words: oneLine(
      redact(job.state === 'dead' ? (job.why ?? 'no cause was given') : jobWords(job, facts)),
      WORDS,
    ),
    since: sinceOf(job),
    actions: actionsOf(job),
    ...defined({
      worker: state === 'active' ? (worker ?? news?.worker) : undefined,
      iteration: news?.iteration,
      costUsd: news?.costUsd || undefined,
      requested: requested.length > 0 ? requested : undefined,
    }),
  };
}

/** What a run does, or why it does not. */
export function jobWords(job: JobView, facts: FleetFacts): string {
  return whyItWaits(job, facts) ?? (job.news?.doing || 'it has just been taken');
}

function sinceOf({ state, takenAt, endedAt, submittedAt, news }: JobView): number {
  if (state === 'active') return takenAt ?? submittedAt;
  if (state === 'dead') return endedAt ?? news?.at ?? submittedAt;
  return news?.at ?? submittedAt;
}

/** What can be asked where the journal of a run is not looked at. */
function actionsOf({ state }: JobView): ActionName[] {
  return state === 'dead' ? ['retry', 'cancel'] : ['cancel'];
}

function limitWords({ limits, spent, counts, runs }: KnownFleet): FleetView['limits'] {
  const active = runs.filter(({ job }) => job.state === 'active').map(({ job }) => job);
  const rows: FleetView['limits'] = [];
  const add = (
    name: string,
    used: number,
    most: number | undefined,
    say: (value: number) => string = String,
  ) => {
    if (most !== undefined)
      rows.push({ words: `${name}: ${say(used)} of ${say(most)}`, share: most > 0 ? used / most : 1 });
  };
  const usd = (value: number) => `$${value.toFixed(2)}`;
  const ofRepo = (repo: string) => active.filter((job) => job.repo === repo).length;
  add('runs at a time', counts.active, limits.runs);
  for (const [label, most] of Object.entries(limits.runsOfLabel ?? {}))
    add(`runs with ${label}`, active.filter(({ labels }) => labels.includes(label)).length, most);
  for (const [repo, most] of Object.entries(limits.runsOfRepo ?? {}))
    add(`runs of ${repo}`, ofRepo(repo), most);
  if (limits.runsPerRepo !== undefined)
    add('runs of one repository', Math.max(0, ...active.map(({ repo }) => ofRepo(repo))), limits.runsPerRepo);
  add('spent today', spent.usd, limits.usdPerDay, usd);
  for (const [repo, most] of Object.entries(limits.usdOfRepoPerDay ?? {}))
    add(`spent today for ${repo}`, spent.byRepo[repo] ?? 0, most, usd);
  if (limits.usdPerRepoPerDay !== undefined)
    add(
      'spent today for one repository',
      Math.max(0, ...Object.values(spent.byRepo)),
      limits.usdPerRepoPerDay,
      usd,
    );
  for (const [model, most] of Object.entries(limits.iterationsPerMinute ?? {}))
    rows.push({ words: `iterations a minute${model === '*' ? '' : ` with ${model}`}: at most ${most}` });
  return rows;
}
