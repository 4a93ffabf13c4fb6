import { bracketFinder, CLOSING, type MaskedSource } from '../../../core/source/mask.ts';
import type { Assertion } from './language.ts';

/** Helpers for masked source text, for languages with brackets. */

export interface Span {
  start: number;
  end: number;
}

export function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A text and its matching brackets. */
type Brackets = Pick<MaskedSource, 'code' | 'closing'>;

/** The brackets of a piece of code, such as one assertion. */
export function bracketsOf(code: string): Brackets {
  return { code, closing: bracketFinder(code) };
}

/** The parts between commas outside of inner brackets, without blank ones. */
export function splitTopLevel({ code, closing }: Brackets, { start, end }: Span): Span[] {
  const parts: Span[] = [];
  let from = start;
  for (let at = start; at <= end; at++) {
    const character = code[at] as string;
    if (at === end || character === ',') {
      if (code.slice(from, at).trim() !== '') parts.push({ start: from, end: at });
      from = at + 1;
    } else if (CLOSING[character]) at = Math.min(closing(at), end - 1);
  }
  return parts;
}

/** The texts of the arguments of the first call in a piece of code. */
export function argumentsOf(text: string): string[] {
  const brackets = bracketsOf(text);
  const open = text.search(/[([{]/);
  if (open === -1) return [];
  const parts = splitTopLevel(brackets, { start: open + 1, end: brackets.closing(open) });
  return parts.map(({ start, end }) => text.slice(start, end).trim());
}

/** The end of a statement: its semicolon or comma, or the end of its last line. */
function statementEnd({ code, closing }: Brackets, start: number, limit: number): number {
  for (let at = start; at < limit; at++) {
    const character = code[at] as string;
    if (CLOSING[character]) at = closing(at);
    else if (/[;,)\]}]/.test(character)) return at;
    else if (character === '\n' && !/^\s*[.?]/.test(code.slice(at, at + 200))) return at;
  }
  return limit;
}

const LONGEST_HEAD = 4_000;

/**
 * Where the attributes and modifiers begin that stand before `at`; `mark` begins an attribute. Values of attributes may
 * stand in braces too: `@ValueSource(ints = {1, 2})`.
 */
export function headStart(code: string, at: number, mark: '@' | '#['): number {
  let start = itemEnd(code, at);
  while (code[start - 1] === '}' && /^\s*[,)\]]/.test(code.slice(start, start + 20))) {
    const attribute = code.lastIndexOf(mark, start);
    if (attribute < at - LONGEST_HEAD) break;
    start = itemEnd(code, attribute);
  }
  return start;
}

function itemEnd(code: string, at: number): number {
  const from = Math.max(0, at - LONGEST_HEAD);
  const before = code.slice(from, at);
  return from + Math.max(before.lastIndexOf('}'), before.lastIndexOf(';'), before.lastIndexOf('{')) + 1;
}

/** Leaves out items that are nested too deep: no real test is, and reading them takes depth times length. */
export function notTooDeep<T>(items: readonly T[], spanOf: (item: T) => Span, deepest = 4): T[] {
  const ends: number[] = [];
  return items.filter((item) => {
    const { start, end } = spanOf(item);
    while (ends.length > 0 && (ends.at(-1) as number) <= start) ends.pop();
    if (ends.length >= deepest) return false;
    ends.push(end);
    return true;
  });
}

/** Tells how much an assertion checks; undefined when the text is no assertion. */
export type Weigh = (text: string) => Pick<Assertion, 'subject' | 'strength'> | undefined;

/** The assertions inside `span`: matches of `calls`. One inside another is not counted. */
export function assertionsIn(source: MaskedSource, span: Span, calls: RegExp, weigh: Weigh): Assertion[] {
  const assertions: Assertion[] = [];
  const expression = new RegExp(calls, 'g');
  expression.lastIndex = span.start;
  for (
    let match = expression.exec(source.code);
    match && match.index < span.end;
    match = expression.exec(source.code)
  ) {
    const end = statementEnd(source, match.index, span.end);
    const text = squeeze(source.uncommented.slice(match.index, end));
    const weighed = weigh(text);
    if (weighed) assertions.push({ text, ...weighed });
    expression.lastIndex = Math.max(end, match.index + match[0].length);
  }
  return assertions;
}

/** Assertions outside all of these spans. */
export function assertionsOutside(
  source: MaskedSource,
  spans: readonly Span[],
  calls: RegExp,
  weigh: Weigh,
): Assertion[] {
  const ordered = [...spans].sort((a, b) => a.start - b.start);
  const gaps: Span[] = [];
  let from = 0;
  for (const span of ordered) {
    if (span.start > from) gaps.push({ start: from, end: span.start });
    from = Math.max(from, span.end);
  }
  gaps.push({ start: from, end: source.code.length });
  return gaps.flatMap((gap) => assertionsIn(source, gap, calls, weigh));
}

/** The number of values in the loops of a test, where they are written in the loop. `heads` ends before their bracket. */
export function rowsOfLoops(source: MaskedSource, span: Span, heads: RegExp): number {
  return [...source.code.slice(span.start, span.end).matchAll(heads)].reduce((sum, match) => {
    const open = span.start + match.index + match[0].length;
    return sum + splitTopLevel(source, { start: open + 1, end: source.closing(open) }).length;
  }, 0);
}

/** Whether the code between the braces does nothing. */
export function doesNothing(body: string): boolean {
  return /^\s*(return\s*;|return\s*$|return\s*\n|pass\s*$|\.\.\.\s*$|$)/.test(body);
}

/** `1 == 1`: the same literal or name on both sides says nothing. */
export function sameSides(left: string, right: string): boolean {
  const simple =
    /^(true|false|null|undefined|None|True|False|nil|-?\d[\w.]*|"[^"]*"|'[^']*'|[A-Za-z_$][\w$.]*)$/;
  return left.trim() === right.trim() && simple.test(left.trim());
}

const MOST_HELPERS = 50;
const MOST_FUNCTIONS = 500;
const LONGEST_BODY = 10_000;

/**
 * Extends `calls` by the helpers of a file that assert: a call of one counts as an assertion. `heads` finds functions; its
 * first filled group is the name.
 */
export function withHelpers(
  { code }: MaskedSource,
  calls: RegExp,
  heads: RegExp,
  bodyAfter: (end: number) => Span,
): RegExp {
  const names = new Set<string>();
  for (const match of [...code.matchAll(heads)].slice(0, MOST_FUNCTIONS)) {
    const name = match.slice(1).find((group) => group !== undefined);
    const { start, end } = bodyAfter(match.index + match[0].length);
    if (
      name !== undefined &&
      names.size < MOST_HELPERS &&
      calls.test(code.slice(start, Math.min(end, start + LONGEST_BODY)))
    )
      names.add(name);
  }
  if (names.size === 0) return calls;
  const called = `(?<![\\w$.])(?<!function )(?<!def )(?<!func )(?:${[...names].join('|')})\\s*\\(`;
  return new RegExp(`${calls.source}|${called}`, calls.flags);
}
