import type { TestResults } from '../core/proof/test-results.ts';
import type { WrittenFiles } from '../core/words/written.ts';
import type { Shell, ShellCommand, ShellResult } from './ports.ts';

/** A folder in which commands of gates run. */
export interface Place {
  /** The files that are judged. Paths of the contract are relative to it. */
  dir: string;
  shell: Shell;
  /** Runs a command that may be a test runner, and asks it for results test by test. */
  runTests(command: TestCommand): Promise<TestRun>;
  /** `clean`: a fresh copy of the tree, outside of the project; `project`: the folder in which the agent works. */
  room: 'clean' | 'project';
  /** What keeps commands from everything else; absent: nothing does. */
  walls?: string;
}

export interface TestCommand extends ShellCommand {
  /** Where a canary may be laid in. */
  canary?: CanaryOrder;
}

export interface CanaryOrder {
  /** Files of tests: it is laid beside one of them that is of its runner. */
  beside: readonly string[];
  /** Changed modules that it loads first, where it runs in a process of its own. */
  loads: readonly string[];
}

/** What became of a canary. `missing`: no report names it. */
export type CanaryFate = 'alive' | 'bent' | 'missing';

export interface LaidCanary {
  fate: CanaryFate;
  /** The file of tests that it was laid beside. */
  beside: string;
}

export interface TestRun {
  result: ShellResult;
  /** Whether a runner that is known was asked for a report. */
  asked?: boolean;
  /** Absent when no runner wrote a report that can be read. Without the canary. */
  tests?: TestResults;
  /** What became of the canary; absent: none was laid in. */
  canary?: LaidCanary;
}

/** A clean room: a tree in a fresh folder, with dependencies of its own and the environment of the loop's start. */
export interface Room extends Place {
  room: 'clean';
  /** What commands have written into it. A command that damages the repository of the room has changed what nobody can name. */
  changed(): Promise<WrittenFiles>;
  /** Writes the files of the tree as they were when the room was opened. What else lies in it stays. */
  restore(): Promise<void>;
  /** Removes the room. Never throws; may be called twice. */
  dispose(): Promise<void>;
}

export interface RoomOrder {
  tree: string;
  /** The tree of the room's last commit; `tree` when absent. */
  base?: string;
  /** Files that are laid over the tree, by path. */
  over?: Readonly<Record<string, string | Uint8Array>>;
  signal?: AbortSignal;
}

/** A file of a tree. */
export interface TreeFile {
  path: string;
  mode: string;
  blob: string;
}

export interface Composition {
  /** The tree that gives everything else. */
  rest: string;
  /** The tree that gives the paths that `takes` chooses; what it does not have is absent. */
  from: string;
  takes(path: string): boolean;
  /** The paths that neither tree gives. */
  without?(path: string): boolean;
  /** Files whose text is neither tree's. */
  texts?: Readonly<Record<string, string>>;
  /** Links that neither tree has, by path, each with what it leads to. */
  links?: Readonly<Record<string, string>>;
}

/** The tests of one project that the agent never sees. Both throw `Unmeasurable` when what is kept was damaged. */
export interface Holdout {
  /** Names the files as they are now; undefined when there are none. */
  digest(): string | undefined;
  /** By path relative to the project. */
  files(): Readonly<Record<string, Uint8Array>>;
  /** How many tests this command ran when you checked them last; undefined when that is not known. */
  expected(command: string): number | undefined;
}

/** Clean rooms of one project. */
export interface Rooms {
  /** Rejects when there can be no such room; the message says why, and what to do. */
  open(order: RoomOrder): Promise<Room>;
  /** Makes a tree of two others. */
  compose(composition: Composition, signal?: AbortSignal): Promise<string>;
  files(tree: string, signal?: AbortSignal): Promise<TreeFile[]>;
  /** The texts of such files, by path. */
  texts(files: readonly TreeFile[], signal?: AbortSignal): Promise<Map<string, string>>;
}
