import { hasEnded } from '../../core/loop/state.ts';
import { UsageError } from '../../core/text/errors.ts';
import { recordTrust } from '../../home/trust.ts';
import type { ProjectPorts } from '../../hook/wiring/project-ports.ts';
import type { LoopRef, RunGitPort } from '../../ports/ports.ts';
import type { RunGit } from './commit-progress.ts';
import { type RunGitPorts, readRunGitRecord } from './record.ts';
import { openRunGit, type RunGitOptions } from './run-git.ts';
import { RunGitError } from './user-git.ts';

export interface GitFlags {
  branch?: boolean;
  worktree?: boolean;
  pr?: boolean;
  merge?: boolean;
}

/** The git options of the flags; undefined without any. */
export function gitOptions({
  branch,
  worktree,
  pr,
  merge,
}: GitFlags): Pick<RunGitOptions, 'mode' | 'beside' | 'merge'> | undefined {
  if (branch && worktree)
    throw new UsageError('--branch works in your tree and --worktree beside it: name one of them');
  if (merge && !pr) throw new UsageError('--merge merges a pull request: name --pr, too');
  if (pr) return { mode: 'pr', beside: worktree === true, merge: merge === true };
  if (worktree) return { mode: 'worktree', merge: false };
  return branch ? { mode: 'branch', merge: false } : undefined;
}

/** Who is told at once, and what aborts the work. */
export interface GitWatch {
  note(line: string): void;
  signal?: AbortSignal;
  /** For a child: see `RunGitPorts`. */
  setups?: NonNullable<RunGitPorts['setups']>;
}

export function beginRunGit(
  options: Pick<RunGitOptions, 'mode' | 'beside' | 'merge' | 'anew' | 'from' | 'reads'>,
  run: { loop: string; task: string },
  world: ProjectPorts,
  watch: GitWatch,
): Promise<RunGit> {
  return opened({ ...options, ...run }, world.project, world, watch);
}

/** The RunGit of a run that goes on; undefined for a run without git. */
export async function resumeRunGit(
  loop: string,
  world: ProjectPorts,
  watch: GitWatch,
): Promise<RunGit | undefined> {
  const record = readRunGitRecord(world.home, loop);
  if (!record) return undefined;
  const { mode, merge, task, project, folder, branch } = record;
  return opened({ mode, merge, loop, task, resume: { folder, branch } }, project, world, watch);
}

async function opened(
  options: RunGitOptions,
  project: string,
  { home, env }: ProjectPorts,
  watch: GitWatch,
): Promise<RunGit> {
  const worktrees = env.UNTILDONE_WORKTREES;
  try {
    return await openRunGit(options, project, {
      ...watch,
      home,
      env,
      worktrees: worktrees || undefined,
    });
  } catch (error) {
    throw error instanceof RunGitError ? new UsageError(error.message) : error;
  }
}

/**
 * Trust in the project counts for its worktree, too, as long as the fingerprint is the same. It is recorded for the
 * worktree, because every Stop asks again.
 */
export function trustedWith(git: RunGitPort | undefined, { store, home, project, clock }: ProjectPorts) {
  return (folder: string, fingerprint: string): boolean => {
    if (store.isTrusted(folder, fingerprint)) return true;
    if (folder !== git?.folder || !store.isTrusted(project, fingerprint)) return false;
    recordTrust(home, folder, fingerprint, clock.now());
    return true;
  };
}

/**
 * Commits the work of a run whose runner was killed after the last Stop was judged and before the commit, as long as the
 * tree is exactly what was judged. Returns lines for the user.
 */
export async function commitLate(
  ref: LoopRef,
  git: RunGit,
  { store, judges }: ProjectPorts,
): Promise<string[]> {
  const { entry, state } = store.tail(ref).line;
  if (entry.kind !== 'stop' || !hasEnded(state) || entry.seen.tree === undefined) return [];
  if ((await git.standing()).left === 0) return [];
  const { contract, frozen } = store.contract(ref);
  const tree = await (await judges(contract)).workspace(frozen.project).tree();
  if (tree !== entry.seen.tree) return [`Not committed: ${git.folder} was changed since it was judged`];
  return git.keep(state, entry.verdicts);
}
