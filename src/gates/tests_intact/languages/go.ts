import { type MaskedSource, maskSource } from '../../../core/source/mask.ts';
import { bypassesIn, GO_BYPASSES } from './assertion-bypasses.ts';
import type { Marker, TestCase, TestFacts, TestLanguage } from './language.ts';
import {
  argumentsOf,
  assertionsIn,
  assertionsOutside,
  doesNothing,
  notTooDeep,
  type Span,
  sameSides,
  splitTopLevel,
  squeeze,
  type Weigh,
  withHelpers,
} from './text.ts';

/** The testing package, testify and gomega. */
export const go: TestLanguage = {
  speaks: (path) => path.endsWith('.go'),
  isTestFile: (path) => path.endsWith('_test.go'),
  mayHoldTests: () => false,
  read,
};

const TEST = /^func\s+(?:\([^)]*\)\s*)?((?:Test|Fuzz|Example)\w*)\s*\(/gm;
const ASSERTION =
  /\b(?:t|b|tb|tt|f)\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|(?<![\w.])(?:assert|require|is|qt|td)\.\w+\s*\(|(?<![\w.])(?:g\.)?Expect\s*\(|\b[sS](?:uite)?\.(?:Require\(\)\.|Assert\(\)\.)?(?:Equal|NotEqual|True|False|Nil|NotNil|NoError|Error|ErrorIs|Contains|Len|Empty|Greater|Less|Eventually|JSONEq)\w*\s*\(|(?<![\w.])(?<!func )(?:assert|check|verify|expect|must)[A-Z]\w*\s*\(/;

function read(text: string): TestFacts {
  const source = maskSource(text, 'go');
  const functions = [...source.code.matchAll(TEST)].map((match) => {
    const open = source.code.indexOf('{', source.closing(match.index + match[0].length - 1));
    const from = open === -1 ? source.code.length : open;
    return {
      name: match[1] ?? '',
      at: match.index,
      body: { start: from + 1, end: source.closing(from) },
    };
  });
  const found = notTooDeep(functions, ({ body }) => body);
  const spans = found.map(({ body }) => body);
  const calling = withHelpers(source, ASSERTION, /^func\s+(?!Test|Fuzz|Example)(\w+)\s*(?=\()/gm, (end) => {
    const open = source.code.indexOf('{', source.closing(end));
    return { start: end, end: open === -1 ? end : source.closing(open) };
  });
  const places = found.map(({ name, body }) => ({ name, span: body }));
  return {
    tests: found.map(({ name, at, body }) => testOf(source, name, at, body, calling)),
    markers: [
      ...buildTags(source),
      ...found.flatMap(({ name, body }) => [
        ...skipsIn(source, name, body),
        ...mainBypasses(source, name, body),
      ]),
      ...bypassesIn(source, GO_BYPASSES, places, ASSERTION),
    ],
    shared: assertionsOutside(source, spans, ASSERTION, weigh),
  };
}

function testOf(source: MaskedSource, name: string, at: number, body: Span, calling: RegExp): TestCase {
  const code = source.code.slice(body.start, body.end);
  return {
    name,
    line: source.lineAt(at),
    body: squeeze(source.uncommented.slice(body.start, body.end)),
    empty: doesNothing(code),
    assertions: assertionsIn(source, body, calling, weigh),
    rows: rowsOf(source, body) + (code.match(/\.Run\(\s*["`]/g)?.length ?? 0),
  };
}

/** Rows of `[]struct{...}{ {...}, {...} }`, of slices of named types, and of maps from names to cases. */
function rowsOf(source: MaskedSource, body: Span): number {
  const tables =
    /\b(?:tests?|cases|tcs|tt|testCases|tables?|scenarios)\s*:?=\s*(?:\[\]|map\[)|\brange\s+\[\]/gi;
  return [...source.code.slice(body.start, body.end).matchAll(tables)].reduce((sum, match) => {
    const from = body.start + match.index + match[0].length;
    const open = literalStart(source, from);
    return open === -1
      ? sum
      : sum + splitTopLevel(source, { start: open + 1, end: source.closing(open) }).length;
  }, 0);
}

/** The brace that opens the values. It comes after the type, which may be a struct with its own braces. */
function literalStart({ code, closing }: MaskedSource, from: number): number {
  const first = code.indexOf('{', from);
  if (first === -1 || !/\bstruct\s*$/.test(code.slice(from, first))) return first;
  return code.indexOf('{', closing(first) + 1);
}

/** Skips inside a test. `if testing.Short()` does not count: it skips only on demand. */
function skipsIn({ code, lineAt }: MaskedSource, name: string, body: Span): Marker[] {
  return [...code.slice(body.start, body.end).matchAll(/\b(\w+\.Skip(?:Now|f)?)\s*\(/g)].flatMap((match) => {
    const at = body.start + match.index;
    if (/testing\.Short\(\)[^}]*$/.test(code.slice(body.start, at))) return [];
    return [{ kind: 'skip' as const, word: `${match[1]}()`, name, line: lineAt(at) }];
  });
}

/** A `TestMain` that runs no tests, or that ends with success whatever they say. */
function mainBypasses({ code, lineAt }: MaskedSource, name: string, { start, end }: Span): Marker[] {
  if (name !== 'TestMain') return [];
  const body = code.slice(start, end);
  const heeded = /(?:=|return|os\.Exit\s*\()\s*\w{1,100}\.Run\s*\(/.test(body);
  const bypasses =
    !/\.Run\s*\(|VerifyTestMain/.test(body) || (!heeded && /os\.Exit\s*\(\s*0\s*\)/.test(body));
  return bypasses
    ? [{ kind: 'skip', word: 'a TestMain that does not heed its tests', name: '', line: lineAt(start) }]
    : [];
}

/** Build tags: without naming the tag, the file is not built. */
function buildTags({ text, lineAt }: MaskedSource): Marker[] {
  return [...text.matchAll(/^\/\/(?:go:build|\s*\+build)\s+(.*)$/gm)].map((match) => ({
    kind: 'skip' as const,
    word: squeeze(match[0]),
    name: '',
    line: lineAt(match.index),
  }));
}

const weigh: Weigh = (text) => {
  const open = text.indexOf('(');
  const [first = '', left = '', right] = argumentsOf(text);
  if (/\.(True)\s*$/.test(text.slice(0, open)) && (left === 'true' || first === 'true'))
    return { strength: 'nothing' };
  if (/\.Equal\s*$/.test(text.slice(0, open)) && right !== undefined && sameSides(left, right)) {
    return { strength: 'nothing' };
  }
  return { strength: 'value' };
};
