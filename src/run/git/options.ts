import type { Command } from 'commander';
import { UsageError } from '../../core/text/errors.ts';
import { recordTrust } from '../../home/trust.ts';
import type { World } from '../../hook/wiring/world.ts';
import type { GitFlow } from '../../ports/ports.ts';
import type { Flow } from './commit-progress.ts';
import { type GitFlowWorld, readFlowRecord } from './record.ts';
import { type GitFlowOptions, openGitFlow } from './run-git.ts';
import { GitFlowError } from './user-git.ts';

export interface GitFlags {
  branch?: boolean;
  worktree?: boolean;
  pr?: boolean;
  merge?: boolean;
}

export function addGitOptions(command: Command): Command {
  return command
    .option('--branch', 'work on a branch of its own; commit what makes progress (needs a clean tree)')
    .option('--worktree', 'the same in a worktree beside your tree, which stays as it is')
    .option('--pr', 'push that branch at the end and open a pull request through gh')
    .option('--merge', 'with --pr: merge it once every check has passed');
}

/** How the flags want the work kept; undefined when they do not speak of git. */
export function gitOptions({
  branch,
  worktree,
  pr,
  merge,
}: GitFlags): Pick<GitFlowOptions, 'mode' | 'beside' | 'merge'> | undefined {
  if (branch && worktree)
    throw new UsageError('--branch works in your tree and --worktree beside it: name one of them');
  if (merge && !pr) throw new UsageError('--merge merges a pull request: name --pr, too');
  if (pr) return { mode: 'pr', beside: worktree === true, merge: merge === true };
  if (worktree) return { mode: 'worktree', merge: false };
  return branch ? { mode: 'branch', merge: false } : undefined;
}

/** Whom the flow tells at once, and what ends it. */
export interface GitWatch {
  note(line: string): void;
  signal?: AbortSignal;
  /** Of a child: see `GitFlowWorld`. */
  setups?: NonNullable<GitFlowWorld['setups']>;
}

export function openRunGit(
  options: Pick<GitFlowOptions, 'mode' | 'beside' | 'merge' | 'anew' | 'from' | 'reads'>,
  run: { loop: string; task: string },
  world: World,
  watch: GitWatch,
): Promise<Flow> {
  return opened({ ...options, ...run }, world.project, world, watch);
}

/** The git flow of a run that goes on; undefined for one that never had any. */
export async function resumeRunGit(loop: string, world: World, watch: GitWatch): Promise<Flow | undefined> {
  const record = readFlowRecord(world.home, loop);
  if (!record) return undefined;
  const { mode, merge, task, project, folder, branch } = record;
  return opened({ mode, merge, loop, task, resume: { folder, branch } }, project, world, watch);
}

async function opened(
  options: GitFlowOptions,
  project: string,
  { home, env }: World,
  watch: GitWatch,
): Promise<Flow> {
  const worktrees = env.UNTILDONE_WORKTREES;
  try {
    return await openGitFlow(options, project, {
      ...watch,
      home,
      env,
      worktrees: worktrees ? worktrees : undefined,
    });
  } catch (error) {
    throw error instanceof GitFlowError ? new UsageError(error.message) : error;
  }
}

/**
 * A worktree of the project holds the same repository: what a person approved for the project counts there, too, as
 * long as it is exactly that. It is written down for the worktree, because every Stop asks again.
 */
export function trustedWith(git: GitFlow | undefined, { store, home, project, clock }: World) {
  return (folder: string, fingerprint: string): boolean => {
    if (store.isTrusted(folder, fingerprint)) return true;
    if (folder !== git?.folder || !store.isTrusted(project, fingerprint)) return false;
    recordTrust(home, folder, fingerprint, clock.now());
    return true;
  };
}
