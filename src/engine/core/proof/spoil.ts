/** Puts failures into code, to see whether any test reaches it. */
import type { LanguageName } from '../source/lexicon.ts';
import { maskSource } from '../source/mask.ts';

const FAILURES: Partial<Record<LanguageName, string>> = {
  javascript: "throw new Error('spoiled');",
  python: "raise RuntimeError('spoiled')",
  go: 'panic("spoiled")',
  rust: 'panic!("spoiled");',
  // A statement after a plain `throw` is an error of the compiler.
  java: 'if (true) throw new RuntimeException("spoiled");',
  kotlin: 'throw RuntimeException("spoiled")',
  scala: 'throw new RuntimeException("spoiled")',
  csharp: 'throw new System.Exception("spoiled");',
  c: '__builtin_trap();',
  swift: 'fatalError("spoiled")',
  dart: "throw 'spoiled';",
  php: "throw new \\Exception('spoiled');",
  ruby: "raise 'spoiled'",
  elixir: 'raise "spoiled"',
  shell: 'exit 97',
  lua: "error('spoiled')",
};

/** Languages whose compiler refuses code that lost a name: then it says nothing that a part is missed. */
const COMPILED: readonly LanguageName[] = [
  'go',
  'rust',
  'java',
  'kotlin',
  'scala',
  'csharp',
  'c',
  'swift',
  'dart',
];

const NO_FUNCTION =
  /^\s*(?:[}\])]|(?:else\s+)?if\b|else\b|for\b|foreach\b|while\b|switch\b|match\b|catch\b|with\b|try\b|do\b|loop\b|unless\b|until\b|case\b|class\b|struct\b|enum\b|interface\b|trait\b|impl\b|namespace\b|module\b)/;
const FUNCTION_WORD = /\b(?:function|fn|func|fun|def)\b/;
const HEADS: Partial<Record<LanguageName, (line: string) => boolean>> = {
  python: (line) => /^\s*(?:\w+\s+)?def\b/.test(line) && line.endsWith(':'),
  ruby: (line) => /^\s*def\b/.test(line) && !/\)\s*=\s|\bend$/.test(line),
  elixir: (line) => /^\s*defp?\b/.test(line) && /\bdo$/.test(line),
  lua: (line) => /\bfunction\b/.test(line) && line.endsWith(')'),
};

function isBracedHead(line: string): boolean {
  if (!line.endsWith('{')) return false;
  if (FUNCTION_WORD.test(line) || /=>\s*\{$/.test(line)) return true;
  const parameters = line.lastIndexOf(')');
  return parameters >= 0 && !/[;=]/.test(line.slice(parameters));
}

function isFunctionHead(code: string, language: LanguageName): boolean {
  const line = code.trimEnd();
  return !NO_FUNCTION.test(line) && (HEADS[language] ?? isBracedHead)(line);
}

const DECLARES =
  /:=|\b(?:let|var|val|const|auto|fn|func|fun|def|class|struct|enum|type)\b|^\s*(?:final\s+)?[A-Za-z_][\w<>[\],.?*& ]*\s\*?[A-Za-z_]\w*\s*=[^=]/;
const BESIDE_FUNCTION = /^\s*(?:[)\]}]|end\b|@|#\[|\/\/|\/?\*|#|--)/;

interface Lines {
  now: readonly string[];
  old: readonly string[];
}

/**
 * How to see whether tests miss these lines. Whole functions, and in compiled languages everything that declares a name,
 * are spoiled: without them other code may not even load, and that is no sign of a test.
 */
export function probeOf({ now, old }: Lines, language: LanguageName): 'back' | 'spoil' {
  if (old.length > 0 || FAILURES[language] === undefined) return 'back';
  if (functionHeads(now, language).length > 0) return 'spoil';
  const declares = COMPILED.includes(language) && now.some((line) => DECLARES.test(line));
  const isInside = now.every((line) => line.trim() === '' || /^\s/.test(line));
  return declares && isInside ? 'spoil' : 'back';
}

/** The heads of functions, when the lines hold functions and nothing else; else none. */
function functionHeads(now: readonly string[], language: LanguageName): number[] {
  const code = maskSource(now.join(''), language).code.split('\n');
  const filled = code.map((line, i) => ({ line, i })).filter(({ line }) => line.trim() !== '');
  const least = Math.min(...filled.map(({ line }) => indentOf(line)));
  const outer = filled.filter(({ line }) => indentOf(line) === least);
  const heads = outer.filter(({ line }) => isFunctionHead(line, language));
  const others = outer.filter((each) => !heads.includes(each));
  return others.every(({ line }) => BESIDE_FUNCTION.test(line)) ? heads.map(({ i }) => i) : [];
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

interface Spot {
  /** The failure stands before this line, counted from 0. */
  before: number;
  indent: string;
}

/** The failures that make every test fail that reaches one of these places of a file, each as a line to put in. */
export function failuresFor(
  text: string,
  language: LanguageName,
  hunks: readonly (Lines & { from: number })[],
): { before: number; text: string }[] {
  const code = maskSource(text, language).code.split('\n');
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const places = new Map(
    hunks.flatMap((hunk) => spotsIn(hunk, code, language)).map((spot) => [spot.before, spot]),
  );
  return [...places.values()].map(({ before, indent }) => ({
    before,
    text: `${indent}${FAILURES[language] ?? ''}${end}`,
  }));
}

function spotsIn(
  { from, now, old }: Lines & { from: number },
  code: readonly string[],
  language: LanguageName,
): Spot[] {
  const heads = old.length > 0 ? [] : functionHeads(now, language);
  if (heads.length > 0) return heads.map((head) => inBody(from - 1 + head, code));
  const first = now.findIndex((_, i) => (code[from - 1 + i] ?? '').trim() !== '');
  const at = statementStart(from - 1 + Math.max(first, 0), code);
  if (isFunctionHead(code[at] ?? '', language)) return [inBody(at, code)];
  return [{ before: at, indent: indentTextOf(code[at] ?? '') }];
}

function inBody(head: number, code: readonly string[]): Spot {
  const body = code.slice(head + 1).find((line) => line.trim() !== '') ?? '';
  const own = indentTextOf(code[head] ?? '');
  const inner = indentTextOf(body);
  return { before: head + 1, indent: inner.length > own.length ? inner : `${own}    ` };
}

function indentTextOf(line: string): string {
  return line.slice(0, indentOf(line));
}

const GOES_ON =
  /^\s*(?:[.?:)\]},+*/&|=<>%^]|-[^-]|else\b|elif\b|elsif\b|except\b|catch\b|finally\b|rescue\b|ensure\b|end\b|case\b|default\b|when\b|and\b|or\b)/;
const BEFORE_VALUE = /(?:=|[(,:[?]|\b(?:return|default|yield))\s*$|[\w\]]$/;
const BEFORE_BLOCK = /\b(?:else|try|finally|do|loop|unsafe|static|begin)$/;

/** The line on which the statement begins that a line belongs to. A failure can stand before it. */
function statementStart(line: number, code: readonly string[]): number {
  let at = line;
  for (let steps = 0; steps < 200; steps++) {
    const open = innermostOpen(at, code);
    if (open && (open.bracket !== '{' || isLiteral(open.before))) at = open.line;
    else if (GOES_ON.test(code[at] ?? '')) {
      const above = lineAbove(at, code);
      if (above === undefined) return at;
      at = above;
    } else return at;
  }
  return at;
}

/** Whether a brace after this text opens a value and not a block. */
function isLiteral(before: string): boolean {
  return BEFORE_VALUE.test(before) && !BEFORE_BLOCK.test(before);
}

/** The nearest line above that stands as far left, or further. */
function lineAbove(at: number, code: readonly string[]): number | undefined {
  const indent = indentOf(code[at] ?? '');
  for (let line = at - 1; line >= 0; line--) {
    const text = code[line] ?? '';
    if (text.trim() !== '' && indentOf(text) <= indent) return line;
  }
  return undefined;
}

/** The innermost bracket that is open where a line begins. */
function innermostOpen(
  at: number,
  code: readonly string[],
): { line: number; bracket: string; before: string } | undefined {
  let closed = 0;
  for (let line = at - 1; line >= 0; line--) {
    const text = code[line] ?? '';
    for (let i = text.length - 1; i >= 0; i--) {
      const character = text[i] as string;
      if (')]}'.includes(character)) closed++;
      else if ('([{'.includes(character) && closed-- === 0)
        return { line, bracket: character, before: text.slice(0, i) };
    }
  }
  return undefined;
}
