import { renderPromise } from '../../core/loop/promise.ts';
import { blocks } from '../../core/loop/verdict.ts';
import { keepShort } from '../../core/text/clip.ts';
import { DIFFERENT_APPROACH, failuresOf, REASON_LIMIT } from '../../core/words/reason.ts';
import type { Held, Words } from '../../ports/session-loop.ts';
import type { Lock, LockPaths } from './lock-files.ts';

export const GO_ON =
  "we must keep pursuing the user's objective and must not stop the turn - look for any additional TODOs, next steps, " +
  'or unfinished work and pursue it diligently in as many parallel tasks as you can';

export const NO_GOAL = "Pursue the user's objective until the lock is removed";

const TEXT_LIMIT = 2000;
const NEXT_LIMIT = 1000;
const BREAK = '\n\n';

/** What the model reads never says how a lock is removed; what the person reads does. */
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
  return `Lock active: iteration ${iteration}${of}. To let go: untildone lock off`;
}

function bounded(text: string, path: string): string {
  if (text.length <= TEXT_LIMIT) return text;
  return `${keepShort(text, TEXT_LIMIT)}\n(The whole text is in ${path}: read it.)`;
}

function statement(promise: string): string {
  return `Once this is completely true, end your final message with this line alone:\n${renderPromise(promise)}`;
}
