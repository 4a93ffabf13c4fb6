/**
 * Puts runs on the queue. The remote of the repository comes first: what is recorded there is brought back by `reconcile`, and
 * submitting it again with the same key goes on where a crash cut it off.
 */
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import { type RunSpec, titleOf } from '../../engine/core/fleet/spec.ts';
import { quoteForShell } from '../../engine/core/shell/words.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { defined } from '../../engine/core/text/defined.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import type { JobState, RunResult } from '../../engine/ports/fleet.ts';
import type { RemoteRuns } from '../remote/remote-runs.ts';
import { sealSpec } from '../secret.ts';
import { type FoundRun, findRun, wrongSecret } from './find-run.ts';
import type { Fleet } from './fleet.ts';
import { planRuns } from './plan.ts';
import { jobOf, publishedOf, SPEC_FILE } from './published.ts';
import { rememberRepo } from './repos.ts';
import type { SubmitRequest } from './request.ts';

export interface Submitted {
  run: string;
  title: string;
  key?: string;
  after: string[];
  /** It was there already. */
  known: boolean;
  /** Of a run that was there already: where it stands. */
  state?: JobState;
  result?: RunResult;
  notBefore?: number;
}

export interface Submission {
  repo: string;
  ref: string;
  commit: string;
  /** What the contract runs on workers. */
  runs: string[];
  notes: string[];
  submitted: Submitted[];
}

const AT_ONCE = 4;

export async function submit(request: SubmitRequest, fleet: Fleet): Promise<Submission> {
  const { engine, now } = fleet;
  await engine.ready();
  const remoteRuns = fleet.remoteRunsOf(request.repo);
  const after = await Promise.all(request.after.map((run) => findRun(run, fleet)));
  const named = { ...request, after: [...new Set(after.map(({ run }) => run))] };
  const { commit, runs, notes, specs } = await planRuns(named, remoteRuns, new Date(now()));
  rememberRepo(fleet.home, request.repo);
  const submitted = await inTurns(specs, AT_ONCE, (spec) => submitOne(spec, remoteRuns, fleet));
  const { repo, ref } = request;
  return { repo, ref, commit, runs, notes: [...notes, ...after.flatMap(notDone)], submitted };
}

/** Works on so many at a time, and keeps their order. What had begun ends before an error is thrown. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += atOnce) {
    const settled = await Promise.allSettled(items.slice(from, from + atOnce).map(work));
    for (const one of settled) {
      if (one.status === 'rejected') throw one.reason;
      results.push(one.value);
    }
  }
  return results;
}

/** A run that this one waits for, and that may never be done. */
function notDone({ run, job }: FoundRun): string[] {
  const status = job?.result?.status;
  if (job?.state === 'dead')
    return [
      `run ${run} is in the dead letters, and what comes after it waits until it is done: untildone fleet retry ${run}`,
    ];
  return status === undefined || status.endsWith('_done')
    ? []
    : [
        `run ${run} ended as ${status}, and what comes after it waits until it is done: untildone fleet retry ${run}`,
      ];
}

async function submitOne(spec: RunSpec, remoteRuns: RemoteRuns, fleet: Fleet): Promise<Submitted> {
  const sealed = sealSpec(spec, fleet.secret);
  const made = await remoteRuns.create(spec.run, spec.commit, { [SPEC_FILE]: Buffer.from(sealed) });
  if (made === 'known') return submitAgain(spec, remoteRuns, fleet);
  await queue(spec, sealed, fleet);
  return { ...saidOf(spec), known: false };
}

function saidOf({ run, task, key, after, notBefore }: RunSpec): Omit<Submitted, 'known'> {
  return { run, title: titleOf(task), after, ...defined({ key, notBefore }) };
}

/** The remote knows this run: it was submitted with the same key. It is queued if a crash came before that. */
async function submitAgain(spec: RunSpec, remoteRuns: RemoteRuns, fleet: Fleet): Promise<Submitted> {
  const { run } = spec;
  const read = await remoteRuns.read(run);
  if (!read) throw new UsageError(`run ${run} was removed from ${spec.repo} a moment ago: submit it again`);
  const { spec: before, sealed, result } = publishedOf(run, read.files, fleet.secret);
  if (!before) throw wrongSecret(run);
  refuseOtherWork(before, spec);
  if (!result) await queue(before, sealed, fleet);
  const job = await fleet.engine.job(run);
  return {
    ...saidOf(before),
    known: true,
    state: job?.state ?? (result ? 'ended' : 'waiting'),
    ...defined({ result: result ?? job?.result }),
  };
}

/** Adds a run that the remote has to the queue. */
async function queue(spec: RunSpec, sealed: string, { engine }: Fleet): Promise<void> {
  try {
    await engine.add(jobOf(spec, sealed), defined({ notBefore: spec.notBefore }));
  } catch (error) {
    throw new EngineAway(
      `run ${spec.run} is recorded at ${spec.repo}, but not on the queue yet (${(error as Error).message}); put it there: untildone fleet reconcile --repo ${quoteForShell(spec.repo)}`,
      { cause: error },
    );
  }
}

/** The same key for something else is a mistake: you would believe that it is being done. */
function refuseOtherWork(before: RunSpec, now: RunSpec): void {
  const parts: (keyof RunSpec)[] = ['task', 'features', 'contract', 'folder', 'promise'];
  const other = parts.filter((part) => JSON.stringify(before[part]) !== JSON.stringify(now[part]));
  if (other.length === 0) return;
  throw new UsageError(
    `the key "${now.key}" belongs to run ${before.run} with another ${other.join(' and ')} ("${oneLine(before.task, 80)}"): choose another key, or leave it out`,
  );
}
