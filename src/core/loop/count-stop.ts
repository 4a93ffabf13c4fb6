import { keepShort, oneLine } from '../text/clip.ts';
import { elapsedMs } from './limits.ts';
import { countIteration } from './phases.ts';
import { allTold } from './questions.ts';
import { closeWait, type Decision, end, type GateLine, hasEnded, type LoopState, openWait } from './state.ts';
import { blocks, fingerprint, type Verdict } from './verdict.ts';

/** What was seen around one Stop, as the journal keeps it: facts, no judgement. */
export interface StopSeen {
  promptId?: string;
  stopHookActive: boolean;
  /** Fingerprint of the final message; `empty` for an empty one; absent when it could not be had. */
  message?: string;
  toolSinceBlock: boolean;
  background: SeenTask[];
  wakeUps: { once: number; recurring: number };
  contextShare?: number;
  tree?: string;
  /** Lines in the journal that we did not write and that nobody was told about yet. */
  foreignLines?: number;
  /** `untildone.yaml` is not what it was when the loop began. */
  contractFileChanged?: true;
  /** `contract.json` of the loop is not the one it began with. */
  contractReplaced?: true;
  /** Something only a person can do keeps the gates from being judged. */
  needsPerson?: string;
  /** Of a contract with phases: the one that the work is in now, and those that it has just left behind. */
  phase?: {
    name: string;
    passed: string[];
    /** It says what is to be done, and the agent has not been told that yet. */
    unheard?: true;
    /** Nothing of it is open but what only a person can say, and others come after it. */
    asks?: true;
  };
  /** Of a run: the final message, as what the next session should know. */
  note?: string;
  /** The client's cap on blocks in a row; 0 is none. */
  blockCap: number;
  usage?: { offset: number; tokens: number; lastMessageId?: string; costTotalUsd?: number };
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

/** The failing picture: which gates fail and how, without what changes from run to run. */
export function failureFingerprint(verdicts: readonly Verdict[]): string | undefined {
  const failing = verdicts.filter(blocks);
  if (failing.length === 0) return undefined;
  return fingerprint(failing.map((v) => `${v.gate} ${v.outcome} ${v.fingerprint ?? v.summary}`).join('\n'));
}

/** The state with one more Stop counted in, before anything is decided about it. */
export function observe(
  state: LoopState,
  seen: StopSeen,
  verdicts: readonly Verdict[],
  at: number,
): LoopState {
  if (state.status !== 'active') return state;
  const awake = closeWait(state, at);
  const sameRow = !seen.toolSinceBlock && !state.toolSeen && seen.promptId === state.promptId;
  return {
    ...awake,
    ...(seen.promptId === undefined ? {} : { promptId: seen.promptId }),
    blocksInARow: sameRow ? state.blocksInARow : 0,
    ...countMessage(state, seen.message),
    ...countPicture(state, seen, verdicts),
    background: Object.fromEntries(seen.background.map((t) => [t.id, firstSeen(state, t.id) ?? at])),
    ...countUsage(state, seen.usage, judgingCost(verdicts)),
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

/** Every line of the journal holds these: of the instructions, the one that is given. */
function gateLines(verdicts: readonly Verdict[], state: LoopState): GateLine[] {
  const first = verdicts.find((v) => blocks(v) && v.next);
  return verdicts.map((v) => ({
    ...gateLine(v, state),
    ...(v === first && v.next ? { next: keepShort(v.next, NEXT_LIMIT) } : {}),
  }));
}

function gateLine(verdict: Verdict, state: LoopState): GateLine {
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

/** Ids come from outside: only what was counted counts, not what every object inherits. */
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
  return {
    picture: {
      fingerprint: picture,
      times: (before?.times ?? 0) + 1,
      timesSameTree: sameTree ? before.timesSameTree + 1 : 1,
      tree: seen.tree,
    },
  };
}

/** What asking models cost at this very Stop; a verdict that is used again was paid for before. */
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
  // A run counts cost by what its sessions themselves report at their end.
  const total = state.run ? before : (usage.costTotalUsd ?? before);
  // The client's total goes on over resume and fork; only what was added since the loop began is the loop's.
  const added = total === undefined || before === undefined ? 0 : Math.max(0, total - before);
  return {
    ...countedInSession(state, usage.tokens),
    spent: {
      ...state.spent,
      tokens: state.spent.tokens + usage.tokens,
      costUsd: state.spent.costUsd + added + judging,
    },
    read: {
      offset: usage.offset,
      lastMessageId: usage.lastMessageId,
      costTotalUsd: total,
    },
  };
}

/** The state after the decision about an observed Stop. */
export function applyDecision(state: LoopState, decision: Decision, at: number): LoopState {
  if (hasEnded(state)) return state;
  switch (decision.kind) {
    case 'block':
      return applyToRun(
        {
          // Asking for a hand-over note is no further try.
          ...(decision.instruction === 'hand_over' ? state : countIteration(state)),
          blocksInARow: state.blocksInARow + 1,
          toolSeen: false,
          ...(state.answers ? { answers: allTold(state.answers) } : {}),
        },
        decision,
      );
    case 'end':
      return end(state, decision.status, decision.cause, decision.detail, at);
    case 'allow':
      if (decision.cause === 'hand_over') return applyToRun(state, decision);
      return decision.wait ? openWait(state, decision.wait, at, decision.detail) : state;
  }
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
  // A session that came as far as a Stop works: what failed before is over.
  return {
    ...state,
    run: { ...run, heldInSession: run.heldInSession + 1, failures: 0, ...asked, ...judged },
  };
}

/** A session's own total at its end includes what its Stops counted. */
function countedInSession({ run }: LoopState, tokens: number): Partial<LoopState> {
  if (!run) return {};
  return { run: { ...run, counted: { ...run.counted, tokens: run.counted.tokens + tokens } } };
}
