/** What stands in the brackets of `Bash(...)`, compared with a command line. */

import { type ShellCall, shellCalls } from '../shell/calls.ts';
import { withVariables } from '../shell/variables.ts';
import { type SimpleCommand, simpleCommands } from '../shell/words.ts';
import { globMatches } from '../text/globs.ts';
import { gitCallOf } from './dangerous-git.ts';
import { fold } from './tool-paths.ts';
import type { ToolCall, ToolPlace, Variables } from './tool-rules.ts';

/** `x:*` and `x *` mean `x` alone, too, and never `xy`. */
function fits(pattern: string, command: string): boolean {
  const written = pattern.trim().replace(/:\*$/, ' *').replace(/\s+/g, ' ');
  const [before, single] = [written.slice(0, -2), written.indexOf('*') === written.length - 1];
  if (written.endsWith(' *') && single && command === before) return true;
  return globMatches(written, command);
}

/** Any part of the line is enough, behind wrappers and in subshells, wherever its program lies. */
export function isDeniedCommand(pattern: string, asked: Asked): boolean {
  const bare = pattern.trim();
  const unquoted = bare.replace(/["']/g, '');
  return textsOf(asked).some((text) => fits(bare, text) || fits(unquoted, text));
}

/** Taken apart once for all rules. */
const texts = new WeakMap<Asked, readonly string[]>();

function textsOf(asked: Asked): readonly string[] {
  const known = texts.get(asked);
  if (known) return known;
  const line = String(asked.call.input.command ?? '');
  const parts = simpleCommands(line).map(({ words }) => words.join(' '));
  const found = [line, ...parts, ...shellCalls(line).flatMap(readings)]
    .flatMap((text) => withVariables(text, (name) => asked.variables.get(name)))
    .map(oneSpace);
  texts.set(asked, found);
  return found;
}

const MOST_READINGS = 10;

/** A call with its options, and without those that stand before what it is told to do. */
function readings({ program, args }: ShellCall): string[] {
  const git = program === 'git' ? gitCallOf(args) : undefined;
  const first = args.findIndex((word) => !word.startsWith('-'));
  const options = first > 0 ? [args.slice(first)] : [];
  const others = git ? [[git.command, ...git.words]] : [...options, ...withoutOptions(args)];
  return [args, ...others].map((words) => [program, ...words].join(' '));
}

/** `compose -f x.yml down -v` is `compose down -v`: up to each word, without the options and their values. */
function withoutOptions(args: readonly string[]): string[][] {
  const found: string[][] = [];
  const kept: string[] = [];
  for (let i = 0; i < args.length && found.length < MOST_READINGS; i++) {
    const word = args[i] ?? '';
    if (word.startsWith('-')) {
      if (!word.includes('=')) i++;
      if (i + 1 < args.length) found.push([...kept, ...args.slice(i + 1)]);
    } else kept.push(word);
  }
  return found;
}

function oneSpace(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** Computed parts can be anything; so can what other systems take for a space. */
const COMPUTED = /\$\(|`|[<>]\(|(?![\t\n])\p{Cc}|[^\S \t\n]/u;
const RUNS_TEXT = /^(?:eval|source|\.|exec|trap|alias|builtin|command|env|xargs|sudo|doas|coproc)$/;
/** `2>&1` and the like name no file. */
const STREAMS = /(^|\s)\d?>&\d(?=\s|$|[;&|)])/g;

/** Every part of the line has to be meant by a rule, and every file that it writes by one for files. */
export function isAllowedCommand(
  patterns: readonly string[],
  line: string,
  mayWrite: (path: string) => boolean,
  asked: Asked,
): boolean {
  if (COMPUTED.test(line) || patterns.length === 0) return false;
  const parts = simpleCommands(line.replace(STREAMS, '$1'));
  const work = parts.filter((part) => !goesToProject(part, asked));
  return work.length > 0 && work.every((part) => isAllowedPart(part, patterns, mayWrite));
}

function isAllowedPart(
  { words, writes, input, inner, assigns }: SimpleCommand,
  patterns: readonly string[],
  mayWrite: (path: string) => boolean,
): boolean {
  const asked = withoutWrapper(words);
  const [program = ''] = asked;
  if (input !== undefined || inner !== undefined || assigns !== undefined) return false;
  if (program === '' || /[$*?[{~\s]/.test(program)) return false;
  if (!writes.every((path) => path === '/dev/null' || mayWrite(path))) return false;
  const text = oneSpace(asked.join(' '));
  const isExact = patterns.includes(text);
  return isExact || (!RUNS_TEXT.test(program) && patterns.some((pattern) => fits(pattern, text)));
}

/** Those that change nothing about what runs. */
function withoutWrapper(words: readonly string[]): readonly string[] {
  if (words[0] === 'time' || words[0] === 'nohup') return words.slice(1);
  return words[0] === 'timeout' && /^\d+[smh]?$/.test(words[1] ?? '') ? words.slice(2) : words;
}

/** Going to where one is already changes nothing. */
function goesToProject({ words, writes, input, inner }: SimpleCommand, { place, call }: Asked): boolean {
  const [program, folder, ...more] = words;
  if (program !== 'cd' || folder === undefined || more.length + writes.length > 0 || input || inner)
    return false;
  const roots = place.roots.map(fold);
  if (!folder.startsWith('/') || !roots.includes(fold(call.cwd))) return false;
  return place.spellings(folder).every((path) => roots.includes(fold(path)));
}

/** A call, and what is known of the machine. */
export interface Asked {
  call: ToolCall;
  place: ToolPlace;
  variables: Variables;
}
