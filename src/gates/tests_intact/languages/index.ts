import { go } from './go.ts';
import { java } from './java.ts';
import { javascript } from './javascript.ts';
import type { TestFacts, TestLanguage } from './language.ts';
import { others } from './others.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';

const LANGUAGES: readonly TestLanguage[] = [javascript, python, go, rust, java, others];

/** Files that look like tests and are none: input of tests, and code of others. */
const NO_TESTS =
  /(^|\/)(node_modules|vendor|third[_-]party|site-packages|testdata|__fixtures__|fixtures?|dist)\//;

function languageOf(path: string): TestLanguage | undefined {
  return NO_TESTS.test(path) ? undefined : LANGUAGES.find((language) => language.speaks(path));
}

/** Whether a file is a test file by its name, or may hold tests. */
export function mayBeTestFile(path: string): boolean {
  const language = languageOf(path);
  return language !== undefined && (language.isTestFile(path) || language.mayHoldTests(path));
}

/** Reads a test file; undefined when the file is none. */
export function readTestFile(path: string, text: string): TestFacts | undefined {
  const language = languageOf(path);
  if (!language || !mayBeTestFile(path)) return undefined;
  const facts = language.read(text, path);
  const isTest = language.isTestFile(path) || facts.tests.length + facts.markers.length > 0;
  return isTest || language.isTestScript?.(text) ? facts : undefined;
}
