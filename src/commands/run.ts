import { randomUUID } from 'node:crypto';
import { holdLock } from '../adapters/lock.ts';
import { endMarked } from '../adapters/process-tree.ts';
import { approve } from '../adapters/trust.ts';
import { runLoop } from '../app/run-loop.ts';
import type { StartedLoop } from '../app/start-loop.ts';
import type { Limit, Limits } from '../core/contract.ts';
import { hasEnded, type LoopState } from '../core/loop.ts';
import type { RunMode } from '../core/run.ts';
import type { GitFlow, LoopRef } from '../ports.ts';
import { renderedReceipt } from './receipt.ts';
import { openRunGit, resumeRunGit, trustedWith } from './run-git.ts';
import { type Interrupts, watchInterrupts } from './run-interrupts.ts';
import { type ClientOptions, driverLock, keepClientOptions, storedClientOptions } from './run-options.ts';
import type { RunReporter } from './run-report.ts';
import { lastVerdicts, planOf, RUN_MARK, worldOf } from './run-world.ts';
import { begin, nothingToDo, planLoop } from './start.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

export interface RunOptions {
  task: string;
  mode: RunMode;
  freshEvery?: number;
  contractFile?: string;
  features?: string;
  /** The fingerprint that a person names on the command line. */
  trust?: string;
  promise?: string;
  maxIterations?: Limit;
  maxDuration?: Limit;
  limits: Partial<Limits>;
  client: ClientOptions;
  git?: Parameters<typeof openRunGit>[0];
}

/** One run in this terminal, from here to its end or its pause. */
interface Driving {
  ref: LoopRef;
  client: ClientOptions;
  git: GitFlow | undefined;
  world: World;
  reporter: RunReporter;
  interrupts: Interrupts;
}

export async function startRun(options: RunOptions, world: World, reporter: RunReporter): Promise<number> {
  const interrupts = watching(reporter);
  try {
    const session = randomUUID();
    const plan = planLoop({ ...options, session, project: world.project }, world, reporter.note);
    const watch = { note: reporter.note, signal: interrupts.atOnce };
    const git =
      options.git && (await openRunGit(options.git, { loop: plan.loop, task: plan.task }, world, watch));
    for (const note of git?.notes ?? []) reporter.note(note);
    const run = {
      mode: options.mode,
      ...(options.freshEvery === undefined ? {} : { freshEvery: options.freshEvery }),
    };
    const isTrusted = trusting(options.trust, git, world);
    const started = await begun(
      { ...plan, run, project: git?.folder ?? plan.project },
      { git, isTrusted },
      world,
      reporter,
    );
    if (started.kind === 'nothing_to_do') return 2;
    const { ref, baseline } = started;
    git?.startsFrom(baseline);
    keepClientOptions(options.client, ref, world.home);
    reporter.begun(ref.loop, plan.task, baseline, { limits: plan.contract.limits, resumed: false });
    return await drive({ ref, client: options.client, git, world, reporter, interrupts });
  } finally {
    interrupts.stop();
  }
}

/** Begins the loop; what does not begin leaves no branch and no worktree behind. */
async function begun(
  plan: Parameters<typeof begin>[0],
  { git, isTrusted }: { git: GitFlow | undefined; isTrusted: ReturnType<typeof trustedWith> },
  world: World,
  reporter: RunReporter,
): Promise<StartedLoop> {
  let started: StartedLoop | undefined;
  try {
    started = await begin(plan, world, isTrusted);
    if (started.kind === 'started' && !started.trusted) throw notApproved(started.ref, world);
    if (started.kind === 'nothing_to_do')
      for (const line of nothingToDo(started.baseline)) reporter.note(line);
    return started;
  } finally {
    const began = started?.kind === 'started' && started.trusted;
    if (!began) for (const line of (await git?.takeBack()) ?? []) reporter.note(line);
  }
}

/** What a person names by its fingerprint is approved, if it is exactly that. */
function trusting(named: string | undefined, git: GitFlow | undefined, world: World) {
  const isTrusted = trustedWith(git, world);
  return (folder: string, fingerprint: string): boolean => {
    if (named !== undefined && named === fingerprint)
      approve(world.home, folder, fingerprint, world.clock.now());
    return isTrusted(folder, fingerprint);
  };
}

function notApproved(ref: LoopRef, { store }: World): UsageError {
  store.append(ref, () => ({ kind: 'command', command: 'cancel', note: 'the contract is not approved' }));
  return new UsageError(
    'a person has to approve what the contract runs before a run begins: untildone trust (scripts: untildone trust --show, then untildone run --trust HASH)',
  );
}

export async function resumeRun(
  ref: LoopRef,
  given: Partial<ClientOptions>,
  world: World,
  reporter: RunReporter,
): Promise<number> {
  const state = world.store.read(ref);
  if (!state.run)
    throw new UsageError(
      `loop ${ref.loop} is no run: its session goes on with: claude --resume ${state.session}`,
    );
  if (hasEnded(state)) {
    reporter.event({ type: 'ended', state });
    return exitCode(state);
  }
  const interrupts = watching(reporter);
  try {
    const client = { ...storedClientOptions(ref, world.home), ...given, ...fromSession(state) };
    const git = await resumeRunGit(ref.loop, world, { note: reporter.note, signal: interrupts.atOnce });
    for (const note of git?.notes ?? []) reporter.note(note);
    const { limits } = world.store.contract(ref).contract;
    reporter.begun(ref.loop, world.store.task(ref), lastVerdicts(world, ref), { limits, resumed: true });
    return await drive({ ref, client, git, world, reporter, interrupts });
  } finally {
    interrupts.stop();
  }
}

/** A run that came out of a session never gets more than that session had. */
function fromSession({ run }: LoopState): Partial<ClientOptions> {
  return run?.permissionMode === undefined ? {} : { permissionMode: run.permissionMode, allow: [] };
}

function watching(reporter: RunReporter): Interrupts {
  return watchInterrupts(() =>
    reporter.note('Finishing this step, then pausing. Once more to stop at once.'),
  );
}

async function drive(driving: Driving): Promise<number> {
  const { ref, world, reporter, interrupts, git } = driving;
  const lock = holdLock(driverLock(ref));
  if (!lock)
    throw new UsageError(
      `another process drives run ${ref.loop} already; watch it with: untildone log ${ref.loop} --follow`,
    );
  try {
    // What an earlier driver left behind would work on beside us.
    await endMarked(`${RUN_MARK}=${ref.loop}`);
    if (world.store.read(ref).status === 'paused') {
      world.store.append(ref, () => ({ kind: 'command', command: 'resume' }));
    }
    const folder = git?.folder ?? world.project;
    const after = await runLoop(planOf(ref, driving.client, folder), await worldOf(driving));
    for (const line of (await git?.finish(after, renderedReceipt(ref, world))) ?? []) reporter.note(line);
    return interrupts.asked() && !hasEnded(after) ? 130 : exitCode(after);
  } finally {
    lock.release();
  }
}

/** 0 done, 1 not done, 3 let go without being done. */
function exitCode({ status }: LoopState): number {
  if (status === 'verified_done' || status === 'claimed_done') return 0;
  return status === 'failed' || status === 'active' || status === 'paused' ? 1 : 3;
}
