/** A run from its beginning to its end or its pause, for the command and for the library. Prints nothing itself. */

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { readContract } from '../../contract/read.ts';
import { featureGates } from '../../core/contract/child-contract.ts';
import type { Contract, Limits } from '../../core/contract/contract.ts';
import { changedTestLines } from '../../core/loop/started-with.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { paceFor, type RunChoices } from '../../core/run/options.ts';
import type { LimitChanges } from '../../core/run/raised-limits.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { oneLine } from '../../core/text/clip.ts';
import { defined } from '../../core/text/defined.ts';
import { NotApproved, NothingToDo, UsageError } from '../../core/text/errors.ts';
import { redact } from '../../core/text/redact.ts';
import { holdLock } from '../../files/lock.ts';
import { endMarked } from '../../files/process-tree.ts';
import { iterationsBeside } from '../../formats/feature-list/run-progress.ts';
import { driverLock } from '../../home/layout.ts';
import { readRenderedReceipt } from '../../home/receipts.ts';
import { changedSinceTrusted, recordTrust } from '../../home/trust.ts';
import { begin, greenStart, nothingToDo, planLoop } from '../../hook/start/start.ts';
import type { LoopPlan, StartedLoop } from '../../hook/start/start-loop.ts';
import { loadJudgeBundle } from '../../hook/wiring/load-bundles.ts';
import type { ProjectPorts } from '../../hook/wiring/project-ports.ts';
import { freeze } from '../../judging/freeze-contract.ts';
import type { FinishWords, LoopRef, RunGitPort } from '../../ports/ports.ts';
import { foreignFiles } from '../../project/files.ts';
import { sandboxProblem } from '../../project/walls/walls-for.ts';
import type { RunGit } from '../git/commit-progress.ts';
import { beginRunGit, commitLate, resumeRunGit, trustedWith } from '../git/options.ts';
import { readRunGitRecord } from '../git/record.ts';
import { divisionOf, type Parallel, refuseIndivisible, splitWork } from '../parallel/pieces.ts';
import { leftBeside, workInParallel } from '../parallel/work-in-parallel.ts';
import {
  type ClientOptions,
  clientFile,
  clientFor,
  type Driving,
  keptClient,
  type RunObservers,
} from './client-options.ts';
import { driveLoop } from './drive-loop.ts';
import { keepProgress, lastVerdicts, pauseFor, RUN_MARK } from './driver-ports.ts';
import { reopenRun, reopens } from './reopen-run.ts';
import { prepareWorktree } from './setup.ts';
import { besideRun } from './warn-other-loops.ts';

export interface RunOptions extends RunChoices {
  /** The id of the loop; a new one without it. */
  loop?: string;
  task: string;
  contractFile?: string;
  /** Instead of a file. */
  contract?: Contract;
  features?: string;
  /** The only features of that list that this run is about. */
  only?: string[];
  /** The fingerprint that the user trusts; true when the program that starts the run wrote the contract. */
  trust?: string | true;
  git?: Parameters<typeof beginRunGit>[0];
  /** The project is a fresh checkout: it is prepared as a worktree is. */
  prepare?: true;
  parallel?: Parallel;
}

/** Throws `NothingToDo` and `NotApproved` before anything has begun. */
export async function beginRun(options: RunOptions, observers: RunObservers): Promise<LoopState> {
  const { world, reporter } = observers;
  await refuseWithoutClient(world);
  const listed = iterationsOfList(options.features, world);
  const own = { task: taskOf(options, world), session: randomUUID(), project: world.project };
  const plan = planLoop(
    { ...options, limits: { ...listed, ...options.limits }, ...own },
    world,
    reporter.note,
  );
  refuseWithoutWalls(plan.contract, world);
  if (options.parallel) refuseIndivisible(options.parallel, plan.contract, options.git?.merge === true);
  const { run: rules, limits } = plan.contract;
  const git = options.git && (await beginGit(options.git, plan, observers));
  for (const note of [...(git?.notes ?? []), ...besideRun(plan.contract, world)]) reporter.note(note);
  const run = paceFor(options, rules);
  const client = clientFor(options.client, rules);
  const folder = git?.folder ?? plan.project;
  const files = [
    clientFile(client, plan.loop, world.home),
    ...divisionFiles(options, { ...plan, folder }, observers),
  ];
  const { ref, baseline, changeGate, startedWith } = await begun(
    {
      ...plan,
      run,
      project: folder,
      files,
      prepare: async () => {
        if (!git?.isBeside && !options.prepare) return;
        const { contract, outputDir } = plan;
        await prepareWorktree({ contract, folder, outputDir, ...observers, note: reporter.note });
      },
    },
    { git, isTrusted: trusting(options.trust, git, world), options },
    observers,
  );
  git?.startsFrom(baseline);
  if (changeGate !== undefined) reporter.note(greenStart(changeGate));
  for (const line of changedTestLines(startedWith)) reporter.note(line);
  reporter.begun(ref.loop, plan.task, baseline, { limits, resumed: false });
  return drive({ ...observers, ref, client, git });
}

/** A feature list says what is to be done, where neither you nor the contract do. */
export function taskOf(
  { task, features, contract, contractFile }: RunOptions,
  { project }: ProjectPorts,
): string {
  if (task.trim() !== '' || features === undefined) return task;
  const written = contract ?? readContract(project, contractFile)?.contract;
  return written?.task?.trim() ? task : `Make every feature of ${features} pass, one after the other.`;
}

/** The limit in the progress.txt of a feature list that the run was given. */
function iterationsOfList(features: string | undefined, { project }: ProjectPorts): Partial<Limits> {
  return features === undefined
    ? {}
    : defined({ iterations: iterationsBeside(resolve(project, features), foreignFiles) });
}

function beginGit(
  options: NonNullable<RunOptions['git']>,
  { loop, task, contract }: LoopPlan,
  { world, reporter, interrupts }: RunObservers,
): Promise<RunGit> {
  const reads = featureGates(contract).map(({ file }) => file);
  const watch = { note: reporter.note, signal: interrupts.atOnce };
  return beginRunGit({ ...options, reads }, { loop, task }, world, watch);
}

/** The file that keeps how a run is divided; none for a run that is not. */
function divisionFiles(
  { parallel, git }: RunOptions,
  plan: LoopPlan & { folder: string },
  { world, reporter }: RunObservers,
): { name: string; text: string }[] {
  if (!parallel) return [];
  const division = git && divisionOf(parallel, { ...plan, git }, world);
  if (division) return [division];
  reporter.note('No feature is open that a child could do: the run does the rest itself.');
  return [];
}

/** Refuses before anything begins: a retry would not help. */
async function refuseWithoutClient({ env, project }: ProjectPorts): Promise<void> {
  const { agentSessions } = await loadJudgeBundle();
  const missing = await (await agentSessions({ env, project })).missing();
  if (missing !== undefined) throw new UsageError(`no session can be started: ${missing}`);
}

/** Walls that the contract requires have to be there before a session costs anything. */
function refuseWithoutWalls({ sandbox }: Contract, { env }: ProjectPorts): void {
  const problem = sandbox?.choice === 'required' ? sandboxProblem(env) : undefined;
  if (problem !== undefined)
    throw new UsageError(`the contract requires walls (sandbox: required), and ${problem}`);
}

type Begun = Extract<StartedLoop, { kind: 'started' }>;

/** Begins the loop. If it does not begin, its branch and worktree are removed. */
async function begun(
  plan: Parameters<typeof begin>[0],
  {
    git,
    isTrusted,
    options,
  }: {
    git: RunGitPort | undefined;
    isTrusted: ReturnType<typeof trustedWith>;
    options: ListOptions;
  },
  observers: RunObservers,
): Promise<Begun> {
  const { world, reporter } = observers;
  let began = false;
  try {
    const started = await begin(plan, world, isTrusted);
    if (started.kind === 'nothing_to_do')
      throw new NothingToDo(nothingToDo(started.baseline), started.baseline);
    if (!started.trusted) {
      if (isListAlone(plan, options)) await showList(plan, observers);
      throw notApproved(started.ref, world, plan, options);
    }
    began = true;
    return started;
  } finally {
    if (!began) for (const line of (await git?.takeBack()) ?? []) reporter.note(line);
  }
}

/** Trusts a contract whose fingerprint the user named. */
function trusting(named: string | true | undefined, git: RunGitPort | undefined, world: ProjectPorts) {
  const isTrusted = trustedWith(git, world);
  return (folder: string, fingerprint: string): boolean => {
    if (named === true || named === fingerprint)
      recordTrust(world.home, folder, fingerprint, world.clock.now());
    return isTrusted(folder, fingerprint);
  };
}

type ListOptions = Pick<RunOptions, 'trust' | 'features' | 'contract' | 'contractFile'>;

/** Whether the feature list is the whole contract: the project has no file of its own that could be trusted. */
function isListAlone(plan: LoopPlan, { features, contract, contractFile }: ListOptions): boolean {
  return (
    [plan.contractFile, contract, contractFile].every((file) => file === undefined) && features !== undefined
  );
}

const SHOWN = 40;

/** Shows what the feature list runs. `untildone trust` shows it of a contract. */
async function showList({ contract, project }: LoopPlan, { world, reporter }: RunObservers): Promise<void> {
  const { commands } = await freeze(contract, project, await world.judges(contract));
  const lines = Object.values(commands).flat();
  reporter.note('The feature list of this project runs on your machine:');
  for (const line of lines.slice(0, SHOWN)) reporter.note(`  ${oneLine(redact(line), 300)}`);
  if (lines.length > SHOWN) reporter.note(`  and ${lines.length - SHOWN} more`);
}

function notApproved(
  ref: LoopRef,
  { store, home }: ProjectPorts,
  plan: LoopPlan,
  options: ListOptions,
): NotApproved {
  const { trust: named, features = '' } = options;
  const contract = store.contract(ref);
  const { fingerprint, project } = contract.frozen;
  const changed = changedSinceTrusted(home, project, contract);
  store.append(ref, () => ({
    kind: 'ended',
    status: 'failed',
    cause: 'not_approved',
    detail: 'what the contract runs is not trusted on this machine',
  }));
  const how = isListAlone(plan, options)
    ? `untildone run --features ${quoteForShell(features)} --trust ${fingerprint}`
    : 'untildone trust (scripts: untildone trust --show, then untildone run --trust HASH)';
  return new NotApproved(
    typeof named === 'string'
      ? `the fingerprint is ${fingerprint}, not ${named}: look again at what the contract runs: ${how}`
      : changed.length > 0
        ? `the contract changed since you trusted it (${oneLine(changed.join(', '), 300)}); look at it before a run begins: ${how}`
        : `you have to trust what the contract runs before a run begins: ${how}`,
    fingerprint,
  );
}

/**
 * Goes on with a run, with other limits if some are given. A run that is done, or that a limit has ended and that gets no
 * more, is only finished. Returns its state.
 */
export async function goOnWithRun(
  ref: LoopRef,
  given: Partial<ClientOptions>,
  observers: RunObservers,
  changes: LimitChanges = {},
): Promise<LoopState> {
  const { world, reporter, interrupts } = observers;
  const before = world.store.read(ref);
  if (!before.run)
    throw new UsageError(
      `loop ${ref.loop} is no run; go on with its session: claude --resume ${before.session}`,
    );

  if (reopens(before, changes)) {
    const lock = lockOf(ref);
    try {
      reopenRun(ref, changes, world);
    } finally {
      lock.release();
    }
  }
  const state = world.store.read(ref);
  if (hasEnded(state)) {
    reporter.event({ type: 'ended', state });
    await finishLate(ref, state, observers);
    return state;
  }
  const { contract } = world.store.contract(ref);
  refuseWithoutWalls(contract, world);
  const { limits, run: rules } = contract;
  const client = { ...keptClient(ref, rules, world.home), ...defined(given), ...defined(fromSession(state)) };
  const git = await resumeRunGit(ref.loop, world, { note: reporter.note, signal: interrupts.atOnce });
  git?.goesOn();
  for (const note of git?.notes ?? []) reporter.note(note);
  reporter.begun(ref.loop, world.store.task(ref), lastVerdicts(world, ref), { limits, resumed: true });
  return drive({ ...observers, ref, client, git });
}

/** Commits and publishes the work of a run that ended, and whose process was killed before it could. */
async function finishLate(ref: LoopRef, state: LoopState, { world, reporter }: RunObservers): Promise<void> {
  const record = readRunGitRecord(world.home, ref.loop);
  const lock = record && !record.finished ? holdLock(driverLock(ref)) : undefined;
  if (!lock) return;
  try {
    const git = await resumeRunGit(ref.loop, world, { note: reporter.note });
    const late = git ? await commitLate(ref, git, world) : [];
    if (!git || (late.length === 0 && record?.mode !== 'pr')) return;
    for (const line of [
      ...late,
      ...(await git.finish(state, readRenderedReceipt(ref, world.store), saidOf(state, git))),
    ])
      reporter.note(line);
  } finally {
    lock.release();
  }
}

/** A run whose children did all the work publishes nothing itself, unless it resolved conflicts between them. */
function saidOf({ run }: LoopState, git: RunGit): FinishWords {
  return run?.children && run.sessions === 0 && !git.hasResolvedConflicts ? 'here' : 'all';
}

/** A run that came out of a session never gets more permissions than that session had. */
function fromSession({ run }: LoopState): Partial<ClientOptions> {
  return run?.permissionMode === undefined
    ? {}
    : { permissionMode: run.permissionMode, allow: [], client: {} };
}

function lockOf(ref: LoopRef): NonNullable<ReturnType<typeof holdLock>> {
  const lock = holdLock(driverLock(ref));
  if (lock) return lock;
  throw new UsageError(
    `another process drives run ${ref.loop} already; watch it with: untildone log ${ref.loop} --follow`,
  );
}

async function drive(driving: Driving): Promise<LoopState> {
  const { ref, world, reporter, git } = driving;
  const lock = lockOf(ref);
  try {
    // Processes of an earlier driver would work beside this one.
    await endMarked(`${RUN_MARK}=${ref.loop}`);
    if (world.store.read(ref).status === 'paused') {
      world.store.append(ref, () => ({ kind: 'command', command: 'resume' }));
    }
    const pause = await driving.publisher?.begins(ref);
    if (pause !== undefined) return pauseFor(ref, pause, world);
    splitWork(ref, world);
    const before = await workInParallel(driving);
    const folder = git?.folder ?? world.project;
    const after = before.status === 'paused' ? before : await driveLoop(driving, folder);
    // An ending without a Stop (a limit, a cancel) is written here.
    if (before.status !== 'paused') keepProgress(world, folder, ref, lastVerdicts(world, ref));
    const lines = (await git?.finish(after, readRenderedReceipt(ref, world.store), saidOf(after, git))) ?? [];
    for (const line of [...lines, ...leftBeside(after, world)]) reporter.note(line);
    return after;
  } finally {
    lock.release();
  }
}
