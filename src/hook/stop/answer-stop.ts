import type { Contract } from '../../core/contract/contract.ts';
import type { StopSeen } from '../../core/loop/count-stop.ts';
import { type Answer, SILENCE } from '../../core/loop/event.ts';
import type { Decision, LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { keepShort } from '../../core/text/clip.ts';
import { handOverReason } from '../../core/words/brief.ts';
import { questionMessage } from '../../core/words/endings.ts';
import { phaseWords, REASON_LIMIT, reasonFor, type Situation } from '../../core/words/reason.ts';
import type { Ports } from '../../ports/ports.ts';
import type { FormatBehaviour, Words } from '../../ports/session-loop.ts';
import { askedNow, tellEnding } from './situation.ts';

/** A Stop that was decided, and written down. */
export interface DecidedStop {
  decision: Decision;
  /** The state after the decision. */
  after: LoopState;
  /** What a person approved since the last Stop, in words. */
  approvals: string | undefined;
}

/** What a decided Stop is answered with: the words that belong to the decision. */
export function answerTo(
  { decision, after }: DecidedStop,
  situation: Situation,
  verdicts: Verdict[],
  format: FormatBehaviour | undefined,
  ports: Ports,
): Answer {
  switch (decision.kind) {
    case 'block':
      return refusal(decision.instruction, situation, verdicts, format);
    case 'end':
      return tellEnding(after, ports);
    case 'allow':
      return allowance(decision);
  }
}

type Instruction = Extract<Decision, { kind: 'block' }>['instruction'];

function refusal(
  instruction: Instruction,
  situation: Situation,
  verdicts: Verdict[],
  format: FormatBehaviour | undefined,
): Answer {
  if (instruction === 'hand_over') return { kind: 'refuse', reason: handOverReason(situation) };
  if (format) return inPhase(format.instruct({ ...situation, verdicts, instruction }), situation);
  return { kind: 'refuse', reason: reasonFor(situation, verdicts, instruction) };
}

/** A foreign format knows nothing of the contract's phases. */
function inPhase(words: Words, situation: Situation): Answer {
  const phase = phaseWords(situation);
  const reason =
    phase === '' ? words.reason : `${keepShort(words.reason, REASON_LIMIT - phase.length - 2)}\n\n${phase}`;
  return { kind: 'refuse', ...words, reason };
}

/** Most of what lets a session stop for now explains itself; what a person has to do is said. */
function allowance(decision: Extract<Decision, { kind: 'allow' }>): Answer {
  switch (decision.cause) {
    case 'context_full':
      return {
        kind: 'tell',
        message: `untildone: the session may stop for now, ${decision.detail}. Type /compact, then go on.`,
      };
    case 'approval':
      return { kind: 'tell', message: questionMessage(decision.detail ?? '') };
    case 'needs_person':
      return { kind: 'tell', message: `untildone: nothing was judged: ${decision.detail}` };
    default:
      return SILENCE;
  }
}

/** Where the loop stands once its Stop is decided. */
export function situationAfter(
  { promise: _, ...before }: Situation,
  state: LoopState,
  seen: StopSeen,
  { after, approvals }: DecidedStop,
  contract: Contract,
): Situation {
  return {
    ...before,
    ...askedNow(contract, after),
    iteration: after.iteration,
    notes: [...(approvals === undefined ? [] : [approvals]), ...notesOn(seen)],
    unchanged: unchangedIn(after, state.iteration),
  };
}

/** What has to be said before everything else. */
function notesOn(seen: StopSeen): string[] {
  const notes: string[] = (seen.phase?.passed ?? []).map((name) => `The phase "${name}" is complete.`);
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

/** Gates that fail exactly as they did before, with the iteration since which they do. */
function unchangedIn(after: LoopState, iteration: number): Record<string, number> {
  return Object.fromEntries(after.gates.filter((g) => g.since < iteration).map((g) => [g.name, g.since]));
}
