/** What a worker does with a run that it has taken, before it begins to work on it, and after something failed. */
import { isDone } from '../loop/state.ts';
import { type Wildcard, wildcardMatcher } from '../text/wildcards.ts';
import type { RunSpec } from './spec.ts';

/** Undefined lets the run begin. */
export type Intake =
  /** `failed`: true counts one more failure, false begins to count anew. `waitsFor`: the slot that was full. */
  | { do: 'give_back'; afterMs: number; why: string; failed?: boolean; waitsFor?: string }
  | { do: 'bury'; why: string };

/** How often a run was taken and went wrong. */
export interface Tries {
  takes: number;
  stalls: number;
  failures: number;
}

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 10_000;
const LONGEST_BACK_OFF_MS = 20_000;
/** A run that this worker may not have is left to others for so long. */
const FOR_OTHERS_MS = 15_000;

/** How long a run that waits for something is not looked at; longer the more often it was taken in vain. */
export function waitMs({ takes }: Pick<Tries, 'takes'>): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 1.5 ** Math.max(0, Math.min(takes, 20) - 1));
}

/** How long a run is left alone after something failed: 1, 2, 4 ... 20 s. */
export function backOffMs(failures: number): number {
  return Math.min(LONGEST_BACK_OFF_MS, 1_000 * 2 ** Math.max(0, Math.min(failures, 20)));
}

/** A run that this worker must not work on, although its labels suffice. */
export function notForThisWorker(
  { repo, client }: Pick<RunSpec, 'repo' | 'client'>,
  {
    repos,
    isRoot,
    missing,
  }: {
    repos: readonly string[];
    isRoot: boolean /** Variables that the run names and this machine lacks. */;
    missing: readonly string[];
  },
): Intake | undefined {
  if (!isAllowedRepo(repo, repos)) {
    return {
      do: 'give_back',
      afterMs: FOR_OTHERS_MS,
      why: `this worker takes no runs of ${repo} (--repos)`,
    };
  }
  if (missing.length > 0) {
    return {
      do: 'give_back',
      afterMs: FOR_OTHERS_MS,
      failed: true,
      why: `the environment of this worker lacks what the run names: ${missing.join(', ')}`,
    };
  }
  if (client.permissionMode === 'bypassPermissions' && isRoot) {
    return {
      do: 'give_back',
      afterMs: FOR_OTHERS_MS,
      failed: true,
      why: 'bypassPermissions is refused for root: start the worker as another user, or submit the run with what is allowed (--allow)',
    };
  }
  return undefined;
}

/** A spec of a version that this program does not know: a worker of a newer version may. */
export function unknownVersion(version: unknown): Intake {
  return {
    do: 'give_back',
    afterMs: FOR_OTHERS_MS,
    why: `this worker does not know version ${String(version)} of runs: it waits for a worker of the version that submitted it`,
  };
}

/** A run has the labels that it was submitted with, whatever the queue says. */
export function otherLabels(
  queued: readonly string[],
  { run, labels }: Pick<RunSpec, 'run' | 'labels'>,
): Intake | undefined {
  if (labels.every((label) => queued.includes(label))) return undefined;
  return {
    do: 'bury',
    why: `the queue gave it to workers without its labels (${labels.join(', ')}): somebody changed what was queued. Take it away (untildone fleet remove ${run}), and submit it again`,
  };
}

export function badSeal(run: string): Intake {
  return {
    do: 'bury',
    why: `the seal of this run does not fit: it was submitted with another secret than this worker has, or changed on the way. Give all machines the same secret (untildone fleet secret), then: untildone fleet retry ${run}`,
  };
}

/** Whether a repository is one of these: whole URLs, in which `*` stands for anything. None allow all. */
export function isAllowedRepo(repo: string, patterns: readonly string[]): boolean {
  return patterns.length === 0 || patterns.some((pattern) => fits(bare(repo), bare(pattern)));
}

function bare(url: string): string {
  return url.replace(/\/$/, '').replace(/\.git$/, '');
}

function fits(text: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part): Wildcard => ({ kind: 'text', text: part }));
  return wildcardMatcher(parts.flatMap((part, index) => (index === 0 ? [part] : [{ kind: 'path' }, part])))(
    text,
  );
}

/**
 * A run that was tried often enough goes to the dead letters. `iterations`: those that were published, as far as the engine
 * was told. A run that loses its worker more often than it gets on ends here, also when it never gets as far as a push.
 */
export function triedOut(
  { stalls, failures }: Tries,
  { attempts, iterations, lastWhy }: { attempts: number; iterations: number; lastWhy?: string },
): Intake | undefined {
  const last = lastWhy === undefined || lastWhy === '' ? '' : `; the last time: ${lastWhy}`;
  if (failures >= attempts) return { do: 'bury', why: `it failed ${times(failures)} in a row${last}` };
  if (stalls >= attempts + iterations) {
    return {
      do: 'bury',
      why: `its worker was lost ${times(stalls)}, and ${iterations === 0 ? 'no iteration was' : `only ${iterations} iterations were`} published${last}`,
    };
  }
  return undefined;
}

/** What the remote says of a run that was just claimed: `takes` of it, with this one, since an iteration was published. */
export function takenOut(takes: number, attempts: number): Intake | undefined {
  if (takes <= attempts) return undefined;
  return {
    do: 'bury',
    why: `it was taken ${times(takes - 1)} without an iteration being published: its worker, or the process of the run, ended each time`,
  };
}

/** What follows a failure: another attempt, or the dead letters. A run that got on before it failed begins to count anew. */
export function afterFailure(
  why: string,
  { failures }: Pick<Tries, 'failures'>,
  { attempts, gotOn }: { attempts: number; gotOn: boolean },
): Intake {
  // One that got on counts anew.
  if (gotOn) return { do: 'give_back', afterMs: backOffMs(0), why, failed: false };
  const failed = failures + 1;
  if (failed < attempts) return { do: 'give_back', afterMs: backOffMs(failures), why, failed: true };
  return { do: 'bury', why: `it failed ${times(failed)} in a row; the last time: ${why}` };
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** How a run that another one comes after stands. `work`: its last commit, where it was published. */
export type Standing =
  | { run: string; is: 'going' | 'unknown'; work?: string }
  | { run: string; is: 'ended'; status: string; cause: string; work?: string }
  | { run: string; is: 'dead'; cause: string; work?: string };

export function notYetAfter(standings: readonly Standing[], tries: Tries): Intake | undefined {
  for (const standing of standings) {
    if (standing.is === 'dead') {
      return { do: 'bury', why: `it comes after ${standing.run}, which is dead: ${standing.cause}` };
    }
    if (standing.is === 'ended' && !isDone(standing.status)) {
      return {
        do: 'bury',
        why: `it comes after ${standing.run}, which ended as ${standing.status}: ${standing.cause}`,
      };
    }
  }
  const unknown = standings.find(({ is }) => is === 'unknown');
  if (unknown) {
    return {
      do: 'give_back',
      afterMs: backOffMs(tries.failures),
      failed: true,
      why: `it comes after ${unknown.run}, which neither the queue nor the remote knows`,
    };
  }
  const going = standings.filter(({ is }) => is === 'going').map(({ run }) => run);
  if (going.length === 0) return undefined;
  return { do: 'give_back', afterMs: waitMs(tries), why: `waits for ${going.join(', ')} to be done` };
}

/** A job on the queue, as a worker with `--once` looks at it. */
interface OpenJob {
  state: string;
  repo: string;
  labels: readonly string[];
  notBefore?: number;
}

const SOON_MS = 30_000;

/** Whether a job will soon be taken by a worker with these labels and repositories. */
export function isSoonFor(
  job: OpenJob,
  { labels, repos, now }: { labels: readonly string[]; repos: readonly string[]; now: number },
): boolean {
  if (!isAllowedRepo(job.repo, repos) || !job.labels.every((label) => labels.includes(label))) return false;
  return job.state === 'waiting' || (job.state === 'delayed' && (job.notBefore ?? 0) <= now + SOON_MS);
}
