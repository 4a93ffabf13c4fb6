import { type Decision, isDone, type LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import type { ForeignLoop, Reading, StatePlace } from '../format.ts';
import { counting, holds, loopPhase } from './holding.ts';
import { judge } from './judge.ts';
import { type RalphState, readState } from './read-state.ts';
import type { Unreadable } from './tasks.ts';
import { instruct, sentences, taskOf } from './words.ts';

/** What lies in the folder of a session. */
export function readFolder(folder: string, place: StatePlace, files: ForeignFiles): Reading {
  const read = readState(folder, place.session, files);
  return read.kind === 'state' ? loopOf(read.state, place, files) : read;
}

function loopOf(state: RalphState, place: StatePlace, files: ForeignFiles): Reading {
  const unknown = whatIsUnknown(state);
  if (unknown) return { kind: 'unusable', problem: unknown.problem, damage: unknown.damage };
  const count = counting(state);
  const loop: ForeignLoop = {
    identity: identityOf(state, files),
    ...(state.isPartial ? { isPartial: true } : {}),
    owner: place.session,
    claimedBy: 'person',
    task: taskOf(state),
    ...count,
    firstIteration: 1,
    readOnly: true,
    limits: {},
    gates: {},
    complexity: state.orchestrator?.complexity,
    ...(holds(state) ? {} : atRest(state)),
    notes: state.notes,
    judge: (look) => judge(state, look),
    renews: (ended) => renews(ended, state, place.now),
    instruct: (held) => instruct(held, state),
    writeBack: (decision, _after, verdicts) => [stopLog(place, decision, verdicts)],
    output,
  };
  return { kind: 'loop', loop };
}

/**
 * The file that cannot be read, where nothing else holds the session and nothing says that the work is done: what the
 * session owes is not known then, and you are told.
 */
function whatIsUnknown(state: RalphState): Unreadable | undefined {
  const { orchestrator, loop, isPartial, unreadable } = state;
  if (holds(state) || ((orchestrator || loop) && !isPartial)) return undefined;
  return unreadable[0];
}

/** The identity comes from the orchestrator first: one that starts a loop later stays the same work. */
function identityOf({ orchestrator, loop, folder }: RalphState, files: ForeignFiles): string {
  const main = orchestrator ?? loop;
  const name = orchestrator ? 'orchestrator.json' : loop ? 'loop.json' : '';
  return files.sha256(JSON.stringify([folder, name, main?.task ?? '', main?.createdAt ?? '']));
}

function atRest(state: RalphState): { rest: string; saysDone?: true } {
  if (loopPhase(state) === 'spent') {
    return { rest: `loop.json is at iteration ${state.loop?.iteration} of ${state.loop?.maxIterations}` };
  }
  return state.orchestrator || state.loop
    ? { rest: 'verified_done is set', saysDone: true }
    : { rest: 'no task is open and no stage has failed' };
}

/** Files may come from a clock that is this much ahead. */
const CLOCK_SLACK_MS = 60_000;

/**
 * Whether an ended loop begins anew. One that was done does when its files ask for more, one that ran out of iterations
 * when it got more of them. A loop.json that was made after the ending, beside an orchestrator, is always new work.
 */
function renews(
  { status, ending, maxIterations: before }: LoopState,
  state: RalphState,
  now: number,
): boolean {
  if (isDone(status)) return true;
  const madeAt = state.orchestrator ? Date.parse(state.loop?.createdAt ?? '') : Number.NaN;
  if (ending && madeAt > ending.at && madeAt <= now + CLOCK_SLACK_MS) return true;
  if (status !== 'reached_limit' || ending?.cause !== 'iterations' || before === 'unlimited') return false;
  const { maxIterations } = counting(state);
  return maxIterations === 'unlimited' || maxIterations > before;
}

function output(after: LoopState, verdicts: readonly Verdict[]): Record<string, string> {
  if (isDone(after.status)) return { decision: 'approve', reason: 'All VERIFIED_DONE conditions met' };
  const open = sentences(verdicts);
  return { decision: 'approve', reason: `NOT done (${after.status})${open === '' ? '' : `: ${open}`}` };
}

const LINE_LIMIT = 1000;

/** The two lines that the format's own hook writes about a Stop. */
function stopLog(place: StatePlace, decision: Decision, verdicts: readonly Verdict[]): StateChange {
  const stamp = stampOf(place.now);
  const lines = [`Stop hook fired: session=${place.session}`, outcomeOf(decision, verdicts)];
  const text = lines.map((line) => `[${stamp}] ${oneLine(line, LINE_LIMIT)}\n`).join('');
  return { kind: 'append', path: `${place.userHome}/.ralph/logs/stop-hook.log`, text };
}

/** Words the outcome of a Stop. `Stop APPROVED` alone means done; every other ending says how. */
function outcomeOf(decision: Decision, verdicts: readonly Verdict[]): string {
  switch (decision.kind) {
    case 'block':
      return `Stop BLOCKED: ${sentences(verdicts) || 'a gate of the contract does not pass'}`;
    case 'allow':
      return `Stop APPROVED for now, not done: ${decision.cause}`;
    case 'end':
      return isDone(decision.status)
        ? 'Stop APPROVED'
        : `Stop APPROVED, NOT done: ${decision.status} (${decision.detail})`;
  }
}

/** `YYYY-mm-dd HH:MM:SS`, as `date` prints it on this machine. */
function stampOf(now: number): string {
  const at = new Date(now);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}
