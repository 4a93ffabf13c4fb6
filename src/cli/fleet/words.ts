/** What you read about a fleet. Programs get the same as JSON. */

import { LIMIT_KINDS } from '../../engine/core/fleet/limit-changes.ts';
import { counted } from '../../engine/core/text/counted.ts';
import { sayDuration } from '../../engine/core/text/duration.ts';
import { sayUsed } from '../../engine/core/text/figures.ts';
import { groupBy } from '../../engine/core/text/lists.ts';
import { whenOf } from '../../engine/core/text/moment.ts';
import { paint, paintStatus } from '../../engine/terminal/style.ts';
import type { FleetStatus, RunDetails } from '../../fleet/operate/look.ts';
import type { Reconciled } from '../../fleet/operate/reconcile.ts';
import type { RunView } from '../../fleet/operate/views.ts';

const usd = (amount: number) => `${amount.toFixed(2)} USD`;
const at = (time: string | null, now: number) => (time === null ? '' : whenOf(Date.parse(time), now));

export function statusLines(status: FleetStatus, now: number): string[] {
  const { queue, paused, counts, spent, limits, needs_you, stuck, active, schedules } = status;
  const said = Object.entries(counts).filter(([, count]) => count > 0);
  const most = limits.usd_per_day;
  return [
    `Queue: ${queue}${paused ? `  ${paint('open', 'PAUSED')} (untildone fleet resume --all)` : ''}`,
    ...workerLines(status, now),
    `Runs: ${said.length === 0 ? 'none' : said.map(([state, count]) => `${count} ${state}`).join(', ')}`,
    `Spent today (UTC): ${typeof most === 'number' ? sayUsed(spent.usd, most, 'usd') : usd(spent.usd)}`,
    ...(Object.values(limits).some((limit) => limit !== null)
      ? ['Limits: untildone fleet limits shows them']
      : []),
    ...(schedules.length === 0 ? [] : [`Schedules: ${schedules.map(({ id }) => id).join(', ')}`]),
    ...titled(
      'Needs you:',
      needs_you.flatMap(({ run, title, what, how }) => [
        `  ${paint('bold', run)}  ${title}`,
        `    ${what}`,
        `    ${how}`,
      ]),
    ),
    ...titled('Stuck:', stuckLines(stuck)),
    ...titled(
      'At work:',
      active.flatMap((run) => runLines(run, now)),
    ),
  ];
}

const STUCK_SHOWN = 5;

/** Runs that are stuck for the same reason, together. */
function stuckLines(stuck: FleetStatus['stuck']): string[] {
  const groups = groupBy(stuck, ({ why }) => why ?? '');
  return [...groups].flatMap(([why, runs]) => [
    ...runs.slice(0, STUCK_SHOWN).map(({ run, title }) => `  ${paint('bold', run)}  ${title}`),
    ...(runs.length > STUCK_SHOWN ? [`  and ${runs.length - STUCK_SHOWN} more`] : []),
    `    ${why}`,
  ]);
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', paint('bold', title), ...lines];
}

function workerLines({ workers, counts }: FleetStatus, now: number): string[] {
  if (workers.length === 0)
    return [
      counts.waiting > 0 ? paint('bad', 'No worker is there: untildone worker starts one.') : 'Workers: none',
    ];
  return [
    `Workers: ${workers.length}`,
    ...workers.map((worker) => {
      const { name, host, version, labels, concurrency, runs, draining, there, note } = worker;
      const { without_walls, refused } = worker;
      return [
        `  ${paint('bold', name)}  ${host}  ${runs.length} of ${counted(concurrency, 'run')}  ${version}`,
        ...(labels.length === 0 ? [] : [`labels ${labels.join(',')}`]),
        ...(draining ? [paint('open', 'drains')] : []),
        ...(there ? [] : [paint('bad', `gone since ${at(worker.heard_at, now)}`)]),
        ...(note === null ? [] : [paint('open', note)]),
        ...(without_walls === null ? [] : [paint('bad', 'no walls')]),
        ...(refused === 0 ? [] : [paint('bad', `refused ${refused} of the queue's entries`)]),
      ].join('  ');
    }),
  ];
}

export function runLines(run: RunView, now: number): string[] {
  const { state, status, title, worker, why, doing, iteration, cost_usd, refused } = run;
  const word = state === 'ended' ? paintStatus(status) : paint(state === 'dead' ? 'bad' : 'open', status);
  const figures = iteration > 0 ? `  iteration ${iteration}  ${usd(cost_usd)}` : '';
  const when =
    run.ended_at === null ? `submitted ${at(run.submitted_at, now)}` : `ended ${at(run.ended_at, now)}`;
  return [
    `${paint('bold', run.run)}  ${word}${figures}  ${when}${worker === null ? '' : `  on ${worker}`}`,
    `  ${title}`,
    ...(why === null ? [] : [`  ${why}`]),
    ...(doing === null || doing === '' ? [] : [`  ${doing}`]),
    ...(refused === null
      ? []
      : [`  ${paint('bad', `refused ${counted(refused.count, 'command')}`)}; the last: ${refused.why}`]),
  ];
}

export function detailLines(details: RunDetails, now: number): string[] {
  const { run, repo, queued, spec, result, published, fetch, notes } = details;
  return [
    ...(queued ? runLines(queued, now) : [`${paint('bold', run)}  ${paint('open', 'not on the queue')}`]),
    `  repository: ${repo}`,
    ...(spec ? specLines(spec) : []),
    ...(queued ? [`  ${takesOf(queued)}`] : []),
    ...(published ? publishedLines(published, now) : []),
    ...(result
      ? [
          `  ended: ${paintStatus(result.status)} (${result.cause}), ${counted(result.iterations, 'iteration')}, ${usd(result.cost_usd)}`,
        ]
      : []),
    ...(result?.branch ? [`  branch: ${result.branch}`] : []),
    ...titled(
      'To get the work:',
      fetch.map((line) => `  ${line}`),
    ),
    ...notes.map((note) => `${paint('open', 'Note:')} ${note}`),
  ];
}

function specLines(spec: NonNullable<RunDetails['spec']>): string[] {
  const { ref, commit, folder, after, env, model, key, schedule, features, attempts } = spec;
  const limits = Object.entries(spec.limits).flatMap(([name, most]) =>
    most === null ? [] : [`${name} ${most}`],
  );
  return [
    `  begins at: ${ref} (${commit.slice(0, 10)})${folder === null ? '' : `, in ${folder}`}`,
    `  contract: ${spec.contract}`,
    ...(features === null
      ? []
      : [`  features: ${features.file}${features.only ? ` (${features.only.join(', ')})` : ''}`]),
    ...(model === null ? [] : [`  model: ${model}`]),
    ...(limits.length === 0 ? [] : [`  limits: ${limits.join(', ')}`]),
    ...(after.length === 0 ? [] : [`  after: ${after.join(', ')}`]),
    ...(env.length === 0 ? [] : [`  variables: ${env.join(', ')}`]),
    ...(key === null ? [] : [`  key: ${key}`]),
    ...(schedule === null ? [] : [`  schedule: ${schedule}`]),
    `  attempts: ${attempts}`,
  ];
}

function publishedLines(published: NonNullable<RunDetails['published']>, now: number): string[] {
  const { lines, iteration, status, workers } = published;
  return [
    `  published: iteration ${iteration}, ${status}, ${lines} journal lines, ${at(published.at, now)}`,
    ...(workers.length === 0 ? [] : [`  taken over by: ${workers.join(', ')}`]),
  ];
}

function takesOf({ takes, stalls, failures }: RunView): string {
  return [
    takes === 0 ? 'not taken yet' : `taken ${times(takes)}`,
    ...(stalls > 0 ? [`its worker was lost ${times(stalls)}`] : []),
    ...(failures > 0 ? [`failed ${times(failures)} in a row`] : []),
  ].join(', ');
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

export function limitText(limits: Record<string, unknown>): string[] {
  const lines = LIMIT_KINDS.flatMap(({ json, of, unit, words, flag }) => {
    const said = limits[json];
    if (said === null || said === undefined) return [];
    if (!of) return [`${said} ${unit} ${words}  (--${flag})`];
    return Object.entries(said).map(([name, most]) => `${most} ${unit} ${words} ${name}  (--${flag})`);
  });
  return lines.length === 0 ? ['There are no limits. See: untildone fleet limits --help'] : lines;
}

export function reconciledLines(done: Reconciled, dryRun: boolean): string[] {
  const { repos, added, schedules, ended, known, unreadable, missing, lost, no_limits } = done;
  const would = dryRun ? 'would be put' : 'put';
  return [
    ...repos.map(({ repo, runs, problem }) =>
      problem === null
        ? `${repo}: ${counted(runs, 'run')}`
        : `${repo}: ${paint('bad', 'could not be read')}: ${problem}`,
    ),
    ...(repos.length === 0
      ? ['No repository is known on this machine or on the queue: name them with --repo URL.']
      : []),
    ...added.map(({ run, title }) => `Run ${paint('bold', run)} ${would} on the queue: ${title}`),
    ...schedules.map((id) => `Schedule ${id} ${would} on the queue`),
    ...unreadable.map(
      ({ run, repo }) => `Run ${run} of ${repo} was submitted with another secret: left alone`,
    ),
    ...missing.map(({ run, repo }) => `Run ${run} is on the queue, but not at ${repo}: left alone`),
    ...lost.map(
      ({ run, worker }) => `Run ${run} is on ${worker}, which is gone: another worker takes it by itself`,
    ),
    `${added.length + schedules.length} ${would} on the queue, ${known} known to it, ${ended} ended.`,
    ...(no_limits && added.length > 0
      ? ['The queue has no limits. If it had some, set them again: untildone fleet limits --from FILE']
      : []),
  ];
}

export function scheduleLine(
  {
    id,
    cron,
    every_s,
    next,
    repo,
    title,
  }: {
    id: string;
    cron: string | null;
    every_s: number | null;
    next: string | null;
    repo: string | null;
    title: string | null;
  },
  now: number,
): string[] {
  const when = cron === null ? `every ${sayDuration((every_s ?? 0) * 1000)}` : `at ${cron} (UTC)`;
  return [
    `${paint('bold', id)}  ${when}${next === null ? '' : `  next ${at(next, now)}`}`,
    ...(repo === null ? ['  made with another secret'] : [`  ${title ?? ''}`, `  ${repo}`]),
  ];
}
