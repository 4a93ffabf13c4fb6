import type { LanguageName } from '../../core/source/lexicon.ts';

/** A file that patterns look at. */
export interface SourceFile {
  path: string;
  language: LanguageName | undefined;
  /** The whole text. */
  text: string;
  /** Its lines. They are split once: many lines of a file may be looked at. */
  lines: readonly string[];
}

/** Which part of a line is searched. `code` leaves out comments and quoted text, `text` leaves out nothing. */
export type View = 'code' | 'comments' | 'uncommented' | 'text';

export interface LinePattern {
  /** The name that messages use, such as `console.log`. */
  name: string;
  /** Absent: every file. */
  languages?: readonly LanguageName[];
  view: View;
  expression: Pick<RegExp, 'test'>;
  /** The pattern takes linear time: long lines are not cut for it. */
  wholeLines?: true;
  /** Has to match the code of the line as well: a quoted `print("debug")` prints nothing. */
  inCode?: RegExp;
  /** Whether the match is intended. `line` counts from 1. */
  unless?: (file: SourceFile, line: number) => boolean;
}

/**
 * Debugging that was left in the code. Ways of printing that programs also use for their own output (`print`,
 * `fmt.Println`, `println!`, `puts`) count only when what they print says that it is for debugging.
 */

/** Texts that are only meant for debugging: `"DEBUG: x"`, `"here"`, `">>> x"`, `"!!!"`. */
const DEBUG_WORDS = String.raw`\s*[a-zA-Z]{0,2}["'\x60]\s*(?:debug\b|dbg\b|here\b|xxx|test\s?\d*["'\x60]|[>*!#=-]{3,})`;

function printing(call: string): Pick<LinePattern, 'view' | 'expression' | 'inCode'> {
  return {
    view: 'uncommented',
    expression: new RegExp(`${call}${DEBUG_WORDS}`, 'i'),
    inCode: new RegExp(call, 'i'),
  };
}

/** Whether a file is a program for a terminal, such as a script, a command or a tool. */
function writesToTerminal({ path, text }: SourceFile): boolean {
  return (
    text.startsWith('#!') ||
    /(^|\/)(bin|cli|cmd|commands?|scripts?|tools?|tasks?|bench(marks?)?|examples?)\//.test(path) ||
    /(^|\/)(cli|main)[.-][^/]*$/.test(path) ||
    /\bstatic\s+void\s+main\s*\(/.test(text)
  );
}

export const DEBUGGER: readonly LinePattern[] = [
  { name: 'debugger', languages: ['javascript'], view: 'code', expression: /(^|[;{})\s])debugger\s*(;|$)/ },
  { name: 'breakpoint()', languages: ['python'], view: 'code', expression: /(^|[;:\s])breakpoint\(\s*\)/ },
  {
    name: 'pdb',
    languages: ['python'],
    view: 'code',
    expression: /\b(i?pdb|pudb|wdb|rpdb)\.set_trace\(|^\s*(import|from)\s+(i?pdb|pudb|wdb|rpdb)\b/,
  },
  {
    name: 'binding.pry',
    languages: ['ruby'],
    view: 'code',
    expression: /\bbinding\.(pry|irb|break|b)\b|^\s*(byebug|debugger)\s*$/,
  },
  { name: 'IEx.pry', languages: ['elixir'], view: 'code', expression: /\bIEx\.pry\b/ },
  { name: 'xdebug_break', languages: ['php'], view: 'code', expression: /\bxdebug_break\(/ },
  { name: 'Debugger.Break', languages: ['csharp'], view: 'code', expression: /\bDebugger\.(Break|Launch)\(/ },
  { name: 'runtime.Breakpoint', languages: ['go'], view: 'code', expression: /\bruntime\.Breakpoint\(/ },
];

export const DEBUG: readonly LinePattern[] = [
  ...DEBUGGER,
  {
    name: 'console.log',
    languages: ['javascript'],
    view: 'code',
    expression: /\bconsole\s*\.\s*log\s*\(/,
    unless: writesToTerminal,
  },
  {
    name: 'console.debug',
    languages: ['javascript'],
    view: 'code',
    expression: /\bconsole\s*\.\s*(debug|trace|dir|table)\s*\(/,
  },
  { name: 'debug alert', languages: ['javascript'], ...printing(String.raw`\balert\(`) },
  { name: 'debug print', languages: ['python'], ...printing(String.raw`\b(?:print|pprint)\(`) },
  {
    name: 'debug print',
    languages: ['python'],
    view: 'uncommented',
    expression: /\bprint\(\s*[fF]["'].*\{[^{}]*[^=!<>{}]=(![rsa])?\}/,
    inCode: /\bprint\(/,
  },
  { name: 'debug print', languages: ['go'], ...printing(String.raw`\b(?:fmt|log)\.Print(?:f|ln)?\(`) },
  { name: 'println', languages: ['go'], view: 'code', expression: /(^|[;{])\s*println\(/ },
  { name: 'spew.Dump', languages: ['go'], view: 'code', expression: /\bspew\.(Dump|Printf)\(/ },
  { name: 'dbg!', languages: ['rust'], view: 'code', expression: /\bdbg!\s*[([{]/ },
  { name: 'debug print', languages: ['rust'], ...printing(String.raw`\be?print(?:ln)?!\s*\(`) },
  {
    name: 'System.out.print',
    languages: ['java'],
    view: 'code',
    expression: /\bSystem\.(out|err)\.print(ln|f)?\(/,
    unless: writesToTerminal,
  },
  {
    name: 'printStackTrace',
    languages: ['java', 'kotlin', 'scala'],
    view: 'code',
    expression: /\.printStackTrace\(\s*\)/,
  },
  {
    name: 'debug print',
    languages: ['kotlin', 'scala', 'swift', 'dart'],
    ...printing(String.raw`\bprint(?:ln)?\(`),
  },
  { name: 'debugPrint', languages: ['swift'], view: 'code', expression: /\bdebugPrint\(/ },
  { name: 'debug print', languages: ['csharp'], ...printing(String.raw`\bConsole\.Write(?:Line)?\(`) },
  {
    name: 'debug print',
    languages: ['c'],
    ...printing(String.raw`(?:\bf?printf\((?:\s*stderr\s*,)?|\bNSLog\(@?|<<)`),
  },
  {
    name: 'var_dump',
    languages: ['php'],
    view: 'code',
    expression: /(^|[^\w>:$])(var_dump|print_r|dd|dump|debug_zval_refcount)\(/,
  },
  { name: 'debug print', languages: ['ruby'], ...printing(String.raw`\b(?:puts|p|pp|print)[ (]`) },
  { name: 'IO.inspect', languages: ['elixir'], view: 'code', expression: /\bIO\.inspect\(|\bdbg\(\s*\)/ },
  { name: 'set -x', languages: ['shell'], view: 'code', expression: /(^|[;&])\s*set\s+-\w*x/ },
];

/** Marks of unfinished work in comments. `TODO list` in a program about TODO lists is none. */
export const TODO: readonly LinePattern[] = ['TODO', 'FIXME', 'XXX', 'HACK'].map((word) => ({
  name: word,
  view: 'comments',
  expression: new RegExp(
    String.raw`(?<![\w-])${word}\b(?!s\b|[ -](?:lists?|items?|apps?|apis?|entry|entries)\b)`,
  ),
}));

/** Files that were searched for abstract classes, so that each is searched once. */
const abstractFiles = new WeakMap<SourceFile, boolean>();

/** Whether the line belongs to an abstract method, which raises such an error on purpose. */
function isAbstract(file: SourceFile, line: number): boolean {
  const known = abstractFiles.get(file) ?? /\b(ABC|ABCMeta|Protocol)\b/.test(file.text);
  abstractFiles.set(file, known);
  if (known) return true;
  const before = file.lines.slice(Math.max(0, line - 9), line);
  return before.some((earlier) => /@(abc\.)?abstract|@overload/.test(earlier));
}

const NOT_IMPLEMENTED = String.raw`not\s+(?:yet\s+)?(?:been\s+)?implemented|unimplemented|to\s?do\b|implement\s+me`;

export const PLACEHOLDER: readonly LinePattern[] = [
  {
    name: 'not implemented',
    view: 'uncommented',
    expression: new RegExp(
      String.raw`\b(?:throw|raise|panic!?|die|fatalError|reject|croak|abort)\b[^"'\x60]*["'\x60][^"'\x60]*(?:${NOT_IMPLEMENTED})`,
      'i',
    ),
    inCode: /\b(throw|raise|panic|die|fatalError|reject|croak|abort)\b/i,
  },
  { name: 'todo!()', languages: ['rust'], view: 'code', expression: /\b(todo|unimplemented)!\s*[([{]/ },
  {
    name: 'NotImplementedError',
    languages: ['python', 'ruby'],
    view: 'code',
    expression: /\braise\s+NotImplementedError\b/,
    unless: isAbstract,
  },
  {
    name: 'NotImplementedException',
    languages: ['csharp'],
    view: 'code',
    expression: /\bnew\s+NotImplementedException\b/,
  },
  { name: 'TODO()', languages: ['kotlin'], view: 'code', expression: /(^|[^\w.])TODO\(/ },
  { name: '???', languages: ['scala'], view: 'code', expression: /(^|[\s={(])\?\?\?(\s|$|[)}])/ },
  {
    name: 'pass',
    languages: ['python'],
    view: 'text',
    expression:
      /^\s*(pass|\.\.\.)\s*#\s*(todo|fixme|implement|placeholder|stub|for now|not implemented|fill|later)/i,
  },
  {
    name: 'code left out',
    view: 'comments',
    expression:
      /(\.{3}|…)\s*(the\s+)?(rest|remaining|existing|other|previous|more|same)\b|\b(rest|remainder) of (the|your|this) (code|file|function|implementation|class|method|logic)|\b(existing|previous|other) code (here|remains|stays|unchanged|goes here)|\b(remains|stays) unchanged\s*(\.{3}|…)/i,
  },
  {
    name: 'code to be written',
    view: 'comments',
    expression:
      /\b(your|add|insert|put|write) (your )?(code|logic|implementation) (here|goes)|\b(code|logic|implementation) goes here|\bimplement(ation)? (this|me|here|later)\b|\bto be implemented\b|\bnot (yet )?implemented\b|\bstub(bed)? (out|for now|implementation)\b/i,
  },
  {
    name: 'placeholder',
    view: 'comments',
    expression:
      /\b(is|as|just|only|use|using) an? (temporary )?placeholder\b|\bplaceholder (for now|implementation|function|method|logic|code|until)|^[\s/*#<!-]*placeholder[\s.:!*/>-]*$/i,
  },
  {
    name: 'pretended',
    view: 'comments',
    expression:
      /\bin (a )?(real|production|actual) (implementation|app|application|world|system|code|version)\b|\bfor now,? (we )?(just |simply )?(return|use|assume|pretend|hard-?code|mock|fake|skip|simulate)/i,
  },
  { name: 'lorem ipsum', view: 'text', expression: /\blorem ipsum\b/i },
];
