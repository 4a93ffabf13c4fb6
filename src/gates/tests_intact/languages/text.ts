/** Finding one's way in a masked source text, for languages with brackets. */
import type { MaskedSource } from '../../../core/source/mask.ts';
import type { Assertion } from './language.ts';

const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

export interface Span {
  start: number;
  end: number;
}

export function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Counts from 1. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** The index of the bracket that closes the one at `open`; the end of the text when none does. */
export function closingOf(code: string, open: number): number {
  const stack: string[] = [];
  for (let at = open; at < code.length; at++) {
    const character = code[at] as string;
    const closing = CLOSING[character];
    if (closing) stack.push(closing);
    else if (character === stack.at(-1)) {
      stack.pop();
      if (stack.length === 0) return at;
    }
  }
  return code.length;
}

/** Parts between commas that stand in no inner bracket; what is blank is left out. */
export function splitTopLevel(code: string, { start, end }: Span): Span[] {
  const parts: Span[] = [];
  let from = start;
  for (let at = start; at <= end; at++) {
    const character = code[at] as string;
    if (at === end || character === ',') {
      if (code.slice(from, at).trim() !== '') parts.push({ start: from, end: at });
      from = at + 1;
    } else if (CLOSING[character]) at = Math.min(closingOf(code, at), end - 1);
  }
  return parts;
}

/** A statement that begins at `start`: up to its semicolon, or a line end after which it does not go on. */
export function statementEnd(code: string, start: number, limit: number): number {
  for (let at = start; at < limit; at++) {
    const character = code[at] as string;
    if (CLOSING[character]) at = closingOf(code, at);
    else if (/[;)\]}]/.test(character)) return at;
    else if (character === '\n' && !/^\s*[.?]/.test(code.slice(at, at + 200))) return at;
  }
  return limit;
}

/** Judges one assertion's text; undefined when it is none after all. */
export type Weigh = (text: string) => Pick<Assertion, 'subject' | 'strength'> | undefined;

/** What matches `calls` inside `span`, outermost first: an assertion within another is not counted. */
export function assertionsIn(source: MaskedSource, span: Span, calls: RegExp, weigh: Weigh): Assertion[] {
  const assertions: Assertion[] = [];
  const expression = new RegExp(calls, 'g');
  expression.lastIndex = span.start;
  for (
    let match = expression.exec(source.code);
    match && match.index < span.end;
    match = expression.exec(source.code)
  ) {
    const end = statementEnd(source.code, match.index, span.end);
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
