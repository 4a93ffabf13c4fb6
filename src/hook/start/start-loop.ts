import {
  type Contract,
  type FrozenContract,
  isTrustedContract,
  type RunMode,
} from '../../core/contract/contract.ts';
import { namesOnTheWay } from '../../core/loop/phases.ts';
import { callsFor, type GateCall } from '../../core/loop/plan-gates.ts';
import { sumUp, type Verdict } from '../../core/loop/verdict.ts';
import { measures, traitsOf } from '../../gates/traits.ts';
import { freeze } from '../../judging/freeze-contract.ts';
import { judge } from '../../judging/judge.ts';
import type { Judges } from '../../judging/ports.ts';
import type { LoopRef, NewLoop } from '../../ports/ports.ts';

export interface LoopPlan {
  loop: string;
  session: string;
  project: string;
  task: string;
  contract: Contract;
  /** SHA-256 of untildone.yaml; absent for a loop without one. */
  contractFile?: string;
  judgeMs: number;
  transcriptOffset: number;
  costTotalUsd?: number;
  /** For whole outputs of the baseline. */
  outputDir: string;
  /** A loop over many sessions. */
  run?: { mode: RunMode; freshEvery?: number; parent?: string };
  /** For a child of a run: what its parent has frozen. Nothing is frozen again. */
  frozen?: FrozenContract['frozen'];
  files?: NonNullable<NewLoop['files']>;
  /** Prepares the folder of a trusted contract before anything is judged there. */
  prepare?(): Promise<void>;
}

export type StartedLoop =
  | { kind: 'started'; ref: LoopRef; baseline: Verdict[]; trusted: boolean }
  /** Every gate passes already, so no gate could show that work was done. */
  | { kind: 'nothing_to_do'; baseline: Verdict[] };

export interface StartPorts {
  judges: Judges;
  isTrusted(project: string, fingerprint: string): boolean;
  create(loop: NewLoop): LoopRef;
}

/** Freezes the definition of done, judges where the work stands, and begins. */
export async function startLoop(plan: LoopPlan, ports: StartPorts): Promise<StartedLoop> {
  const measured = needsApproval(plan.contract) || measures(plan.contract);
  const contract = await frozenFor(plan, measured, ports.judges);
  const trusted = isTrustedContract(contract.frozen, ports.isTrusted);
  if (trusted) await plan.prepare?.();
  const base = measured ? await baseOf(plan.project, ports.judges) : {};
  const baseline = measured && trusted ? await judgeBaseline(plan, contract, base, ports.judges) : [];
  if (baseline.length > 0 && sumUp(baseline).result !== 'failing' && !canShowWork(plan.contract)) {
    return { kind: 'nothing_to_do', baseline };
  }
  const passing = baseline.length > 0 && sumUp(baseline).result !== 'failing';
  const ref = ports.create({
    loop: plan.loop,
    session: plan.session,
    project: plan.project,
    dialect: 'native',
    task: plan.task,
    contract,
    transcriptOffset: plan.transcriptOffset,
    costTotalUsd: plan.costTotalUsd,
    baseTree: base.tree,
    baseCommit: base.commit,
    basePassing: passing ? (true as const) : undefined,
    run: plan.run,
    files: plan.files,
  });
  return { kind: 'started', ref, baseline, trusted };
}

async function frozenFor(plan: LoopPlan, measured: boolean, judges: Judges): Promise<FrozenContract> {
  const { contract, project, judgeMs, contractFile } = plan;
  if (plan.frozen) return { contract, frozen: { ...plan.frozen, project } };
  const { frozen, commands } = measured
    ? await freeze(contract, project, judges)
    : { frozen: { project, fingerprint: '', parts: {}, gates: {} }, commands: {} };
  return {
    contract,
    frozen: {
      ...frozen,
      // The contract runs nothing of the repository, so there is nothing to trust.
      fingerprint: Object.keys(commands).length === 0 && !needsApproval(contract) ? '' : frozen.fingerprint,
      judgeMs,
      contractFile,
    },
  };
}

/** Whether the contract needs trust even without commands: it asks models, sends notifications, or sets what sessions may do. */
function needsApproval({ gates, notify, run, memory, prompt, tools }: Contract): boolean {
  const asksModels = Object.values(gates).some(({ kind }) => traitsOf(kind).modelQuestion !== undefined);
  return asksModels || notify.length > 0 || [run, memory, prompt, tools].some((part) => part !== undefined);
}

async function baseOf(project: string, judges: Judges): Promise<{ tree?: string; commit?: string }> {
  const workspace = judges.workspace(project);
  const tree = await workspace.tree().catch(() => undefined);
  const head = await workspace.head().catch(() => undefined);
  return { tree, commit: head?.commit };
}

/** Whether some gate passes only after work was done. */
function canShowWork(contract: Contract): boolean {
  return callsFor(namesOnTheWay(contract), contract).some(canOnlyPassLater);
}

/** For `all`, one such child is enough; for `any`, every child has to be such a gate. */
function canOnlyPassLater({ spec, children }: GateCall): boolean {
  if (!children) {
    const { notInBaseline = false, readsText = false } = traitsOf(spec.kind);
    // Gates for texts are not judged at a Stop, so they show nothing.
    return notInBaseline && !readsText;
  }
  return spec.kind === 'all' ? children.some(canOnlyPassLater) : children.every(canOnlyPassLater);
}

/** Leaves out gates that a baseline does not ask, at every depth. */
export function inBaseline(calls: readonly GateCall[]): GateCall[] {
  return calls.flatMap((call) => {
    if (!call.children) return traitsOf(call.spec.kind).notInBaseline ? [] : [call];
    const children = inBaseline(call.children);
    return children.length === 0 ? [] : [{ ...call, children }];
  });
}

async function judgeBaseline(
  plan: LoopPlan,
  contract: FrozenContract,
  base: { tree?: string; commit?: string },
  judges: Judges,
): Promise<Verdict[]> {
  const { verdicts } = await judge(
    {
      calls: inBaseline(callsFor(namesOnTheWay(plan.contract), plan.contract)),
      frozen: contract,
      session: plan.session,
      task: plan.task,
      outputDir: plan.outputDir,
      base,
      allowed: [],
      toolRan: true,
    },
    judges,
  );
  return verdicts;
}
