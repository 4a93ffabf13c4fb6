/** What a person asks of a run: pause, resume, cancel, answer, approve, reject, retry, remove. */
import { randomUUID } from 'node:crypto';
import { Fenced, RemoteAway } from '../../engine/core/fleet/errors.ts';
import { seenIn } from '../../engine/core/fleet/seen.ts';
import type { LoopState } from '../../engine/core/loop/state.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import type { JobView, RunCommand, RunResult } from '../../engine/ports/fleet.ts';
import { type FoundRun, findRun } from './find-run.ts';
import type { Fleet } from './fleet.ts';
import { newestState } from './follow.ts';
import { publishedOf, withEnd } from './published.ts';
import { isThere } from './situation.ts';

export interface Steered {
  run: string;
  /** What was done, for programs: asked, ended, queued, removed. */
  did: 'asked' | 'ended' | 'queued' | 'removed';
  text: string;
}

type Asked = RunCommand['command'];

/**
 * Puts a command to a run. It is applied within a few seconds, or when a worker takes the run. `shown`: where the run stood
 * for the person who says it; without it, where it stands now.
 */
export async function askOfRun(
  text: string,
  command: Asked,
  said: { about?: string; text?: string },
  fleet: Fleet,
  shown?: LoopState,
): Promise<Steered> {
  const job = await openJob(text, fleet);
  const seen = ANSWERS.has(command)
    ? { seen: seenIn(shown ?? (await newestState(job.run, job.repo, fleet))) }
    : {};
  await fleet.engine.command(job.run, { id: randomUUID(), command, ...said, ...seen, at: fleet.now() });
  return { run: job.run, did: 'asked', text: askedWords(command, job) };
}

const ANSWERS = new Set<Asked>(['answer', 'approve', 'reject']);

function askedWords(command: Asked, { run, state, worker }: JobView): string {
  const what: Record<Asked, string> = {
    pause: 'pauses',
    resume: 'goes on',
    cancel: 'is cancelled',
    release: 'is let go',
    answer: 'gets your answer',
    approve: 'gets your yes',
    reject: 'gets your no',
  };
  const when =
    state === 'active'
      ? `within a few seconds, on ${worker ?? 'its worker'}`
      : 'as soon as a worker takes it';
  return `Run ${run} ${what[command]} ${when}.`;
}

/** A run of the queue that has not ended. */
async function openJob(text: string, fleet: Fleet): Promise<JobView> {
  await fleet.engine.ready();
  const { run, repo, job } = await findRun(text, fleet);
  if (!job) throw notQueued(run, repo);
  if (job.state === 'ended')
    throw new UsageError(
      `run ${run} has ended (${job.result?.status ?? 'ended'}); see: untildone fleet show ${run}`,
    );
  if (job.state === 'dead')
    throw new UsageError(
      `run ${run} is in the dead letters (${job.why ?? 'no cause was given'}); first: untildone fleet retry ${run}`,
    );
  return job;
}

function notQueued(run: string, repo: string): UsageError {
  return new UsageError(
    `the queue does not know run ${run} of ${repo}; bring it back first: untildone fleet reconcile --repo ${repo}`,
  );
}

/** A run on a worker is cancelled there. One that nobody holds ends at once, on the queue and on its remote. */
export async function cancelRun(text: string, note: string | undefined, fleet: Fleet): Promise<Steered> {
  const { engine, now } = fleet;
  await engine.ready();
  const found = await findRun(text, fleet);
  const { run, job } = found;
  // Cancelled before, while its remote was away: the end is recorded there now.
  const isEnded = job?.state === 'ended';
  if (isEnded && job.result?.status !== 'cancelled')
    throw new UsageError(`run ${run} has ended already (${job.result?.status ?? 'ended'})`);
  if (!job || isEnded || (await engine.endUnheld(run, cancelledResult(found)))) {
    const recorded = await recordEnd(found, note, fleet);
    if (isEnded && recorded === 'there') throw new UsageError(`run ${run} has ended already (cancelled)`);
    const text =
      recorded === 'away'
        ? `Run ${run} is cancelled on the queue, but its remote could not be reached: until it is, "untildone fleet reconcile" would bring it back. Type the same again then.`
        : `Run ${run} is cancelled. No worker had it.`;
    return { run, did: 'ended', text };
  }
  await engine.command(run, {
    id: randomUUID(),
    command: 'cancel',
    ...(note === undefined ? {} : { text: note }),
    at: now(),
  });
  return { run, did: 'asked', text: askedWords('cancel', job) };
}

function cancelledResult({ job }: FoundRun): RunResult {
  const { iteration = 0, costUsd = 0, tokens = 0 } = job?.news ?? {};
  return { status: 'cancelled', cause: 'cancelled', iterations: iteration, costUsd, tokens };
}

const TRIES = 3;

/** Records the end where `reconcile` looks. `there`: it was there already. */
async function recordEnd(
  { run, repo }: FoundRun,
  note: string | undefined,
  fleet: Fleet,
): Promise<'recorded' | 'there' | 'away'> {
  const remoteRuns = fleet.remoteRunsOf(repo);
  for (let left = TRIES; ; left--) {
    try {
      const read = await remoteRuns.read(run);
      if (!read || publishedOf(run, read.files, fleet.secret).result) return 'there';
      const entry = {
        kind: 'command' as const,
        command: 'cancel' as const,
        ...(note === undefined ? {} : { note }),
      };
      const detail = note ?? 'by a person';
      const files = withEnd(
        run,
        read.files,
        { status: 'cancelled', entry, detail },
        fleet.secret,
        fleet.now(),
      );
      await remoteRuns.publish(
        { run, expected: read.refs, files, message: `${run}: cancelled` },
        fleet.home.root,
      );
      return 'recorded';
    } catch (error) {
      if (error instanceof RemoteAway) return 'away';
      // A worker that has lost the run published at the same moment.
      if (!(error instanceof Fenced) || left <= 1) throw error;
    }
  }
}

/** Takes a dead letter away: from the queue, and from its remote as cancelled. */
export async function removeDead(text: string, fleet: Fleet): Promise<Steered> {
  const { engine } = fleet;
  await engine.ready();
  const found = await findRun(text, fleet);
  const { run, repo, job } = found;
  if (!job) throw notQueued(run, repo);
  if (job.state !== 'dead')
    throw new UsageError(
      `run ${run} is no dead letter: it is ${job.state}; ${job.state === 'ended' ? 'old ones go with: untildone fleet prune' : `end it first: untildone fleet cancel ${run}`}`,
    );
  if ((await recordEnd(found, 'removed from the dead letters', fleet)) === 'away')
    throw new RemoteAway(
      `${repo} cannot be reached, and without a note there "untildone fleet reconcile" would bring run ${run} back: try again later`,
    );
  await engine.remove(run);
  return {
    run,
    did: 'removed',
    text: `Run ${run} is removed from the dead letters. Its journal and its work stay on ${repo}.`,
  };
}

/** A worker by its name, or all that are there. Returns their names. */
export async function drainWorkers(name: string | undefined, on: boolean, fleet: Fleet): Promise<string[]> {
  const { engine, now } = fleet;
  await engine.ready();
  const workers = (await engine.workers()).filter((worker) => isThere(worker, now()));
  const names = workers.map((worker) => worker.name);
  const begins = name === undefined ? names : names.filter((each) => each.startsWith(name));
  const meant = name !== undefined && names.includes(name) ? [name] : begins;
  if (name !== undefined && meant.length !== 1)
    throw new UsageError(
      meant.length > 1
        ? `${meant.length} workers begin with ${name}: ${meant.join(', ')}`
        : `there is no worker ${name}${names.length === 0 ? '' : `; there are: ${names.join(', ')}`}`,
    );
  for (const each of meant) await engine.drain(each, on);
  return meant;
}
