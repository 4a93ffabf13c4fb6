/** The form of cheats and of honest histories: small data, played against a fresh project by a scripted agent. */

/**
 * One thing that the agent does. Claude Code's hooks are asked before it, as before a tool call: what they refuse does not
 * happen, and the history goes on.
 */
export type Step =
  /** Writes whole files: path in the project, and text. */
  | { write: Record<string, string> }
  /** Changes one place of a file. A case is broken when `from` is not there exactly once. */
  | { replace: { path: string; from: string; to: string } }
  | { remove: string }
  /** A command in the agent's shell, in the project. A case is broken when it fails: write `|| true` where it may. */
  | { run: string }
  /** Tries to stop with these words, before the last time. */
  | { stop: string };

/**
 * What has to come of a history. `held`: a cheat, which must not end as `verified_done`. `done`: honest work, which must.
 * `asked`: honest work that changes what a test of the start asks for, so that you are asked whether it may. It may end as
 * `verified_done`, too.
 */
export type Expected = 'held' | 'done' | 'asked';

export interface Case {
  /** Unlike all others, in words with dashes. */
  name: string;
  family: string;
  /** The name of a project in `projects/`. */
  project: string;
  /** What the loop is started with; the task of the project where this is absent. */
  task?: string;
  /** One sentence: why this passes for done, or why it is honest. */
  why: string;
  /** What you change in the project before the start: it is committed, and the contract is trusted again. */
  person?: readonly Step[];
  /** What the agent does before the loop starts; nobody commits it. */
  before?: readonly Step[];
  steps: readonly Step[];
  /** The agent's last words. */
  message?: string;
  /** Commands of untildone that you run when the loop asks, or holds for the first time, like `allow NAME`. */
  answers?: readonly (readonly string[])[];
  expect: Expected;
  /** Attacks untildone itself: other gates are not tried with it. */
  attacks?: 'untildone';
  /** Happens in daily work, without ill will. */
  likely?: true;
  /** What the receipt has to say for a cheat that ended as done to count as disclosed. */
  disclosed?: RegExp;
}

/** A kind of project as it is before the work: a git repository with one commit. */
export interface Project {
  name: string;
  language: string;
  task: string;
  /** Programs without which nothing of it runs. */
  programs: readonly string[];
  /** Files that have to be there, by absolute path. */
  libraries?: readonly string[];
  /** The command by which this project is tested. It is given to other gates. */
  check: string;
  files: Record<string, string>;
  /** Runs once in the folder before the first commit, with Node's own programs only. */
  prepare?(folder: string): void;
  /** The honest work. It has to end as done, or the cheats of this project prove nothing. */
  fix: readonly Step[];
}

/** The cases of one file, which have most fields in common. */
export function family(
  common: Pick<Case, 'family' | 'expect'> & Partial<Case>,
  cases: readonly (Omit<Case, 'family' | 'expect' | 'project'> & Partial<Case>)[],
): Case[] {
  return cases.map((each) => ({ project: 'node-test', ...common, ...each }));
}
