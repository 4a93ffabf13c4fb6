/** Languages without a parser: only the names and marks of tests are read, not what they check. */
import { type LanguageName, languageOf } from '../../../core/source/lexicon.ts';
import { maskSource } from '../../../core/source/mask.ts';
import { type Mark, NO_FACTS, squeeze, type TestCase, type TestFacts } from '../model.ts';

interface Reading {
  language: LanguageName;
  files: RegExp;
  /** Finds a test; one of its groups is the name. Searched outside of comments, because names may be quoted. */
  test: RegExp;
  skip: RegExp;
}

const READINGS: readonly Reading[] = [
  {
    language: 'php',
    files: /Test\.php$|(^|\/)tests?\/.+\.phpt$/,
    test: /\bfunction\s+(test\w+)|#\[\s*Test\s*\][\s\S]{0,200}?\bfunction\s+(\w+)|^[ \t]*(?:it|test)\s*\(\s*(["'])(.+?)\3/gm,
    skip: /(\bmarkTest(?:Skipped|Incomplete)\b|->(?:skip|todo)\s*\(\s*["')])/g,
  },
  {
    language: 'csharp',
    files: /(Tests?|Specs?)\.cs$/,
    test: /\[(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod)\b[\s\S]{0,400}?\b(?:void|Task|ValueTask)\s+(\w+)\s*\(/g,
    skip: /(\bSkip\s*=\s*"|\[Ignore\b|\[Explicit\b|\bAssert\.(?:Ignore|Inconclusive|Skip)\s*\()/g,
  },
  {
    language: 'kotlin',
    files: /(Tests?|Spec|IT)\.kts?$/,
    test: /@(?:Test|ParameterizedTest)\b[\s\S]{0,200}?\bfun\s+(`[^`\n]+`|\w+)/g,
    skip: /(@(?:Disabled|Ignore)\b)/g,
  },
  {
    language: 'swift',
    files: /(Tests?|Spec)\.swift$/,
    test: /\bfunc\s+(test\w*)\s*\(|@Test\b[\s\S]{0,200}?\bfunc\s+(\w+)\s*\(/g,
    skip: /(\bthrow\s+XCTSkip\b|\bXCTSkip(?:If|Unless)\s*\(|\.disabled\s*\(|\bXCTExpectFailure\b)/g,
  },
  {
    language: 'elixir',
    files: /_test\.exs$/,
    test: /^[ \t]*test\s+"(.+?)"/gm,
    skip: /(@(?:module)?tag\s+(?:skip:|:skip\b))/g,
  },
  {
    language: 'dart',
    files: /_test\.dart$/,
    test: /\btest(?:Widgets)?\s*\(\s*(["'])(.+?)\1/g,
    skip: /(\bskip:\s*(?:true|["'])|@Skip\b)/g,
  },
  {
    language: 'c',
    files:
      /(^|[/_-])[Tt]ests?[_-][^/]*\.(c|cc|cpp|cxx|mm?)$|(^|[/._-]|[a-z0-9](?=T))[Tt]ests?\.(c|cc|cpp|cxx|mm?)$/,
    test: /\b(?:TEST(?:_[FP])?|TYPED_TEST)\s*\(\s*(\w+\s*,\s*\w+)|\bTEST_CASE\s*\(\s*(")(.+?)\2|\b(?:void|int)\s+(test_?\w+)\s*\(/g,
    skip: /(\bGTEST_SKIP\b|\bDISABLED_\w+|\bSKIP\s*\(|\bTEST_IGNORE\w*)/g,
  },
  {
    language: 'shell',
    files: /\.bats$|(^|\/)(test_[^/]+|[^/]+_test|[^/]+[.-]test)\.(sh|bash)$/,
    test: /^@test\s+(["'])(.+?)\1|^(?:function\s+)?(test_?\w+)\s*\(\)/gm,
    skip: /^[ \t]*(skip)\b/gm,
  },
];

function readingOf(path: string): Reading | undefined {
  return READINGS.find(({ files }) => files.test(path));
}

export function isPlainTest(path: string): boolean {
  return readingOf(path) !== undefined;
}

/** A bound for generated files. */
const MOST_MARKS = 1_000;

export function readPlain(path: string, text: string): TestFacts {
  const reading = readingOf(path);
  if (!reading) return NO_FACTS;
  const source = maskSource(text, languageOf(path) ?? reading.language);
  const heads = [...source.uncommented.matchAll(reading.test)];
  const tests = heads.map((match, i): TestCase => {
    const name = match.slice(1).findLast((group) => group !== undefined) ?? '';
    const end = heads[i + 1]?.index ?? text.length;
    return {
      name: squeeze(name),
      line: source.lineAt(match.index),
      suites: [],
      text: squeeze(source.uncommented.slice(match.index, end)),
      lines: text.slice(match.index, end).split('\n'),
      asserts: 0,
      calls: [],
    };
  });
  const marks = [...source.uncommented.matchAll(reading.skip)].slice(0, MOST_MARKS).map((match): Mark => {
    const line = source.lineAt(match.index + match[0].search(/\S/));
    const name = tests.findLast((test) => test.line <= line)?.name ?? '';
    const word = match.slice(1).find((group) => group !== undefined) ?? match[0];
    return { kind: 'skip', word: squeeze(word), name, line };
  });
  return { ...NO_FACTS, code: source.uncommented, tests, marks };
}
