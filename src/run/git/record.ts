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

/** What a run's git flow needs to go on after a pause or a crash; kept in the home, under a seal. */

export interface RunGitRecord {
  v: 1;
  loop: string;
  mode: 'branch' | 'worktree' | 'pr';
  merge: boolean;
  task: string;
  /** The person's own folder. */
  project: string;
  /** Where the sessions work; in the worktree when there is one. */
  folder: string;
  /** The top of the worktree; absent when the run works in the person's tree. */
  worktree?: string;
  branch: string;
  base: Head;
  /** The last point that was kept, and what passed there. */
  kept: { commit: string; passing: Passing };
  /** A commit that was about to be made on top of `on`: when there is one, it was made. */
  pending?: { on: string; passing: Passing };
  pullRequest?: { url: string; draft: boolean };
  /** Branches of children that conflicted were brought together on it. */
  settled?: true;
  /** Everything was done that is done with it at the end. */
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

function recordFile(home: Home, loop: string): string {
  if (!isSafeId(loop)) throw new Error(`${JSON.stringify(loop)} does not name a run`);
  return join(home.root, 'git', `${loop}.json`);
}

function purposeOf(loop: string): string {
  return `git ${loop}`;
}

/** What the git flow of a run works with. */

export interface RunGitWorld {
  home: Home;
  env: NodeJS.ProcessEnv;
  /** Another folder for worktrees than the one beside the repository. */
  worktrees?: string;
  /** Ends what is under way. */
  signal?: AbortSignal;
  /** Says at once what a person would otherwise wait for in the dark. */
  note?(line: string): void;
  pause?(ms: number): Promise<void>;
  /** Of a child: the hooks and settings as they were when its parent began. */
  setups?: readonly GitSetup[];
}

/** What of a child's work is to be taken in. */
export interface ChildWork extends Pick<Incoming, 'commit' | 'message' | 'resolveConflict'> {
  /** Judges the merged work before it is kept. */
  judge(): Promise<readonly Verdict[]>;
}

export interface GitAccess {
  /** Where the sessions work. */
  git: UserGit;
  /** The person's own checkout; the same one without a worktree. */
  own: UserGit;
  identity: Record<string, string>;
  /** The hooks and settings that are the person's: those when the flow was opened, and what our own calls made of them. */
  setups: GitSetup[];
  world: RunGitWorld;
}
