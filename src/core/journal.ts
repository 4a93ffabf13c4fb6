import type { Limit } from './contract.ts';
import type { Decision } from './decide.ts';
import { closeWait, end, hasEnded, type LoopState, openWait, type WaitCause } from './loop.ts';
import { observe, type StopSeen, settle } from './stop.ts';
import type { Verdict } from './verdict.ts';

/** What one line of a journal says. docs/reference/journal.md is the grammar that others read. */
export type Entry =
  | StartedEntry
  | { kind: 'stop'; seen: StopSeen; verdicts: Verdict[]; decision: Decision }
  | { kind: 'event'; event: string; detail?: Record<string, string> }
  | { kind: 'guard'; event: string; subject: string; verdicts: Verdict[]; refused: boolean }
  | { kind: 'command'; command: PersonCommand; note?: string }
  | { kind: 'allowed'; exception: string; note?: string }
  /** A person put another definition of done in place of the one from the start. */
  | { kind: 'contract'; contractSha256: string; maxIterations: Limit }
  /** Whole lines stood at the journal's end that we did not write. */
  | { kind: 'foreign'; lines: number }
  | { kind: 'error'; message: string };

export interface StartedEntry {
  kind: 'started';
  loop: string;
  session: string;
  project: string;
  dialect: string;
  task: { preview: string; bytes: number; sha256: string };
  contractSha256: string;
  maxIterations: Limit;
  transcriptOffset: number;
  baseTree?: string;
  baseCommit?: string;
  /** Everything that could be measured passed already. */
  basePassing?: true;
  /** The client's own cost total of the session so far. */
  costTotalUsd?: number;
}

export type PersonCommand = 'pause' | 'resume' | 'cancel' | 'release';

/** The state after an entry. The only place where state comes from: `replay` over all lines gives the last line's state. */
export function advance(state: LoopState | undefined, entry: Entry, at: number): LoopState {
  if (entry.kind === 'started') return firstState(entry, at);
  if (!state) throw new Error(`a journal begins with "started", not with "${entry.kind}"`);
  return { ...advanceKind(state, entry, at), lastAt: at };
}

function advanceKind(state: LoopState, entry: Exclude<Entry, StartedEntry>, at: number): LoopState {
  switch (entry.kind) {
    case 'stop':
      return settle(observe(state, entry.seen, entry.verdicts, at), entry.decision, at);
    case 'event':
      return advanceEvent(state, entry.event, entry.detail ?? {}, at);
    case 'command':
      return advanceCommand(state, entry.command, entry.note, at);
    case 'guard':
      return entry.refused ? { ...state, guarded: countGuarded(state.guarded, entry.subject) } : state;
    case 'allowed':
      return { ...state, allowed: [...new Set([...state.allowed, entry.exception])] };
    case 'contract':
      return { ...state, contractSha256: entry.contractSha256, maxIterations: entry.maxIterations };
    case 'foreign':
      return { ...state, foreignLines: state.foreignLines + entry.lines };
    case 'error':
      return state;
  }
}

const REMEMBERED_SUBJECTS = 50;

function countGuarded(guarded: Record<string, number>, subject: string): Record<string, number> {
  // Subjects come from outside: only what was counted counts, not what every object inherits.
  const before = (Object.hasOwn(guarded, subject) && guarded[subject]) || 0;
  const others = Object.entries(guarded).filter(([name]) => name !== subject);
  return Object.fromEntries([...others.slice(1 - REMEMBERED_SUBJECTS), [subject, before + 1]]);
}

function firstState(entry: StartedEntry, at: number): LoopState {
  return {
    loop: entry.loop,
    session: entry.session,
    dialect: entry.dialect,
    status: 'active',
    iteration: 1,
    maxIterations: entry.maxIterations,
    startedAt: at,
    lastAt: at,
    blocksInARow: 0,
    toolSeen: false,
    emptyAnswers: 0,
    waitedMs: 0,
    background: {},
    spent: { tokens: 0, costUsd: 0 },
    read: { offset: entry.transcriptOffset, costTotalUsd: entry.costTotalUsd ?? 0 },
    gates: [],
    contractSha256: entry.contractSha256,
    foreignLines: 0,
    foreignTold: 0,
    base: {
      ...(entry.baseTree === undefined ? {} : { tree: entry.baseTree }),
      ...(entry.baseCommit === undefined ? {} : { commit: entry.baseCommit }),
      ...(entry.basePassing ? { passing: true as const } : {}),
    },
    guarded: {},
    allowed: [],
  };
}

function advanceEvent(
  state: LoopState,
  event: string,
  detail: Record<string, string>,
  at: number,
): LoopState {
  if (state.status !== 'active') return state;
  switch (event) {
    case 'SessionStart':
      if (state.waiting || detail.source === 'compact') return closeWait(state, at);
      // A client that was killed said nothing when it went: the silence until now was no working time.
      return closeWait(openWait(state, 'session_ended', state.lastAt), at);
    case 'SessionEnd':
      // What only a person can do stays to be said after the session has gone.
      return state.waiting?.why === 'needs_person' ? state : wait(state, 'session_ended', at, detail.reason);
    case 'StopFailure':
      return wait(state, 'api_error', at, detail.error);
    case 'PreToolUse':
      return { ...closeWait(state, at), toolSeen: true };
    case 'UserPromptSubmit':
      return closeWait(state, at);
    default:
      return state;
  }
}

function wait(state: LoopState, why: WaitCause, at: number, detail: string | undefined): LoopState {
  return openWait(state, why, state.waiting?.since ?? at, detail);
}

const BY_PERSON = 'by a person';

function advanceCommand(
  state: LoopState,
  command: PersonCommand,
  note: string | undefined,
  at: number,
): LoopState {
  if (hasEnded(state)) return state;
  switch (command) {
    case 'pause':
      return state.status === 'paused' ? state : { ...openWait(state, 'paused', at, note), status: 'paused' };
    case 'resume':
      return state.status === 'paused' ? { ...closeWait(state, at), status: 'active' } : state;
    case 'cancel':
      return end(state, 'cancelled', 'person', note ?? BY_PERSON, at);
    case 'release':
      return end(state, 'released', 'person', note ?? BY_PERSON, at);
  }
}

export function replay(entries: Iterable<{ entry: Entry; at: number }>): LoopState | undefined {
  let state: LoopState | undefined;
  for (const { entry, at } of entries) state = advance(state, entry, at);
  return state;
}
