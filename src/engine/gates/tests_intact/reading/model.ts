/** What is read from a test file. It has the same shape for all languages. */
import type { Grammar, SyntaxNode } from '../../../ports/source.ts';
import type { Check, RawCheck } from './check.ts';
import type { Call, ClassStatement, Definition, Expr, Fn, Pattern, Statement } from './code.ts';
import type { Scope } from './scope.ts';

/**
 * skip: does not run. only: the others do not run. fails: runs, and may fail. retry: runs again until it passes. mock: what
 * is tested is replaced. slow: may take this long. runs: is tried this often with other values.
 */
export type MarkerKind = 'skip' | 'only' | 'fails' | 'retry' | 'mock' | 'slow' | 'runs';

export interface Marker {
  kind: MarkerKind;
  /** As it is written: `.skip`, `@Disabled`. */
  word: string;
  /** The test or group of the marker; empty for the whole file. */
  name: string;
  line: number;
  /** How often, or how many milliseconds. */
  value?: number;
  /** The function or type that a mock stands for. */
  target?: string;
}

export interface TestCase {
  name: string;
  /** The names of the groups around it, from the outside. */
  suites: readonly string[];
  line: number;
  /** Without comments, white space as single spaces. */
  body: string;
  /** The test does nothing, or returns at once. */
  empty: boolean;
  checks: Check[];
  /** How often its tables and loops run, as far as that is written out; 0 without any. */
  rows: number;
  /** A table or loop runs over values that are not written out. */
  openRows: boolean;
}

export interface TestFacts {
  tests: TestCase[];
  markers: Marker[];
  /** What is checked outside of tests: in hooks, and in a script that asserts by itself. */
  shared: Check[];
  /** What each helper checks, for tests in other files. */
  helpers: ReadonlyMap<string, Check[]>;
  /** It says something of all tests in it, or of other files. */
  configures: boolean;
}

export const NO_FACTS: TestFacts = {
  tests: [],
  markers: [],
  shared: [],
  helpers: new Map(),
  configures: false,
};

/** Values that a test runs with, one after the other. */
export interface Table {
  pattern: Pattern;
  over: Expr;
}

/** A call or a function that is a test, a group of tests, or runs around tests. */
export interface Found {
  kind: 'test' | 'group' | 'hook';
  name: string;
  fn?: Fn;
  markers: Marker[];
  tables: readonly Table[];
  /** What the test has to end with, said beside it: a failure, or an output. */
  expects?: readonly RawCheck[];
}

/** Functions of the other changed files, by name: a helper may stand anywhere. */
export type Helpers = ReadonlyMap<string, { fn: Fn; scope: Scope }>;

export interface Language {
  /** Files of this language. */
  speaks(path: string): boolean;
  /** Whether test runners find this file by its name. */
  isTestFile(path: string): boolean;
  /** Whether a file may hold tests although its name does not tell. */
  mayHoldTests(path: string): boolean;
  /** Whether the text is a script that asserts by itself, without a runner; a helper that others import is none. */
  isTestScript?(text: string): boolean;
  grammarOf(path: string): Grammar;
  /** Changes the text before it is parsed, without moving a line. */
  prepare?(text: string): string;
  lower(root: SyntaxNode): Statement[];
  testCall?(call: Call, scope: Scope): Found | undefined;
  testFunction?(definition: Definition, owner: ClassStatement | undefined, scope: Scope): Found | undefined;
  /** Markers of a whole class, and of the file. */
  classMarkers?(owner: ClassStatement): Marker[];
  fileMarkers?(root: SyntaxNode, statements: readonly Statement[]): Marker[];
  /** What a call, or a chain of words behind one, checks; undefined when it checks nothing by itself. */
  checks(expr: Expr, scope: Scope): RawCheck[] | undefined;
  /** What `with CALL:` checks, and whether it hides failures. */
  context?(value: Expr, scope: Scope): { checks: RawCheck[]; swallows: boolean } | undefined;
  /** The word of a call that skips the test, or ends the process with success; or that retries, or mocks. */
  leaves(call: Call, scope: Scope): Marker | undefined;
  /** The name of a function that an assignment replaces. */
  replaces?(pattern: Pattern, value: Expr): string | undefined;
  /** What an assert statement says of a bare value. */
  bareRemoteRuns: 'true' | 'truthy';
  /** A handler of this type catches the failures of assertions. */
  catchesFailures(type: string): boolean;
}
