/** Walls around the commands of gates, which run code that the agent wrote. */
export interface Within {
  cwd: string;
  /** Folders that the command may write to. Everything else is read-only or absent. */
  writable: readonly string[];
  /** Files and folders that the command does not see. */
  hidden: readonly string[];
  network: boolean;
}

export interface Walls {
  name: 'bubblewrap' | 'sandbox-exec';
  /** The words of a command that runs `argv` within walls. */
  around(argv: readonly string[], within: Within): string[];
}

export interface WallsProblem {
  /** Why there are no walls, and what to do. */
  problem: string;
}
