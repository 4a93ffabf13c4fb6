/** What a language has to say so that its tests can be read. */
import type { Grammar } from '../../../ports/source.ts';

/** skip: does not run. only: the others do not run. xfail: runs, and may fail. */
export type MarkKind = 'skip' | 'only' | 'xfail';

/** What a call is: a test or a group of tests by its name, something that asserts, or something that skips. */
export type CallKind = 'test' | 'group' | 'assert' | 'skip' | 'xfail';

export interface CallText {
  /** What is called, with its receiver: `it.skip`, `t.Errorf`, `_(x).must_equal`. Other names of a runner are resolved. */
  fn: string;
  args: string;
  /** A function or a block is among the arguments. */
  hasBody: boolean;
}

export interface OwnerText {
  name: string;
  bases: string;
}

export interface Language {
  /** Files of this language. */
  speaks(path: string): boolean;
  /** Whether test runners find this file by its name. */
  isTestFile(path: string): boolean;
  /** Whether a file may hold tests although its name does not tell. */
  mayHoldTests(path: string): boolean;
  grammarOf(path: string): Grammar;
  /**
   * Finds pieces by these names, each match of one kind:
   * `call` (with `args`, `title` and `body` where there are), `define` (with `name` and `body`), `class` (with `name`, `bases`,
   * `body`), `mark` (what stands before a definition), `assert` (a statement), `tried` with `handler`, `condition` with `arm`,
   * `block` with `leave` (what ends it), `callback` with `body` (a call with a function among its arguments), `inner` (a function inside of
   * others), `alias` with `value` and `key`, `file` (what is said of a whole file), `comment`.
   */
  query: string;
  /** What a call is; undefined for any other. */
  call(text: CallText): CallKind | undefined;
  /** Whether a function is a test, by its name, what stands before it, and the class around it. */
  isTest(name: string, marks: string, owner: OwnerText | undefined, text: string): boolean;
  /**
   * Words that mark a test: in a decorator, in the name of a call, in the options beside a title. With `if` or `unless` they
   * depend on what follows them.
   */
  marks: readonly (readonly [words: RegExp, kind: MarkKind, on?: 'if' | 'unless'])[];
  /** What stands before a function and asserts: `#[should_panic]`. */
  assertingMarks?: RegExp;
  /** A handler, or the head of a block, that keeps failures of assertions to itself. */
  swallows: RegExp;
  /** Changes the text before it is parsed, without moving anything. */
  prepare?(text: string): string;
  /** What another name stands for: `const { skip: later } = require('node:test')`. */
  alias?(value: string, key: string | undefined): string | undefined;
}

/** Names by which projects call functions of their own that assert. */
const ASSERTING =
  /(?:^|[.:>])_*(?:assert|check|verify|expect|ensure|should|must|validate|refute)(?:[_A-Z]\w*)?[!?]?$/;

export function isAsserting(fn: string): boolean {
  return ASSERTING.test(fn);
}
