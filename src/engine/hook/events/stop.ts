import { type Answer, SILENCE, type StopEvent } from '../../core/loop/event.ts';
import { callsFor } from '../../core/loop/plan-gates.ts';
import { blocks, type Verdict } from '../../core/loop/verdict.ts';
import { standingHeld } from '../../core/words/endings.ts';
import { standingReason } from '../../core/words/reason.ts';
import { judgeEvent } from '../../judging/judge-event.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import type { StandingState } from '../../ports/ports.ts';
import { withMessages } from '../stop/answers.ts';
import { keepStanding, standsUncounted } from '../unwritable-journal.ts';
import type { EventAnswer } from './answer-other.ts';

/** A Stop. That of an active loop is judged in `stop/`; that of any other loop is only noted. */
export const stop: EventAnswer<StopEvent> = { withoutLoop: standingStop };

/** Judges a Stop by the gates of `every_stop`: held a bounded number of times for each prompt, then allowed with a message. */
async function standingStop(event: StopEvent, session: GuardedSession, ports: SessionPorts): Promise<Answer> {
  const { contract, frozen } = session.contract;
  const rule = contract.everyStop;
  if (!rule) return SILENCE;
  const state = stateInPrompt(event, ports);
  const tree = await (await ports.judges(contract)).workspace(frozen.project).tree();
  if (tree === state.settledTree) return SILENCE;
  const turn = { lastMessage: event.lastMessage, toolRan: true };
  const calls = callsFor(rule.gates, contract);
  const { verdicts, tree: judged = tree } = await judgeEvent(event, calls, session.judged(), turn, ports);
  const decision = decideStanding(verdicts, isAtCap(event, state, ports) ? 0 : rule.blocks - state.blocks);
  const after =
    decision.kind === 'block' ? { ...state, blocks: state.blocks + 1 } : { ...state, settledTree: judged };
  const kept = keepStanding(event, after, frozen.project, ports);
  switch (decision.kind) {
    case 'halt':
      return { kind: 'halt', message: `untildone: a gate ended the work: ${decision.why}` };
    case 'block':
      return withMessages(refusal(event, decision, verdicts, rule, kept.written, ports), kept.messages);
    case 'let_go':
      return withMessages(letGo(decision.failing, state.blocks), kept.messages);
    case 'pass':
      return withMessages(unjudged(verdicts), kept.messages);
  }
}

/** Whether Claude Code would override the next hold: it would look like a pass. */
function isAtCap({ transcript }: StopEvent, { blocks }: StandingState, ports: SessionPorts): boolean {
  const { blockCap, transcripts } = ports;
  if (blockCap === 0 || blocks < blockCap || !transcript) return false;
  return (transcripts.signals(transcript).heldInARow ?? 0) >= blockCap;
}

/** Every prompt resets the count of holds. */
function stateInPrompt({ session, promptId }: StopEvent, ports: SessionPorts): StandingState {
  const before = ports.standing.read(session);
  return {
    ...before,
    blocks: before.promptId === promptId ? before.blocks : 0,
    ...(promptId === undefined ? {} : { promptId }),
  };
}

type StandingDecision =
  /** A gate asked to end the work. */
  | { kind: 'halt'; why: string }
  | { kind: 'block'; failing: Verdict[]; left: number }
  /** Gates still fail after as many holds as the contract allows. */
  | { kind: 'let_go'; failing: Verdict[] }
  | { kind: 'pass' };

function decideStanding(verdicts: readonly Verdict[], left: number): StandingDecision {
  const why = verdicts.find((v) => v.letGo)?.letGo;
  if (why !== undefined) return { kind: 'halt', why };
  const failing = verdicts.filter(blocks);
  if (failing.length === 0) return { kind: 'pass' };
  return left > 0 ? { kind: 'block', failing, left } : { kind: 'let_go', failing };
}

/** A hold that could not be counted is bounded by the fallback counts. */
function refusal(
  event: StopEvent,
  { failing, left }: Extract<StandingDecision, { kind: 'block' }>,
  verdicts: readonly Verdict[],
  rule: { blocks: number },
  isCounted: boolean,
  ports: SessionPorts,
): Answer {
  if (isCounted || standsUncounted(event, `stop ${event.promptId ?? ''}`, left, ports))
    return {
      kind: 'refuse',
      reason: standingReason(verdicts, 'before you stop'),
      message: standingHeld(failing, rule.blocks - left + 1, rule.blocks),
    };
  return letGo(failing, rule.blocks);
}

/** Names the gates that could not be judged and may be. Silence would look like a pass. */
function unjudged(verdicts: readonly Verdict[]): Answer {
  const open = verdicts.filter((v) => v.outcome === 'unproven').map((v) => `${v.gate} (${v.summary})`);
  if (open.length === 0) return SILENCE;
  return {
    kind: 'tell',
    message: `untildone: the session may stop, although these gates could not be judged: ${open.join(', ')}`,
  };
}

function letGo(failing: readonly Verdict[], blocked: number): Answer {
  const names = failing.map((v) => `${v.gate} (${v.summary})`).join(', ');
  return {
    kind: 'tell',
    message: `untildone: allowed to stop after ${blocked} holds although ${names} still fails.`,
  };
}
