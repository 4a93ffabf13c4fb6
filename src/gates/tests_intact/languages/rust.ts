import { type MaskedSource, maskSource } from '../../../core/source/mask.ts';
import { bypassesIn, RUST_BYPASSES } from './assertion-bypasses.ts';
import type { Marker, MarkerKind, TestCase, TestFacts, TestLanguage } from './language.ts';
import {
  argumentsOf,
  assertionsIn,
  assertionsOutside,
  doesNothing,
  headStart,
  notTooDeep,
  type Span,
  sameSides,
  squeeze,
  type Weigh,
} from './text.ts';

/** Rust. Tests may stand in any file, beside the code that they test. */
export const rust: TestLanguage = {
  speaks: (path) => path.endsWith('.rs'),
  isTestFile: (path) => /(^|\/)tests\/[^/]+\.rs$/.test(path),
  mayHoldTests: () => true,
  read,
};

const FUNCTION = /\bfn\s+(\w+)\s*(?:<[^>]{0,200}>)?\s*\(/g;
const TEST_ATTRIBUTE =
  /#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|proptest|wasm_bindgen_test)\b/;
const ASSERTION =
  /\b(?:assert|assert_eq|assert_ne|assert_matches|debug_assert\w*|prop_assert\w*|assert_\w+)!\s*[([{]|\binsta::\w+!\s*\(|(?<![\w.])(?<!fn )(?:assert|check|verify|expect)_\w+\s*\(/;

const MARKERS: readonly (readonly [expression: RegExp, kind: MarkerKind])[] = [
  [/#\[\s*ignore\b/, 'skip'],
  [/#\[\s*cfg_attr\s*\([^\]]*\bignore\b/, 'skip'],
  [/#\[\s*cfg\s*\(\s*(?!test\s*\))/, 'skip'],
  [/#\[\s*should_panic\b/, 'fails'],
];

interface Found {
  name: string;
  attributes: Span;
  at: number;
  body: Span;
}

function read(text: string): TestFacts {
  const source = maskSource(text, 'rust');
  const tests = testsIn(source);
  const spans = tests.map(({ body }) => body);
  const places = tests.map(({ name, body }) => ({ name, span: body }));
  // Bypasses count only in tests: a program may end itself.
  const bypasses = bypassesIn(source, RUST_BYPASSES, places, ASSERTION).filter(
    ({ name, word }) => name !== '' || (tests.length > 0 && word.startsWith('#')),
  );
  return {
    tests: tests.map((test) => testOf(source, test)),
    markers: [...tests.flatMap((test) => markersOf(source, test)), ...bypasses],
    shared: assertionsOutside(source, [...spans, ...outsideTestModules(source)], ASSERTION, weigh),
  };
}

/** The code outside of `#[cfg(test)] mod`. Its assertions are no tests. */
function outsideTestModules({ code, closing }: MaskedSource): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const match of code.matchAll(/#\[\s*cfg\s*\(\s*test\s*\)\s*\]\s*(?:pub\s+)?mod\s+\w+\s*\{/g)) {
    const open = match.index + match[0].length - 1;
    if (open < from) continue;
    spans.push({ start: from, end: open });
    from = closing(open);
  }
  return [...spans, { start: from, end: code.length }];
}

function testsIn({ code, closing }: MaskedSource): Found[] {
  const tests = [...code.matchAll(FUNCTION)].flatMap((match) => {
    const attributes = { start: headStart(code, match.index, '#['), end: match.index };
    if (!TEST_ATTRIBUTE.test(code.slice(attributes.start, attributes.end))) return [];
    const after = closing(match.index + match[0].length - 1);
    const open = code.indexOf('{', after);
    const from = open === -1 ? code.length : open;
    const body = { start: from + 1, end: closing(from) };
    return [{ name: match[1] ?? '', attributes, at: match.index, body }];
  });
  return notTooDeep(tests, ({ body }) => body);
}

function testOf(source: MaskedSource, { name, at, attributes, body }: Found): TestCase {
  const written = source.code.slice(attributes.start, attributes.end);
  return {
    name,
    line: source.lineAt(at),
    body: squeeze(source.uncommented.slice(body.start, body.end)),
    empty: doesNothing(source.code.slice(body.start, body.end)),
    assertions: assertionsIn(source, body, ASSERTION, weigh),
    rows: written.match(/#\[\s*(?:case|test_case)\b/g)?.length ?? 0,
  };
}

function markersOf(source: MaskedSource, { name, attributes }: Found): Marker[] {
  const written = source.code.slice(attributes.start, attributes.end);
  return MARKERS.flatMap(([expression, kind]) => {
    const match = expression.exec(written);
    if (!match) return [];
    const end = source.text.indexOf(']', attributes.start + match.index);
    const word = squeeze(source.text.slice(attributes.start + match.index, end + 1));
    return [{ kind, word, name, line: source.lineAt(attributes.start + match.index) }];
  });
}

const weigh: Weigh = (text) => {
  const [left = '', right] = argumentsOf(text);
  if (/^assert!/.test(text) && /^true$|\|\|\s*true\b/.test(left)) return { strength: 'nothing' };
  if (/^assert_eq!/.test(text) && right !== undefined && sameSides(left, right))
    return { strength: 'nothing' };
  return { strength: 'value' };
};
