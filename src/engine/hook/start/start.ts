import { join } from 'node:path';
import { readContract } from '../../contract/read.ts';
import {
  type Contract,
  DEFAULT_ASK,
  DEFAULT_LIMITS,
  foreignContract,
  type Limits,
  promiseContract,
  promiseOf,
  promisesOf,
  withPromise,
} from '../../core/contract/contract.ts';
import { phaseSituation } from '../../core/loop/phases.ts';
import { renderPromise } from '../../core/loop/promise.ts';
import { changedTestLines } from '../../core/loop/started-with.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import type { AskRule } from '../../core/run/options.ts';
import { oneLine } from '../../core/text/clip.ts';
import { defined } from '../../core/text/defined.ts';
import { sayDuration } from '../../core/text/duration.ts';
import { UsageError } from '../../core/text/errors.ts';
import { howToAsk } from '../../core/words/asking.ts';
import { EXIT } from '../../core/words/exit-codes.ts';
import { phaseWords } from '../../core/words/reason.ts';
import { wallsWords } from '../../core/words/walls.ts';
import { measures } from '../../gates/traits.ts';
import { projectFolder } from '../../home/layout.ts';
import { type FileStore, LoopExists } from '../../home/store.ts';
import { changedSinceTrusted } from '../../home/trust.ts';
import type { LoopRef, NewLoop } from '../../ports/ports.ts';
import { claudeConfigDir } from '../wiring/project.ts';
import type { ProjectPorts } from '../wiring/project-ports.ts';
import { checkedPromise, newLoopId, transcriptSoFar } from './inputs.ts';
import { judgeTime, warnOldHooks, warnWithoutHooks } from './installed-hooks.ts';
import { type LoopPlan, type StartedLoop, startLoop } from './start-loop.ts';

export interface StartOptions {
  /** The id of the loop; a new one without it. */
  loop?: string;
  task: string;
  promise?: string;
  session: string;
  project: string;
  /** Another contract file than untildone.yaml. */
  contractFile?: string;
  /** Instead of any file. */
  contract?: Contract;
  /** A feature list that has to pass, besides what the contract says. */
  features?: string;
  /** The only features of that list that this loop is about. */
  only?: string[];
  /** What a question of the agent does; wins over the contract. */
  ask?: Partial<AskRule>;
  /** Limits that win over those of the contract. */
  limits?: Partial<Limits>;
}

/** `start "..."` works without a contract and without a promise, too. */
const DEFAULT_PROMISE = 'DONE';
const TASK_LIMIT = 8 * 1024 * 1024;

export async function start(
  options: StartOptions,
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<number> {
  refuseSecondLoop(options.session, world.store);
  const plan = planLoop(options, world, out);
  const started = await begin(plan, world);
  if (started.kind === 'nothing_to_do') {
    for (const line of nothingToDo(started.baseline)) out(line);
    return EXIT.refused;
  }
  world.judging?.forget(options.session);
  if (measures(plan.contract)) world.judging?.watch(options.session);
  for (const line of startReport(plan, started)) out(line);
  const changed = started.trusted
    ? []
    : changedSinceTrusted(world.home, world.project, world.store.contract(started.ref));
  if (changed.length > 0) out(`Changed since you trusted it: ${oneLine(changed.join(', '), 300)}`);
  const { sandbox } = plan.contract;
  const walls = wallsWords(sandbox, (await world.judges(plan.contract)).walls?.(sandbox) ?? {});
  if (walls !== undefined) out(`Walls around the commands of gates: ${walls}`);
  warnWithoutHooks(options, world, out);
  warnOldHooks(options.project, world.env, out);
  return EXIT.ok;
}

/** Plans a loop from the options and the contract file of the project. */
export function planLoop(options: StartOptions, world: ProjectPorts, out: (line: string) => void): LoopPlan {
  const file = options.contract ? undefined : readContract(options.project, options.contractFile);
  if (options.contractFile !== undefined && !file)
    throw new UsageError(`there is no contract ${options.contractFile}; make one with: untildone init`);
  for (const warning of file?.warnings ?? []) out(`Note: ${warning}`);
  const written = options.contract ?? file?.contract;
  const contract = contractOf(options, written);
  const task = options.task.trim() === '' ? (contract.task ?? '') : options.task;
  checkTask(task);
  return {
    loop: options.loop ?? newLoopId(new Date(world.clock.now())),
    session: options.session,
    project: options.project,
    task,
    contract,
    judgeMs: judgeTime(options.project, claudeConfigDir(world.env)),
    ...transcriptSoFar(options.session, world.env),
    outputDir: join(projectFolder(world.home, options.project), 'baseline'),
    // Only untildone.yaml itself is watched for changes, not a file named by --contract.
    contractFile: file && options.contractFile === undefined ? file.sha256 : undefined,
  };
}

/** The contract of a loop: what is written, and what the options add to it or put in its place. */
export function contractOf(
  options: Pick<StartOptions, 'promise' | 'features' | 'only' | 'ask' | 'limits'>,
  written: Contract | undefined,
): Contract {
  return withAsk(contractFor(options, withFeatures(written, options)), options.ask);
}

/** `isTrusted` is given where a worktree of the project is judged instead of the project. */
export async function begin(
  plan: LoopPlan,
  world: ProjectPorts,
  isTrusted = (project: string, fingerprint: string) => world.store.isTrusted(project, fingerprint),
): Promise<StartedLoop> {
  return startLoop(plan, {
    judges: await world.judges(plan.contract),
    isTrusted,
    // The loop is listed with the user's project, also when the work is done in a worktree.
    create: (newLoop) => createLoop({ ...newLoop, project: world.project }, world.store),
  });
}

/** Adds a gate for the feature list, unless the contract has one for it. */
function withFeatures(
  contract: Contract | undefined,
  { features: file, only }: Pick<StartOptions, 'features' | 'only'>,
): Contract | undefined {
  if (file === undefined) return contract;
  const base = contract ?? foreignContract({}, undefined);
  const known = Object.entries(base.gates).find(
    ([, spec]) => spec.kind === 'features' && spec.options.file === file,
  )?.[0];
  const name = known ?? (base.gates.features ? 'features-of-this-run' : 'features');
  if (known !== undefined && only === undefined) return base;
  const options = only === undefined ? { file } : { file, only };
  return {
    ...base,
    gates: { ...base.gates, [name]: { ...base.gates[name], kind: 'features', options } },
    done: known === undefined ? [...base.done, name] : base.done,
  };
}

function withAsk(contract: Contract, given: Partial<AskRule> = {}): Contract {
  const wanted = defined(given);
  if (Object.keys(wanted).length === 0) return contract;
  return { ...contract, ask: { ...(contract.ask ?? DEFAULT_ASK), ...wanted } };
}

function contractFor(options: Parameters<typeof contractOf>[0], contract: Contract | undefined): Contract {
  const limits = {
    ...(contract?.limits ?? DEFAULT_LIMITS),
    ...defined(options.limits ?? {}),
  };
  if (!contract || contract.done.length === 0) {
    return { ...contract, ...promiseContract(checkedPromise(options.promise ?? DEFAULT_PROMISE), limits) };
  }
  const bounded = { ...contract, limits };
  const whole =
    options.promise === undefined ? bounded : withPromise(bounded, checkedPromise(options.promise));
  const promises = promisesOf(whole);
  if (promises.length > 1) {
    throw new UsageError(
      `only one promise can be stated at a time, but there are ${promises.length}: ${promises.join('; ')}`,
    );
  }
  return whole;
}

export function checkTask(task: string): void {
  if (task.trim() === '')
    throw new UsageError(
      'the task is empty; type what is to be done, or name it in untildone.yaml (task: ...)',
    );
  if (Buffer.byteLength(task) > TASK_LIMIT) {
    throw new UsageError('the task is larger than 8 MiB; put it into a file of the project and name that');
  }
}

/** Called before the baseline is judged, because that can take minutes. */
function refuseSecondLoop(session: string, store: FileStore): void {
  const alive = store.activeLoopOf(session);
  if (alive) throw new UsageError(secondLoop(new LoopExists(alive.loop)));
}

function createLoop(loop: NewLoop, store: FileStore): LoopRef {
  try {
    return store.create(loop);
  } catch (error) {
    if (!(error instanceof LoopExists)) throw error;
    throw new UsageError(secondLoop(error));
  }
}

function secondLoop({ message, loop }: LoopExists): string {
  return `${message}; a person can end it with: untildone cancel ${loop}`;
}

export function nothingToDo(baseline: readonly Verdict[]): string[] {
  return [
    'Not started: every gate passes already, and changes cannot be seen here (is git installed?), so nothing could show',
    'that the task was done.',
    ...baseline.map((v) => `  ${v.gate}: ${v.outcome} (${v.class}) ${v.summary}`),
    'Add what is missing now and present when the task is done: a failing test, a feature list, a checklist, a judge,',
    'or state the end yourself: untildone start "..." --promise "IT WORKS"',
  ];
}

/** Says that a loop asks for a change, because its gates passed already. */
export function greenStart(gate: string): string {
  return `Every gate passes already, so the gate "${gate}" is asked for, too: something changed since the start.`;
}

/** Names all phases, and describes the first one. */
function phaseLines(contract: Contract): string[] {
  const [first] = contract.phases ?? [];
  if (!first) return [];
  const names = contract.phases?.map(({ name }) => name).join(', ');
  return [`It goes through these phases: ${names}.`, phaseWords({ phase: phaseSituation(contract, first) })];
}

export function startReport(plan: LoopPlan, started: Extract<StartedLoop, { kind: 'started' }>): string[] {
  const { limits } = plan.contract;
  const time =
    limits.durationMs === 'unlimited' ? 'no time limit' : `at most ${sayDuration(limits.durationMs)}`;
  const iterations =
    limits.iterations === 'unlimited' ? 'no limit of iterations' : `at most ${limits.iterations} iterations`;
  const promise = promiseOf(plan.contract);
  const { changeGate } = started;
  const gates = [
    ...plan.contract.done.filter((name) => plan.contract.gates[name]?.kind !== 'promise'),
    ...(changeGate === undefined ? [] : [changeGate]),
  ];
  const lines = [
    `Loop ${plan.loop} started for session ${plan.session}: ${iterations}, ${time}.`,
    ...started.baseline.map((v) => `  ${v.gate}: ${v.outcome} now - ${v.summary}`),
  ];
  if (changeGate !== undefined) lines.push(greenStart(changeGate));
  lines.push(...changedTestLines(started.startedWith));
  if (gates.length > 0) lines.push(`It ends when these gates pass: ${gates.join(', ')}.`);
  lines.push(...phaseLines(plan.contract));
  if (promise !== undefined) {
    lines.push(
      `This session goes on until its final message ends with this line alone: ${renderPromise(promise)}`,
    );
    lines.push('State it only when it is completely true.');
  }
  lines.push(howToAsk((plan.contract.ask ?? DEFAULT_ASK).policy));
  if (gates.length === 0) lines.push('It is a claim, not a proof: the loop will end as "claimed_done".');
  if (!started.trusted) {
    lines.push(
      'NOT JUDGED YET: a person has to trust what the contract runs. In a terminal: untildone trust',
    );
  }
  return lines;
}
