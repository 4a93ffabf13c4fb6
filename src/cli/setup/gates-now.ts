/** Runs the gates of a contract once, and tells what each costs and whether it passes now. */
import { join } from 'node:path';
import type { Contract } from '../../engine/core/contract/contract.ts';
import { namesOnTheWay } from '../../engine/core/loop/phases.ts';
import { callsFor, type GateCall } from '../../engine/core/loop/plan-gates.ts';
import type { Outcome } from '../../engine/core/loop/verdict.ts';
import type { GateContext, Gates, Judges } from '../../engine/gates/gate.ts';
import { traitsOf } from '../../engine/gates/traits.ts';
import { projectFolder } from '../../engine/home/layout.ts';
import { inBaseline } from '../../engine/hook/start/start-loop.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { verify } from '../../engine/judging/verify.ts';
import { baseFrom } from '../contract/verify-base.ts';

/** How long all gates may take together: you wait for them. */
export const TRIAL_MS = 60_000;

export interface TriedGate {
  name: string;
  /** Absent: it was not run now. */
  outcome?: Outcome;
  summary: string;
  evidence: string[];
  /** How long it took; absent for a gate that was not run, or not to its end. */
  ms?: number;
}

/** Judges as `verify` does, without what costs money, waits for others or can only be true later. */
export async function tryGates(contract: Contract, world: ProjectPorts): Promise<TriedGate[]> {
  const calls = callsFor(namesOnTheWay(contract), contract);
  const names = leavesOf(calls);
  const tried = leavesOf(inBaseline(calls));
  if (tried.length === 0) return names.map(notTried);
  const { judges, took } = timed(await world.judges(contract));
  const base = await baseFrom(undefined, judges.workspace(world.project));
  const { verdicts, notJudged } = await verify(
    {
      contract,
      project: world.project,
      task: contract.task ?? '',
      gates: tried,
      base,
      outputDir: join(projectFolder(world.home, world.project), 'setup-output'),
      judgeMs: TRIAL_MS,
    },
    judges,
  );
  return names.map((name) => {
    const verdict = verdicts.find(({ gate }) => gate === name);
    if (!verdict) return notTried(name);
    const { kind, outcome, summary, evidence = [] } = verdict;
    const ms = took.get(name);
    const hasNone = base.tree === undefined && traitsOf(kind).emptyOutcome !== undefined;
    const isUnchanged =
      hasNone || notJudged.some(({ gate, why }) => gate === name && why === 'nothing_to_compare');
    return isUnchanged && outcome !== 'fail'
      ? { name, outcome: 'skip', summary: UNCHANGED, evidence: [], ms }
      : { name, outcome, summary, evidence, ms };
  });
}

const UNCHANGED = 'it looks at changes, and there are none yet';

function notTried(name: string): TriedGate {
  return { name, summary: 'judged in a session only, at its Stop', evidence: [] };
}

/** The gates themselves, each once, without what combines them. */
function leavesOf(calls: readonly GateCall[]): string[] {
  return [...new Set(calls.flatMap(({ name, children }) => (children ? leavesOf(children) : [name])))];
}

/** The same judges, with a watch on every gate. */
function timed(judges: Judges): { judges: Judges; took: ReadonlyMap<string, number> } {
  const took = new Map<string, number>();
  const watched = (judge: (...args: never[]) => unknown) => {
    return async (options: unknown, context: GateContext, signal: AbortSignal) => {
      const began = performance.now();
      try {
        return await (judge as (...args: unknown[]) => unknown)(options, context, signal);
      } finally {
        // A gate that was given up comes to its end later, and has no time of its own.
        if (!signal?.aborted) took.set(context.name, performance.now() - began);
      }
    };
  };
  const gates = Object.entries(judges.gates).map(([kind, gate]) => [
    kind,
    gate.instant ? gate : { ...gate, judge: watched(gate.judge.bind(gate)) },
  ]);
  return { judges: { ...judges, gates: Object.fromEntries(gates) as Gates }, took };
}
