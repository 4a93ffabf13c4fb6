import { renderPromise } from '../../core/loop/promise.ts';
import type { Decision, LoopState } from '../../core/loop/state.ts';
import { blocks, type Verdict } from '../../core/loop/verdict.ts';
import { keepShort, oneLine } from '../../core/text/clip.ts';
import { sayDuration } from '../../core/text/duration.ts';
import { DIFFERENT_APPROACH, failuresOf, REASON_LIMIT } from '../../core/words/reason.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import type { Held, Words } from '../../ports/session-loop.ts';
import type { ForeignLoop, StatePlace } from '../format.ts';
import {
  isExpired,
  LOCK_LIFE_MS,
  type Lock,
  type LockPaths,
  lockIterations,
  lockPaths,
} from './lock-files.ts';
import { recordsOf } from './records.ts';

const TASK_LIMIT = 1_000_000;

/** What a lock asks of its session. */
export function loopOf(lock: Lock, place: StatePlace, files: ForeignFiles): ForeignLoop {
  const { most, problem } = lockIterations(place.maxLockIterations);
  const task = keepShort(lock.goal ?? lock.message ?? NO_GOAL, TASK_LIMIT);
  return {
    identity: lock.identity,
    owner: lock.owner,
    claimedBy: 'first',
    task,
    firstIteration: 1,
    maxIterations: most,
    limits: { durationMs: LOCK_LIFE_MS },
    gates: {},
    ...(isExpired(lock, place.now) ? { rest: `expired: ${ageOf(lock, place.now)}`, expired: true } : {}),
    notes: [...lock.problems, ...(problem === undefined ? [] : [problem])],
    judge: ({ hasGates }) => [verdictOn(task, hasGates)],
    renews: () => false,
    instruct: (held) => wordsFor(lock, lockPaths(place.folder), held),
    writeBack: (decision, after) => changesAfter(decision, after, place, files),
  };
}

function ageOf(lock: Lock, now: number): string {
  return `the lock is ${sayDuration(now - lock.since)} old and holds for at most ${LOCK_LIFE_MS / 3_600_000} h`;
}

/** A lock says nothing about the work. Where a contract has gates, they decide, and the lock holds no longer than they do. */
function verdictOn(task: string, hasGates: boolean): Verdict {
  const verdict = { gate: 'lock', kind: 'lock', class: 'claimed', fingerprint: 'lock' } as const;
  if (hasGates)
    return { ...verdict, outcome: 'skip', summary: 'the lock is active; the gates decide when it is done' };
  const next = `go on with what is left of this: ${oneLine(task, 300)}`;
  return { ...verdict, outcome: 'fail', summary: 'the lock is active', next };
}

function changesAfter(
  decision: Decision,
  after: LoopState,
  place: StatePlace,
  files: ForeignFiles,
): StateChange[] {
  const records = recordsOf(place.folder, after.session, after.lastAt, files);
  const of = after.maxIterations === 'unlimited' ? '' : ` of ${after.maxIterations}`;
  switch (decision.kind) {
    case 'block':
      return [
        ...records.metric({ hook: 'stop', metric: 'lock_blocks', value: Math.max(1, after.iteration - 1) }),
        ...records.log('INFO', 'stop', `blocked, iteration ${after.iteration}${of}`),
      ];
    case 'allow':
      return records.log('INFO', 'stop', `approved for now: ${decision.detail ?? decision.cause}`);
    case 'end':
      return /_done$/.test(decision.status)
        ? records.log('INFO', 'stop', `approved, ${decision.status}: ${decision.detail}`)
        : records.log('WARN', 'stop', `approved although not done, ${decision.status}: ${decision.detail}`);
  }
}

const GO_ON =
  "we must keep pursuing the user's objective and must not stop the turn - look for any additional TODOs, next steps, " +
  'or unfinished work and pursue it diligently in as many parallel tasks as you can';

const NO_GOAL = "Pursue the user's objective until the lock is removed";

const TEXT_LIMIT = 2000;
const NEXT_LIMIT = 1000;
const BREAK = '\n\n';

/** The reason for the agent never says how a lock is removed. The message for you does. */
export function wordsFor(lock: Lock, paths: LockPaths, held: Held): Words {
  const before = [
    ...(held.notes ?? []),
    lock.continuation === undefined ? GO_ON : bounded(lock.continuation, paths.continuation),
    ...(lock.goal === undefined ? [] : [`Goal: ${bounded(lock.goal, paths.goal)}`]),
    ...(lock.message === undefined ? [] : [bounded(lock.message, paths.message)]),
  ];
  const others = held.verdicts.filter((verdict) => verdict.kind !== 'lock');
  const next = others.find((verdict) => blocks(verdict) && verdict.next)?.next;
  const after = [
    ...(next === undefined ? [] : [keepShort(/^next/i.test(next) ? next : `Next: ${next}`, NEXT_LIMIT)]),
    ...(held.promise === undefined ? [] : [statement(held.promise)]),
    ...(held.instruction === 'different_approach' ? [DIFFERENT_APPROACH] : []),
  ];
  const taken = [...before, ...after].reduce((sum, part) => sum + part.length + BREAK.length, 0);
  const failures = keepShort(failuresOf(others), REASON_LIMIT - taken);
  const reason = [...before, failures, ...after].filter((part) => part !== '').join(BREAK);
  return { reason: keepShort(reason, REASON_LIMIT), message: messageFor(held) };
}

function messageFor({ iteration, maxIterations }: Held): string {
  const of = maxIterations === 'unlimited' ? '' : ` of ${maxIterations}`;
  return `Lock active: iteration ${iteration}${of}. To end it: untildone lock off`;
}

function bounded(text: string, path: string): string {
  if (text.length <= TEXT_LIMIT) return text;
  return `${keepShort(text, TEXT_LIMIT)}\n(The whole text is in ${path}: read it.)`;
}

function statement(promise: string): string {
  return `Once this is completely true, end your final message with this line alone:\n${renderPromise(promise)}`;
}
