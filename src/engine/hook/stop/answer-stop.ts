import type { Contract } from '../../core/contract/contract.ts';
import type { StopSeen } from '../../core/loop/count-stop.ts';
import { type Answer, SILENCE } from '../../core/loop/event.ts';
import { EXCUSED_IN_A_ROW } from '../../core/loop/excuses.ts';
import type { Decision, LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { keepShort } from '../../core/text/clip.ts';
import { decideNotes } from '../../core/words/asking.ts';
import { handOverReason } from '../../core/words/brief.ts';
import { holdMessage, questionMessage } from '../../core/words/endings.ts';
import {
  lastWithoutTool,
  phaseWords,
  REASON_LIMIT,
  reasonFor,
  type Situation,
  waitedInVain,
} from '../../core/words/reason.ts';
import { newSubagentResults } from '../../core/words/subagent-results.ts';
import type { Ports } from '../../judging/ports.ts';
import type { FormatBehaviour, Words } from '../../ports/session-loop.ts';
import { withMessages } from './answers.ts';
import { askedNow, tellEnding } from './situation.ts';

/** A Stop that was decided and recorded. */
export interface DecidedStop {
  decision: Decision;
  /** The state after the decision. */
  after: LoopState;
  /** What the user approved since the last Stop, in words. */
  approvals: string | undefined;
}

/** Puts a decided Stop into words. */
export function answerTo(
  { decision, after }: DecidedStop,
  situation: Situation,
  verdicts: Verdict[],
  format: FormatBehaviour | undefined,
  ports: Ports,
): Answer {
  switch (decision.kind) {
    case 'block':
      // A run says itself how it is stopped.
      return withMessages(
        refusal(decision.instruction, situation, verdicts, format),
        after.run ? [] : [holdMessage(after)],
      );
    case 'end':
      return tellEnding(after, ports);
    case 'allow':
      return allowance(decision, after);
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

/** Adds the phase to the words of a foreign format, which knows no phases. */
function inPhase(words: Words, situation: Situation): Answer {
  const phase = phaseWords(situation);
  const reason =
    phase === '' ? words.reason : `${keepShort(words.reason, REASON_LIMIT - phase.length - 2)}\n\n${phase}`;
  return { kind: 'refuse', ...words, reason };
}

/** Tells the user what to do, where the session may stop only for now. Other causes need no words. */
function allowance(decision: Extract<Decision, { kind: 'allow' }>, after: LoopState): Answer {
  switch (decision.cause) {
    case 'context_full':
      return {
        kind: 'tell',
        message: `untildone: the session may stop for now, ${decision.detail}. Type /compact, then go on.`,
      };
    case 'approval':
      return { kind: 'tell', message: questionMessage(decision.detail ?? '', after) };
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
    notes: [
      ...(approvals === undefined ? [] : [approvals]),
      ...decideNotes(after),
      ...notesOn(seen, after),
      ...newSubagentResults(state),
    ],
    unchanged: unchangedIn(after, state.iteration),
  };
}

/** Notes that come first in the reason. */
function notesOn(seen: StopSeen, { blocksInARow, excused }: LoopState): string[] {
  const notes: string[] = (seen.phase?.passed ?? []).map((name) => `The phase "${name}" is complete.`);
  if (blocksInARow === seen.blockCap) notes.push(lastWithoutTool(blocksInARow));
  if (waitsInVain(seen, excused)) notes.push(waitedInVain(EXCUSED_IN_A_ROW));
  if (seen.contractFileChanged) {
    notes.push(
      'untildone.yaml was changed since this loop began. The change has no effect: the version from the start counts.',
    );
  }
  if (seen.foreignLines) {
    notes.push(
      `${seen.foreignLines} lines in the journal of this loop were not written by untildone, or were removed by something else. That changes nothing: what untildone wrote still counts.`,
    );
  }
  return notes;
}

function waitsInVain({ background, wakeUps }: StopSeen, excused: LoopState['excused']): boolean {
  return (excused?.times ?? 0) >= EXCUSED_IN_A_ROW && background.length + wakeUps.once > 0;
}

/** Gates that fail exactly as before, with the iteration in which that began. */
function unchangedIn(after: LoopState, iteration: number): Record<string, number> {
  return Object.fromEntries(after.gates.filter((g) => g.since < iteration).map((g) => [g.name, g.since]));
}
