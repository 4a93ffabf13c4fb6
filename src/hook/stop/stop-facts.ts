import { type Frozen, isTrustedContract } from '../../core/contract/contract.ts';
import { EMPTY_MESSAGE, messageFingerprint, type StopSeen } from '../../core/loop/count-stop.ts';
import type { StopEvent } from '../../core/loop/event.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { contextWindow, type TranscriptSignals } from '../../core/loop/transcript.ts';
import { keepShort, lastLines, oneLine } from '../../core/text/clip.ts';
import { redact } from '../../core/text/redact.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { LoadedContract } from '../../ports/ports.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { type Tampering, tamperingWith } from './situation.ts';

/** What comes from outside is cut to size before it is written: every later hook reads the end of the journal. */
const ID_LIMIT = 200;
const TASKS_KEPT = 100;
/** A final message of many megabytes is judged by its end: reading all of it as Markdown would take too much. */
const MESSAGE_LIMIT = 1024 * 1024;

/** A loop whose session stops, with the contract that rules this Stop. */
export interface StoppedLoop extends SessionLoop {
  loaded: LoadedContract;
}

/** What is known of a Stop before anything is judged. */
export interface StopFacts {
  signals: TranscriptSignals;
  /** What the agent said last; undefined when it could not be had. */
  lastMessage: string | undefined;
  tampering: Tampering;
  /** What a person has to do before anything may be judged. */
  needsPerson: string | undefined;
}

/** Gathers what a Stop is decided from, but for the verdicts. `forged`: it came from inside a tool call of the session. */
export async function gatherFacts(
  event: StopEvent,
  { ref, state, loaded }: StoppedLoop,
  ports: JudgingPorts,
): Promise<StopFacts | 'forged'> {
  const { contract, frozen, sha256 } = loaded;
  const handsOver = state.run !== undefined || contract.onContext === 'spawn';
  const signals = await look(event, state, ports, handsOver);
  if (isForged(signals)) return 'forged';
  const tampering = await tamperingWith(ref, state, frozen, sha256, ports);
  return {
    signals,
    lastMessage: finalMessage(event, state, signals),
    tampering,
    needsPerson: tampering.contractReplaced ? undefined : whatPersonMustDo(frozen, ports),
  };
}

/** Commands of a repository run only after a person approved them. A session is not held for what only a person can do. */
function whatPersonMustDo(frozen: Frozen, { store }: JudgingPorts): string | undefined {
  if (isTrustedContract(frozen, (project, fingerprint) => store.isTrusted(project, fingerprint)))
    return undefined;
  return `the contract of ${frozen.project} is not approved on this machine yet: run "untildone trust" there, in a terminal`;
}

/**
 * Reads the transcript's end. The client is still writing it when the hook starts, so where something is missing that
 * the decision needs, it is read again for at most a second.
 */
async function look(
  event: StopEvent,
  state: LoopState,
  ports: JudgingPorts,
  handsOver: boolean,
): Promise<TranscriptSignals> {
  const path = event.transcript;
  if (!path) return {};
  const signals = ports.transcripts.signals(path);
  // A session is left by how full it is: the message before this one does not tell.
  const asksForContext = handsOver && event.context === undefined;
  const isThere = (now: TranscriptSignals) => isWhole(now) && !(asksForContext && isOlder(now, event));
  const isWanted = (asksForContext && !isThere(signals)) || needsMore(event, state, signals, ports);
  return isThere(signals) || !isWanted ? signals : ports.transcripts.poll(path, isThere);
}

/** The answer is on disk, and not only the thinking that comes before its text. */
function isWhole(signals: TranscriptSignals): boolean {
  return signals.answered === true && signals.lastText !== undefined;
}

function needsMore(
  event: StopEvent,
  state: LoopState,
  signals: TranscriptSignals,
  ports: JudgingPorts,
): boolean {
  if (event.lastMessage === undefined || signals.openToolUse !== undefined) return true;
  // Only where the client caps blocks in a row does it matter whether a tool call came before this very message.
  if (!signals.answered && ports.blockCap > 0 && !state.toolSeen && !signals.toolSinceBlock) return true;
  return signals.answered !== undefined && mayBeRepeated(event.lastMessage, state);
}

/** The transcript ends with an answer of before: the client has not written this one yet. */
function isOlder({ lastText }: TranscriptSignals, { lastMessage }: StopEvent): boolean {
  return lastMessage !== undefined && lastText?.trim() !== lastMessage.trim();
}

/** A call that is still open when the transcript had its time: this Stop comes from inside it, not from the client. */
function isForged(signals: TranscriptSignals): boolean {
  return signals.openToolUse !== undefined && !signals.answered;
}

/**
 * What was said last. For an answer without any text the client sends the message before it once more: where the
 * transcript shows no text, or no answer at all, although it had its time, nothing was said.
 */
function finalMessage(event: StopEvent, state: LoopState, signals: TranscriptSignals): string | undefined {
  if (event.lastMessage === undefined) return signals.lastText ?? (signals.answered ? '' : undefined);
  const silent = signals.answered !== undefined && (signals.lastText ?? '').trim() === '';
  return silent && mayBeRepeated(event.lastMessage, state) ? '' : lastLines(event.lastMessage, MESSAGE_LIMIT);
}

/** The same as before, or as what was said before an answer that was empty already. */
function mayBeRepeated(message: string, state: LoopState): boolean {
  const judged = lastLines(message, MESSAGE_LIMIT);
  const before = state.lastMessage?.fingerprint;
  return before !== undefined && (before === EMPTY_MESSAGE || before === messageFingerprint(judged));
}

/** What the journal keeps of a Stop, with what was found when it was judged. */
export function seenAt(
  event: StopEvent,
  state: LoopState,
  { signals, lastMessage, tampering, needsPerson }: StopFacts,
  { tree, phase }: Pick<StopSeen, 'tree' | 'phase'>,
  ports: JudgingPorts,
): StopSeen {
  const message = messageFingerprint(lastMessage);
  return {
    promptId: event.promptId === undefined ? undefined : oneLine(event.promptId, ID_LIMIT),
    stopHookActive: event.stopHookActive,
    message,
    toolSinceBlock: signals.toolSinceBlock === true,
    background: event.backgroundTasks.filter(isUnderWay).slice(0, TASKS_KEPT).map(inShort),
    wakeUps: {
      once: event.wakeUps.filter((w) => !w.recurring).length,
      recurring: event.wakeUps.filter((w) => w.recurring).length,
    },
    ...contextShareOf(event, signals),
    blockCap: ports.blockCap,
    usage: event.transcript ? usageSince(event.transcript, state, ports) : undefined,
    ...tampering,
    tree,
    phase,
    note: state.run ? noteFrom(lastMessage) : undefined,
    needsPerson: needsPerson ? needsPerson : undefined,
  };
}

const NOTE_LIMIT = 4000;

/** What a session leaves for the next one, without secrets. */
function noteFrom(lastMessage: string | undefined): string {
  return keepShort(redact(lastMessage ?? ''), NOTE_LIMIT);
}

function inShort({ id, type }: StopEvent['backgroundTasks'][number]): StopSeen['background'][number] {
  return { id: oneLine(id, ID_LIMIT), type: oneLine(type, ID_LIMIT) };
}

function isUnderWay(task: StopEvent['backgroundTasks'][number]): boolean {
  return ['running', 'pending'].includes(task.status);
}

function contextShareOf({ context }: StopEvent, signals: TranscriptSignals): { contextShare?: number } {
  const tokens = context?.tokens ?? signals.contextTokens;
  if (tokens === undefined) return {};
  return { contextShare: tokens / contextWindow(signals.model ?? context?.model) };
}

function usageSince(
  transcript: string,
  state: LoopState,
  ports: JudgingPorts,
): NonNullable<StopSeen['usage']> {
  const usage = ports.transcripts.usage(transcript, state.read);
  const id = usage.lastMessageId;
  return {
    offset: usage.offset,
    tokens: usage.tokens,
    lastMessageId: id === undefined || id.length > ID_LIMIT ? undefined : id,
    costTotalUsd: usage.totalCostUsd,
  };
}
