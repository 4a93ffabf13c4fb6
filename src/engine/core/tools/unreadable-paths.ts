/** Finds tool calls that read hidden files. Best effort: a program can read files that its words do not name. */

import { inFolder, type ShellCall, shellCalls } from '../shell/calls.ts';
import { simpleCommands } from '../shell/words.ts';
import { pathMatcher } from '../text/globs.ts';
import { firstFound } from '../text/lists.ts';
import { changedPath, namesInText, type Protected, type ResolvePath } from './protect.ts';

const FIELDS: Record<string, string> = {
  Read: 'file_path',
  NotebookRead: 'notebook_path',
  Grep: 'path',
  Glob: 'path',
  LS: 'path',
};
/** Programs that search whole folders. */
const SEARCHERS = /^(?:rg|ag|ack)$/;
const RECURSIVE = /^-[a-zA-Z]*[rR]|^--recursive$|^--dereference-recursive$/;
const PACKERS = /^(?:tar|zip|7z|rsync|cp|scp)$/;
/** Options that exclude files from a search. */
const LEFT_OUT = /^--(?:exclude(?:-dir)?=|ignore-dir=|i?glob=!)(.+)$/;
const GREPS = /^[ef]?grep$/;

/** The hidden path that a tool call would read or change, if any. */
export function unreadablePath(
  tool: string,
  input: Record<string, unknown>,
  guarded: Protected,
  resolve: ResolvePath,
): string | undefined {
  const changed = changedPath(tool, input, guarded, resolve);
  if (changed !== undefined) return changed;
  const at = (word: string) => [resolve(word)].flat();
  if (tool === 'Bash') return readByLine(input.command, guarded, at);
  const field = Object.hasOwn(FIELDS, tool) ? FIELDS[tool] : undefined;
  if (field === undefined) return undefined;
  const path = input[field];
  const named = typeof path === 'string' ? path : '.';
  const pattern = tool === 'Glob' && typeof input.pattern === 'string' ? [under(named, input.pattern)] : [];
  return (
    firstHidden([named, ...pattern], guarded, at) ??
    (tool === 'Grep' ? foundByGrep(input, at(named), guarded) : undefined)
  );
}

type PathsOf = (word: string) => readonly string[];

function firstHidden(words: readonly string[], guarded: Protected, at: PathsOf): string | undefined {
  return words.flatMap(at).find((path) => guarded.fits?.(path));
}

function readByLine(line: unknown, guarded: Protected, at: PathsOf): string | undefined {
  if (typeof line !== 'string') return undefined;
  const found = firstFound(shellCalls(line), (call) =>
    readBy(call, guarded, (word) => at(inFolder(call.folder, word))),
  );
  // The first word of a command may be a file: one that is run, or read by `<`.
  const programs = () => simpleCommands(line).map(({ words }) => words[0] ?? '');
  return found ?? firstHidden(programs(), guarded, at);
}

function under(folder: string, pattern: string): string {
  return pattern.startsWith('/') || folder === '.' ? pattern : `${folder}/${pattern}`;
}

/** A hidden file whose lines a Grep would show. A Grep that only names or counts files shows none. */
function foundByGrep(
  input: Record<string, unknown>,
  roots: readonly string[],
  guarded: Protected,
): string | undefined {
  if (input.output_mode !== 'content') return undefined;
  const glob = typeof input.glob === 'string' ? pathMatcher([input.glob]) : () => true;
  return roots
    .flatMap((root) =>
      (guarded.inside?.(root) ?? []).map((path) => ({ path, relative: path.slice(root.length + 1) })),
    )
    .find(({ path, relative }) => guarded.fits?.(path) && glob(relative))?.path;
}

function readBy({ program, args, given }: ShellCall, guarded: Protected, at: PathsOf): string | undefined {
  const fits = (path: string) => guarded.fits?.(path) === true;
  const words = namedBy(program, args)
    .flatMap((word) => [word, ...valuesIn(word)])
    .filter((word) => word.length <= 500);
  const named = words.flatMap(at).find(fits) ?? namesInProgram(program, args, given).flatMap(at).find(fits);
  if (named !== undefined || !goesThroughFolders(program, args)) return named;
  const left = args.flatMap((word) => LEFT_OUT.exec(word)?.[1] ?? []);
  const isLeftOut = (path: string) =>
    left.length > 0 && left.some((pattern) => pathMatcher([pattern])(path.slice(1)));
  const folders = args.filter((word) => !word.startsWith('-'));
  const roots = SEARCHERS.test(program) || GREPS.test(program) ? folders.slice(1) : folders;
  return (roots.length > 0 ? roots : ['.'])
    .flatMap(at)
    .flatMap((root) => guarded.inside?.(root) ?? [])
    .find((path) => fits(path) && !isLeftOut(path));
}

/** The words that may name files: not those of `echo`, and not the pattern of a search. */
function namedBy(program: string, words: readonly string[]): readonly string[] {
  const args = words.filter((word) => !LEFT_OUT.test(word));
  if (/^(?:echo|printf)$/.test(program)) return [];
  const looksFor = GREPS.test(program) || SEARCHERS.test(program) || /^(?:sed|jq|[gm]?awk)$/.test(program);
  if (!looksFor || args.some((word) => /^(?:-[a-zA-Z]*[ef]$|--(?:regexp|file|expression)\b)/.test(word)))
    return args;
  const pattern = args.findIndex((word) => !word.startsWith('-'));
  return args.filter((_, i) => i !== pattern);
}

function goesThroughFolders(program: string, args: readonly string[]): boolean {
  if (SEARCHERS.test(program) || program === 'tar' || program === 'zip' || program === 'rsync') return true;
  return (
    (GREPS.test(program) || PACKERS.test(program) || program === 'diff') &&
    args.some((word) => RECURSIVE.test(word))
  );
}

/** Names inside words: `--file=x`, `-d @x`, `HEAD:x`, `if=x`. */
function valuesIn(word: string): string[] {
  return [...word.matchAll(/[=@:](?=[^=@:])/g)].map((m) => word.slice((m.index ?? 0) + 1)).slice(0, 4);
}

const PROGRAMS =
  /^(?:node|deno|bun|tsx|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|awk|gawk|mawk|jq|sqlite3|psql)$/;

function namesInProgram(program: string, args: readonly string[], given: readonly string[]): string[] {
  return PROGRAMS.test(program) ? namesInText([...args, ...given].join('\n').slice(0, 50_000)) : [];
}
