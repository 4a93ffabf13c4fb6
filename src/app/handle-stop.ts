import { type Answer, SILENCE } from '../core/answer.ts';
import { type Frozen, isApproved } from '../core/contract.ts';
import { type Decision, decide } from '../core/decide.ts';
import type { StopEvent } from '../core/event.ts';
import type { LoopState } from '../core/loop.ts';
import { reasonFor, type Situation } from '../core/reason.ts';
import type { StopSeen } from '../core/stop.ts';
import type { Verdict } from '../core/verdict.ts';
import type { LoopRef } from '../ports.ts';
import type { JudgingPorts } from './judge.ts';
import { judgeLoop } from './judge-loop.ts';
import { notifyEnding } from './notify.ts';
import { keepReceipt } from './receipt.ts';
import { finalMessage, isForged, look, seenAt } from './see-stop.ts';
import { situationOf, tellEnding } from './situation.ts';
import { tamperingWith } from './tampering.ts';

const FORGED = 'a tool call of this session is still open, so this Stop did not come from the client';

/** A Stop of the session that owns an active loop: look, judge, decide, write down, answer. */
export async function handleStop(
  event: StopEvent,
  ref: LoopRef,
  state: LoopState,
  ports: JudgingPorts,
): Promise<Answer> {
  const { contract, frozen, sha256 } = ports.store.contract(ref);
  // Before anything is written: a block that cannot be put into words must not be counted as one.
  const situation = situationOf(ref, state, ports);
  const signals = await look(event, state, ports);
  if (isForged(signals)) {
    ports.store.append(ref, () => ({ kind: 'event', event: 'Stop', detail: { refused: FORGED } }));
    return { kind: 'ignore', why: FORGED };
  }
  const lastMessage = finalMessage(event, state, signals);
  const tampering = await tamperingWith(ref, state, frozen, sha256, ports);
  const untrusted = tampering.contractReplaced ? undefined : whatPersonMustDo(frozen, ports);
  const { verdicts, tree } =
    untrusted || tampering.contractReplaced
      ? { verdicts: [] }
      : await judgeLoop(event, ref, state, { lastMessage, toolRan: signals.toolSinceBlock === true }, ports);
  const seen: StopSeen = {
    ...seenAt(event, state, lastMessage, signals, ports),
    ...tampering,
    ...(tree === undefined ? {} : { tree }),
    ...(untrusted ? { needsPerson: untrusted } : {}),
  };

  let decision: Decision = { kind: 'allow', cause: 'ended' };
  // Decided under the lock on the freshest state: a cancel that came while the gates were judged still counts.
  const after = ports.store.append(ref, (fresh) => {
    decision = decide(fresh, seen, verdicts, contract.limits, ports.clock.now());
    return { kind: 'stop', seen, verdicts, decision };
  });
  const now = {
    ...situation,
    iteration: after.iteration,
    notes: notesOn(seen),
    unchanged: unchangedIn(after, state.iteration),
  };
  await keepReceipt(ref, after, verdicts, tree, ports);
  await notifyEnding(ref, after, ports);
  return answerTo(decision, now, after, verdicts, ports);
}

function notesOn(seen: StopSeen): string[] {
  const notes: string[] = [];
  if (seen.contractFileChanged) {
    notes.push(
      'untildone.yaml was changed since this loop began. That changes nothing: the version from the start rules.',
    );
  }
  if (seen.foreignLines) {
    notes.push(
      `${seen.foreignLines} lines in the journal of this loop were not written by untildone. They count for nothing.`,
    );
  }
  return notes;
}

function unchangedIn(after: LoopState, iteration: number): Record<string, number> {
  return Object.fromEntries(after.gates.filter((g) => g.since < iteration).map((g) => [g.name, g.since]));
}

/** Commands of a repository run only after a person approved them; nobody is held for what only a person can do. */
function whatPersonMustDo(frozen: Frozen, ports: JudgingPorts): string | undefined {
  if (isApproved(frozen, (project, fingerprint) => ports.store.isTrusted(project, fingerprint)))
    return undefined;
  return `the contract of ${frozen.project} is not approved on this machine yet: run "untildone trust" there, in a terminal`;
}

function answerTo(
  decision: Decision,
  situation: Situation,
  after: LoopState,
  verdicts: Verdict[],
  ports: JudgingPorts,
): Answer {
  switch (decision.kind) {
    case 'block':
      return {
        kind: 'refuse',
        reason: reasonFor(situation, verdicts, decision.instruction),
      };
    case 'end':
      return tellEnding(after, ports);
    case 'allow':
      return allowance(decision);
  }
}

/** Most of what lets a session stop for now explains itself; what a person has to do is said. */
function allowance(decision: Extract<Decision, { kind: 'allow' }>): Answer {
  switch (decision.cause) {
    case 'context_full':
      return {
        kind: 'tell',
        message: `untildone: let go for now, ${decision.detail}. /compact, then go on.`,
      };
    case 'needs_person':
      return { kind: 'tell', message: `untildone: nothing was judged: ${decision.detail}` };
    default:
      return SILENCE;
  }
}
