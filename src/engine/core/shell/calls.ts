import { type SimpleCommand, simpleCommands } from './words.ts';

/** One call of a program in a shell line. */
export interface ShellCall {
  /** The name of the program, without its folder. */
  program: string;
  args: string[];
  /** Files that it writes to by `>` and `>>`. */
  writes: string[];
  /** The folder that earlier `cd` of the line lead to, relative to its start; empty when there were none. */
  folder: string;
  /** Its input: here-documents, and the words of the commands that are piped into it. */
  given: string[];
  /** `xargs` hands it its input as words. */
  fed: boolean;
}

/** Words before the real command. */
const WRAPPERS =
  /^(?:if|then|elif|else|while|until|do|!|time|env|exec|command|builtin|coproc|nice|ionice|nohup|setsid|stdbuf|strace|timeout|watch|cross-env|sudo|doas|xargs|npx|bunx|pnpx|busybox)$/;
/** Words between a wrapper and the command: options, assignments, numbers, signals, the `{}` of `xargs -I`. */
const BETWEEN = /^(?:-.*|[A-Za-z_]\w*=.*|\d+[smhd]?|(?:SIG)?(?:KILL|TERM|INT|HUP)|\{\})$/;
const WITH_VALUE = /^(?:-[ugCda]|--package)$/;
/** Options of `xargs` with a value; for `sudo` they have none. */
const WITH_VALUE_TO_XARGS = /^-[EI]$/;
const RUNNERS = /^(?:npm|pnpm|yarn|bun)$/;
/** `uv run x`, `bundle exec x`. */
const ENVIRONMENTS = /^(?:uv|poetry|pipenv|pdm|hatch|rye) run$|^bundle exec$/;
export const SHELLS = /^(?:sh|bash|zsh|dash|ksh|fish)$/;
/** How deep command lines inside command lines are read. */
const DEEPEST = 6;
/** How many words of a pipe are kept: the last ones. */
const MOST_PIPED = 200;

/** Several rules ask about the same line, one after the other. */
let last: { line: string; calls: readonly ShellCall[] } | undefined;

/** Everything that a shell line calls: behind wrappers, in subshells, in `sh -c`, `eval` and what is piped into a shell. */
export function shellCalls(line: string): readonly ShellCall[] {
  if (last?.line !== line) last = { line, calls: callsIn(line, '', 0) };
  return last.calls;
}

function callsIn(line: string, from: string, depth: number): ShellCall[] {
  if (depth > DEEPEST) return [];
  const calls: ShellCall[] = [];
  const folders = [from];
  let piped: string[] = [];
  for (const command of simpleCommands(line)) {
    const level = command.depth ?? 0;
    while (folders.length <= level) folders.push(folders.at(-1) ?? from);
    folders.length = level + 1;
    if (!command.piped) piped = [];
    const call = callOf(command, folders[level] ?? from, piped);
    calls.push(call);
    for (const inner of [...(command.inner ?? []), ...linesGiven(call)]) {
      calls.push(...callsIn(inner, call.folder, depth + 1));
    }
    folders[level] = folderAfter(call);
    piped = [...piped, ...command.words, ...inputOf(command)].slice(-MOST_PIPED);
  }
  return calls;
}

function callOf(command: SimpleCommand, folder: string, piped: readonly string[]): ShellCall {
  const { words, fed } = unwrapped(command.words);
  const [name = '', ...args] = words;
  return {
    program: baseName(name),
    args,
    writes: command.writes,
    folder,
    given: [...inputOf(command), ...(command.piped ? piped : [])],
    fed,
  };
}

function inputOf({ input }: SimpleCommand): string[] {
  return input === undefined ? [] : [input];
}

/** The words of the real command; `fed` when a wrapper hands it its input as words. */
export function unwrapped(words: readonly string[]): { words: string[]; fed: boolean } {
  let at = 0;
  let fed = false;
  for (;;) {
    const program = baseName(words[at] ?? '');
    const length = wrapperLength(program, words[at + 1] ?? '');
    if (length === 0) return { words: words.slice(at), fed };
    fed ||= program === 'xargs';
    at = afterOptions(words, at + length, program);
  }
}

/** How many words a wrapper takes; 0 for the real command. */
function wrapperLength(program: string, second: string): number {
  if (RUNNERS.test(program) && isUntildone(second)) return 1;
  if (RUNNERS.test(program) && /^(?:exec|x|dlx)$/.test(second)) return 2;
  if (ENVIRONMENTS.test(`${program} ${second}`)) return 2;
  return WRAPPERS.test(program) ? 1 : 0;
}

function afterOptions(words: readonly string[], from: number, wrapper: string): number {
  const takesValue = (word: string) =>
    WITH_VALUE.test(word) || (wrapper === 'xargs' && WITH_VALUE_TO_XARGS.test(word));
  let at = from;
  for (let word = words[at]; word !== undefined && BETWEEN.test(word); word = words[at])
    at += takesValue(word) ? 2 : 1;
  return at;
}

/** Command lines that a call is given to run. */
function linesGiven({ program, args, given }: ShellCall): string[] {
  if (program === 'eval') return [args.join(' ')];
  if (program === 'trap') return args.slice(0, 1);
  if (!SHELLS.test(program)) return [];
  const at = args.findIndex((word) => /^-\w+$/.test(word) && word.includes('c'));
  if (at >= 0) return args.slice(at + 1, at + 2);
  const script = args.find((word) => !word.startsWith('-'));
  return script === undefined ? given : [];
}

/** The folder after a call. A computed folder is not known: it is taken for the one before. */
function folderAfter({ program, args, folder }: ShellCall): string {
  if (program !== 'cd' && program !== 'pushd') return folder;
  const target = args.find((word) => !word.startsWith('-'));
  if (target === undefined) return args.length === 0 ? '~' : folder;
  return /[$`]/.test(target) && !/^\$\{?\w+\}?(\/|$)/.test(target) ? folder : inFolder(folder, target);
}

/** A path relative to the start of the line. */
export function inFolder(folder: string, path: string): string {
  return folder === '' || /^[/~$]/.test(path) ? path : `${folder}/${path}`;
}

export function baseName(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

export function isUntildone(word: string): boolean {
  return /^untildone(?:@.*|\.c?js)?$/.test(baseName(word));
}
