import { keepShort, oneLine } from '../text/clip.ts';
import { afterProgress, questionsForYou } from './asked.ts';
import { elapsedMs } from './limits.ts';
import { countIteration } from './phases.ts';
import { allTold } from './questions.ts';
import { closeWait, type Decision, end, type GateLine, hasEnded, type LoopState, openWait } from './state.ts';
import { countAgents, type FileUsage } from './subagent-usage.ts';
import { blocks, fingerprint, type Verdict } from './verdict.ts';

/** The facts of one Stop, as the journal keeps them. */
export interface StopSeen {
  promptId?: string;
  stopHookActive: boolean;
  /** Fingerprint of the final message; `empty` for an empty one; absent when it could not be read. */
  message?: string;
  toolSinceBlock: boolean;
  /** Holds in a row by any hook, as the transcript shows them; absent when it shows none. */
  heldInARow?: number;
  background: SeenTask[];
  /** `once`: single ones that are due soon; `later`: those that are not. */
  wakeUps: { once: number; recurring: number; later?: number };
  contextShare?: number;
  tree?: string;
  /** Lines in the journal that untildone did not write, and that the agent has not been told about. */
  foreignLines?: number;
  /** `untildone.yaml` was changed since the loop started. */
  contractFileChanged?: true;
  /** `contract.json` of the loop was changed since the loop started. */
  contractReplaced?: true;
  /** What only a person can do, when gates cannot be judged without it. */
  needsPerson?: string;
  /** Of a contract with phases: the phase that the loop is in now, and those that ended at this Stop (`passed`). */
  phase?: {
    name: string;
    passed: string[];
    /** The agent has not been told the instruction of this phase yet. */
    unheard?: true;
    /** Only questions to a person are open in it, and it is not the last phase. */
    asks?: true;
  };
  /** Of a run: the final message, which becomes the hand-over note. */
  note?: string;
  /** How many holds in a row Claude Code allows; 0: no limit. */
  blockCap: number;
  usage?: { offset: number; tokens: number; lastMessageId?: string; costTotalUsd?: number };
  /** What was found in the transcripts of the session's subagents. */
  subagents?: FileUsage[];
}

export interface SeenTask {
  id: string;
  type: string;
}

export const EMPTY_MESSAGE = 'empty';

export function messageFingerprint(message: string | undefined): string | undefined {
  if (message === undefined) return undefined;
  const text = message.trim();
  return text === '' ? EMPTY_MESSAGE : fingerprint(text);
}

/** Names which gates fail and how; the same failures give the same fingerprint. Undefined when none fails. */
export function failureFingerprint(verdicts: readonly Verdict[]): string | undefined {
  const failing = verdicts.filter(blocks);
  if (failing.length === 0) return undefined;
  // What only waits for other gates says nothing of its own.
  const telling = failing.some(({ waits }) => !waits) ? failing.filter(({ waits }) => !waits) : failing;
  return fingerprint(telling.map((v) => `${v.gate} ${v.outcome} ${v.fingerprint ?? v.summary}`).join('\n'));
}

/** Counts a Stop into the state, before it is decided. */
export function observe(
  state: LoopState,
  seen: StopSeen,
  verdicts: readonly Verdict[],
  at: number,
): LoopState {
  if (state.status !== 'active') return state;
  const awake = countAgents(closeWait(state, at), seen.subagents);
  const toolUsed = seen.toolSinceBlock || state.toolSeen;
  const own = seen.promptId === state.promptId ? state.blocksInARow : 0;
  // The agent stops for an answer: neither what it says then nor what still fails counts against it.
  const asks = questionsForYou(state).length > 0;
  return {
    ...awake,
    ...(seen.promptId === undefined ? {} : { promptId: seen.promptId }),
    // Claude Code counts the holds of all hooks together.
    blocksInARow: toolUsed ? 0 : Math.max(own, seen.heldInARow ?? 0),
    ...(asks ? {} : { ...countMessage(state, seen.message), ...countPicture(state, seen, verdicts) }),
    background: Object.fromEntries(seen.background.map((t) => [t.id, firstSeen(state, t.id) ?? at])),
    ...countUsage(awake, seen.usage, judgingCost(verdicts)),
    ...phaseAfter(awake, seen, at),
    foreignTold: state.foreignTold + (seen.foreignLines ?? 0),
    gates: gateLines(verdicts, state),
  };
}

function phaseAfter(state: LoopState, { phase }: StopSeen, at: number): Partial<LoopState> {
  if (!phase || state.phase?.name === phase.name) return {};
  const isFirst = state.phase === undefined && phase.passed.length === 0;
  if (isFirst) return { phase: { name: phase.name, iteration: state.iteration, since: 0 } };
  return { phase: { name: phase.name, iteration: 0, since: elapsedMs(state, at) } };
}

const NEXT_LIMIT = 1000;
const PART_LIMIT = 200;

/** The verdicts for the state. Only the next step that the agent is told is kept, to keep journal lines short. */
export function gateLines(
  verdicts: readonly Verdict[],
  state: Pick<LoopState, 'gates' | 'iteration'>,
): GateLine[] {
  const first = verdicts.find((v) => blocks(v) && v.next);
  return verdicts.map((v) => ({
    ...gateLine(v, state),
    ...(v === first && v.next ? { next: keepShort(v.next, NEXT_LIMIT) } : {}),
  }));
}

function gateLine(verdict: Verdict, state: Pick<LoopState, 'gates' | 'iteration'>): GateLine {
  const { gate, outcome, summary, fingerprint } = verdict;
  const before = state.gates.find((line) => line.name === gate);
  const same =
    before?.verdict === outcome && before.fingerprint === fingerprint && before.summary === summary;
  return {
    name: gate,
    class: verdict.class,
    verdict: outcome,
    summary,
    fingerprint,
    since: same ? before.since : state.iteration,
    parts: verdict.kind === 'chunks' ? (verdict.children ?? []).map(partLine) : undefined,
  };
}

function partLine({ gate, outcome, summary }: Verdict): NonNullable<GateLine['parts']>[number] {
  return { name: gate, verdict: outcome, summary: oneLine(summary, PART_LIMIT) };
}

/** Reads own properties only: a task id from Claude Code may be a name that every object inherits. */
export function firstSeen(state: LoopState, task: string): number | undefined {
  return Object.hasOwn(state.background, task) ? state.background[task] : undefined;
}

function countMessage(state: LoopState, message: string | undefined): Partial<LoopState> {
  if (message === undefined) return {};
  const same = state.lastMessage?.fingerprint === message;
  return {
    emptyAnswers: message === EMPTY_MESSAGE ? state.emptyAnswers + 1 : 0,
    lastMessage: { fingerprint: message, times: same ? (state.lastMessage?.times ?? 0) + 1 : 1 },
  };
}

function countPicture(state: LoopState, seen: StopSeen, verdicts: readonly Verdict[]): Partial<LoopState> {
  const picture = failureFingerprint(verdicts);
  if (picture === undefined) return {};
  const before = state.picture?.fingerprint === picture ? state.picture : undefined;
  const sameTree = before !== undefined && seen.tree !== undefined && before.tree === seen.tree;
  const isNew = state.picture !== undefined && before === undefined;
  return {
    ...(isNew || (seen.phase?.passed ?? []).length > 0 ? afterProgress(state) : {}),
    picture: {
      fingerprint: picture,
      times: (before?.times ?? 0) + 1,
      timesSameTree: sameTree ? before.timesSameTree + 1 : 1,
      tree: seen.tree,
    },
  };
}

/** The cost of asking models at this Stop; a re-used verdict was paid for before. */
function judgingCost(verdicts: readonly Verdict[]): number {
  return verdicts.reduce(
    (sum, v) => sum + (v.reused ? 0 : (v.proof?.costUsd ?? 0)) + judgingCost(v.children ?? []),
    0,
  );
}

function countUsage(state: LoopState, usage: StopSeen['usage'], judging: number): Partial<LoopState> {
  if (!usage)
    return judging === 0 ? {} : { spent: { ...state.spent, costUsd: state.spent.costUsd + judging } };
  const { costTotalUsd: before } = state.read;
  // A run counts the cost that its sessions report at their end.
  const total = state.run ? before : (usage.costTotalUsd ?? before);
  // The total of Claude Code goes on over resume and fork: only the growth since the loop started counts.
  const added = total === undefined || before === undefined ? 0 : Math.max(0, total - before);
  return {
    ...countedInSession(state, usage.tokens),
    spent: {
      ...state.spent,
      tokens: state.spent.tokens + usage.tokens,
      costUsd: state.spent.costUsd + added + judging,
    },
    read: {
      ...state.read,
      offset: usage.offset,
      lastMessageId: usage.lastMessageId,
      costTotalUsd: total,
    },
  };
}

/** The state after the decision about a Stop that `observe` has counted. */
export function applyDecision(state: LoopState, decision: Decision, at: number): LoopState {
  if (hasEnded(state)) return state;
  switch (decision.kind) {
    case 'block':
      return applyToRun(
        {
          // Asking for a hand-over note is no iteration.
          ...(decision.instruction === 'hand_over' ? state : countIteration(state)),
          blocksInARow: state.blocksInARow + 1,
          toolSeen: false,
          agentToolSeen: undefined,
          ...(state.answers ? { answers: allTold(state.answers) } : {}),
        },
        decision,
      );
    case 'end':
      return withRests(end(state, decision.status, decision.cause, decision.detail, at), decision.rests);
    case 'allow':
      if (decision.cause === 'hand_over') return applyToRun(state, decision);
      return decision.wait ? openWait(state, decision.wait, at, decision.detail) : state;
  }
}

/** The ended loop with what its ending rests on. */
function withRests(state: LoopState, rests: string | undefined): LoopState {
  return state.ending && rests !== undefined ? { ...state, ending: { ...state.ending, rests } } : state;
}

function applyToRun(state: LoopState, decision: Decision): LoopState {
  const { run } = state;
  if (!run) return state;
  if (decision.kind === 'allow' && decision.cause === 'hand_over') {
    return { ...state, run: { ...run, handOver: 'given', note: decision.note } };
  }
  if (decision.kind !== 'block') return state;
  const asked = decision.instruction === 'hand_over' ? { handOver: 'asked' as const } : {};
  const judged = run.open ? {} : { judged: true as const };
  // A session that reaches a Stop works: earlier failures no longer count.
  return {
    ...state,
    run: { ...run, heldInSession: run.heldInSession + 1, failures: 0, ...asked, ...judged },
  };
}

/** Remembers what Stops counted: the total that a session reports at its end includes it. */
function countedInSession({ run }: LoopState, tokens: number): Partial<LoopState> {
  if (!run) return {};
  return { run: { ...run, counted: { ...run.counted, tokens: run.counted.tokens + tokens } } };
}
