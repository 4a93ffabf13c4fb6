/** Runs that go on: dead letters, and runs that ended without being done. */

import type { FrozenContract } from '../../engine/core/contract/contract.ts';
import { Fenced } from '../../engine/core/fleet/errors.ts';
import { hasEnded } from '../../engine/core/loop/state.ts';
import { changedLimits, changesInWords, type LimitChanges } from '../../engine/core/run/raised-limits.ts';
import { canReopen, limitInTheWay } from '../../engine/core/run/reopen.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { sha256 } from '../../engine/files/digest.ts';
import { nextLine } from '../../engine/home/journal/file.ts';
import { RECORD, readRecord, renderRecord } from '../drive/record.ts';
import type { RunFiles } from '../remote/remote-runs.ts';
import { keyOfRun, readSpec, sealSpec } from '../secret.ts';
import { type FoundRun, findRun, wrongSecret } from './find-run.ts';
import type { Fleet } from './fleet.ts';
import {
  CONTRACT_FILE,
  JOURNAL_FILE,
  jobOf,
  type Published,
  publishedOf,
  SPEC_FILE,
  withoutEnd,
} from './published.ts';
import type { Steered } from './steer.ts';

/** Gives a run its attempts again, and other limits if some are named. */
export async function retryRun(text: string, changes: LimitChanges, fleet: Fleet): Promise<Steered> {
  const { engine } = fleet;
  await engine.ready();
  const found = await findRun(text, fleet);
  const { run, job } = found;
  if (job?.state === 'active')
    throw new UsageError(
      `run ${run} is being worked on by ${job.worker ?? 'a worker'}: there is nothing to retry`,
    );
  const { words, sealed } = await reopenPublished(found, changes, fleet);
  const again = await requeue(found, sealed, fleet);
  if (!again) throw new UsageError(`run ${run} waits for a worker already: there is nothing to retry`);
  return {
    run,
    did: 'queued',
    text: `Run ${run} is on the queue again${words === '' ? '' : `, with ${words}`}.`,
  };
}

/** Runs that the queue has lost are added, all others are taken again. */
async function requeue({ run, job }: FoundRun, sealed: string, fleet: Fleet): Promise<boolean> {
  if (job) return fleet.engine.again(run, sealed);
  const spec = readSpec(sealed, run, keyOfRun(run, fleet.secret));
  if (!spec) throw wrongSecret(run);
  return (await fleet.engine.add(jobOf(spec, sealed))) === 'added';
}

/** Publishes that a run goes on, with other limits if it gets some. Returns what changes, in words, and the spec from now on. */
async function reopenPublished(
  { run, repo }: FoundRun,
  changes: LimitChanges,
  fleet: Fleet,
): Promise<{ words: string; sealed: string }> {
  const remoteRuns = fleet.remoteRunsOf(repo);
  const read = await remoteRuns.read(run);
  if (!read) throw new UsageError(`${repo} has nothing of run ${run}: submit it again`);
  const published = publishedOf(run, read.files, fleet.secret);
  if (!published.spec) throw wrongSecret(run);
  const reopened = reopenedFiles(run, read.files, published, changes, fleet);
  const sealed = sealSpec({ ...published.spec, again: fleet.now() }, fleet.secret);
  const files = withAllAttempts(run, reopened?.files ?? read.files, fleet) ?? reopened?.files;
  if (!files) return { words: '', sealed };
  const again = { ...files, [SPEC_FILE]: Buffer.from(sealed) };
  try {
    await remoteRuns.publish(
      { run, expected: read.refs, files: again, message: `${run}: goes on` },
      fleet.home.root,
    );
  } catch (error) {
    if (!(error instanceof Fenced)) throw error;
    throw new UsageError(
      `a worker has published for run ${run} at this moment: look again with untildone fleet show ${run}`,
    );
  }
  return { words: reopened?.words ?? '', sealed };
}

/** The files of a run that was taken in vain, with none of these takes counted; undefined where there are none. */
function withAllAttempts(
  run: string,
  files: RunFiles,
  { secret }: Pick<Fleet, 'secret'>,
): RunFiles | undefined {
  const key = keyOfRun(run, secret);
  const record = readRecord(files, run, key);
  if (!record || record.takes === 0) return undefined;
  return { ...files, [RECORD]: renderRecord({ ...record, takes: 0 }, run, key) };
}

/** The files of a run that goes on; undefined where nothing has to be written. */
export function reopenedFiles(
  run: string,
  files: RunFiles,
  { last, lines, result }: Published,
  changes: LimitChanges,
  { secret, now }: Pick<Fleet, 'secret' | 'now'>,
): { files: RunFiles; words: string } | undefined {
  const isChanged = Object.keys(changes).length > 0;
  if (!last) {
    if (isChanged) throw new UsageError(`no worker has begun run ${run}: submit a new one with other limits`);
    // Cancelled before anybody began it.
    return result ? { files: withoutEnd(files), words: '' } : undefined;
  }
  const { state } = last.line;
  if (hasEnded(state) && !canReopen(state))
    throw new UsageError(
      `run ${run} is done (${state.status}): there is nothing to go on with; submit a new one`,
    );
  if (!hasEnded(state) && !isChanged) return result ? { files: withoutEnd(files), words: '' } : undefined;
  const text = files[CONTRACT_FILE]?.toString('utf8');
  if (text === undefined || sha256(text) !== state.contractSha256)
    throw new UsageError(`the contract of run ${run} is not as its journal names it: submit a new run`);
  const { contract, frozen } = JSON.parse(text) as FrozenContract;
  const limits = changedLimits(contract.limits, changes);
  const still = limitInTheWay(state, limits, now());
  if (still)
    throw new UsageError(
      `run ${run} has used up its limit of ${still.cause}: give it more, like ${MORE[still.cause] ?? '--max-cost +5'}`,
    );
  const next = `${JSON.stringify({ contract: { ...contract, limits }, frozen })}\n`;
  const words = changesInWords(contract.limits, limits);
  const entry = {
    kind: 'reopened' as const,
    contractSha256: sha256(next),
    maxIterations: limits.iterations,
    ...(words === '' ? {} : { limits: words }),
  };
  const line = nextLine(keyOfRun(run, secret), last, entry, now());
  const journal = [...lines, line.text, ''].join('\n');
  return {
    files: { ...withoutEnd(files), [CONTRACT_FILE]: Buffer.from(next), [JOURNAL_FILE]: Buffer.from(journal) },
    words,
  };
}

const MORE: Record<string, string> = {
  cost: '--max-cost +5',
  tokens: '--max-tokens +1000000',
  duration: '--max-duration +2h',
  iterations: '--max-iterations +20',
};
