/** Drives one child of a run until it ends or pauses. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { approvals, childContract, type PieceRules } from '../../core/contract/child-contract.ts';
import {
  type Contract,
  type Limits,
  withoutImplicitChange,
  withPromise,
} from '../../core/contract/contract.ts';
import { type ChildState, hasEnded, type LoopState } from '../../core/loop/state.ts';
import { paceFor } from '../../core/run/options.ts';
import { describeEnding, describeWait } from '../../core/words/endings.ts';
import { holdLock } from '../../files/lock.ts';
import { endMarked } from '../../files/process-tree.ts';
import { traitsOf } from '../../gates/traits.ts';
import { driverLock } from '../../home/layout.ts';
import { readRenderedReceipt } from '../../home/receipts.ts';
import { recordTrust } from '../../home/trust.ts';
import { begin } from '../../hook/start/start.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { Driving } from '../begin/client-options.ts';
import { driveLoop } from '../begin/drive-loop.ts';
import { RUN_MARK } from '../begin/driver-ports.ts';
import { prepareWorktree } from '../begin/setup.ts';
import type { RunGit } from '../git/commit-progress.ts';
import { beginRunGit, commitLate, resumeRunGit } from '../git/options.ts';
import type { RunEvent, RunReporter } from '../reporter.ts';
import type { Division, Work } from './pieces.ts';
import type { ChildHeard, ChildRest } from './run-children.ts';

/** The run that the child belongs to. */
export interface Parent extends Driving {
  git: RunGit;
  division: Division;
}

export interface Drive {
  child: ChildState;
  work: Work;
  limits: Limits;
  heard: ChildHeard;
}

/** Returns the RunGit of the child, too: its commits are still to be merged. */
export async function driveChild(drive: Drive, parent: Parent): Promise<{ rest: ChildRest; git: RunGit }> {
  const { child, heard } = drive;
  const known = childRef(child, parent);
  const git = await childGit(drive, known, parent);
  const ref = known ?? (await beginChild(drive, git, parent));
  if (!ref) {
    await git.takeBack();
    return { git, rest: { kind: 'ended', status: 'nothing_to_do', cause: '', detail: 'it passes already' } };
  }
  const state = await work({ ...drive, ref, git }, parent);
  heard.state(state);
  if (!hasEnded(state))
    return { git, rest: { kind: 'rests', why: `${child.piece}: ${describeWait(state)}` } };
  const { commit } = await git.standing();
  return { git, rest: endedAs(state, git.branch, commit) };
}

function endedAs(state: LoopState, branch: string, commit: string): ChildRest {
  if (!hasEnded(state) || state.status === 'active' || state.status === 'paused')
    return { kind: 'rests', why: describeWait(state) };
  const { status, ending } = state;
  return { kind: 'ended', status, cause: ending?.cause ?? '', detail: describeEnding(state), branch, commit };
}

/** The loop of a child; undefined for one that was killed before it had a journal. */
function childRef({ loop }: ChildState, { world }: Parent): LoopRef | undefined {
  const ref = world.store.loops(world.project).find((known) => known.loop === loop);
  try {
    return ref && world.store.read(ref) && ref;
  } catch {
    return undefined;
  }
}

/** Opens the child's own worktree. It begins at the run's branch, or, for a pull request, at the user's branch. */
export async function childGit(
  { child, work }: Pick<Drive, 'child' | 'work'>,
  known: LoopRef | undefined,
  { world, git, division, reporter, interrupts }: Parent,
): Promise<RunGit> {
  const watch = { note: reporter.note, signal: interrupts.atOnce, setups: git.setups };
  if (known) {
    const resumed = await resumeRunGit(child.loop, world, watch);
    if (resumed) return resumed;
  }
  const run = { loop: child.loop, task: work.task.trim().split('\n', 1)[0] ?? work.title };
  const { pullRequests, merge } = division;
  return pullRequests
    ? beginRunGit(
        { mode: 'pr', beside: true, merge, anew: true, from: await git.freshBase(merge) },
        run,
        world,
        watch,
      )
    : beginRunGit(
        { mode: 'worktree', merge: false, anew: true },
        run,
        { ...world, project: git.folder },
        watch,
      );
}

/** Begins the loop of a child, with the frozen contract of its parent narrowed to its piece. Undefined: the piece passes already. */
async function beginChild(drive: Drive, git: RunGit, parent: Parent): Promise<LoopRef | undefined> {
  const { child, work, limits } = drive;
  const { world, ref, division } = parent;
  const { contract, frozen } = world.store.contract(ref);
  const { run } = world.store.read(ref);
  const { gate, id } = work.features ?? {};
  const rules: PieceRules = {
    features: gate === undefined || id === undefined ? undefined : { gate, only: [id] },
    passing: parent.git.passing,
    share: child.share,
    durationMs: limits.durationMs,
    pushed: division.pullRequests,
  };
  const isForPerson = work.features === undefined && approvals(contract, traitsOf).length > 0;
  const started = await begin(
    {
      loop: child.loop,
      session: randomUUID(),
      project: git.folder,
      task: work.task,
      contract: orPromise(childContract(withoutImplicitChange(contract), rules, traitsOf), isForPerson),
      judgeMs: frozen.judgeMs,
      transcriptOffset: 0,
      outputDir: join(world.store.outputDir(ref), child.loop),
      run: { ...paceFor(run ?? {}), parent: ref.loop },
      frozen,
      isMeasuredPiece: work.features !== undefined,
      prepare: () =>
        prepareWorktree({
          contract,
          folder: git.folder,
          world,
          interrupts: parent.interrupts,
          outputDir: join(world.store.outputDir(ref), child.loop),
          note: parent.reporter.child(child).note,
        }),
    },
    world,
    (folder, fingerprint) => isDerived(folder, fingerprint, frozen, parent),
  );
  if (started.kind === 'nothing_to_do') return undefined;
  git.startsFrom(started.baseline);
  return started.ref;
}

/** Asks for a promise where no gate is left, or where the remaining question is for the user and asked later. */
function orPromise(contract: Contract, isForPerson: boolean): Contract {
  const hasWord = contract.done.some((name) => contract.gates[name]?.kind === 'promise');
  return contract.done.length === 0 || (isForPerson && !hasWord) ? withPromise(contract, 'DONE') : contract;
}

/** Trust in the run counts for its children, which run the same commands or fewer. */
function isDerived(
  folder: string,
  fingerprint: string,
  frozen: { project: string; fingerprint: string },
  { world }: Parent,
): boolean {
  const { store, home, clock } = world;
  if (fingerprint !== frozen.fingerprint || !store.isTrusted(frozen.project, fingerprint)) return false;
  recordTrust(home, folder, fingerprint, clock.now());
  return true;
}

async function work(
  { ref, git, heard, child, work }: Drive & { ref: LoopRef; git: RunGit },
  parent: Parent,
): Promise<LoopState> {
  const { world } = parent;
  const lock = holdLock(driverLock(ref));
  if (!lock) throw new Error(`another process drives run ${ref.loop} already`);
  try {
    await endMarked(`${RUN_MARK}=${ref.loop}`);
    for (const line of await commitLate(ref, git, world)) parent.reporter.child(child).note(line);
    if (world.store.read(ref).status === 'paused')
      world.store.append(ref, () => ({ kind: 'command', command: 'resume' }));
    const reporter = listening(parent.reporter.child(child), heard);
    reporter.begun(ref.loop, work.title, [], {
      limits: world.store.contract(ref).contract.limits,
      resumed: (world.store.read(ref).run?.sessions ?? 0) > 0,
    });
    const after = await driveLoop({ ...parent, ref, git, reporter }, git.folder);
    // Publishes the pull request. The parent reports the rest about the branch.
    if (parent.division.pullRequests)
      for (const line of await git.finish(after, readRenderedReceipt(ref, world.store), 'published'))
        reporter.note(line);
    return after;
  } finally {
    lock.release();
  }
}

function listening(reporter: RunReporter, heard: ChildHeard): RunReporter {
  return {
    ...reporter,
    event: (event: RunEvent) => {
      reporter.event(event);
      heard.waits(event.type === 'waiting' ? event.why : undefined);
      if ('state' in event) heard.state(event.state);
    },
  };
}
