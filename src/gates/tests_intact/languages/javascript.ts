import { type MaskedSource, maskSource } from '../../../core/source/mask.ts';
import { bypassesIn, JAVASCRIPT_BYPASSES } from './assertion-bypasses.ts';
import type { Assertion, Marker, MarkerKind, TestCase, TestFacts, TestLanguage } from './language.ts';
import {
  argumentsOf,
  assertionsIn,
  assertionsOutside,
  bracketsOf,
  doesNothing,
  notTooDeep,
  rowsOfLoops,
  type Span,
  sameSides,
  splitTopLevel,
  squeeze,
  withHelpers,
} from './text.ts';

/** Jest, Vitest, Mocha, Jasmine, node:test, AVA, Playwright, Cypress: TypeScript and JavaScript. */
export const javascript: TestLanguage = {
  speaks: (path) => /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path),
  isTestFile: (path) => /[._-](test|spec|cy|e2e)\.[cm]?[jt]sx?$/.test(path) || /(^|\/)__tests__\//.test(path),
  mayHoldTests: (path) => /(^|\/)((tests?|specs?|e2e|cypress)\/|tests?\.[cm]?[jt]sx?$)/.test(path),
  isTestScript: (text) =>
    /^(?:await )?(?:assert(?:\.\w+)*|expect)\(/m.test(text) &&
    !/^export\b|\bmodule\.exports\b|^exports\./m.test(text),
  read,
};

const CALL =
  /(?<![\w$.])(Deno\.test|describe|context|suite|test|it|specify|fdescribe|fcontext|fit|xdescribe|xcontext|xit|xtest|xspecify)((?:\s*\.\s*[A-Za-z]+)*)\s*(?=[(`])/g;
const GROUPS = /^[fx]?(describe|context|suite)$/;
/** `test.beforeEach` and its like are no tests. */
const NO_TEST =
  /^(before|after|beforeEach|afterEach|beforeAll|afterAll|use|extend|configure|step|info|slow|setTimeout|mock|expect|abort|setup|teardown|serial\.before)$/;

const CHAIN_MARKERS: Record<string, MarkerKind> = {
  skip: 'skip',
  skipIf: 'skip',
  todo: 'skip',
  fixme: 'skip',
  only: 'only',
  fails: 'fails',
  failing: 'fails',
  fail: 'fails',
};

const ASSERTION =
  /(?<![\w$.])(?:expect(?:\s*\.\s*(?:soft|poll))?\s*\(|assert(?:\.\w+)*\s*\(|t\.(?:is|not|deepEqual|notDeepEqual|like|true|false|truthy|falsy|throws|throwsAsync|notThrows|notThrowsAsync|regex|notRegex|assert|equal|equals|same|ok|notOk|strictSame|match|rejects|snapshot|pass|fail)\s*\(|(?:assert|expect|check|verify|ensure)[A-Z]\w*\s*\(|sinon\.assert\.\w+\s*\()|(?<=[\w)\]])\.should\b/;

function read(text: string): TestFacts {
  const source = maskSource(text, 'javascript');
  const found = [...source.code.matchAll(CALL)].flatMap((match) => callAt(source, match) ?? []);
  const calls = notTooDeep(found, ({ args }) => args, DEEPEST_CALL).map((call) =>
    withArguments(source, call),
  );
  const tests = calls.filter(({ isGroup }) => !isGroup);
  const spans = tests.map(({ args }) => args);
  const calling = withHelpers(source, ASSERTION, HELPER, (end) => helperBody(source, end));
  const cases = tests.map((call) => testOf(source, call, calling));
  return {
    tests: cases,
    markers: [
      ...calls.flatMap((call) => markersOf(source, call)),
      ...innerSkips(source, cases, spans),
      ...(tests.length === 0 ? [] : bypassesIn(source, JAVASCRIPT_BYPASSES, placesOf(tests), ASSERTION)),
    ],
    shared: assertionsOutside(source, spans, ASSERTION, weigh),
  };
}

/** The innermost first. */
function placesOf(tests: readonly NamedCall[]) {
  return tests.map(({ name, args }) => ({ name, span: args })).reverse();
}

/** Groups in groups, and a test in them. */
const DEEPEST_CALL = 12;

interface Call {
  base: string;
  words: string[];
  isGroup: boolean;
  at: number;
  /** Between the brackets of the call that names and defines the test. */
  args: Span;
  /** Of `.each`: between its brackets or quotes. */
  table?: Span;
}

interface NamedCall extends Call {
  name: string;
  parts: Span[];
}

function callAt(source: MaskedSource, match: RegExpMatchArray): Call | undefined {
  const { code } = source;
  const [whole, base = '', chain = ''] = match;
  const words = chain
    .split('.')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.some((word) => NO_TEST.test(word))) return undefined;
  let open = (match.index ?? 0) + whole.length;
  let table: Span | undefined;
  if (code[open] === '`') {
    const close = code.indexOf('`', open + 1);
    table = { start: open + 1, end: close };
    open = nextBracket(code, close + 1);
  } else {
    // `test.each(table)(name, body)`, `test.skipIf(condition)(name, body)`.
    const close = source.closing(open);
    if (words.some((word) => /^(each|for|skipIf|runIf)$/.test(word))) {
      table = { start: open + 1, end: close };
      open = nextBracket(code, close + 1);
    }
  }
  if (open === -1) return undefined;
  return {
    base,
    words,
    isGroup: GROUPS.test(base) || words.includes('describe'),
    at: match.index ?? 0,
    args: { start: open + 1, end: source.closing(open) },
    table: table && words.some((word) => word === 'each' || word === 'for') ? table : undefined,
  };
}

function withArguments(source: MaskedSource, call: Call): NamedCall {
  const parts = splitTopLevel(source, call.args);
  const [title] = parts;
  return { ...call, parts, name: title ? nameIn(source.text.slice(title.start, title.end)) : '' };
}

function nextBracket(code: string, from: number): number {
  const gap = /^\s*\(/.exec(code.slice(from, from + 200));
  return gap ? from + gap[0].length - 1 : -1;
}

/** What stands between the quotes; an expression as it is written. */
function nameIn(argument: string): string {
  const trimmed = argument.trim();
  const quoted = /^(["'`])([\s\S]*)\1$/.exec(trimmed);
  return squeeze(quoted?.[2] ?? trimmed);
}

function markersOf(source: MaskedSource, { base, words, at, name, parts }: NamedCall): Marker[] {
  const line = source.lineAt(at);
  const markers = words.flatMap((word): Marker[] => {
    const kind = CHAIN_MARKERS[word];
    return kind ? [{ kind, word: `.${word}`, name, line }] : [];
  });
  if (base.startsWith('x')) markers.push({ kind: 'skip', word: base, name, line });
  if (/^f(describe|context|it)$/.test(base)) markers.push({ kind: 'only', word: base, name, line });
  const [, options] = parts;
  const given = options ? source.code.slice(options.start, options.end) : '';
  if (given.trim().startsWith('{')) {
    for (const [, word = '', value = ''] of given.matchAll(/\b(skip|todo|only|fails)\s*:\s*([^,}\s]+)/g)) {
      if (value !== 'false')
        markers.push({ kind: CHAIN_MARKERS[word] ?? 'skip', word: `{ ${word} }`, name, line });
    }
  }
  return markers;
}

/** `this.skip()`, `t.skip()`, `ctx.skip()` inside a test. */
function innerSkips(source: MaskedSource, tests: readonly TestCase[], spans: readonly Span[]): Marker[] {
  return [...source.code.matchAll(/(?<![\w$.])(?:this|t|ctx|context|test)\.(skip|todo|fixme)\s*\(/g)].flatMap(
    (match) => {
      const index = spans.findLastIndex((span) => span.start <= match.index && match.index < span.end);
      const test = tests[index];
      if (!test || match[0].startsWith('test.')) return [];
      return [
        {
          kind: 'skip' as const,
          word: `${match[0].slice(0, -1).trimEnd()}()`,
          name: test.name,
          line: source.lineAt(match.index),
        },
      ];
    },
  );
}

/** `function check(`, `const check = (`: what follows is the list of its arguments. */
const HELPER =
  /(?<![\w$.])(?:function\s+(?!(?:test|it|describe)\b)([A-Za-z_]\w*)|(?:const|let)\s+(?!(?:test|it|describe)\b)([A-Za-z_]\w*)\s*=\s*(?:async\s*)?(?:function\s*)?)\s*(?=\()/g;

function helperBody({ code, closing }: MaskedSource, open: number): Span {
  const start = closing(open);
  const brace = code.indexOf('{', start);
  const line = code.indexOf('\n', start);
  const end = brace !== -1 && (line === -1 || brace < line) ? closing(brace) : line;
  return { start, end: end === -1 ? code.length : end };
}

function testOf(source: MaskedSource, call: NamedCall, calling: RegExp): TestCase {
  const [, ...rest] = call.parts;
  // Options or a timeout may stand beside the function.
  const isFunction = ({ start, end }: Span) => /=>|\bfunction\b/.test(source.code.slice(start, end));
  const body = rest.find(isFunction) ?? rest.at(-1);
  const span = body ?? { start: call.args.end, end: call.args.end };
  return {
    name: call.name,
    line: source.lineAt(call.at),
    body: squeeze(source.uncommented.slice(span.start, span.end)),
    empty: isEmpty(source.code.slice(span.start, span.end)),
    assertions: assertionsIn(source, span, calling, weigh),
    rows: call.table ? rowsOf(source, call.table) : rowsOfLoops(source, span, /\bof\s*(?=\[)/g),
  };
}

function isEmpty(callback: string): boolean {
  if (callback.trim() === '') return true;
  const arrow = callback.indexOf('=>');
  const open = callback.indexOf('{', arrow === -1 ? callback.indexOf(')') : arrow);
  if (arrow !== -1 && callback.slice(arrow + 2).trim()[0] !== '{') return false;
  return open !== -1 && doesNothing(callback.slice(open + 1, bracketsOf(callback).closing(open)));
}

function rowsOf(source: MaskedSource, table: Span): number {
  const open = source.code.slice(table.start, table.end).search(/\S/);
  const start = table.start + open;
  if (open !== -1 && source.code[start] === '[') {
    return splitTopLevel(source, { start: start + 1, end: source.closing(start) }).length;
  }
  const lines = source.text.slice(table.start, table.end).split('\n');
  return Math.max(0, lines.filter((line) => line.includes('|') || line.includes('${')).length - 1);
}

const PRESENCE =
  /^\.(?:toBeDefined|toBeTruthy|not\.toBeNull|not\.toBeUndefined|not\.toBeNaN|toBeOk|to\.exist|to\.be\.ok)\b/;

function weigh(text: string): Pick<Assertion, 'subject' | 'strength'> | undefined {
  const open = text.indexOf('(');
  if (open === -1 || text.startsWith('.should')) return { strength: 'value' };
  // A helper of the file: what it is given need not differ.
  if (ASSERTION.exec(text)?.index !== 0) return { strength: 'value' };
  const close = bracketsOf(text).closing(open);
  const subject = text.slice(open + 1, close).trim();
  const rest = text.slice(close + 1).trim();
  if (/\|\|\s*true\b/.test(subject)) return { subject, strength: 'nothing' };
  if (!text.startsWith('expect')) return { strength: weighCall(argumentsOf(text)) };
  // `expect(x)` alone, and `expect.assertions(2)`, check nothing.
  if (rest === '') return { subject, strength: /^expect[A-Z]/.test(text) ? 'value' : 'nothing' };
  return { subject, strength: weighMatcher(subject, rest) };
}

/** How much `expect(subject)` checks with the matcher in `rest`. */
function weighMatcher(subject: string, rest: string): Assertion['strength'] {
  const [, matcher = '', expected = ''] = /^\.((?:\w+\.)*\w+)\s*\((.*)\)$/s.exec(rest) ?? [];
  const literal = /^(true|1|"[^"]+"|'[^']+')$/.test(subject);
  if (literal && /^toBe(Truthy|Defined)$/.test(matcher)) return 'nothing';
  if (!matcher.startsWith('not.') && sameSides(subject, expected)) return 'nothing';
  if (PRESENCE.test(rest) || /^expect\.anything\(\)$/.test(expected.trim())) return 'presence';
  return 'value';
}

function weighCall([left = '', right]: readonly string[]): Assertion['strength'] {
  if (/^(true|1)$/.test(left) && (right === undefined || /^["'`]/.test(right))) return 'nothing';
  return right !== undefined && sameSides(left, right) ? 'nothing' : 'value';
}
