import { readFileSync } from 'node:fs';
import {
  checkedEnv,
  checkedFolder,
  checkedKey,
  checkedLabels,
  checkedScheduleName,
  partsOf,
} from '../../engine/core/fleet/terms.ts';
import { checkedCron, checkedEvery, parseMoment, sayWhen, type When } from '../../engine/core/fleet/when.ts';
import { defined } from '../../engine/core/text/defined.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { whenOf } from '../../engine/core/text/moment.ts';
import { jsonLines } from '../../engine/core/text/visible.ts';
import { homeFrom } from '../../engine/home/layout.ts';
import { taskFrom } from '../../engine/hook/start/inputs.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { out } from '../../engine/terminal/print.ts';
import { paint } from '../../engine/terminal/style.ts';
import type { Checkout } from '../../fleet/operate/checkout.ts';
import type { Fleet } from '../../fleet/operate/fleet.ts';
import type { SubmitRequest } from '../../fleet/operate/request.ts';
import type { Submission } from '../../fleet/operate/submit.ts';
import { choicesFrom, firstLimits } from '../run-options.ts';
import { type FleetFlags, loadFleet, withFleet } from './load.ts';
import { waitForEnd } from './wait.ts';

/** Beside the flags of options: src/engine/core/run/options.ts. */
interface SubmitFlags extends FleetFlags {
  repo?: string;
  ref?: string;
  folder?: string;
  contract?: string;
  features?: string;
  each: boolean;
  promptFile?: string;
  priority: number;
  after: string[];
  key?: string;
  count?: number;
  labels: string[];
  env: string[];
  attempts: number;
  at?: string;
  every?: string;
  cron?: string;
  name?: string;
  wait: boolean;
}

/** `untildone submit`. */
export async function submitCommand(words: string[], flags: SubmitFlags): Promise<void> {
  refuseInsideClient('submit', homeFrom(process.env), process.env);
  refuseTogether(flags);
  const when = scheduleOf(flags);
  const name = flags.name === undefined ? undefined : checkedScheduleName(flags.name);
  const { request, checkout } = await requestOf(words, flags);
  const made = await secretNotes();
  await withFleet(
    flags,
    async (fleet, bundle) => {
      if (when) return schedule(when, request, { json: flags.json, name }, fleet, bundle);
      const submission = await bundle.submit(request, fleet);
      const notes = [...made, ...(checkout?.notes(submission.commit) ?? []), ...submission.notes];
      const said = { ...submission, notes };
      if (!flags.json) for (const line of submissionLines(said, fleet.now())) out(line);
      const results = flags.wait ? await waitForEnd(said.submitted, flags, fleet, bundle) : undefined;
      if (flags.json) for (const line of jsonLines(submissionJson(said, results))) out(line);
    },
    { makes: true },
  );
}

/** Says that the secret was made: runs can be read with the same one only. */
async function secretNotes(): Promise<string[]> {
  const { secretHere } = await loadFleet();
  const { made, where } = secretHere(process.env, homeFrom(process.env));
  return made
    ? [
        `the secret of the fleet was made in ${where}; workers on other machines need the same: untildone fleet secret`,
      ]
    : [];
}

function refuseTogether({ at, every, cron, name, each, count, features, wait, key }: SubmitFlags): void {
  const isScheduled = every !== undefined || cron !== undefined;
  if (every !== undefined && cron !== undefined)
    throw new UsageError('--every and --cron both say when: name one of them');
  if (isScheduled && (at !== undefined || wait || key !== undefined))
    throw new UsageError(
      'a schedule has times and keys of its own, and no end: leave --at, --key and --wait out',
    );
  if (name !== undefined && !isScheduled)
    throw new UsageError('--name is the name of a schedule: say when it is due with --every or --cron');
  if (each && features === undefined)
    throw new UsageError('--each makes a run of each feature: name the list with --features FILE');
  if (each && count !== undefined)
    throw new UsageError('--each and --count both say how many: name one of them');
}

function scheduleOf({ every, cron }: SubmitFlags): When | undefined {
  if (every !== undefined) return checkedEvery(every);
  return cron === undefined ? undefined : checkedCron(cron);
}

/** What was typed, checked as far as that needs neither the queue nor the remote. */
async function requestOf(
  words: string[],
  flags: SubmitFlags,
): Promise<{ request: SubmitRequest; checkout?: Checkout }> {
  const { checkoutHere, repoUrl } = await loadFleet();
  const checkout = flags.repo === undefined ? await checkoutHere(process.cwd(), flags.ref) : undefined;
  const choices = choicesFrom(flags);
  const request: SubmitRequest = {
    ...choices,
    limits: firstLimits(choices.limits, 'untildone fleet retry RUN'),
    repo: checkout?.repo ?? repoUrl(flags.repo ?? '', process.cwd()),
    ref: flags.ref ?? checkout?.ref ?? 'HEAD',
    task: taskFrom(words, flags.promptFile),
    labels: checkedLabels(flags.labels),
    priority: flags.priority,
    after: partsOf(flags.after),
    env: checkedEnv(flags.env),
    attempts: flags.attempts,
    ...(flags.each ? { each: true } : {}),
    ...defined({
      folder: checkedFolder(flags.folder) ?? (flags.folder === undefined ? checkout?.folder : undefined),
      contract: flags.contract === undefined ? undefined : contractText(flags.contract),
      contractFile: flags.contract,
      features: flags.features === undefined ? undefined : checkedFolder(flags.features),
      key: flags.key === undefined ? undefined : checkedKey(flags.key),
      count: flags.count,
      notBefore: flags.at === undefined ? undefined : parseMoment(flags.at, Date.now()),
    }),
  };
  return { request, ...(checkout ? { checkout } : {}) };
}

function contractText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the contract: ${(error as Error).message}`);
  }
}

const RUNS_SHOWN = 20;

function submissionLines({ repo, ref, commit, runs, notes, submitted }: Submission, now: number): string[] {
  return [
    `${repo} at ${ref} (${commit.slice(0, 10)})`,
    ...trustLines(runs),
    ...noteLines(notes),
    ...submitted.slice(0, RUNS_SHOWN).map((one) => runLine(one, now)),
    ...(submitted.length > RUNS_SHOWN
      ? [`and ${submitted.length - RUNS_SHOWN} more: untildone fleet list`]
      : []),
    ...(submitted[0] ? [`Follow it: untildone fleet logs ${submitted[0].run} --follow`] : []),
  ];
}

function trustLines(runs: readonly string[]): string[] {
  if (runs.length === 0) return ['The contract runs no commands.'];
  return [
    'By submitting it you trust what its contract runs on workers:',
    ...runs.map((line) => `  ${line}`),
  ];
}

function noteLines(notes: readonly string[]): string[] {
  return notes.map((note) => `${paint('open', 'Note:')} ${note}`);
}

function runLine(
  { run, title, known, state, result, after, notBefore }: Submission['submitted'][number],
  now: number,
): string {
  const where = known ? `was there already: ${result?.status ?? state}` : 'submitted';
  const late = notBefore === undefined ? '' : `, begins ${whenOf(notBefore, now)}`;
  const waits =
    after.length === 0 ? '' : `, after ${after.length === 1 ? after[0] : `${after.length} others`}`;
  return `Run ${paint('bold', run)} ${where}${late}${waits}: ${title}`;
}

export function submissionJson(
  { repo, ref, commit, runs, notes, submitted }: Submission,
  results: { run: string; status: string }[] | undefined,
) {
  return {
    repo,
    ref,
    commit,
    commands: runs,
    notes,
    runs: submitted.map(({ run, title, key, after, known, state, result, notBefore }) => ({
      run,
      title,
      key: key ?? null,
      after,
      known,
      state: state ?? (notBefore === undefined ? 'waiting' : 'delayed'),
      status: results?.find((each) => each.run === run)?.status ?? result?.status ?? null,
    })),
  };
}

async function schedule(
  when: When,
  request: SubmitRequest,
  { name, json }: { name?: string; json: boolean },
  fleet: Fleet,
  { scheduleRuns, scheduleIdOf }: Awaited<ReturnType<typeof loadFleet>>,
): Promise<void> {
  const id = name ?? scheduleIdOf(request, when);
  const { next, known, plan, repo } = await scheduleRuns({ id, when, request }, fleet);
  if (json) {
    const said = { schedule: id, repo, known, commands: plan.runs, notes: plan.notes };
    const due = { next: next === undefined ? null : new Date(next).toISOString() };
    for (const line of jsonLines({ ...said, ...due })) out(line);
    return;
  }
  for (const line of [...trustLines(plan.runs), ...noteLines(plan.notes)]) out(line);
  out(`Schedule ${paint('bold', id)} ${known ? 'was there already' : 'made'}: ${sayWhen(when)}, at ${repo}`);
  if (next !== undefined) out(`It is due ${whenOf(next, fleet.now())}. A worker submits it then.`);
  out(`End it: untildone fleet unschedule ${id}`);
}
