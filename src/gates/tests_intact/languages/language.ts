/** What is read from a test file. The readers of all languages have this shape. */

/** How much an assertion checks: nothing (`expect(true).toBe(true)`), that a value is there, or what it is. */
export type Strength = 'nothing' | 'presence' | 'value';

export interface Assertion {
  /** Without comments, white space as single spaces. */
  text: string;
  /** The checked expression, where the reader finds it. */
  subject?: string;
  strength: Strength;
}

/** skip: does not run. only: the others do not run. fails: runs, and may fail. */
export type MarkerKind = 'skip' | 'only' | 'fails';

export interface Marker {
  kind: MarkerKind;
  /** As it is written: `.skip`, `@Disabled`. */
  word: string;
  /** The test or group of the marker; empty for the whole file. */
  name: string;
  line: number;
}

export interface TestCase {
  name: string;
  line: number;
  /** Without comments, white space as single spaces. */
  body: string;
  /** The test does nothing, or returns at once. */
  empty: boolean;
  assertions: Assertion[];
  /** The rows of its table, when the test runs once for each row. */
  rows: number;
}

export interface TestFacts {
  tests: TestCase[];
  markers: Marker[];
  /** Assertions outside of tests, in helpers. */
  shared: Assertion[];
}

export interface TestLanguage {
  /** Files of this language. */
  speaks(path: string): boolean;
  /** Whether test runners find this file by its name. */
  isTestFile(path: string): boolean;
  /** Whether a file may hold tests although its name does not tell. */
  mayHoldTests(path: string): boolean;
  /** Whether the text is a script that asserts by itself, without a runner; a helper that others import is none. */
  isTestScript?(text: string): boolean;
  read(text: string, path: string): TestFacts;
}
