import type { CallReader, Verbs } from '../commands/by-words.ts';
import type { CheckKind, Weakness } from '../commands/check-names.ts';
import type { LanguageName } from '../source/lexicon.ts';

/**
 * What is known of one ecosystem: its tests, how they run, what it installs, what mutes its checkers. A chain is a module
 * whose exports are these; it exports only what it has. `template.ts` is there to be copied, and `all.ts` lists each fact
 * of all chains by itself, so that a bundle carries only the facts that it asks for.
 */
export interface ToolChain {
  /** The endings of its source files: `test_a.<ending>` and `a-spec.<ending>` are tests. */
  sources?: RegExp;
  /** Paths of tests, and of what belongs to them, besides those that are usual everywhere. */
  tests?: readonly RegExp[];
  /** Settings of test runners, and files that runners load by their name alone. */
  runnerSettings?: readonly RegExp[];
  /** Settings that serve tests and code alike, and that cannot be taken apart. */
  sharedSettings?: readonly RegExp[];
  /** What says which dependencies there are, and in which versions. */
  dependencyFiles?: readonly RegExp[];
  /** Globs of the files that its package managers read when they install. */
  inputs?: readonly string[];
  /** Names of settings that its tools look for in the folders above a project. */
  settings?: readonly string[];
  /** Settings of its package managers in the home of the user. */
  homeSettings?: readonly string[];
  /** What its tools install into a project or leave behind in it, as git is told to ignore it. */
  leaves?: readonly string[];
  /** Names of folders into which its package managers install what a project depends on. */
  installed?: readonly string[];
  /** By a file of a project: a command that compiles beforehand what comes with the language, so that rooms need not. */
  warmUps?: Readonly<Record<string, string>>;
  /** Commands that its package managers run while they install. */
  installCommands?: readonly string[];
  /** Programs, several in one key, with what a call of them checks. */
  checks?: Checks;
  /** Options by which most runners choose some of the tests, and that mean something else to these programs. */
  otherOptions?: OtherOptions;
  /** Whether these words choose some of the tests. */
  narrows?: Narrows;
  /** Options with which a program that ends well may have checked nothing. */
  weakCalls?: WeakCalls;
  /** Remarks that make a linter, a compiler or a measure of coverage look away. */
  mutes?: readonly Mute[];
}

/** A remark that makes a tool look away: in a comment, or in code as an attribute. */
export interface Mute {
  /** The name by which it is allowed: `eslint-disable`. */
  name: string;
  group: 'lint' | 'types' | 'coverage';
  expression: RegExp;
  /** `code`: comments and quoted text are left out. Absent: only comments are looked at. */
  view?: 'code';
  /** Absent: every language. */
  languages?: readonly LanguageName[];
  /** Concerns one line or one declaration, not the whole file. */
  narrow?: RegExp;
}

/** Always the same, by the first word that is no option, or by all words. */
export type Checks = ByProgram<CheckKind | Verbs | CallReader>;
export type OtherOptions = ByProgram<readonly string[]>;
export type Narrows = ByProgram<(args: readonly string[]) => boolean>;
export type WeakCalls = ByProgram<Readonly<Partial<Record<Weakness, RegExp>>>>;

/** The key names one program, or several with spaces between. */
type ByProgram<Value> = Readonly<Record<string, Value>>;
