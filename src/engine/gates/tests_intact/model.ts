/** What is read from a test file. It has the same shape for all languages. */
import type { MarkKind } from './languages/language.ts';

export interface Mark {
  kind: MarkKind;
  /** As it is written: `.skip`, `@Disabled`. */
  word: string;
  /** The test or group of the mark; empty for the whole file. */
  name: string;
  line: number;
  /** On what it depends; absent where it always holds. */
  condition?: string;
}

export interface TestCase {
  name: string;
  /** The names of the groups around it, from the outside. */
  suites: readonly string[];
  line: number;
  /** Without comments, white space as single spaces; with what stands before it. */
  text: string;
  /** Its lines as they are written. */
  lines: readonly string[];
  /** How many of its assertions can fail, calls of functions that assert included. */
  asserts: number;
  /** What else it calls. */
  calls: readonly string[];
  /** Why an assertion cannot fail, in words. */
  idle?: string;
}

export interface TestFacts {
  /** The text of the file without comments. */
  code: string;
  tests: TestCase[];
  marks: Mark[];
  /** Assertions outside of tests: in hooks, and in a script that asserts by itself. */
  shared: number;
  /** Functions that are no tests. */
  helpers: TestCase[];
}

export const NO_FACTS: TestFacts = { code: '', tests: [], marks: [], shared: 0, helpers: [] };

/** A finding that is a loss holds. One that is only suspicious is told. */
export interface Finding {
  /** Stays the same as long as the weakening does. You allow a finding by its id. */
  id: string;
  path: string;
  /** The line of the finding; absent when it is gone. */
  line?: number;
  text: string;
  weight: 'loss' | 'suspicion';
  /** The lines of the test that are gone, and those that are new, marked with - and +. */
  forms?: readonly string[];
}

/** `test/a.test.ts:12 added .skip to "adds" [skip:test/a.test.ts:adds]`. */
export function describeFinding({ id, path, line, text }: Finding): string {
  return `${path}${line === undefined ? '' : `:${line}`} ${text} [${id}]`;
}

export function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
