/** What the git flow of a run works with. */
import type { Verdict } from '../../core/loop/verdict.ts';
import type { Home } from '../../home/layout.ts';
import type { Incoming } from '../parallel/merge.ts';
import type { GitSetup } from './git-setup.ts';
import type { FlowGit } from './user-git.ts';

export interface GitFlowWorld {
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
export interface ChildWork extends Pick<Incoming, 'commit' | 'message' | 'settle'> {
  /** Judges the merged work before it is kept. */
  judge(): Promise<readonly Verdict[]>;
}

export interface Means {
  /** Where the sessions work. */
  git: FlowGit;
  /** The person's own checkout; the same one without a worktree. */
  own: FlowGit;
  identity: Record<string, string>;
  /** The hooks and settings that are the person's: those when the flow was opened, and what our own calls made of them. */
  setups: GitSetup[];
  world: GitFlowWorld;
}
