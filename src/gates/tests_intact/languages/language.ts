/** What a language's reader tells of one test file. All readers have this shape. */

/** How much an assertion says: nothing (`expect(true).toBe(true)`), that something is there, or what it is. */
export type Strength = 'nothing' | 'presence' | 'value';

export interface Assertion {
  /** Without comments, white space as single spaces. */
  text: string;
  /** What is looked at, where the language tells. */
  subject?: string;
  strength: Strength;
}

/** skip: does not run. only: the others do not run. fails: runs, and may fail. */
export type MarkerKind = 'skip' | 'only' | 'fails';

export interface Marker {
  kind: MarkerKind;
  /** As it is written: `.skip`, `@Disabled`. */
  word: string;
  /** The test or group it belongs to; empty for the whole file. */
  name: string;
  line: number;
}

export interface TestCase {
  name: string;
  line: number;
  /** Without comments, white space as single spaces. */
  body: string;
  /** It does nothing, or returns at once. */
  empty: boolean;
  assertions: Assertion[];
  /** Of its table, when it runs once for each row. */
  rows: number;
}

export interface TestFacts {
  tests: TestCase[];
  markers: Marker[];
  /** Assertions in no test: those of helpers. */
  shared: Assertion[];
}

export interface TestLanguage {
  /** Files of this language. */
  speaks(path: string): boolean;
  /** Test runners pick this file up by its name. */
  isTestFile(path: string): boolean;
  /** Where no name tells, a file may be a test by what it holds. */
  mayHoldTests(path: string): boolean;
  read(text: string, path: string): TestFacts;
}
