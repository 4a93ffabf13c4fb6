/** A session's hold on a foreign state, and the loop that it became. */
export interface Claim {
  v: 1;
  dialect: string;
  /** The place of the state. */
  path: string;
  identity: string;
  session: string;
  /** Absent: claimed by a person for a session that has not been seen since. */
  loopDir?: string;
}

export interface Claims {
  of(path: string): Claim | undefined;
  /** Under a lock: `build` gets the freshest claim; what it returns replaces it, undefined leaves it as it is. */
  change(path: string, build: (claim: Claim | undefined) => Claim | undefined): Claim | undefined;
}

/** Files that belong to others: foreign state. Paths are absolute; nothing here waits on a pipe or a device. */
export interface ForeignFiles {
  /** A regular file of at most 16 MiB, through links. */
  read(path: string): FileRead;
  /** What is there, through links; undefined: nothing. */
  look(path: string): FileLook | undefined;
  /** The names in a folder, sorted; none when there is no such folder. */
  list(folder: string): string[];
  /** Links resolved as far as the path exists. */
  realPath(path: string): string;
  sha256(text: string): string;
}

export type FileRead =
  | { kind: 'text'; text: string }
  | { kind: 'none' }
  /** A folder, a pipe, no permission, too large; the problem names the path. */
  | { kind: 'unusable'; problem: string };

export interface FileLook {
  kind: 'file' | 'folder' | 'other';
  inode: number;
  mtimeMs: number;
  /** In bytes. */
  size: number;
}

/** One change to a foreign file, done whole or not at all. Changes are done in their order; a failed one is reported. */
export type StateChange =
  /** `edit` gets what is there now, undefined when nothing is; what it returns replaces it, undefined leaves it alone. */
  | { kind: 'edit'; path: string; edit(text: string | undefined): string | undefined }
  /** Makes the file and its folders when they are not there. */
  | { kind: 'append'; path: string; text: string }
  | { kind: 'copy'; from: string; to: string; maxBytes: number }
  /** Only a regular file; `when` may look at what it holds now and keep it. */
  | { kind: 'remove'; path: string; when?(text: string): boolean };
