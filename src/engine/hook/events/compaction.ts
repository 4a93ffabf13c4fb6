import { type Answer, type HookEvent, type SessionStartEvent, SILENCE } from '../../core/loop/event.ts';
import type { LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { keepShort, oneLine } from '../../core/text/clip.ts';
import { compactionSummary } from '../../core/words/compaction-summary.ts';
import { REASON_LIMIT, reminderFor } from '../../core/words/reason.ts';
import { subagentResults } from '../../core/words/subagent-results.ts';
import { rulingContract } from '../../judging/freeze-contract.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { situationOf } from '../stop/situation.ts';
import { noteDown } from '../unwritable-journal.ts';
import { memoryFor } from './notes.ts';

/** The length of the reminder when notes follow it. */
const BESIDE_NOTES = 6500;
const BETWEEN = '\n\n---\n\n';

/** Tells a session that was resumed or compacted where its loop stands. */
export function remind(
  event: SessionStartEvent,
  ref: LoopRef,
  state: LoopState,
  ports: SessionPorts,
): Answer {
  if (state.status !== 'active' || event.agentId) return SILENCE;
  const situation = situationOf(ref, state, ports);
  const verdicts = lastVerdicts(state);
  const results = subagentResults(state);
  const notes = notesFor(event, ref, state, ports);
  const lessons = lessonsOf(ref, state, ports);
  const beside = results.length + lessons.length + 2 * BETWEEN.length;
  const room = (notes === undefined ? REASON_LIMIT : BESIDE_NOTES) - beside;
  const reminder = joinedParts([reminderFor(situation, verdicts, room), results, lessons]);
  if (notes === undefined) return { kind: 'inject', context: reminder };
  const left = REASON_LIMIT - reminder.length - BETWEEN.length;
  return { kind: 'inject', context: joinedParts([reminder, keepShort(notes, left)]) };
}

/** Lessons of earlier loops; empty when there are none. */
function lessonsOf(ref: LoopRef, state: LoopState, ports: SessionPorts): string {
  const ruling = rulingContract(ref, state, ports);
  return (ruling && ports.lessons?.loop(ref, ruling.contract, ports.clock.now())) ?? '';
}

function joinedParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(BETWEEN);
}

function notesFor(
  event: SessionStartEvent,
  ref: LoopRef,
  state: LoopState,
  ports: SessionPorts,
): string | undefined {
  const ruling = rulingContract(ref, state, ports);
  if (!ruling) return undefined;
  return memoryFor(ruling.frozen.project, ruling.contract, event.source, ports.notes.files).context;
}

/** The verdicts of the last Stop, as far as the state keeps them. */
function lastVerdicts({ gates }: LoopState): Verdict[] {
  return gates.map(({ name, class: evidence, verdict, summary, next }) => ({
    gate: name,
    kind: '',
    class: evidence,
    outcome: verdict,
    summary,
    next,
  }));
}

const WORD_LIMIT = 200;

/**
 * Runs before a compaction: keeps a copy of the transcript with the loop, and tells the summary what the loop needs.
 * Foreign formats keep their own copies. Never refuses, because a refusal would cancel the compaction, and a full context
 * ends the session.
 */
export function beforeCompaction(
  event: HookEvent,
  { ref, state, format }: SessionLoop,
  ports: SessionPorts,
): Answer {
  if (event.agentId) return SILENCE;
  const kept = format ? {} : keepTranscript(event, ref, ports);
  const detail = Object.keys(kept).length > 0 ? { detail: kept } : {};
  noteDown(event, { ref, state }, { kind: 'event', event: 'PreCompact', ...detail }, ports);
  if (state.status !== 'active') return SILENCE;
  const summary = compactionSummary(situationOf(ref, state, ports), lastVerdicts(state));
  return { kind: 'inject', context: joinedParts([summary, subagentResults(state)]) };
}

function keepTranscript(
  { transcript }: HookEvent,
  ref: LoopRef,
  ports: SessionPorts,
): Record<string, string> {
  if (transcript === undefined) return {};
  const kept = ports.keepTranscript(transcript, ref, ports.clock.now());
  if (kept.kind === 'none') return { problem: oneLine(kept.problem, WORD_LIMIT) };
  const cut = kept.cut ? `, without the first ${kept.cut}` : '';
  return { copy: kept.name, size: `${kept.bytes} bytes${cut}` };
}
