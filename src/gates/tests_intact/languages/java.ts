import { type MaskedSource, maskSource } from '../../../core/source/mask.ts';
import type { Marker, MarkerKind, TestCase, TestFacts, TestLanguage } from './language.ts';
import {
  argumentsOf,
  assertionsIn,
  assertionsOutside,
  bracketsOf,
  doesNothing,
  headStart,
  notTooDeep,
  type Span,
  sameSides,
  splitTopLevel,
  squeeze,
  type Weigh,
} from './text.ts';

/** JUnit 3 to 5, TestNG, AssertJ, Hamcrest, Mockito. */
export const java: TestLanguage = {
  speaks: (path) => path.endsWith('.java'),
  isTestFile: (path) => /(^|\/)(Test[A-Z]\w*|\w+(Tests?|TestCase|IT|Spec))\.java$/.test(path),
  mayHoldTests: (path) => /(^|\/)src\/(test|it|integrationTest)\//.test(path),
  read,
};

const TEST_ANNOTATION = /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Theory)\b/;
/** The head of a method. The annotations before its name tell whether it is a test. */
const METHOD =
  /\b(?:void|[A-Z]\w*(?:<[^>]{0,500}>)?)\s+(\w+)\s*\([^;{}]{0,2000}\)\s*(?:throws\s+[\w.,\s]{1,1000})?\{/g;
const CLASS = /\b(?:class|interface|record)\s+(\w+)[^;{}]{0,1000}\{/g;
const ASSERTION =
  /(?<![\w.])(?:(?:Assert|Assertions|MatcherAssert|Truth|StepVerifier)\.)?(?:assert\w*|fail|verify\w*|expectThrows|(?:check|expect)[A-Z]\w*)\s*\(|\.andExpect\w*\s*\(|(?<![\w.])assert\s+(?!\w+\s*=)/;

const MARKERS: readonly (readonly [expression: RegExp, kind: MarkerKind])[] = [
  [/@(?:Disabled\w*|Ignore)\b/, 'skip'],
  [/@Enabled(?:If|On)\w*\b/, 'skip'],
  [/@Test\s*\([^)]*\benabled\s*=\s*false/, 'skip'],
  [/@Test\s*\([^)]*\bexpected\s*=/, 'fails'],
];

interface Found {
  name: string;
  head: Span;
  body: Span;
  at: number;
}

function read(text: string): TestFacts {
  const source = maskSource(text, 'java');
  const methods = blocks(source, METHOD).filter((method) => isTest(source, method));
  const tests = notTooDeep(methods, ({ body }) => body);
  const spans = tests.map(({ body }) => body);
  const marked = [...blocks(source, CLASS), ...tests];
  return {
    tests: tests.map((test) => testOf(source, test)),
    markers: [
      ...marked.flatMap((one) => markersOf(source, one)),
      ...tests.flatMap((test) => assumptions(source, test)),
    ],
    shared: assertionsOutside(source, spans, ASSERTION, weigh),
  };
}

function blocks({ code, closing }: MaskedSource, expression: RegExp): Found[] {
  return [...code.matchAll(expression)].map((match) => {
    const open = match.index + match[0].length - 1;
    const head = { start: headStart(code, match.index, '@'), end: match.index };
    return {
      name: match[1] ?? '',
      head,
      body: { start: open + 1, end: closing(open) },
      at: match.index,
    };
  });
}

function isTest({ code }: MaskedSource, { name, head }: Found): boolean {
  const written = code.slice(head.start, head.end);
  return TEST_ANNOTATION.test(written) || (/^test[A-Z_]/.test(name) && /\bpublic\s*$/.test(written));
}

function testOf(source: MaskedSource, { name, head, body, at }: Found): TestCase {
  return {
    name,
    line: source.lineAt(at),
    body: squeeze(source.uncommented.slice(body.start, body.end)),
    empty: doesNothing(source.code.slice(body.start, body.end)),
    assertions: assertionsIn(source, body, ASSERTION, weigh),
    rows: rowsOf(source, head),
  };
}

/** Elements of `@ValueSource(ints = {1, 2})` and of `@CsvSource({"a, b", "c, d"})`. */
function rowsOf(source: MaskedSource, head: Span): number {
  const sources = /@(?:ValueSource|CsvSource|EnumSource)\s*\(/g;
  return [...source.code.slice(head.start, head.end).matchAll(sources)].reduce((sum, match) => {
    const open = source.code.indexOf('{', head.start + match.index);
    if (open === -1 || open > head.end) return sum;
    return sum + splitTopLevel(source, { start: open + 1, end: source.closing(open) }).length;
  }, 0);
}

function markersOf({ code, lineAt }: MaskedSource, { name, head }: Found): Marker[] {
  const written = code.slice(head.start, head.end);
  return MARKERS.flatMap(([expression, kind]) => {
    const match = expression.exec(written);
    return match ? [{ kind, word: squeeze(match[0]), name, line: lineAt(head.start + match.index) }] : [];
  });
}

function assumptions({ code, lineAt }: MaskedSource, { name, body }: Found): Marker[] {
  return [
    ...code.slice(body.start, body.end).matchAll(/\b(?:Assumptions|Assume)?\.?\bassum(?:e|ing)\w*\s*\(/g),
  ].map((match) => ({
    kind: 'skip' as const,
    word: squeeze(match[0]).replace(/\s*\($/, '()'),
    name,
    line: lineAt(body.start + match.index),
  }));
}

const weigh: Weigh = (text) => {
  const open = text.indexOf('(');
  if (open === -1) return { strength: /^assert\s+true\b/.test(text) ? 'nothing' : 'value' };
  const [left = '', right] = argumentsOf(text);
  const call = text.slice(0, open).trim();
  if (/assertTrue$/.test(call) && left === 'true') return { strength: 'nothing' };
  if (/assert(Equals|Same)$/.test(call) && right !== undefined && sameSides(left, right))
    return { strength: 'nothing' };
  if (
    /assertThat$/.test(call) &&
    /^\)?\.isEqualTo\((.*)\)$/.exec(text.slice(bracketsOf(text).closing(open) + 1))?.[1] === left
  ) {
    return { strength: 'nothing' };
  }
  if (/assertNotNull$/.test(call)) return { subject: left, strength: 'presence' };
  if (/assert(Equals|Same)$/.test(call) && right !== undefined) return { subject: right, strength: 'value' };
  return { strength: 'value' };
};
