import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Verdict } from '../../core/loop/verdict.ts';
import type { Passing } from '../../core/run/progress.ts';
import { isSafeId } from '../../core/text/paths.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import { type Home, readKey, sealedJson, unsealedJson } from '../../home/layout.ts';
import type { Incoming } from '../parallel/merge.ts';
import type { GitSetup, Head } from './status.ts';
import type { UserGit } from './user-git.ts';

/** What the git work of a run needs after a pause or a crash. Kept in the home, under a seal. */
export interface RunGitRecord {
  v: 1;
  loop: string;
  mode: 'branch' | 'worktree' | 'pr';
  merge: boolean;
  task: string;
  /** The user's own folder. */
  project: string;
  /** Where the sessions work. */
  folder: string;
  /** The top of the worktree; absent when the run works in the user's tree. */
  worktree?: string;
  branch: string;
  base: Head;
  /** The last commit, and what passed there. */
  kept: { commit: string; passing: Passing };
  /** A commit on top of `on` was about to be made. If `on` has a successor, it was made. */
  pending?: { on: string; passing: Passing };
  pullRequest?: { url: string; draft: boolean };
  /** Conflicts between branches of children were resolved on this branch. */
  settled?: true;
  /** The run has ended, and its work is published. */
  finished?: true;
}

export function readRunGitRecord(home: Home, loop: string): RunGitRecord | undefined {
  if (!isSafeId(loop)) return undefined;
  const text = readSmall(recordFile(home, loop));
  return text === undefined ? undefined : unsealedJson<RunGitRecord>(text, purposeOf(loop), readKey(home));
}

export function writeRunGitRecord(home: Home, record: RunGitRecord): void {
  const file = recordFile(home, record.loop);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, sealedJson(record, purposeOf(record.loop), readKey(home)));
}

export function removeRunGitRecord(home: Home, loop: string): void {
  rmSync(recordFile(home, loop), { force: true });
}

export function recordFile(home: Home, loop: string): string {
  if (!isSafeId(loop)) throw new Error(`${JSON.stringify(loop)} does not name a run`);
  return join(home.root, 'git', `${loop}.json`);
}

function purposeOf(loop: string): string {
  return `git ${loop}`;
}

/** What the git work of a run needs from the world. */
export interface RunGitPorts {
  home: Home;
  env: NodeJS.ProcessEnv;
  /** Another folder for worktrees than the one beside the repository. */
  worktrees?: string;
  /** Aborts running git calls. */
  signal?: AbortSignal;
  /** Tells the user at once why a step takes long. */
  note?(line: string): void;
  pause?(ms: number): Promise<void>;
  /** For a child: the hooks and settings at the start of its parent. */
  setups?: readonly GitSetup[];
}

/** The work of a child that is to be merged. */
export interface ChildWork extends Pick<Incoming, 'commit' | 'message' | 'resolveConflict'> {
  /** Judges the merged work before it is kept. */
  judge(): Promise<readonly Verdict[]>;
}

export interface GitAccess {
  /** Where the sessions work. */
  git: UserGit;
  /** The user's own checkout; the same one without a worktree. */
  own: UserGit;
  identity: Record<string, string>;
  /** Hooks and settings that count as the user's: those at the start, and as untildone's own calls changed them. */
  setups: GitSetup[];
  world: RunGitPorts;
}
