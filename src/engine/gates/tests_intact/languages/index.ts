import type { SourceReader } from '../../../ports/source.ts';
import { NO_FACTS, type TestFacts } from '../model.ts';
import { readTests } from '../read-tests.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { javascript } from './javascript.ts';
import type { Language } from './language.ts';
import { isPlainTest, readPlain } from './plain.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';

const LANGUAGES: readonly Language[] = [javascript, python, go, rust, java, ruby];

/** Files that look like tests and are none: input of tests, and code of others. */
const NO_TESTS =
  /(^|\/)(node_modules|vendor|third[_-]party|site-packages|testdata|__fixtures__|fixtures?|dist)\//;

/** Longer files are generated; parsing them takes too long. */
const LONGEST_FILE = 1_000_000;

/** Whether a file is input of tests, or code of others. */
export function isTestInput(path: string): boolean {
  return NO_TESTS.test(path);
}

function languageOf(path: string): Language | undefined {
  return NO_TESTS.test(path) ? undefined : LANGUAGES.find((language) => language.speaks(path));
}

/** Whether a file is a test file by its name, or may hold tests. */
export function mayBeTestFile(path: string): boolean {
  const language = languageOf(path);
  if (!language) return !NO_TESTS.test(path) && isPlainTest(path);
  return language.isTestFile(path) || language.mayHoldTests(path);
}

export interface SourceFile {
  path: string;
  text: string;
}

export interface TestFiles {
  /** What each file says; a file that is no test is not in it. */
  facts: ReadonlyMap<string, TestFacts>;
  /** Why files could not be read, in words. */
  problems: readonly string[];
}

export async function readTestFiles(files: readonly SourceFile[], reader?: SourceReader): Promise<TestFiles> {
  const facts = new Map<string, TestFacts>();
  const problems = new Set<string>();
  for (const { path, text } of files.filter((file) => mayBeTestFile(file.path))) {
    const language = languageOf(path);
    const found = language ? await readFile(path, text, language, reader) : readPlain(path, text);
    if (typeof found === 'string') {
      problems.add(found);
      // A file that is gone is noticed by its name.
      if (language?.isTestFile(path)) facts.set(path, NO_FACTS);
    } else if (!language || language.isTestFile(path) || holdsTests(found, text)) facts.set(path, found);
  }
  return { facts, problems: [...problems] };
}

/** The tests of a file; a text says why it cannot be read. */
async function readFile(
  path: string,
  text: string,
  language: Language,
  reader?: SourceReader,
): Promise<TestFacts | string> {
  if (text.length > LONGEST_FILE) return `${path} was not read: it is longer than ${LONGEST_FILE} characters`;
  const grammar = language.grammarOf(path);
  try {
    if (!reader) throw new Error('there is no parser');
    return readTests(text, await reader.matches(grammar, language.query, text), language);
  } catch (error) {
    return `tests in ${grammar} were not read: ${(error as Error).message}`.slice(0, 300);
  }
}

/** Code that others import and that asserts is no test, but what its tests rely on. */
function holdsTests({ tests, marks, shared, helpers }: TestFacts, text: string): boolean {
  const isScript = shared > 0 && !/^export\b|\bmodule\.exports\b|^exports\./m.test(text);
  return tests.length > 0 || helpers.some(({ asserts }) => asserts > 0) || marks.length > 0 || isScript;
}
