import { type LanguageName, type Lexicon, lexiconOf, type StringRule } from './lexicon.ts';

/** A source text in three views of the same length and lines; everything else in a view is blank. */
export interface MaskedSource {
  text: string;
  /** Without comments and without the text of strings. */
  code: string;
  /** Without comments. */
  uncommented: string;
  /** Comments only. */
  comments: string;
  /** Counts from 1. */
  lineAt(index: number): number;
  /** The bracket that closes the one at `open`; the end of the text when none does. */
  closing(open: number): number;
}

const CODE = 0;
const COMMENT = 1;
const STRING = 2;

export function maskSource(text: string, language: LanguageName): MaskedSource {
  const kinds = kindsOf(text, lexiconOf(language));
  const code = view(text, kinds, (kind) => kind === CODE);
  let lines: ((index: number) => number) | undefined;
  let brackets: ((open: number) => number) | undefined;
  return {
    text,
    code,
    uncommented: view(text, kinds, (kind) => kind !== COMMENT),
    comments: view(text, kinds, (kind) => kind === COMMENT),
    lineAt(index) {
      lines ??= lineFinder(text);
      return lines(index);
    },
    closing(open) {
      brackets ??= bracketFinder(code);
      return brackets(open);
    },
  };
}

function view(text: string, kinds: Uint8Array, shown: (kind: number) => boolean): string {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = start + 1;
    while (end < text.length && kinds[end] === kinds[start]) end++;
    const part = text.slice(start, end);
    parts.push(shown(kinds[start] ?? CODE) ? part : part.replace(/[^\n]/g, ' '));
    start = end;
  }
  return parts.join('');
}

function kindsOf(text: string, lexicon: Lexicon): Uint8Array {
  const kinds = new Uint8Array(text.length);
  const templates = lexicon.quirks === 'javascript' ? new TemplateLiterals(text, kinds) : undefined;
  for (let at = 0; at < text.length; ) {
    const comment = commentEnd(text, at, lexicon);
    if (comment !== undefined) kinds.fill(COMMENT, at, comment);
    at = comment ?? templates?.markFrom(at) ?? markString(text, at, lexicon, kinds);
  }
  return kinds;
}

/** Marks a string that begins here, if one does, and returns where reading goes on. */
function markString(text: string, at: number, lexicon: Lexicon, kinds: Uint8Array): number {
  const string = stringAt(text, at, lexicon);
  if (!string) return at + 1;
  kinds.fill(STRING, string.start, string.end);
  return Math.max(string.next, at + 1);
}

/** Template literals of JavaScript: the code inside `${...}` is code, and may hold templates again. */
class TemplateLiterals {
  private readonly text: string;
  private readonly kinds: Uint8Array;
  private braces = 0;
  /** For each open `${`: how many braces were open when it began. */
  private readonly open: number[] = [];

  constructor(text: string, kinds: Uint8Array) {
    this.text = text;
    this.kinds = kinds;
  }

  /** Marks the text of a template that begins or goes on here and returns where the code goes on; undefined for code. */
  markFrom(at: number): number | undefined {
    const character = this.text[at];
    if (character === '`') return this.markText(at + 1);
    if (character === '}' && this.open.at(-1) === this.braces) {
      this.open.pop();
      return this.markText(at + 1);
    }
    if (character === '{') this.braces++;
    if (character === '}') this.braces--;
    return undefined;
  }

  /** Up to the closing quote or the next `${`. */
  private markText(from: number): number {
    const { text } = this;
    let at = from;
    while (at < text.length && text[at] !== '`' && !text.startsWith('${', at))
      at += text[at] === '\\' ? 2 : 1;
    this.kinds.fill(STRING, from, Math.min(at, text.length));
    if (text[at] !== '$') return at + 1;
    this.open.push(this.braces);
    return at + 2;
  }
}

/** The end of a comment that begins here. A line comment leaves its line break to the code. */
function commentEnd(text: string, at: number, lexicon: Lexicon): number | undefined {
  for (const { open, close, nests } of lexicon.blockComments) {
    if (text.startsWith(open, at))
      return nests ? nestedEnd(text, at, open, close) : endAfter(text, close, at + open.length);
  }
  for (const open of lexicon.lineComments) {
    if (!text.startsWith(open, at)) continue;
    if (lexicon.spacedComments && at > 0 && !/\s/.test(text[at - 1] as string)) continue;
    const end = text.indexOf('\n', at + open.length);
    return end === -1 ? text.length : end;
  }
  return undefined;
}

function endAfter(text: string, close: string, from: number): number {
  const end = text.indexOf(close, from);
  return end === -1 ? text.length : end + close.length;
}

function nestedEnd(text: string, start: number, open: string, close: string): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text.startsWith(open, at)) depth++;
    else if (text.startsWith(close, at) && --depth === 0) return at + close.length;
  }
  return text.length;
}

interface StringSpan {
  /** Where the text between the quotes begins. */
  start: number;
  end: number;
  next: number;
}

function stringAt(text: string, at: number, lexicon: Lexicon): StringSpan | undefined {
  if (lexicon.quirks === 'javascript' && text[at] === '/') return regexAt(text, at);
  if (lexicon.quirks === 'rust') {
    const special = rustStringAt(text, at);
    if (special) return special;
  }
  for (const rule of lexicon.strings) {
    if (!text.startsWith(rule.open, at)) continue;
    const end = stringEnd(text, at + rule.open.length, rule);
    if (end !== undefined) return { start: at + rule.open.length, end, next: end + rule.close.length };
  }
  return undefined;
}

function stringEnd(text: string, from: number, rule: StringRule): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (rule.escapes && text[at] === '\\') at++;
    else if (text.startsWith(rule.close, at)) return at;
    else if (text[at] === '\n' && !rule.multiline) return undefined;
  }
  return rule.multiline ? text.length : undefined;
}

const BEFORE_REGEX =
  /(^|[(,=:[!&|?{};+\-*%~^<>\n]|\b(return|typeof|case|in|of|do|else|void|delete|throw|yield))$/;

/** A regular expression: a slash begins one unless a value stands before it. */
function regexAt(text: string, at: number): StringSpan | undefined {
  if (text[at + 1] === '>' || text[at - 1] === '<') return undefined;
  const before = text.slice(Math.max(0, at - 200), at).trimEnd();
  if (!BEFORE_REGEX.test(before)) return undefined;
  let inClass = false;
  for (let end = at + 1; end < text.length && text[end] !== '\n'; end++) {
    const character = text[end];
    if (character === '\\') end++;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) return { start: at + 1, end, next: end + 1 };
  }
  return undefined;
}

/** Raw strings and characters of Rust; `'a` without a closing quote is a lifetime. */
function rustStringAt(text: string, at: number): StringSpan | undefined {
  if (text[at] === 'r' && !/\w/.test(text[at - 1] ?? ' ')) {
    const open = /^r(#*)"/.exec(text.slice(at, at + 40));
    if (!open) return undefined;
    const start = at + open[0].length;
    const close = `"${open[1]}`;
    const end = text.indexOf(close, start);
    return end === -1
      ? { start, end: text.length, next: text.length }
      : { start, end, next: end + close.length };
  }
  if (text[at] !== "'") return undefined;
  const character = /^'(\\[^\n]{1,10}?|[^\\'\n]{1,2})'/.exec(text.slice(at, at + 16));
  return character
    ? { start: at + 1, end: at + character[0].length - 1, next: at + character[0].length }
    : undefined;
}

/** Makes a function that finds the line of an index, counted from 1. */
function lineFinder(text: string): (index: number) => number {
  const starts: number[] = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (index) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

export const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Makes a function that finds the bracket which closes the one at an index; the end of the code when none does. */
export function bracketFinder(code: string): (open: number) => number {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < code.length; at++) {
    const character = code[at] as string;
    if (CLOSING[character]) open.push(at);
    else if (character === CLOSING[code[open.at(-1) ?? -1] ?? '']) closing.set(open.pop() as number, at);
  }
  return (index) => closing.get(index) ?? code.length;
}
