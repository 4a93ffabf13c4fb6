import { type MaskedSource, maskSource } from '../../../core/source/mask.ts';
import { bypassesIn, PYTHON_BYPASSES } from './assertion-bypasses.ts';
import type { Assertion, Marker, MarkerKind, TestCase, TestFacts, TestLanguage } from './language.ts';
import {
  argumentsOf,
  assertionsIn,
  assertionsOutside,
  bracketsOf,
  doesNothing,
  rowsOfLoops,
  type Span,
  sameSides,
  splitTopLevel,
  squeeze,
  withHelpers,
} from './text.ts';

/** pytest and unittest. */
export const python: TestLanguage = {
  speaks: (path) => path.endsWith('.py'),
  isTestFile: (path) => /(^|\/)(test_[^/]*|[^/]*_test|tests?)\.py$/.test(path),
  mayHoldTests: (path) => /(^|\/)(tests?|conftest\.py)(\/|$)/.test(path),
  isTestScript: (text) => /^assert\b/m.test(text),
  read,
};

const ASSERTION =
  /(?<![\w.])assert\b(?!\s*=)|\bself\.(?:assert\w+|fail|(?:check|expect|verify)\w*)\s*\(|\bpytest\.(?:raises|warns|fail)\s*\(|\.assert_\w+\s*\(|(?<![\w.])(?<!def )(?:assert|check|verify|expect|ensure)_\w+\s*\(/;

const MARKERS: readonly (readonly [expression: RegExp, kind: MarkerKind])[] = [
  [/@pytest\.mark\.(?:skip|skipif)\b/, 'skip'],
  [/@(?:unittest\.)?skip(?:If|Unless)?\b(?=\s*(?:\(|$))/m, 'skip'],
  [/@pytest\.mark\.xfail\b/, 'fails'],
  [/@(?:unittest\.)?expectedFailure\b/, 'fails'],
];

const INNER: readonly (readonly [expression: RegExp, kind: MarkerKind])[] = [
  [/\bpytest\.(?:skip|importorskip)\s*\(|\bself\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b/g, 'skip'],
  [/\bpytest\.xfail\s*\(/g, 'fails'],
  [
    /^[ \t]*(?:pytestmark\s*=.*\bmark\.(?:skip|skipif|xfail)\b|__test__\s*=\s*False|collect_ignore(?:_glob)?\b)/gm,
    'skip',
  ],
];

interface Definition {
  kind: 'test' | 'class';
  name: string;
  line: number;
  decorators: Span;
  body: Span;
}

function read(text: string): TestFacts {
  const source = maskSource(text, 'python');
  const definitions = definitionsIn(source);
  const tests = outermost(definitions.filter((definition) => definition.kind === 'test'));
  const spans = tests.map((test) => test.body);
  const calling = withHelpers(source, ASSERTION, /^def\s+(?!test)(\w+)/gm, (end) => functionAt(source, end));
  const places = tests.map(({ name, body }) => ({ name, span: body }));
  return {
    tests: tests.map((test) => testOf(source, test, calling)),
    markers: [
      ...definitions.flatMap((one) => decoratorMarkers(source, one)),
      ...innerMarkers(source, tests),
      ...replaced(source),
      ...(tests.length === 0 ? [] : bypassesIn(source, PYTHON_BYPASSES, places, ASSERTION)),
    ],
    shared: assertionsOutside(source, spans, ASSERTION, weigh),
  };
}

/** Leaves out functions inside a test: they are no tests, whatever their names. */
function outermost(tests: readonly Definition[]): Definition[] {
  let end = 0;
  return tests.filter(({ body }) => {
    const inside = body.start < end;
    end = Math.max(end, body.end);
    return !inside;
  });
}

/** Lines that begin a statement: not those inside brackets or strings. */
function statementLines(
  code: string,
  uncommented: string,
): { indent: number; start: number; line: number }[] {
  const lines: { indent: number; start: number; line: number }[] = [];
  let depth = 0;
  let start = 0;
  for (const [i, line] of code.split('\n').entries()) {
    const indent = line.search(/\S/);
    // A line inside a long string is blank in `code`, but not here.
    const raw = uncommented.slice(start, start + line.length);
    if (depth === 0 && indent !== -1 && raw.search(/\S/) === indent)
      lines.push({ indent, start, line: i + 1 });
    depth = Math.max(0, depth + (line.match(/[([{]/g)?.length ?? 0) - (line.match(/[)\]}]/g)?.length ?? 0));
    start += line.length + 1;
  }
  return lines;
}

function definitionsIn(source: MaskedSource): Definition[] {
  const { code, uncommented } = source;
  const lines = statementLines(code, uncommented);
  const definitions: Definition[] = [];
  let decoratorsFrom: number | undefined;
  for (const [i, { indent, start, line }] of lines.entries()) {
    const rest = code.slice(start + indent);
    if (rest.startsWith('@')) {
      decoratorsFrom ??= start;
      continue;
    }
    const [, test, group] = /^(?:async\s+)?def\s+(test\w*)|^class\s+(\w+)/.exec(rest) ?? [];
    const name = test ?? group;
    if (name !== undefined) {
      let after = i + 1;
      while ((lines[after]?.indent ?? -1) > indent) after++;
      definitions.push({
        kind: test ? 'test' : 'class',
        name,
        line,
        decorators: { start: decoratorsFrom ?? start, end: start },
        body: { start: headerEnd(source, start), end: lines[after]?.start ?? code.length },
      });
    }
    decoratorsFrom = undefined;
  }
  return definitions;
}

/** After the colon that ends `def name(arguments) -> type:`. */
function headerEnd({ code, closing }: MaskedSource, start: number): number {
  for (let at = start; at < code.length; at++) {
    if (/[([{]/.test(code[at] as string)) at = closing(at);
    else if (code[at] === ':') return at + 1;
  }
  return code.length;
}

/** The span of a function: up to the next line without indentation. */
function functionAt({ code }: MaskedSource, start: number): Span {
  const length = code.slice(start).search(/\n(?=\S)/);
  return { start, end: length === -1 ? code.length : start + length };
}

function testOf(
  source: MaskedSource,
  { name, line, body, decorators }: Definition,
  calling: RegExp,
): TestCase {
  return {
    name,
    line,
    body: squeeze(source.uncommented.slice(body.start, body.end)),
    empty: doesNothing(withoutDocstring(source, body)),
    assertions: assertionsIn(source, body, calling, weigh),
    rows: rowsOf(source, decorators) || rowsOfLoops(source, body, /\bfor\b[^\n:]{0,500}?\bin\s*(?=[[(])/g),
  };
}

/** Removes strings that stand alone, of which the code shows only the quotes. */
function withoutDocstring({ code }: MaskedSource, { start, end }: Span): string {
  return code
    .slice(start, end)
    .replace(/^\s*[rRuU]?("""\s*"""|'''\s*'''|"\s*"|'\s*')/, '')
    .trim();
}

/** The number of cases. Several tables of `@pytest.mark.parametrize` multiply. */
function rowsOf(source: MaskedSource, { start, end }: Span): number {
  const { code, closing } = source;
  const rows = [...code.slice(start, end).matchAll(/parametrize\s*\(/g)].map((match) => {
    const open = start + (match.index ?? 0) + match[0].length - 1;
    const [, table] = splitTopLevel(source, { start: open + 1, end: closing(open) });
    const bracket = table ? code.slice(table.start, table.end).search(/[[(]/) : -1;
    if (!table || bracket === -1) return 0;
    const from = table.start + bracket;
    return splitTopLevel(source, { start: from + 1, end: closing(from) }).length;
  });
  return rows.length === 0 ? 0 : rows.reduce((product, count) => product * Math.max(count, 1), 1);
}

function decoratorMarkers({ code }: MaskedSource, { name, line, decorators }: Definition): Marker[] {
  const written = code.slice(decorators.start, decorators.end);
  return MARKERS.flatMap(([expression, kind]) => {
    const match = expression.exec(written);
    return match ? [{ kind, word: squeeze(match[0]), name, line }] : [];
  });
}

/** Tests that a later function of the same name replaces: Python keeps only the later one. */
function replaced({ code, lineAt }: MaskedSource): Marker[] {
  const seen = new Set<string>();
  return [...code.matchAll(/^(?:async\s+)?def\s+(test\w*)/gm)].flatMap(({ 1: name = '', index }) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ kind: 'skip' as const, word: 'a second function of its name', name, line: lineAt(index) }];
  });
}

function innerMarkers({ code, lineAt }: MaskedSource, tests: readonly Definition[]): Marker[] {
  return INNER.flatMap(([expression, kind]) =>
    [...code.matchAll(expression)].map((match) => {
      const test = tests.find(({ body }) => body.start <= match.index && match.index < body.end);
      const line = lineAt(match.index + match[0].search(/\S/));
      return { kind, word: squeeze(match[0]).replace(/\s*\($/, '()'), name: test?.name ?? '', line };
    }),
  );
}

function weigh(text: string): Pick<Assertion, 'subject' | 'strength'> | undefined {
  const statement = /^assert\b\s*\(?\s*(.*)$/s.exec(text)?.[1];
  if (statement === undefined) return weighCall(text);
  const claim = splitTopLevel(bracketsOf(statement), { start: 0, end: statement.length })[0];
  const condition = (claim ? statement.slice(claim.start, claim.end) : statement).trim();
  if (/\bor\s+True\b|^(True|1|not False|"[^"]+"|'[^']+')$/.test(condition)) return { strength: 'nothing' };
  const [, left = '', right = ''] = /^(.*?)\s*(?:==|is)\s+(.*)$/s.exec(condition) ?? [];
  if (left !== '' && sameSides(left, right)) return { strength: 'nothing' };
  const present = /^(.+?)\s+is\s+not\s+None$/s.exec(condition)?.[1] ?? /^([\w.]+)$/.exec(condition)?.[1];
  if (present !== undefined) return { subject: present, strength: 'presence' };
  return { subject: left === '' ? undefined : left, strength: 'value' };
}

function weighCall(text: string): Pick<Assertion, 'subject' | 'strength'> {
  const open = text.indexOf('(');
  const [left = '', right] = argumentsOf(text);
  if (/assertTrue$/.test(text.slice(0, open).trim()) && /^(True|1)$/.test(left))
    return { strength: 'nothing' };
  if (
    /assert(Equal|Is)s?$/.test(text.slice(0, open).trim()) &&
    right !== undefined &&
    sameSides(left, right)
  ) {
    return { strength: 'nothing' };
  }
  const presence = /assert(IsNotNone|True)$/.test(text.slice(0, open).trim()) && /^[\w.]+$/.test(left);
  return { subject: left, strength: presence ? 'presence' : 'value' };
}
