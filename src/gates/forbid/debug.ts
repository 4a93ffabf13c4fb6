/**
 * Debugging that was left in the code. Ways of printing that programs also use for their own output (`print`,
 * `fmt.Println`, `println!`, `puts`) count only when what they print says that it is for debugging.
 */
import type { LinePattern, SourceFile } from './patterns.ts';

/** `"DEBUG: x"`, `"here"`, `">>> x"`, `"!!!"`: nobody else is meant to read that. */
const DEBUG_WORDS = String.raw`\s*[a-zA-Z]{0,2}["'\x60]\s*(?:debug\b|dbg\b|here\b|xxx|test\s?\d*["'\x60]|[>*!#=-]{3,})`;

function printing(call: string): Pick<LinePattern, 'view' | 'expression' | 'inCode'> {
  return {
    view: 'uncommented',
    expression: new RegExp(`${call}${DEBUG_WORDS}`, 'i'),
    inCode: new RegExp(call, 'i'),
  };
}

/** Programs for a terminal write to it: scripts, commands, tools. */
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
  { name: 'println', languages: ['go'], view: 'code', expression: /(^|[;{]\s*)\s*println\(/ },
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
  { name: 'set -x', languages: ['shell'], view: 'code', expression: /(^|[;&]\s*)\s*set\s+-\w*x/ },
];
