import type { SourceReader, SyntaxNode } from '../../../ports/source.ts';
import type { Statement } from '../reading/code.ts';
import { type Helpers, type Language, NO_FACTS, type TestFacts } from '../reading/model.ts';
import { functionsIn, readFacts } from '../reading/read-file.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { javascript } from './javascript.ts';
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

interface Parsed extends SourceFile {
  language: Language;
  root: SyntaxNode;
  statements: Statement[];
}

/** Reads test files of one tree together: a test may call a helper of another file. */
export async function readTestFiles(files: readonly SourceFile[], reader?: SourceReader): Promise<TestFiles> {
  const facts = new Map<string, TestFacts>();
  const problems = new Set<string>();
  const parsed: Parsed[] = [];
  for (const file of files.filter(({ path }) => mayBeTestFile(path))) {
    const language = languageOf(file.path);
    if (!language) facts.set(file.path, readPlain(file.path, file.text));
    else {
      const found = await parse(file, language, reader);
      if (typeof found !== 'string') parsed.push(found);
      else {
        problems.add(found);
        // A file that is gone is noticed by its name.
        if (language.isTestFile(file.path)) facts.set(file.path, NO_FACTS);
      }
    }
  }
  for (const file of parsed) {
    const read = factsOf(file, helpersFor(file, parsed));
    if (read) facts.set(file.path, read);
  }
  return { facts, problems: [...problems] };
}

/** A file as code; a text says why it cannot be read. */
async function parse(file: SourceFile, language: Language, reader?: SourceReader): Promise<Parsed | string> {
  if (file.text.length > LONGEST_FILE)
    return `${file.path} was not read: it is longer than ${LONGEST_FILE} characters`;
  const grammar = language.grammarOf(file.path);
  try {
    if (!reader) throw new Error('there is no parser');
    const root = await reader.parse(grammar, language.prepare?.(file.text) ?? file.text);
    return { ...file, language, root, statements: language.lower(root) };
  } catch (error) {
    const what =
      error instanceof RangeError
        ? `${file.path} was not read: its code is nested too deep`
        : `tests in ${grammar} were not read: ${(error as Error).message}`;
    return what.slice(0, 300);
  }
}

/** The functions of the other files in the same language. */
function helpersFor(file: Parsed, all: readonly Parsed[]): Helpers {
  const others = all.filter((one) => one !== file && one.language === file.language);
  return new Map(others.flatMap(({ statements, language }) => [...functionsIn(statements, language)]));
}

function factsOf(
  { path, text, language, root, statements }: Parsed,
  helpers: Helpers,
): TestFacts | undefined {
  const facts = readFacts(root, statements, language, helpers);
  const isTest =
    language.isTestFile(path) || facts.tests.length > 0 || facts.helpers.size > 0 || facts.configures;
  return isTest || language.isTestScript?.(text) ? facts : undefined;
}
