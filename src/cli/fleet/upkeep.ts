import { readFileSync } from 'node:fs';
import {
  changedFleetLimits,
  LIMIT_KINDS,
  limitsFromJson,
  limitsJson,
} from '../../engine/core/fleet/limit-changes.ts';
import { counted } from '../../engine/core/text/counted.ts';
import { defined } from '../../engine/core/text/defined.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { whenOf } from '../../engine/core/text/moment.ts';
import { jsonLines } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { homeFrom } from '../../engine/home/layout.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { confirm, onTerminal, out, warn } from '../../engine/terminal/print.ts';
import type { Prunable, Prune } from '../../fleet/operate/prune.ts';
import { DAY_MS } from '../flags.ts';
import { type FleetFlags, loadFleet, withFleet } from './load.ts';
import { limitText, reconciledLines, scheduleLine } from './words.ts';

type LimitFlags = FleetFlags & { unset: string[]; from?: string } & Record<
    string,
    string | string[] | undefined
  >;

/** `untildone fleet limits`. */
export async function limits(flags: LimitFlags): Promise<void> {
  const set = LIMIT_KINDS.flatMap(({ flag }) => {
    const said = flags[flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())] ?? [];
    return (Array.isArray(said) ? said : [said]).map((text) => ({ flag, value: text }));
  });
  const isChange = set.length + flags.unset.length > 0 || flags.from !== undefined;
  if (isChange) refuseInsideClient('fleet limits', homeFrom(process.env), process.env);
  const { repoUrl } = await loadFleet();
  const repoOf = (text: string) => repoUrl(text, process.cwd());
  await withFleet(
    flags,
    async ({ engine }) => {
      await engine.ready();
      const before =
        flags.from === undefined
          ? await engine.limits()
          : limitsFromJson(textOf(flags.from), flags.from, repoOf);
      const after = changedFleetLimits(before, { set, unset: flags.unset }, repoOf);
      if (isChange) await engine.setLimits(after);
      const json = limitsJson(after);
      for (const line of flags.json ? jsonLines(json) : limitText(json)) out(line);
    },
    isChange ? { makes: 'here' } : {},
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the limits: ${(error as Error).message}`);
  }
}

/** `untildone fleet schedules`. */
export async function schedules(flags: FleetFlags): Promise<void> {
  await withFleet(flags, async (fleet, { listSchedules, scheduleView }) => {
    const views = (await listSchedules(fleet)).map((schedule) => scheduleView(schedule, schedule.about));
    if (flags.json) for (const line of jsonLines({ schedules: views })) out(line);
    else for (const line of views.flatMap((view) => scheduleLine(view, fleet.now()))) out(line);
    if (!flags.json && views.length === 0)
      out('No schedules. Make one: untildone submit "..." --repo URL --every 6h --name nightly');
  });
}

/** `untildone fleet unschedule`. */
export async function unschedule(id: string, flags: FleetFlags): Promise<void> {
  refuseInsideClient('fleet unschedule', homeFrom(process.env), process.env);
  await withFleet(flags, async (fleet, bundle) => {
    const ended = await bundle.unschedule(id, fleet);
    for (const line of flags.json ? jsonLines(ended) : [`Schedule ${id} has ended.`]) out(line);
  });
}

/** `untildone fleet secret`. */
export async function secret({ show, json }: { show: boolean; json: boolean }): Promise<void> {
  const home = homeFrom(process.env);
  refuseInsideClient('fleet secret', home, process.env);
  const { secretHere } = await loadFleet();
  const { text, where, made } = secretHere(process.env, home);
  if (json) {
    for (const line of jsonLines({ where, made, ...(show ? { secret: text } : {}) })) out(line);
    return;
  }
  if (show) {
    out(text);
    return;
  }
  out(`${made ? 'Made the secret of the fleet' : 'The secret of the fleet is'} in ${where}.`);
  out(
    'Every machine needs the same: copy what "untildone fleet secret --show" prints there, into UNTILDONE_FLEET_SECRET or this file.',
  );
}

/** `untildone fleet reconcile`. */
export async function reconcile(flags: FleetFlags & { repo?: string[]; dryRun: boolean }): Promise<void> {
  if (!flags.dryRun) refuseInsideClient('fleet reconcile', homeFrom(process.env), process.env);
  const { repoUrl } = await loadFleet();
  const repos = flags.repo?.map((repo) => repoUrl(repo, process.cwd()));
  await withFleet(flags, async (fleet, bundle) => {
    const done = await bundle.reconcile({ dryRun: flags.dryRun, ...(repos ? { repos } : {}) }, fleet);
    for (const line of flags.json ? jsonLines(done) : reconciledLines(done, flags.dryRun)) out(line);
    if (done.repos.some(({ problem }) => problem !== null)) process.exitCode = EXIT.no;
  });
}

interface PruneFlags extends FleetFlags {
  olderThan?: number;
  repo?: string[];
  dryRun: boolean;
  yes: boolean;
}

/** `untildone fleet prune`. */
export async function prune(flags: PruneFlags): Promise<void> {
  if (!flags.dryRun) refuseInsideClient('fleet prune', homeFrom(process.env), process.env);
  const { repoUrl } = await loadFleet();
  const repos = flags.repo?.map((repo) => repoUrl(repo, process.cwd()));
  await withFleet(flags, async (fleet, { prunable, pruneRun }) => {
    const found = await prunable(
      { olderThanMs: flags.olderThan ?? 30 * DAY_MS, ...defined({ repos }) },
      fleet,
    );
    sayFound(found, flags, fleet.now());
    const removed = (await agreed(flags, found.runs.length)) ? found.runs : [];
    for (const each of removed) await pruneRun(each, fleet);
    for (const line of prunedLines(found, removed, flags)) out(line);
  });
}

function sayFound({ runs, problems }: Prune, { json }: PruneFlags, now: number): void {
  for (const { repo, problem } of problems) warn(`${repo} could not be read: ${problem}`);
  if (problems.length > 0) process.exitCode = EXIT.no;
  if (!json) for (const run of runs) out(prunedLine(run, now));
}

function prunedLines(
  { runs, problems }: Prune,
  removed: readonly Prunable[],
  { json }: PruneFlags,
): string[] {
  if (!json)
    return [
      removed.length > 0
        ? `${counted(removed.length, 'run')} removed.`
        : `${counted(runs.length, 'run')} can be removed.`,
    ];
  const found = runs.map(({ run, repo, status, endedAt }) => ({
    run,
    repo,
    status,
    ended_at: new Date(endedAt).toISOString(),
  }));
  return jsonLines({ found, removed: removed.map(({ run }) => run), problems });
}

function prunedLine({ run, repo, status, endedAt }: Prunable, now: number): string {
  return `${run}  ${status}, ended ${whenOf(endedAt, now)}  ${repo}`;
}

async function agreed({ yes, json, dryRun }: PruneFlags, count: number): Promise<boolean> {
  if (count === 0 || dryRun || yes) return yes && !dryRun;
  if (json || !onTerminal())
    throw new UsageError('nobody is there to ask: look with --dry-run, then remove with --yes');
  return confirm(
    `Remove the refs of ${counted(count, 'run')} from ${count === 1 ? 'its remote' : 'their remotes'}?`,
  );
}
