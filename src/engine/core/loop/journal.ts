import { advanceChildren, type ChildEntry } from '../run/children.ts';
import {
  advanceIntent,
  advanceMoved,
  advanceResult,
  deniedIn,
  takenUp,
  waitingForApi,
} from '../run/entries.ts';
import { reopened } from '../run/reopen.ts';
import { newRun, runFromSession } from '../run/run.ts';
import { advanceAsked, openWords, questionsForYou, waitingAgain } from './asked.ts';
import { applyDecision, gateLines, observe } from './count-stop.ts';
import type { Entry, EntryOf, StartedEntry } from './entry.ts';
import { withExcuses } from './excuses.ts';
import { MISSED_STOP, missedAt } from './missed-stop.ts';
import { allTold, answer } from './questions.ts';
import {
  asksPerson,
  closeWait,
  end,
  guardedAfter,
  hasEnded,
  type LoopState,
  NEW_SESSION,
  openWait,
  type WaitCause,
} from './state.ts';
import { countAgents } from './subagent-usage.ts';
import { agentBegun, agentGuarded, agentLeft, agentsAtStop, agentsTold } from './subagents.ts';
import { unchangedYet } from './verdict.ts';

/** The state after an entry. All state is made here: replaying a journal gives the state of its last line. */
export function advance(state: LoopState | undefined, entry: Entry, at: number): LoopState {
  if (entry.kind === 'started') return firstState(entry, at);
  if (!state) throw new Error(`a journal begins with "started", not with "${entry.kind}"`);
  return { ...advanceKind(state, entry, at), lastAt: at };
}

function advanceKind(state: LoopState, entry: Exclude<Entry, StartedEntry>, at: number): LoopState {
  if (!isOwn(entry)) return advanceChildren(state, entry, at);
  const advanceBy = ADVANCE[entry.kind] as Advance<OwnKind>;
  return advanceBy(state, entry, at);
}

type OwnKind = Exclude<Entry['kind'], 'started' | ChildEntry['kind']>;
type Advance<K extends OwnKind> = (state: LoopState, entry: EntryOf<K>, at: number) => LoopState;

function isOwn(entry: Exclude<Entry, StartedEntry>): entry is EntryOf<OwnKind> {
  return Object.hasOwn(ADVANCE, entry.kind);
}

/** What each kind of entry does to the state; `advanceChildren` does it for those of a run's children. */
const ADVANCE: { readonly [K in OwnKind]: Advance<K> } = {
  stop: advanceStop,
  event: advanceEvent,
  command: advanceCommand,
  guard: advanceGuard,
  allowed: (state, { exception }) => ({ ...state, allowed: [...new Set([...state.allowed, exception])] }),
  asked: advanceAsked,
  answered: advanceAnswered,
  contract: advanceContract,
  reopened: (state, { contractSha256, maxIterations }, at) =>
    state.run ? reopened({ ...state, contractSha256, maxIterations }, at) : state,
  moved: advanceMoved,
  synced: advanceSynced,
  withdrawn: advanceWithdrawn,
  closed: (state) => ({ ...state, closed: true }),
  claimed: advanceClaimed,
  foreign: (state, { lines }) => ({ ...state, foreignLines: state.foreignLines + lines }),
  run_begun: (state, { permissionMode }) =>
    hasEnded(state) || state.run ? state : { ...state, run: runFromSession(permissionMode) },
  intent: advanceIntent,
  result: advanceResult,
  ended: (state, { status, cause, detail }, at) => end(state, status, cause, detail, at),
  said: (state) => state,
  error: (state) => state,
};

function advanceStop(state: LoopState, { seen, verdicts, decision }: EntryOf<'stop'>, at: number): LoopState {
  const seenNow = applyDecision(observe(stopReached(state, at), seen, verdicts, at), decision, at);
  const counted = state.status === 'active' ? withExcuses(seenNow, state, seen, decision) : seenNow;
  const after = agentsAtStop(counted, seen, at);
  return decision.kind === 'block' ? agentsTold(after) : after;
}

function stopReached({ missed: _, ...state }: LoopState, at: number): LoopState {
  return { ...state, stoppedAt: at };
}

/** The gates of another contract were not judged at the start. */
function advanceContract(state: LoopState, entry: EntryOf<'contract'>): LoopState {
  const { contractSha256, maxIterations } = entry;
  const { gates: _, ...base } = state.base;
  return { ...state, contractSha256, maxIterations, base };
}

function advanceGuard(state: LoopState, entry: EntryOf<'guard'>, at: number): LoopState {
  const counted = hasEnded(state) ? state : countAgents(state, entry.subagents);
  return agentGuarded({ ...counted, guarded: guardedAfter(state.guarded, entry) }, entry, at);
}

function advanceWithdrawn(state: LoopState, { cause, detail }: EntryOf<'withdrawn'>, at: number): LoopState {
  const status = cause === 'expired' ? 'reached_limit' : 'cancelled';
  return { ...end(state, status, cause, detail, at), closed: true };
}

/** Keeps your answer, and ends the wait for it. */
function advanceAnswered(state: LoopState, entry: EntryOf<'answered'>, at: number): LoopState {
  const { gate, said, note, digest, option } = entry;
  const isAgents = state.questions?.some(({ name }) => name === gate) === true;
  // A run that ended for want of this answer can go on with it.
  if (hasEnded(state) && !isAgents) return state;
  const answered = {
    said,
    at,
    note: note || undefined,
    digest: digest || undefined,
    ...(option === undefined ? {} : { option }),
    // The agent knows its own decision, and reads your prompt as it is.
    ...(said === 'decided' || said === 'prompted' ? { told: true as const } : {}),
  };
  const after = { ...state, answers: answer(state.answers ?? {}, gate, answered) };
  return hasEnded(state) ? after : goesOnAfter(after, isAgents, at);
}

function goesOnAfter(state: LoopState, isAgents: boolean, at: number): LoopState {
  const { waiting } = state;
  if (questionsForYou(state).length > 0)
    return waiting?.why === 'approval'
      ? { ...state, waiting: { ...waiting, detail: openWords(state) } }
      : state;
  const awake = waiting?.why === 'approval' ? closeWait(state, at) : state;
  if (isAgents) return instructedNext(awake, waiting?.why === 'approval');
  return waiting?.why === 'approval' ? judgedNext(awake) : state;
}

/** Lets a run give your answer to the session that asked. What it left unfinished is not judged before. */
function instructedNext(state: LoopState, waited: boolean): LoopState {
  const last = state.run?.lastEnd;
  if (!state.run || state.run.open || !last) return state;
  const lastEnd = waited ? { ...last, kind: 'completed' as const } : last;
  return { ...state, run: { ...state.run, lastEnd, judged: true } };
}

/** Lets a run judge the work with your answer before it pays for another session. */
function judgedNext(state: LoopState): LoopState {
  const last = state.run?.lastEnd;
  if (!state.run || !last) return state;
  return { ...state, run: { ...state.run, lastEnd: { ...last, kind: 'completed' } } };
}

function advanceSynced(state: LoopState, entry: EntryOf<'synced'>): LoopState {
  if (hasEnded(state)) return state;
  return {
    ...state,
    ...(entry.iteration === undefined ? {} : { iteration: entry.iteration }),
    ...(entry.maxIterations === undefined ? {} : { maxIterations: entry.maxIterations }),
    ...(entry.says === undefined ? {} : { fileIteration: entry.says }),
  };
}

/** Gives the loop to another session. What that session did before does not count, nor does the time in between. */
function advanceClaimed(state: LoopState, entry: EntryOf<'claimed'>, at: number): LoopState {
  if (hasEnded(state)) return state;
  const idle = state.waiting ? state : openWait(state, 'session_ended', state.lastAt);
  const { promptId: _, lastMessage: __, ...rest } = closeWait(idle, at);
  return {
    ...stopReached(rest, at),
    session: entry.session,
    ...NEW_SESSION,
    read: {
      offset: entry.transcriptOffset,
      costTotalUsd: entry.costTotalUsd ?? 0,
      agents: { since: at, files: [] },
    },
  };
}

/** `status` shows a gate that no contract asks for before the first Stop, too. */
const FIRST = { gates: [], iteration: 1 };

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
    stoppedAt: at,
    blocksInARow: 0,
    toolSeen: false,
    emptyAnswers: 0,
    waitedMs: 0,
    background: {},
    spent: { tokens: 0, costUsd: 0 },
    read: { offset: entry.transcriptOffset, costTotalUsd: entry.costTotalUsd ?? 0 },
    gates: entry.changeGate === undefined ? [] : gateLines([unchangedYet(entry.changeGate)], FIRST),
    contractSha256: entry.contractSha256,
    foreignLines: 0,
    foreignTold: 0,
    base: {
      tree: entry.baseTree,
      commit: entry.baseCommit,
      passing: entry.basePassing ? (true as const) : undefined,
      changeGate: entry.changeGate,
      gates: entry.baseGates,
    },
    startedWith: entry.startedWith,
    guarded: {},
    allowed: [],
    run: entry.run && newRun(entry.run),
  };
}

function advanceEvent(before: LoopState, { event, detail = {} }: EntryOf<'event'>, at: number): LoopState {
  const state = event === 'Stop' ? stopReached(before, at) : before;
  if (event === 'SubagentStart' && !hasEnded(state)) return agentBegun(state, detail, at);
  if (event === 'SubagentStop' && state.status === 'paused') return agentLeft(state, detail);
  if (state.status !== 'active') return state;
  if (detail.agent !== undefined && OF_THE_SESSION.has(event)) return advanceInsideAgent(state, event);
  switch (event) {
    case 'SessionStart':
      return sessionBegun(state, detail.source === 'compact', at);
    case 'SessionEnd':
      // The loop still waits for you after its session has ended.
      return asksPerson(state) ? state : wait(state, 'session_ended', at, detail.reason);
    case 'StopFailure':
      return wait(state, 'api_error', at, detail.error);
    case 'Stop':
      // A Stop was held without being judged: Claude Code counts it among the holds in a row.
      return detail.held === undefined ? state : { ...state, blocksInARow: state.blocksInARow + 1 };
    case MISSED_STOP:
      return { ...state, missed: { at: missedAt(detail) ?? at } };
    case 'PreToolUse':
      return { ...closeWait(state, at), toolSeen: true };
    case 'PermissionDenied':
      return deniedIn(state, detail.what ?? '');
    case 'UserPromptSubmit':
      return withAnswersTold(closeWait(state, at));
    default:
      return state;
  }
}

function sessionBegun(before: LoopState, isCompacted: boolean, at: number): LoopState {
  const state = isCompacted ? compacted(before) : before;
  // The session is there again, but the agent asked you something, and waits for a prompt.
  if (asksPerson(state) && questionsForYou(state).length > 0) return state;
  if (isCompacted || state.waiting) return closeWait(state, at);
  // Claude Code was killed and sent no SessionEnd: the time since the last line was no working time.
  return closeWait(openWait(state, 'session_ended', state.lastAt), at);
}

/** Events that tell whether the session works or waits, unless they come from inside a subagent. */
const OF_THE_SESSION = new Set([
  'PreToolUse',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'StopFailure',
]);

/** Notes an event from inside a subagent. The session itself may wait for it meanwhile, and goes on waiting. */
function advanceInsideAgent(state: LoopState, event: string): LoopState {
  return event === 'PreToolUse' ? { ...state, agentToolSeen: true } : state;
}

/** Marks all answers as told: they go to the agent with the prompt. */
function withAnswersTold(state: LoopState): LoopState {
  return state.answers ? { ...state, answers: allTold(state.answers) } : state;
}

/** Notes a compaction: a run hands over to a fresh session after one. */
function compacted(state: LoopState): LoopState {
  return state.run ? { ...state, run: { ...state.run, compacted: true } } : state;
}

function wait(state: LoopState, why: WaitCause, at: number, detail: string | undefined): LoopState {
  return openWait(state, why, state.waiting?.since ?? at, detail);
}

const BY_PERSON = 'by a person';

function advanceCommand(state: LoopState, { command, note }: EntryOf<'command'>, at: number): LoopState {
  if (hasEnded(state)) return state;
  switch (command) {
    case 'pause':
      return state.status === 'paused' ? state : { ...openWait(state, 'paused', at, note), status: 'paused' };
    case 'resume':
      return state.status === 'paused'
        ? waitingForApi(waitingAgain({ ...takenUp(closeWait(state, at)), status: 'active' }, at), at)
        : state;
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
