import { existsSync } from 'node:fs';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { branchName, NOTHING_PASSES } from '../../core/run/progress.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { oneLine } from '../../core/text/clip.ts';
import { redact } from '../../core/text/redact.ts';
import { realPath } from '../../home/layout.ts';
import { openBranch, openWorktree, repositoryOf, sayHead, sweep } from './branch-or-worktree.ts';
import { RunGit } from './commit-progress.ts';
import { ghIn, hasRemote } from './pull-request.ts';
import { type RunGitPorts, type RunGitRecord, readRunGitRecord, writeRunGitRecord } from './record.ts';
import { changedSince, type Head, headOf, must, notCommitted, setupOf, uncommittedIn } from './status.ts';
import {
  identityOf,
  identityVariables,
  ownVariables,
  RunGitError,
  type UserGit,
  userGit,
} from './user-git.ts';

export interface RunGitOptions {
  /** `pr`: in the user's tree, or beside it with `beside`. */
  mode: 'branch' | 'worktree' | 'pr';
  beside?: boolean;
  merge: boolean;
  loop: string;
  task: string;
  resume?: { folder: string; branch: string };
  /** Removes a worktree that was begun and never used. */
  anew?: boolean;
  /** Files that define the work, such as feature lists. They have to be committed before a worktree begins. */
  reads?: readonly string[];
  /** Where to begin instead of at the last commit of the project. */
  from?: Head;
}

/** Opens the git work of a run. Throws `RunGitError`, with what to do, before anything was changed. */
export async function openRunGit(
  options: RunGitOptions,
  project: string,
  world: RunGitPorts,
): Promise<RunGit> {
  const own = userGit(repositoryOf(project), world.env, world.signal);
  // Git refuses a repository of another owner. The user has to hear of it now, not hours later.
  await must(own.asUser({ args: ['rev-parse', '--git-dir'] }), 'rev-parse');
  const identity = identityVariables(await identityOf(own));
  const setups = [...(world.setups ?? []), ...(world.setups ? [] : [await setupOf(own)])];
  const changed = changedSince(setups, await setupOf(own));
  if (changed) throw new RunGitError(`the ${changed} of git were changed since the run began`);
  const { record, notes } = options.resume
    ? await goOn(options, options.resume, project, world)
    : await begin(options, project, own, world);
  const git = userGit(repositoryOf(record.folder), world.env, world.signal);
  if (!world.setups) setups.push(await setupOf(git));
  writeRunGitRecord(world.home, record);
  const warnings = options.mode === 'pr' ? await missingForPullRequest(git, world) : [];
  return new RunGit(record, [...notes, ...warnings], { git, own, identity, setups, world });
}

/** Warns at the start about what a pull request will need at the end. */
async function missingForPullRequest(git: UserGit, { env, signal }: RunGitPorts): Promise<string[]> {
  const gh = await ghIn(git.repository.top, ownVariables(env), signal).call(['--version']);
  return [
    ...((await hasRemote(git))
      ? []
      : ['There is no remote named origin yet: without one nothing is pushed at the end.']),
    ...(gh.ok ? [] : [`No pull request can be opened yet: ${gh.problem}.`]),
  ];
}

type Opening = { record: RunGitRecord; notes: string[] };

async function begin(
  options: RunGitOptions,
  project: string,
  git: UserGit,
  { worktrees }: RunGitPorts,
): Promise<Opening> {
  const { mode, merge, loop } = options;
  const branch = branchName(options.task, loop);
  const beside = mode === 'worktree' || options.beside === true;
  if (options.anew) await sweep(git, branch, { loop, worktrees });
  const place = beside
    ? await openWorktree(git, project, branch, {
        loop,
        worktrees,
        from: options.from,
        // A worktree that begins elsewhere does not need the files of the project's checkout.
        reads: options.from ? [] : [CONTRACT_FILE, ...(options.reads ?? [])],
      })
    : await openBranch(git, project, branch);
  const task = oneLine(redact(options.task), 400);
  const { folder, base, notes } = place;
  const worktree = beside ? { worktree: repositoryOf(folder).top } : {};
  const kept = { commit: base.commit, passing: NOTHING_PASSES };
  return {
    record: {
      v: 1,
      loop,
      mode,
      merge,
      task,
      project: realPath(project),
      folder,
      ...worktree,
      branch,
      base,
      kept,
    },
    notes,
  };
}

/** Goes on in an existing checkout. Its uncommitted files count as the run's work. */
async function goOn(
  { loop }: RunGitOptions,
  { folder, branch }: { folder: string; branch: string },
  project: string,
  world: RunGitPorts,
): Promise<Opening> {
  const before = readRunGitRecord(world.home, loop);
  if (!before)
    throw new RunGitError(`the git record of run ${loop} cannot be used; its work is on branch ${branch}`);
  const path = before.worktree ?? folder;
  if (!existsSync(folder))
    throw new RunGitError(
      `the worktree of run ${loop} is gone; put it back: cd ${quoteForShell(realPath(project))} && git worktree prune && git worktree add ${quoteForShell(path)} ${branch}`,
    );
  const git = userGit(repositoryOf(folder), world.env, world.signal);
  const head = await headOf(git);
  if (head?.branch !== branch)
    throw new RunGitError(
      `${path} is on ${head ? sayHead(head) : 'no commit'}, but run ${loop} works on ${branch}; go back: cd ${quoteForShell(path)} && git switch ${branch}`,
    );
  const { paths, nested } = await uncommittedIn(git);
  const left = paths.length + nested.length;
  const { pending, ...rest } = before;
  const wasMade = pending !== undefined && pending.on !== head.commit;
  return {
    record: { ...rest, ...(wasMade ? { kept: { commit: head.commit, passing: pending.passing } } : {}) },
    notes: [
      `The run continues on branch ${branch} in ${path}.`,
      ...(left > 0 ? [`${notCommitted(left)} there; it counts as the run's work.`] : []),
    ],
  };
}
