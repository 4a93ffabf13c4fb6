import type { Limits } from '../contract/contract.ts';
import { evidenceOf, ladderOf, restsOn } from '../proof/ladder.ts';
import { oneLine } from '../text/clip.ts';
import { sayCount, sayUsed } from '../text/figures.ts';
import { openWords, questionsForYou } from './asked.ts';
import { EMPTY_MESSAGE, observe, type StopSeen } from './count-stop.ts';
import { type Excuse, excuse, lastWait } from './excuses.ts';
import { type ReachedLimit, reachedLimit, UNIT_OF, withoutIterations } from './limits.ts';
import { nothingWasMeasured, restsOnClaims } from './since-start.ts';
import type { Decision, Ending, LoopState } from './state.ts';
import { blocks, sumUp, type Verdict } from './verdict.ts';

const DETAIL_LIMIT = 500;

/**
 * Decides about one Stop of the session that owns the loop. Pure: the same facts give the same decision.
 * Success wins over everything. Then what excuses an unfinished Stop, as long as money, tokens and time last; then what ends
 * the loop; else it is held.
 */
export function decide(
  before: LoopState,
  seen: StopSeen,
  verdicts: readonly Verdict[],
  limits: Limits,
  now: number,
): Decision {
  if (before.status === 'paused') return { kind: 'allow', cause: 'paused' };
  if (before.status !== 'active') return { kind: 'allow', cause: 'ended' };
  if (seen.contractReplaced) {
    return ending('failed', 'contract_replaced', 'the frozen contract of this loop was changed');
  }
  const state = observe(before, seen, verdicts, now);
  if (seen.needsPerson !== undefined) {
    const detail = seen.needsPerson;
    return (
      outOfMeans(state, limits, now) ?? { kind: 'allow', cause: 'needs_person', wait: 'needs_person', detail }
    );
  }
  const asked = isClaimedUnchanged(before, verdicts)
    ? verdicts.filter((v) => v.gate !== before.base.changeGate)
    : verdicts;
  const over =
    askedToEnd(verdicts) ?? success(before, asked, asked.length < verdicts.length || isAsItWas(state, seen));
  if (over) return over;
  const wait =
    agentsQuestion(before, seen, asked) ?? question(seen, asked) ?? excuse(state, seen, limits, now);
  if (wait) return wait.kind === 'allow' ? withinMeans(wait, state, seen, limits, now) : wait;
  return (
    exhaustion(state, seen, verdicts, limits, now) ??
    handOver(state, seen, limits) ?? {
      kind: 'block',
      instruction: stallOf(state, verdicts, limits).stage === 'last_call' ? 'different_approach' : 'continue',
    }
  );
}

/** A hook of yours that answers `continue: false` beats everything, as it does in Claude Code. */
function askedToEnd(verdicts: readonly Verdict[]): Decision | undefined {
  const letGo = verdicts.find((v) => v.letGo)?.letGo;
  return letGo === undefined ? undefined : ending('released', 'hook', letGo);
}

/**
 * Whether the agent insists that the task needs no change. It was held once because nothing was changed, and now the rest
 * passes by a word that could not be given at the start: a promise, a model's or yours. Where nothing was judged at the
 * start, stopping again says enough.
 */
function isClaimedUnchanged({ base, gates, iteration }: LoopState, verdicts: readonly Verdict[]): boolean {
  const unchanged = verdicts.find((v) => v.gate === base.changeGate && blocks(v));
  const told = gates.find((line) => line.name === base.changeGate);
  if (!unchanged || told?.verdict !== unchanged.outcome || told.since >= iteration) return false;
  return base.passing !== true || verdicts.some((v) => v.asks !== undefined || isWordOfSomebody(v));
}

function isWordOfSomebody({ outcome, class: given, kind, children = [] }: Verdict): boolean {
  if (outcome !== 'pass') return false;
  return given === 'judged' || kind === 'promise' || children.some(isWordOfSomebody);
}

function success(
  { allowed, base }: LoopState,
  verdicts: readonly Verdict[],
  nothingChanged: boolean,
): Decision | undefined {
  const passed = verdicts.filter((v) => v.outcome === 'pass').map((v) => v.gate);
  const claims = restsOnClaims(base.gates, verdicts);
  switch (sumUp(verdicts).result) {
    case 'verified':
      if (nothingChanged) return ending('claimed_done', 'nothing_changed', passed.join(', '));
      if (claims) return ending('claimed_done', 'claims_moved', claims.join(', '));
      if (nothingWasMeasured(base.gates, verdicts))
        return ending('claimed_done', 'nothing_to_miss', passed.join(', '));
      return {
        kind: 'end',
        status: 'verified_done',
        cause: 'gates_passed',
        detail: passed.join(', '),
        rests: restsOn(ladderOf(verdicts.map(evidenceOf), { allowed })),
      };
    case 'claimed':
      return ending('claimed_done', claimCause(verdicts), passed.join(', '));
    case 'unproven':
      return { kind: 'end', status: 'released', cause: 'unproven_allowed', detail: unprovenOf(verdicts) };
    case 'nothing_judged':
      return { kind: 'end', status: 'released', cause: 'nothing_judged', detail: 'every gate was skipped' };
    case 'failing':
      return undefined;
  }
}

/** What an ending rests on when nothing was measured. */
function claimCause(verdicts: readonly Verdict[]): string {
  const judged = verdicts.filter((v) => v.class === 'judged' && v.outcome === 'pass').flatMap(leaves);
  if (judged.length === 0) return 'claim_only';
  return judged.every((v) => v.kind === 'approve') ? 'approved_only' : 'judged_only';
}

function leaves(verdict: Verdict): Verdict[] {
  if (!verdict.children) return [verdict];
  const { children } = verdict;
  return children.filter((v) => v.class === 'judged' && v.outcome === 'pass').flatMap(leaves);
}

/** The agent cannot go on without you, and says so. Nothing that is unfinished counts against it until you answer. */
function agentsQuestion(
  state: LoopState,
  seen: StopSeen,
  verdicts: readonly Verdict[],
): Decision | undefined {
  const open = questionsForYou(state);
  if (open.length === 0) return undefined;
  const asked = openWords(state);
  if (open.some(({ policy }) => policy === 'end')) return ending('released', 'needs_person', asked);
  const gates = question(seen, verdicts);
  const beside = gates && 'detail' in gates ? gates.detail : undefined;
  const detail = oneLine([asked, beside].filter(Boolean).join('; '), DETAIL_LIMIT);
  return { kind: 'allow', cause: 'approval', wait: 'approval', detail };
}

/**
 * Asks you when only questions are open. The agent is not held for them. A phase is not asked about before it began. A gate
 * that waits for the others to pass is no failure: it is judged after your answer.
 */
function question({ phase }: StopSeen, verdicts: readonly Verdict[]): Decision | undefined {
  if (phase?.unheard) return undefined;
  // In a phase that ends with a question, verdicts of a foreign format do not count: they are about the whole task.
  const blocking = sumUp(verdicts).blocking.filter((v) => !v.waits && (!phase?.asks || v.asks !== undefined));
  if (blocking.length === 0 || blocking.some((v) => v.asks === undefined)) return undefined;
  const asked = new Set(blocking.flatMap(questionsIn).map((v) => `${v.gate}: ${v.asks}`));
  return {
    kind: 'allow',
    cause: 'approval',
    wait: 'approval',
    detail: oneLine([...asked].join('; '), DETAIL_LIMIT),
  };
}

/** The gates that ask, inside `all`, `any` and chunks, too: each is answered by its own name. */
function questionsIn(verdict: Verdict): Verdict[] {
  const inside = (verdict.children ?? []).filter((v) => blocks(v) && v.asks !== undefined);
  return inside.length === 0 ? [verdict] : inside.flatMap(questionsIn);
}

/**
 * Whether the tree is still the start tree, on which everything that can be measured passed: that proves no work. For
 * loops that an older version began; later ones have a gate that asks for a change.
 */
function isAsItWas(state: LoopState, seen: StopSeen): boolean {
  return state.base.passing === true && seen.tree !== undefined && seen.tree === state.base.tree;
}

function unprovenOf(verdicts: readonly Verdict[]): string {
  const unproven = verdicts.filter((v) => v.outcome === 'unproven');
  return oneLine(unproven.map((v) => `${v.gate}: ${v.summary}`).join('; '), DETAIL_LIMIT);
}

function withinMeans(wait: Excuse, state: LoopState, seen: StopSeen, limits: Limits, now: number): Decision {
  const over = outOfMeans(state, limits, now);
  return (over && lastWait(wait, state, seen)) ?? over ?? wait;
}

/** Money, tokens and time count whatever a session waits for. Iterations do not: only a hold is one. */
function outOfMeans(state: LoopState, limits: Limits, now: number): Decision | undefined {
  return limitEnding(state, withoutIterations(limits), now);
}

function limitEnding(state: LoopState, limits: Limits, now: number): Decision | undefined {
  const limit = reachedLimit(state, limits, now);
  return limit && ending('reached_limit', limit.cause, limitDetail(limit, limits));
}

/** Ends a session of a run that is full, after asking it for a hand-over note. */
function handOver(state: LoopState, seen: StopSeen, limits: Limits): Decision | undefined {
  const run = state.run;
  if (!run || run.mode === 'session') return undefined;
  const note = seen.note ?? '';
  if (run.mode === 'fresh')
    return { kind: 'allow', cause: 'hand_over', detail: 'a fresh session goes on', note };
  if (run.handOver === 'asked')
    return { kind: 'allow', cause: 'hand_over', detail: 'the note is written', note };
  const full = (seen.contextShare ?? 0) >= limits.context;
  const old = run.freshEvery !== undefined && run.heldInSession + 1 >= run.freshEvery;
  return full || old || run.compacted ? { kind: 'block', instruction: 'hand_over' } : undefined;
}

function exhaustion(
  state: LoopState,
  seen: StopSeen,
  verdicts: readonly Verdict[],
  limits: Limits,
  now: number,
): Decision | undefined {
  if (seen.message === EMPTY_MESSAGE && state.emptyAnswers >= limits.emptyAnswers) {
    return ending('idle', 'empty_answers', `${state.emptyAnswers} empty answers in a row`);
  }
  const limit = limitEnding(state, limits, now);
  if (limit) return limit;
  const stall = stallOf(state, verdicts, limits);
  if (stall.stage === 'stalled') return ending('stalled', stall.cause, `${stall.times} times`);
  // Claude Code overrides the next hold, and that would look like success.
  if (seen.blockCap > 0 && state.blocksInARow >= seen.blockCap)
    return ending('stalled', 'no_tool_call', `held ${state.blocksInARow} times`);
  return undefined;
}

function ending(status: Ending, cause: string, detail: string): Decision {
  return { kind: 'end', status, cause, detail };
}

function limitDetail({ cause, used, limit, bySubagents }: ReachedLimit, { phase }: Limits): string {
  const amount = sayUsed(used, limit, UNIT_OF[cause]);
  switch (cause) {
    case 'iterations':
      return `iteration ${amount}`;
    case 'phase_iterations':
      return `phase ${phase?.name}: iteration ${amount}`;
    case 'phase_duration':
      return `phase ${phase?.name}: ${amount}`;
    default:
      return `${amount}${bySubagents ? `, of these ${sayCount(bySubagents)} by subagents` : ''}`;
  }
}

type Stall =
  | { stage: 'moving' }
  /** The last hold before the loop ends: it asks for a different approach. */
  | { stage: 'last_call'; times: number }
  | { stage: 'stalled'; cause: 'same_failure' | 'same_failure_changing' | 'same_message'; times: number };

/**
 * Whether the loop stalls. The same failure counts where something was measured or the tree is known. Where there is only
 * the agent's word, the same final message counts.
 */
function stallOf(state: LoopState, verdicts: readonly Verdict[], limits: Limits): Stall {
  const measured = verdicts.some((v) => v.class === 'measured' && v.outcome !== 'skip');
  if (!measured && state.picture?.tree === undefined)
    return stage(state.lastMessage?.times ?? 0, limits.stallMessages, 'same_message');
  const picture = state.picture;
  if (!picture) return { stage: 'moving' };
  const still = stage(picture.timesSameTree, limits.stall, 'same_failure');
  const changing = stage(picture.times, limits.stallChanging, 'same_failure_changing');
  return rank(changing) > rank(still) ? changing : still;
}

function stage(
  times: number,
  allowed: number,
  cause: 'same_failure' | 'same_failure_changing' | 'same_message',
): Stall {
  if (times > allowed) return { stage: 'stalled', cause, times };
  if (times === allowed) return { stage: 'last_call', times };
  return { stage: 'moving' };
}

function rank(stall: Stall): number {
  return ['moving', 'last_call', 'stalled'].indexOf(stall.stage);
}
