/** Which session owns a foreign state file, and the loop that it became. */
export interface Claim {
  v: 1;
  dialect: string;
  /** The path of the state file. */
  path: string;
  identity: string;
  session: string;
  /** Absent: you claimed it for a session that has sent no event since. */
  loopDir?: string;
}

export interface Claims {
  of(path: string): Claim | undefined;
  /** Replaces the claim by what `build` returns, under a lock; undefined leaves it as it is. */
  change(path: string, build: (claim: Claim | undefined) => Claim | undefined): Claim | undefined;
}

/**
 * Where a project stood at the first sign of a session. A loop that is taken up later is compared with it: what the session
 * did before its first Stop is work, and not the start.
 */
export interface Baseline {
  v: 1;
  session: string;
  at: number;
  /** Absent while the tree is being read, and when it could not be. */
  tree?: string;
  commit?: string;
  /** How often reading the tree was begun. */
  tries: number;
  /** The fingerprint of the contract that you trusted then. */
  contract: string;
  /** The foreign states that were seen so far, by their paths. */
  states: string[];
  /** The folders of the loops that began from here. */
  loops: string[];
}

export interface Baselines {
  of(project: string, session: string): Baseline | undefined;
  /** Replaces the baseline by what `build` returns, under a lock; undefined leaves it as it is. */
  change(project: string, session: string, build: (now: Baseline | undefined) => Baseline | undefined): void;
}

/** The tool calls in a part of a transcript. */
export interface ToolCalls {
  /** Where the next reading begins. */
  offset: number;
  calls: { id: string; tool: string; at?: number }[];
  /** The ids of the calls that failed. */
  failed: { id: string; at?: number }[];
}

/** Reads foreign state files. Paths are absolute; pipes and devices are never opened. */
export interface ForeignFiles {
  /** A regular file of at most 16 MiB, through links. */
  read(path: string): FileRead;
  /** Links are followed; undefined when nothing is there. */
  look(path: string): FileLook | undefined;
  /** The names in a folder, sorted; none when there is no such folder. */
  list(folder: string): string[];
  /** Resolves links as far as the path exists. */
  realPath(path: string): string;
  sha256(text: string): string;
}

export type FileRead =
  | { kind: 'text'; text: string }
  | { kind: 'none' }
  /** A folder, a pipe, no permission, or too large; the problem names the path. */
  | { kind: 'unusable'; problem: string };

export interface FileLook {
  kind: 'file' | 'folder' | 'other';
  inode: number;
  mtimeMs: number;
  /** In bytes. */
  size: number;
}

/** One change to a foreign file, done completely or not at all. Changes are done in order; a failed one is reported. */
export type StateChange =
  /** `edit` gets the current text, undefined when there is no file. Its result replaces the text; undefined keeps it. */
  | { kind: 'edit'; path: string; edit(text: string | undefined): string | undefined }
  /** Makes the file and its folders when they do not exist. */
  | { kind: 'append'; path: string; text: string }
  | { kind: 'copy'; from: string; to: string; maxBytes: number }
  /** Removes a regular file; not when `when` returns false for its text. */
  | { kind: 'remove'; path: string; when?(text: string): boolean };
