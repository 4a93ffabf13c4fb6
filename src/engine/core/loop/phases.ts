import type { Contract, Limits, Phase } from '../contract/contract.ts';
import type { Chunk } from '../contract/gate-options.ts';
import type { PhaseState } from './state.ts';
import { blocks, type Outcome, strongestClass, type Verdict } from './verdict.ts';

export function countIteration<Counted extends { iteration: number; phase?: PhaseState }>(
  state: Counted,
): Counted {
  const { iteration, phase } = state;
  return {
    ...state,
    iteration: iteration + 1,
    ...(phase ? { phase: { ...phase, iteration: phase.iteration + 1 } } : {}),
  };
}

/** What the agent is told about a phase. */
export interface PhaseSituation {
  name: string;
  number: number;
  of: number;
  instruction?: string;
  next?: string;
}

/** The phase that a loop is in; undefined for a contract without phases. */
export function phaseOf(
  contract: Pick<Contract, 'phases'>,
  state: { phase?: PhaseState },
): Phase | undefined {
  const { phases } = contract;
  return phases?.find(({ name }) => name === state.phase?.name) ?? phases?.[0];
}

export function nextPhase({ phases = [] }: Pick<Contract, 'phases'>, phase: Phase): Phase | undefined {
  return phases[phases.indexOf(phase) + 1];
}

/**
 * The gates that end a phase: its exit gates and the entry gates of the next one. The last phase is judged by all of
 * `done`, so that everything passes on one tree.
 */
export function gatesOfPhase(contract: Pick<Contract, 'phases' | 'done'>, phase: Phase): string[] {
  const isFirst = contract.phases?.[0] === phase;
  const next = nextPhase(contract, phase);
  return [
    ...new Set([...(isFirst ? phase.entry : []), ...phase.exit, ...(next ? next.entry : contract.done)]),
  ];
}

/** The gates that a Stop of the loop has to pass now. */
export function askedNames(
  contract: Pick<Contract, 'phases' | 'done'>,
  state: { phase?: PhaseState },
): string[] {
  const phase = phaseOf(contract, state);
  return phase ? gatesOfPhase(contract, phase) : contract.done;
}

/** All gates of `phases` and `done`, each once. */
export function namesOnTheWay({ phases = [], done }: Pick<Contract, 'phases' | 'done'>): string[] {
  return [...new Set([...phases.flatMap(({ entry, exit }) => [...entry, ...exit]), ...done])];
}

export function phaseSituation(contract: Pick<Contract, 'phases'>, phase: Phase): PhaseSituation {
  const { phases = [] } = contract;
  const next = nextPhase(contract, phase);
  return {
    name: phase.name,
    number: phases.indexOf(phase) + 1,
    of: phases.length,
    instruction: phase.instruction,
    next: next === undefined ? undefined : next.name,
  };
}

/** The limits with those of the phase that the loop is in. */
export function limitsIn(limits: Limits, phase: Phase | undefined): Limits {
  return phase?.limits ? { ...limits, phase: { name: phase.name, ...phase.limits } } : limits;
}

/** Whether everything that a chunk comes after passes. */
export function isDue(chunk: Chunk, passes: (name: string) => boolean): boolean {
  return chunk.after.every(passes);
}

/** The verdict for a chunk that waits for others. */
export function notDueYet(chunk: Chunk, passes: (name: string) => boolean): Verdict {
  const open = chunk.after.filter((name) => !passes(name));
  return {
    gate: chunk.name,
    kind: 'all',
    class: 'claimed',
    outcome: 'skip',
    summary: `comes after ${open.join(', ')}`,
  };
}

/** Lets an unproven chunk pass when none of its gates holds the loop. */
export function asChunk(verdict: Verdict): Verdict {
  const { outcome, children = [] } = verdict;
  return outcome === 'unproven' && !children.some(blocks) ? { ...verdict, onUnproven: 'allow' } : verdict;
}

/** Combines the verdicts of all chunks: it passes when each does, else it names the next one to do. */
export function combineChunks(name: string, chunks: readonly Chunk[], parts: readonly Verdict[]): Verdict {
  const passed = parts.filter((v) => v.outcome === 'pass');
  const open = parts.filter(blocks);
  const outcome = outcomeOf(parts);
  const [now] = open;
  const asks = open.every((v) => v.asks !== undefined) ? now?.asks : undefined;
  const letGo = parts.find((v) => v.letGo)?.letGo;
  const done = `${passed.length} of ${parts.length} chunks pass`;
  return {
    gate: name,
    kind: 'chunks',
    class: strongestClass(passed.length > 0 ? passed : parts),
    outcome,
    summary: now ? `${done}; now: ${now.gate}${alsoOpen(open)}` : done,
    evidence: open.flatMap((v) => v.evidence ?? [`${v.gate}: ${v.summary}`]),
    next: now ? instructionFor(chunks, now, parts) : undefined,
    onUnproven: outcome === 'unproven' && !now ? ('allow' as const) : undefined,
    asks: asks || undefined,
    letGo: letGo || undefined,
    fingerprint: open.map((v) => `${v.gate} ${v.outcome} ${v.fingerprint ?? v.summary}`).join('\n'),
    children: [...parts],
  };
}

function outcomeOf(parts: readonly Verdict[]): Outcome {
  const has = (outcome: Outcome) => parts.some((v) => v.outcome === outcome);
  if (has('fail')) return 'fail';
  return has('unproven') ? 'unproven' : has('pass') ? 'pass' : 'skip';
}

function alsoOpen(open: readonly Verdict[]): string {
  const others = open.slice(1).map((v) => v.gate);
  return others.length === 0 ? '' : ` (also open: ${others.join(', ')})`;
}

function instructionFor(chunks: readonly Chunk[], now: Verdict, parts: readonly Verdict[]): string {
  const chunk = chunks.find((c) => c.name === now.gate);
  const number = chunks.findIndex((c) => c.name === now.gate) + 1;
  const waiting = parts.filter((v) => v.outcome === 'skip').map((v) => v.gate);
  const then = waiting.length === 0 ? '' : `\nAfter it: ${waiting.join(', ')}.`;
  const more = now.next === undefined ? '' : `\n${now.next}`;
  return `Next: chunk ${number} of ${chunks.length}, "${now.gate}": ${chunk?.instruction ?? ''}${more}${then}`;
}

/** The chunks that a text names as whole words; all of them when it names none. */
export function chunksNamedIn(text: string, chunks: readonly Chunk[]): Chunk[] {
  const named = chunks.filter(({ name }) => {
    const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, 'i').test(text);
  });
  return named.length > 0 ? named : [...chunks];
}
