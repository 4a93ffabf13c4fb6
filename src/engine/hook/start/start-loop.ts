import { keptForRooms, runsInCleanRoom } from '../../core/contract/clean-room.ts';
import {
  askForChange,
  type Contract,
  type FrozenContract,
  type GateSpec,
  isTrustedContract,
  withoutImplicitChange,
} from '../../core/contract/contract.ts';
import type { ImplicitChange } from '../../core/contract/gate-options.ts';
import type { NewRun } from '../../core/loop/entry.ts';
import { namesOnTheWay } from '../../core/loop/phases.ts';
import { callsFor, type GateCall } from '../../core/loop/plan-gates.ts';
import { baseGates } from '../../core/loop/since-start.ts';
import type { StartedWith } from '../../core/loop/started-with.ts';
import { sumUp, unchangedYet, type Verdict } from '../../core/loop/verdict.ts';
import { testsChangedBefore } from '../../core/proof/changed-tests.ts';
import type { Tally } from '../../core/proof/test-results.ts';
import type { Judges } from '../../gates/gate.ts';
import { keepRun, type Run, runName, runsKept } from '../../gates/shared/test-run.ts';
import { measures, traitsOf } from '../../gates/traits.ts';
import { asTrusted, freeze } from '../../judging/freeze-contract.ts';
import { judge } from '../../judging/judge.ts';
import type { Judged, JudgingRequest } from '../../ports/judging.ts';
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
  run?: NewRun;
  /** For a child of a run: what its parent has frozen. Nothing is frozen again. */
  frozen?: FrozenContract['frozen'];
  /** For a child with features of a list: when they pass already, it has nothing to do. Else a change is asked for. */
  isMeasuredPiece?: boolean;
  files?: NonNullable<NewLoop['files']>;
  /** Prepares the folder of a trusted contract before anything is judged there. */
  prepare?(): Promise<void>;
}

export type StartedLoop =
  /** `changeGate`: every gate passes already, so this gate asks for a change. */
  | {
      kind: 'started';
      ref: LoopRef;
      baseline: Verdict[];
      trusted: boolean;
      changeGate: string | undefined;
      /** Tests that were changed before the loop began. */
      startedWith: StartedWith | undefined;
    }
  /** Every gate passes already, and nothing could show that work was done: a measured piece, or no tree to compare with. */
  | { kind: 'nothing_to_do'; baseline: Verdict[] };

export interface StartPorts {
  judges: Judges;
  isTrusted(project: string, fingerprint: string): boolean;
  create(loop: NewLoop): LoopRef;
}

/** Freezes the definition of done, judges where the work stands, and begins. */
export async function startLoop(asked: LoopPlan, ports: StartPorts): Promise<StartedLoop> {
  const plan = { ...asked, contract: withoutImplicitChange(asked.contract) };
  const { frozen, measured } = await freezeStart(plan, ports);
  const trusted = isTrustedContract(frozen.frozen, ports.isTrusted);
  if (trusted) await plan.prepare?.();
  const before = measured ? await baseOf(plan.project, ports.judges) : {};
  // The piece of a run begins with the tests of the run.
  const startedWith =
    measured && !plan.run?.parent ? await testsBefore(plan.project, ports.judges) : undefined;
  const { verdicts, tree } =
    measured && trusted
      ? await judgeBaseline(plan, frozen, before, ports.judges)
      : { verdicts: [], tree: undefined };
  const green = verdicts.length > 0 && sumUp(verdicts).result !== 'failing';
  // What the gates themselves wrote while they were judged is no work.
  const base = { ...before, tree: green ? (tree ?? before.tree) : before.tree };
  const cannotAsk = base.tree === undefined || plan.isMeasuredPiece === true;
  if (green && cannotAsk && !canShowWork(plan.contract)) return { kind: 'nothing_to_do', baseline: verdicts };
  const changing = changeToAskFor(
    plan.contract,
    base.tree,
    trusted ? (green ? 'green' : undefined) : 'unjudged',
  );
  const ref = ports.create({
    loop: plan.loop,
    session: plan.session,
    project: plan.project,
    dialect: 'native',
    task: plan.task,
    contract: { ...frozen, contract: changing?.contract ?? frozen.contract },
    transcriptOffset: plan.transcriptOffset,
    costTotalUsd: plan.costTotalUsd,
    baseTree: base.tree,
    baseCommit: base.commit,
    basePassing: green ? (true as const) : undefined,
    startedWith,
    baseGates: verdicts.length > 0 ? baseGates(verdicts) : undefined,
    changeGate: changing?.gate,
    run: plan.run,
    files: plan.files,
  });
  const changeGate = green ? changing?.gate : undefined;
  const baseline = changeGate === undefined ? verdicts : [...verdicts, unchangedYet(changeGate)];
  return { kind: 'started', ref, baseline, trusted, changeGate, startedWith };
}

/**
 * Asks for a change where gates alone cannot show that work was done: they passed at the start, or may have passed. Without
 * a tree nothing can be compared.
 */
function changeToAskFor(
  contract: Contract,
  tree: string | undefined,
  start: ImplicitChange['start'] | undefined,
): ReturnType<typeof askForChange> | undefined {
  if (tree === undefined || start === undefined) return undefined;
  const asksAlready = contract.done.some((name) => contract.gates[name]?.kind === 'changed');
  return asksAlready || baselineCalls(contract).length === 0 ? undefined : askForChange(contract, start);
}

type ToFreeze = Pick<LoopPlan, 'contract' | 'project' | 'judgeMs' | 'contractFile' | 'frozen'>;
type FreezePorts = Pick<StartPorts, 'judges' | 'isTrusted'>;

/** Freezes a contract, with what its clean rooms need of this machine. `measured`: it needs the tree of the start. */
export async function freezeStart(
  plan: ToFreeze,
  ports: FreezePorts,
): Promise<{ frozen: FrozenContract; measured: boolean }> {
  const measured = needsApproval(plan.contract) || measures(plan.contract);
  return { frozen: await withStart(await frozenFor(plan, measured, ports), ports.judges), measured };
}

async function frozenFor(
  plan: ToFreeze,
  measured: boolean,
  { judges, isTrusted }: FreezePorts,
): Promise<FrozenContract> {
  const { contract, project, judgeMs, contractFile } = plan;
  if (plan.frozen) return { contract, frozen: { ...plan.frozen, project } };
  const { frozen, commands } = measured
    ? asTrusted(await freeze(contract, project, judges), isTrusted)
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

/** Keeps the environment of the start, when gates run in clean rooms. */
async function withStart(frozen: FrozenContract, judges: Judges): Promise<FrozenContract> {
  if (frozen.frozen.start !== undefined || !usesRooms(frozen.contract)) return frozen;
  const start = await judges.keepStart(frozen.frozen.project, keptForRooms(frozen.contract));
  return { ...frozen, frozen: { ...frozen.frozen, start } };
}

function usesRooms(contract: Contract): boolean {
  return Object.values(contract.gates).some(
    (spec) => runsInCleanRoom(contract, spec) || traitsOf(spec.kind).opensRooms,
  );
}

/** Whether the contract needs trust even without commands: it asks models, sends notifications, or sets what sessions may do. */
export function needsApproval({ gates, notify, run, memory, prompt, tools }: Contract): boolean {
  const asksModels = Object.values(gates).some(({ kind }) => traitsOf(kind).modelQuestion !== undefined);
  return asksModels || notify.length > 0 || [run, memory, prompt, tools].some((part) => part !== undefined);
}

async function baseOf(project: string, judges: Judges): Promise<{ tree?: string; commit?: string }> {
  const workspace = judges.workspace(project);
  const tree = await workspace.tree().catch(() => undefined);
  const head = await workspace.head().catch(() => undefined);
  return { tree, commit: head?.commit };
}

/** The tests that differ from the last commit. Undefined without git, and where none do. */
async function testsBefore(project: string, judges: Judges): Promise<StartedWith | undefined> {
  const { git } = judges.workspace(project);
  const diff = ['diff', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--relative'];
  try {
    const [lines, deleted] = await Promise.all([
      git([...diff, '--numstat', 'HEAD']),
      git([...diff, '--name-only', '--diff-filter=D', 'HEAD']),
    ]);
    return lines.exitCode === 0 ? testsChangedBefore(lines.stdout, deleted.stdout) : undefined;
  } catch {
    return undefined;
  }
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

function baselineCalls(contract: Contract): GateCall[] {
  return inBaseline(callsFor(namesOnTheWay(contract), contract)).map(judgedAtOnce);
}

/** At the start every gate is judged, and once: what waited for others would look as if it had not passed there. */
function judgedAtOnce(call: GateCall): GateCall {
  const spec: GateSpec = { ...call.spec, after: undefined, repeat: undefined };
  return { ...call, spec, ...(call.children ? { children: call.children.map(judgedAtOnce) } : {}) };
}

/** What was just judged on the tree with which a loop may begin soon. */
export interface JustJudged {
  verdicts: readonly Verdict[];
  /** Runs of tests, by gate, for gates that compare later runs with them. */
  runs: Readonly<Record<string, Run>>;
}

/** What is kept of it. */
interface ServedStart {
  verdicts: Verdict[];
  runs: [gate: string, run: Omit<Run, 'tests'> & { tests: [string, Tally][] }][];
}

const JUST_JUDGED = 'judged on a tree';

/** Keeps it for the start of a loop under this contract. */
export function serveStart(
  tree: string,
  { verdicts, runs }: JustJudged,
  { project, fingerprint }: Pick<FrozenContract['frozen'], 'project' | 'fingerprint'>,
  judges: Judges,
): void {
  const served: ServedStart = {
    verdicts: [...verdicts],
    runs: Object.entries(runs).map(([gate, run]) => [gate, { ...run, tests: [...run.tests] }]),
  };
  judges.measured?.(project, fingerprint).write(`${JUST_JUDGED} ${tree}`, served);
}

/** The verdicts on the tree of the start that are known already. Runs of its tests are kept under the names of this start. */
function servedAt(
  tree: string | undefined,
  contract: FrozenContract,
  request: JudgingRequest,
  judges: Judges,
): ReadonlyMap<string, Verdict> {
  if (tree === undefined) return new Map();
  const { project, fingerprint } = contract.frozen;
  const kept = judges.measured?.(project, fingerprint).read(`${JUST_JUDGED} ${tree}`);
  const { verdicts = [], runs = [] } = (kept ?? {}) as Partial<ServedStart>;
  const asked = { request, judges };
  for (const [gate, run] of runs) {
    const spec = contract.contract.gates[gate];
    if (spec?.kind === 'run')
      keepRun(runName(tree, spec.options, asked), { ...run, tests: new Map(run.tests) }, runsKept(asked));
  }
  return new Map(verdicts.map((verdict) => [verdict.gate, { ...verdict, reused: true }]));
}

async function judgeBaseline(
  plan: LoopPlan,
  contract: FrozenContract,
  base: { tree?: string; commit?: string },
  judges: Judges,
): Promise<Judged> {
  const request: JudgingRequest = {
    calls: baselineCalls(plan.contract),
    ...contract,
    session: plan.session,
    task: plan.task,
    outputDir: plan.outputDir,
    base,
    allowed: [],
    toolRan: true,
  };
  return judge({ ...request, served: servedAt(base.tree, contract, request, judges) }, judges);
}
