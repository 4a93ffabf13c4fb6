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
}
