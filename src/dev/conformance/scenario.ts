/** A scenario in memory: what a file under `scenarios/` says, before any format or hook is chosen. */

/** The formats of foreign state that scenarios are about, in the order of the table. */
export const FORMATS = ['ralph-loop', 'feature-list', 'verified-done', 'lock'] as const;
export type Format = (typeof FORMATS)[number];

export interface Scenario {
  /** The file's name without its ending. */
  name: string;
  title: string;
  formats: Format[];
  /** The name of the project's folder. */
  folder: string;
  /** Everything that is laid out in the project is committed, loops excepted. */
  gitRepository: boolean;
  loop?: GivenLoop;
  files: GivenFile[];
  steps: Step[];
}

/** A loop that is not in any format yet: each format lays it out in its own files. */
export interface GivenLoop {
  session: string;
  iteration: number;
  maxIterations: number;
  /** Absent: nothing that the agent says ends the loop. */
  promise?: string;
  task: string;
}

export interface GivenFile {
  path: string;
  content: Buffer;
  only: Only;
}

/** For whom a line counts. */
export interface Only {
  formats?: Format[];
  /** Only when the hook is untildone's own. */
  untildone: boolean;
}

export interface Step {
  line: number;
  /** As written, for the report. */
  text: string;
  only: Only;
  action: Action;
  expected: Expected[];
}

export type Action =
  | { kind: 'stop'; session: string; says: Says; upTo?: number; given: StopGiven }
  | { kind: 'event'; session: string; name: 'session-start' | 'session-end' | 'stop-failure'; detail: string }
  | { kind: 'prompt'; session: string; text: string }
  | { kind: 'tool'; session: string }
  | { kind: 'client-killed'; session: string }
  | { kind: 'write'; path: string; content: Buffer }
  | { kind: 'remove'; path: string }
  | { kind: 'restore' }
  | { kind: 'make'; path: string; what: Shape }
  | { kind: 'git'; line: string }
  /** A command of untildone: typed by you, or run by the agent of a session. */
  | { kind: 'run'; line: string; by?: string };

export type Says =
  | { kind: 'text'; text: string }
  | { kind: 'nothing' }
  /** Ends the given loop as its format does: by the promise, the flags, or the removal of the lock. */
  | { kind: 'finished' };

/** What a file is made into. */
export type Shape =
  | { kind: 'folder' | 'fifo' | 'unreadable' | 'read-only' | 'link-to-itself' | 'not-executable' }
  | { kind: 'link'; to: string }
  | { kind: 'large'; bytes: number }
  | { kind: 'older'; ms: number };

/** What is unusual about a Stop. */
export interface StopGiven {
  stopHookActive?: boolean;
  background: { id: string; type: string; status: string }[];
  wakeUps: { id: string; recurring: boolean }[];
  contextPercent?: number;
  withoutMessage: boolean;
  transcript?: { kind: 'missing' | 'stale' | 'torn' | 'folder' } | { kind: 'lines'; content: Buffer };
  cwd?: string;
  /** The folder that the session was started in, where it is not the project. */
  project?: string;
  throughLink: boolean;
  env: Record<string, string>;
  fullDisk: boolean;
  /** The event does not arrive as it was sent. */
  input?: 'torn' | 'no';
  /** The command that `untildone install` wrote into the settings, instead of the one under test. */
  installed: boolean;
}

export interface Expected {
  line: number;
  text: string;
  only: Only;
  check: Check;
}

export type Check =
  | { kind: 'held' | 'let-go' }
  | { kind: 'says'; where: 'reason' | 'message' | 'stderr' | 'stdout'; text: string; contains: boolean }
  | { kind: 'exit'; code: number }
  | { kind: 'file'; path: string; is: 'unchanged' | 'absent' | 'exists' }
  | { kind: 'bytes'; path: string; content: Buffer }
  | { kind: 'file-says'; path: string; text: string; contains: boolean }
  | { kind: 'counter'; value: string }
  | { kind: 'loop'; session: string; status: string; iteration?: number }
  | { kind: 'no-loop'; session: string }
  | { kind: 'within'; ms: number };

/** The path that stands for the state files of the format at hand. */
export const STATE = 'state';
