import type { Phase } from '../core/contract/contract.ts';
import { questionsForYou } from '../core/loop/asked.ts';
import type { StopSeen } from '../core/loop/count-stop.ts';
import type { HookEvent } from '../core/loop/event.ts';
import { gatesOfPhase, nextPhase, phaseOf } from '../core/loop/phases.ts';
import { callsFor, planGates } from '../core/loop/plan-gates.ts';
import type { LoopState } from '../core/loop/state.ts';
import { blocks } from '../core/loop/verdict.ts';
import type { Judged, JudgedSession } from '../ports/judging.ts';
import type { LoopRef } from '../ports/ports.ts';
import { judgeEvent, type SeenTurn } from './judge-event.ts';
import type { Ports } from './ports.ts';

/**
 * Judges a Stop phase by phase, beginning with the current phase. The next phase is judged only when everything passes.
 * So work that is ahead of its phase is not sent back, and no session is held for a later phase.
 */
export async function judgeStop(
  event: HookEvent,
  ref: LoopRef,
  state: LoopState,
  seen: SeenTurn,
  ports: Ports,
): Promise<Judged & { phase?: NonNullable<StopSeen['phase']> }> {
  const { contract } = ports.store.contract(ref);
  let phase = phaseOf(contract, state);
  const turn: SeenTurn = {
    ...seen,
    toolRan: seen.toolRan || state.toolSeen || state.agentToolSeen === true,
    unpaid: questionsForYou(state).length > 0 ? true : undefined,
  };
  const session = judgedLoop(ref, state, ports);
  if (!phase) return judgeEvent(event, planGates(event, contract), session, turn, ports);
  const began = ports.clock.now();
  const passed: string[] = [];
  let found: Found = { verdicts: [], still: new Set() };
  for (;;) {
    const names = [...new Set([...gatesOfPhase(contract, phase), ...(contract.everyStop?.gates ?? [])])];
    const before = found;
    let due = notJudged(before, names);
    while (due.length > 0) {
      const left = withTimeSpent(session, ports.clock.now() - began);
      const judged = await judgeEvent(event, callsFor(due, contract), left, turn, ports);
      found = withJudged(before, judged);
      // The others were judged on another tree.
      due = due.length < names.length && judged.tree !== before.tree ? names : [];
    }
    const next = nextPhase(contract, phase);
    if (!next || found.verdicts.some((v) => blocks(v) || v.letGo !== undefined)) {
      const unheard = phase.instruction !== undefined && (passed.length > 0 || isUntold(phase, state));
      const { still: _, ...judged } = found;
      const asks = next !== undefined && found.verdicts.filter(blocks).every((v) => v.asks !== undefined);
      const place = {
        name: phase.name,
        passed,
        unheard: unheard || undefined,
        asks: asks || undefined,
      };
      return { ...judged, phase: place };
    }
    passed.push(phase.name);
    phase = next;
  }
}

/** Whether the agent was not told of a phase yet: it began at a Stop that was not answered with a hold. */
function isUntold({ name }: Phase, { phase }: LoopState): boolean {
  return phase?.name === name && phase.iteration === 0;
}

/** The verdicts of one Stop so far. */
interface Found extends Judged {
  /** The gates that were judged on the current tree. */
  still: ReadonlySet<string>;
}

/** The gates that are still to be judged at this Stop. While the tree stays the same, no gate is judged twice. */
function notJudged({ tree, still }: Found, names: readonly string[]): readonly string[] {
  return tree === undefined ? names : names.filter((name) => !still.has(name));
}

function withJudged(before: Found, judged: Judged): Found {
  const isSameTree = before.tree !== undefined && judged.tree === before.tree;
  const found = judged.verdicts.map(({ gate }) => gate);
  const verdicts = [...before.verdicts, ...judged.verdicts].map(
    (verdict) => [verdict.gate, verdict] as const,
  );
  return {
    // Judging a promise needs no tree. Then the tree of the other gates still counts.
    tree: judged.tree ?? before.tree,
    took: { ...before.took, ...judged.took },
    verdicts: [...new Map(verdicts).values()],
    still: new Set(isSameTree ? [...before.still, ...found] : found),
  };
}

/** A loop as gates see it. */
export function judgedLoop(ref: LoopRef, state: LoopState, { store }: Pick<Ports, 'store'>): JudgedSession {
  const { contract, frozen } = store.contract(ref);
  return {
    contract,
    frozen,
    session: state.session,
    task: store.task(ref),
    outputDir: store.outputDir(ref),
    base: state.base,
    allowed: state.allowed,
    answers: state.answers ?? {},
    agents: state.agents ?? [],
    loop: {
      startedAt: state.startedAt,
      iteration: state.iteration,
      tokens: state.spent.tokens,
      costUsd: state.spent.costUsd,
    },
    cache: store.cache(ref),
  };
}

/** All phases of one Stop share the time for judging. */
function withTimeSpent(session: JudgedSession, spentMs: number): JudgedSession {
  const { frozen } = session;
  return { ...session, frozen: { ...frozen, judgeMs: Math.max(1, frozen.judgeMs - spentMs) } };
}
