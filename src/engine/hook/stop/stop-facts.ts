import { isDueWithin } from '../../client/hooks/wake-up.ts';
import { isTrustedContract } from '../../core/contract/contract.ts';
import { EMPTY_MESSAGE, messageFingerprint, type StopSeen } from '../../core/loop/count-stop.ts';
import type { HookEvent, StopEvent } from '../../core/loop/event.ts';
import { WAKE_UP_MS } from '../../core/loop/excuses.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { agentsRead } from '../../core/loop/subagent-usage.ts';
import { contextWindow, type TranscriptSignals } from '../../core/loop/transcript.ts';
import { keepShort, lastLines, oneLine } from '../../core/text/clip.ts';
import { redact } from '../../core/text/redact.ts';
import type { Ports } from '../../judging/ports.ts';
import { whatWallsNeed } from '../../judging/walls.ts';
import type { LoadedContract } from '../../ports/ports.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { type Tampering, tamperingWith } from './situation.ts';

/** Texts from outside are cut short, because every later hook reads the end of the journal. */
const ID_LIMIT = 200;
const TASKS_KEPT = 100;
/** A longer final message is judged by its end: parsing megabytes of Markdown would take too long. */
const MESSAGE_LIMIT = 1024 * 1024;

/** A loop whose session stops, with the frozen contract of the loop. */
export interface StoppedLoop extends SessionLoop {
  loaded: LoadedContract;
}

/** What is known of a Stop before anything is judged. */
export interface StopFacts {
  signals: TranscriptSignals;
  /** What the agent said last; undefined when it is not known. */
  lastMessage: string | undefined;
  tampering: Tampering;
  /** What the user has to do before anything may be judged. */
  needsPerson: string | undefined;
}

/** Gathers the facts of a Stop, without verdicts. `doubtful`: the agent may still be at work. */
export async function gatherFacts(
  event: StopEvent,
  { ref, state, loaded }: StoppedLoop,
  ports: Ports,
): Promise<StopFacts | 'doubtful'> {
  const { contract, frozen, sha256 } = loaded;
  const handsOver = state.run !== undefined || contract.onContext === 'spawn';
  const signals = await look(event, state, ports, handsOver);
  if (isAtWork(signals) && !ports.isFromClient?.(event)) return 'doubtful';
  const tampering = await tamperingWith(ref, state, frozen, sha256, ports);
  return {
    signals,
    lastMessage: finalMessage(event, state, signals),
    tampering,
    needsPerson: tampering.contractReplaced ? undefined : await whatPersonMustDo(loaded, ports),
  };
}

/** Commands of a repository run only after the user trusted them. A session is not held for what only the user can do. */
async function whatPersonMustDo(
  { frozen, contract }: LoadedContract,
  ports: Ports,
): Promise<string | undefined> {
  if (isTrustedContract(frozen, (project, fingerprint) => ports.store.isTrusted(project, fingerprint)))
    return whatWallsNeed(contract, ports);
  return `the contract of ${frozen.project} is not trusted on this machine yet. In a terminal there: untildone trust`;
}

/**
 * Reads the end of the transcript. Claude Code still writes it when the hook starts. Where a fact is missing that the
 * decision needs, the transcript is read again for at most a second.
 */
async function look(
  event: StopEvent,
  state: LoopState,
  ports: Ports,
  handsOver: boolean,
): Promise<TranscriptSignals> {
  const path = event.transcript;
  if (!path) return {};
  const signals = ports.transcripts.signals(path);
  // A hand-over depends on how full the context is now, which only the newest message tells.
  const asksForContext = handsOver && event.context === undefined;
  const isThere = (now: TranscriptSignals) => isWhole(now) && !(asksForContext && isOlder(now, event));
  const isWanted = (asksForContext && !isThere(signals)) || needsMore(event, state, signals, ports);
  return isThere(signals) || !isWanted ? signals : ports.transcripts.poll(path, isThere);
}

/** Whether the transcript holds the answer's text, and not only its thinking. */
function isWhole(signals: TranscriptSignals): boolean {
  return signals.answered === true && signals.lastText !== undefined;
}

function needsMore(event: StopEvent, state: LoopState, signals: TranscriptSignals, ports: Ports): boolean {
  if (event.lastMessage === undefined || signals.openToolUse !== undefined) return true;
  // A tool call before this message matters only where Claude Code caps the blocks in a row.
  if (!signals.answered && ports.blockCap > 0 && !state.toolSeen && !signals.toolSinceBlock) return true;
  return signals.answered !== undefined && mayBeRepeated(event.lastMessage, state);
}

/** Whether the transcript ends with an older answer, because this one is not written yet. */
function isOlder({ lastText }: TranscriptSignals, { lastMessage }: StopEvent): boolean {
  return lastMessage !== undefined && lastText?.trim() !== lastMessage.trim();
}

/**
 * Whether a tool call is still open after the wait. Either this Stop comes from inside that call, or the transcript is late, cut
 * short or not written at all.
 */
function isAtWork(signals: TranscriptSignals): boolean {
  return signals.openToolUse !== undefined && !signals.answered;
}

/**
 * What the agent said last. For an answer without text, Claude Code sends the message before it again. Where the
 * transcript shows no text after the wait, nothing was said.
 */
function finalMessage(event: StopEvent, state: LoopState, signals: TranscriptSignals): string | undefined {
  if (event.lastMessage === undefined) return signals.lastText ?? (signals.answered ? '' : undefined);
  const silent = signals.answered !== undefined && (signals.lastText ?? '').trim() === '';
  return silent && mayBeRepeated(event.lastMessage, state) ? '' : lastLines(event.lastMessage, MESSAGE_LIMIT);
}

/** Whether this may be the previous message, sent again. */
function mayBeRepeated(message: string, state: LoopState): boolean {
  const judged = lastLines(message, MESSAGE_LIMIT);
  const before = state.lastMessage?.fingerprint;
  return before !== undefined && (before === EMPTY_MESSAGE || before === messageFingerprint(judged));
}

/** What the journal keeps of a Stop. */
export function seenAt(
  event: StopEvent,
  state: LoopState,
  { signals, lastMessage, tampering, needsPerson }: StopFacts,
  { tree, phase }: Pick<StopSeen, 'tree' | 'phase'>,
  ports: Ports,
): StopSeen {
  const message = messageFingerprint(lastMessage);
  return {
    promptId: event.promptId === undefined ? undefined : oneLine(event.promptId, ID_LIMIT),
    stopHookActive: event.stopHookActive,
    message,
    toolSinceBlock: signals.toolSinceBlock === true,
    heldInARow: signals.heldInARow,
    background: event.backgroundTasks.filter(isUnderWay).slice(0, TASKS_KEPT).map(inShort),
    wakeUps: wakeUpsOf(event, ports.clock.now()),
    ...contextShareOf(event, signals),
    blockCap: ports.blockCap,
    usage: event.transcript ? usageSince(event.transcript, state, ports) : undefined,
    subagents: subagentUsage(event, state, ports),
    ...tampering,
    tree,
    phase,
    note: state.run ? noteFrom(lastMessage) : undefined,
    needsPerson: needsPerson || undefined,
  };
}

const NOTE_LIMIT = 4000;

/** The hand-over note for the next session, without secrets. */
function noteFrom(lastMessage: string | undefined): string {
  return keepShort(redact(lastMessage ?? ''), NOTE_LIMIT);
}

function inShort({ id, type }: StopEvent['backgroundTasks'][number]): StopSeen['background'][number] {
  return { id: oneLine(id, ID_LIMIT), type: oneLine(type, ID_LIMIT) };
}

function isUnderWay(task: StopEvent['backgroundTasks'][number]): boolean {
  return ['running', 'pending'].includes(task.status);
}

function wakeUpsOf({ wakeUps }: StopEvent, now: number): StopSeen['wakeUps'] {
  const single = wakeUps.filter(({ recurring }) => !recurring);
  const once = single.filter(({ schedule }) => isDueWithin(schedule, WAKE_UP_MS, now)).length;
  const later = single.length - once;
  return { once, recurring: wakeUps.length - single.length, ...(later > 0 ? { later } : {}) };
}

function contextShareOf({ context }: StopEvent, signals: TranscriptSignals): { contextShare?: number } {
  const tokens = context?.tokens ?? signals.contextTokens;
  if (tokens === undefined) return {};
  return { contextShare: tokens / contextWindow(signals.model ?? context?.model) };
}

/**
 * What the subagents of a session have spent since the last look; undefined when there is nothing new. A run counts what
 * its sessions report, and that includes their subagents.
 */
export function subagentUsage(
  { transcript }: HookEvent,
  state: LoopState,
  { transcripts }: Pick<Ports, 'transcripts'>,
): StopSeen['subagents'] {
  if (transcript === undefined || state.run) return undefined;
  const found = transcripts.subagents(transcript, agentsRead(state));
  return found.length === 0 ? undefined : found;
}

function usageSince(transcript: string, state: LoopState, ports: Ports): NonNullable<StopSeen['usage']> {
  const usage = ports.transcripts.usage(transcript, state.read);
  const id = usage.lastMessageId;
  return {
    offset: usage.offset,
    tokens: usage.tokens,
    lastMessageId: id === undefined || id.length > ID_LIMIT ? undefined : id,
    costTotalUsd: usage.totalCostUsd,
  };
}
