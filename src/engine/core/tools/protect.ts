import { baseName, inFolder, type ShellCall, shellCalls } from '../shell/calls.ts';
import { firstFound } from '../text/lists.ts';
import { shellWildcards, wildcardMatcher, withoutCase } from '../text/wildcards.ts';
import { changedNames, namesIn } from './changed-names.ts';

/** What tools must not change, as absolute paths. */
export interface Protected {
  /** Files and whole folders. */
  paths: readonly string[];
  /** What a path is, for the refusal. */
  what(path: string): string;
  /** Whether patterns protect this absolute path. */
  fits?(path: string): boolean;
  /** The files in a folder, up to a bound: deleting the folder deletes them. */
  inside?(folder: string): readonly string[];
}

/**
 * Makes a path absolute: it is relative to the folder of the session, and `~` and links are resolved. A path that can be
 * read in several ways becomes several paths, and all of them are checked.
 */
export type ResolvePath = (written: string) => string | readonly string[];
type ResolveAll = (written: string) => readonly string[];

const WRITE_TOOLS: Record<string, string> = {
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
};

/** Commands of git that change the files they name. */
const GIT_CHANGERS = /^(?:checkout|restore|rm|mv|stash|clean)$/;
/** Programs that run code from their arguments or their input. A protected path anywhere in the code is refused. */
export const INTERPRETERS =
  /^(?:node|deno|bun|tsx|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|osascript|pwsh)$/;
const WITH_TEXT = /^-\w*[ecpr]$|^--(?:eval|print|command)(?:=|$)|^eval$/i;

/** Why a tool call is refused; undefined when it is not. Best effort: hashes detect the changes that it misses. */
export function refusedWrite(
  tool: string,
  input: Record<string, unknown>,
  guarded: Protected,
  resolve: ResolvePath,
): string | undefined {
  const path = changedPath(tool, input, guarded, resolve);
  if (path === undefined) return undefined;
  return `untildone: ${guarded.what(path)} is part of the definition of done and not yours to change. Leave it as it is and do the work itself.`;
}

/** The protected path that a tool call would change, if any. */
export function changedPath(
  tool: string,
  input: Record<string, unknown>,
  guarded: Protected,
  resolve: ResolvePath,
): string | undefined {
  const field = Object.hasOwn(WRITE_TOOLS, tool) ? WRITE_TOOLS[tool] : undefined;
  const path = field === undefined ? undefined : input[field];
  if (typeof path === 'string') return hit([resolve(path)].flat(), guarded);
  if (tool !== 'Bash' || typeof input.command !== 'string') return undefined;
  return firstFound(shellCalls(input.command), (call) => reachedBy(call, guarded, resolve));
}

function reachedBy(call: ShellCall, guarded: Protected, resolve: ResolvePath): string | undefined {
  const at: ResolveAll = (path) => [resolve(inFolder(call.folder, path))].flat();
  const hits = (paths: readonly string[]) => firstFound(paths, (path) => hit(at(path), guarded));
  const words = call.fed ? fedWords(call) : call.args;
  return (
    hits(call.writes) ??
    mentioned(textsOf(call).join('\n'), guarded, at) ??
    (call.program === 'find' ? foundBy(call.args, guarded, at) : undefined) ??
    (call.program === 'git' ? reachedByGit(call.args, guarded, at) : undefined) ??
    hits(changedNames(call.program, words)) ??
    takenAlong(call.program, call.args, guarded, at)
  );
}

/** The words of a call by `xargs`, which puts names at their end, or in place of `{}`. */
function fedWords({ args, given }: ShellCall): string[] {
  const names = namesFed(given);
  return args.includes('{}') ? args.flatMap((word) => (word === '{}' ? names : [word])) : [...args, ...names];
}

/** The names that a pipe hands over: without options, and without the pattern of a search. */
function namesFed(given: readonly string[]): string[] {
  const names = given.filter((word) => !word.startsWith('-'));
  return /^(?:[ef]?grep|rg|ag|ack)$/.test(names[0] ?? '') ? names.slice(2) : names;
}

/** A protected path inside a folder that is deleted or moved. */
function takenAlong(
  program: string,
  words: readonly string[],
  guarded: Protected,
  at: ResolveAll,
): string | undefined {
  const names = namesIn(words);
  const gone = /^(?:rm|rimraf|shred)$/.test(program) ? names : program === 'mv' ? names.slice(0, -1) : [];
  return firstFound(gone.flatMap(at), (folder) => {
    const listed = guarded.paths.find((path) => foldersOf(path).some((above) => isMeant(folder, above)));
    return listed ?? guarded.inside?.(folder).find((path) => guarded.fits?.(path));
  });
}

function reachedByGit(words: readonly string[], guarded: Protected, at: ResolveAll): string | undefined {
  let rest = words;
  let folder = '';
  while (rest[0]?.startsWith('-')) {
    if (rest[0] === '-C') folder = inFolder(folder, rest[1] ?? '');
    rest = rest.slice(/^-[Cc]$/.test(rest[0]) ? 2 : 1);
  }
  const [command = '', ...paths] = rest;
  if (!GIT_CHANGERS.test(command)) return undefined;
  const there: ResolveAll = (path) => at(inFolder(folder, path.replace(/^:(?:\/|\([^)]*\))/, '')));
  return (
    firstFound(namesIn(paths), (path) => hit(there(path), guarded)) ??
    takenAlong(command, paths, guarded, there)
  );
}

/** A protected path that a `find` with a changing action may find; its conditions on names are respected. */
function foundBy(words: readonly string[], guarded: Protected, at: ResolveAll): string | undefined {
  const exec = words.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word));
  const run = exec < 0 ? [] : shellCalls(words.slice(exec + 1).join(' '));
  const changes = run.some((c) => changedNames(c.program, c.args).length > 0 || /sh$/.test(c.program));
  if (!changes && !words.includes('-delete')) return undefined;
  // Deleting empty files and folders loses nothing.
  if (!changes && words.includes('-empty') && !words.some((word) => /^(?:-o|-or|!|-not|,)$/.test(word)))
    return undefined;
  const first = words.findIndex((word) => /^[-(!]/.test(word));
  const { wanted, unwanted } = namesOfFind(words);
  const isFound = (root: string, path: string) => {
    const parts = path.slice(root.length).split('/');
    const isNamed = (name: string) => parts.some((part) => isMeant(baseName(name), part));
    return wanted.length === 0 || wanted.some(isNamed);
  };
  const isLeftOut = (root: string, path: string) => {
    const parts = path.slice(root.length).split('/').filter(Boolean);
    return unwanted.some((name) => parts.includes(baseName(name.replace(/\/\*+$/, ''))));
  };
  const roots = first === 0 ? ['.'] : words.slice(0, first < 0 ? undefined : first);
  return firstFound(
    roots.flatMap(at),
    (root) =>
      guarded.paths.find((path) => isBelow(root, path) && isFound(root, path)) ??
      guarded
        .inside?.(root)
        .find((path) => guarded.fits?.(path) && isFound(root, path) && !isLeftOut(root, path)),
  );
}

function namesOfFind(words: readonly string[]): { wanted: string[]; unwanted: string[] } {
  const [wanted, unwanted]: [string[], string[]] = [[], []];
  words.forEach((word, i) => {
    if (!/^-i?(?:name|path|wholename)$/.test(words[i - 1] ?? '')) return;
    // Only a `-prune` before an `-o` leaves names out; otherwise it finds them.
    const isPruned = words[i + 1] === '-prune' && /^-or?$/.test(words[i + 2] ?? '');
    const isOut = /^(?:!|-not)$/.test(words[i - 2] ?? '') || isPruned;
    (isOut ? unwanted : wanted).push(word);
  });
  return { wanted, unwanted };
}

/** The code that a call runs. */
function textsOf({ program, args, given }: ShellCall): string[] {
  if (/^[gm]?awk$/.test(program)) return args.filter((word) => word.includes('>'));
  if (!INTERPRETERS.test(program) || isLineFilter(program, args)) return [];
  if (args.some((word) => WITH_TEXT.test(word))) return args;
  return args.some((word) => !word.startsWith('-')) ? [] : given;
}

/** Whether perl or ruby filters lines (`-n`, `-p`): then paths in the code are mostly patterns, not files. */
function isLineFilter(program: string, args: readonly string[]): boolean {
  return /^(?:perl|ruby)$/.test(program) && args.some((word) => /^-[a-zA-Z]*[np]/.test(word));
}

/** A protected path that code mentions. Listed paths are found by their last two parts, because code may build the rest. */
function mentioned(text: string, guarded: Protected, at: ResolveAll): string | undefined {
  if (text === '') return undefined;
  const has = (part: string) => text.toLowerCase().includes(part.toLowerCase());
  const listed = guarded.paths.find((path) => {
    const tail = path.split('/').slice(-2).join('/');
    return has(tail) || (/untildone/.test(baseName(path)) && has(baseName(path)));
  });
  if (listed !== undefined || !guarded.fits || !CHANGES_FILES.test(text)) return listed;
  return firstFound(namesInText(text).flatMap(at), (path) => (guarded.fits?.(path) ? path : undefined));
}

/** Code that changes files. Code that only reads protected files is allowed. */
const CHANGES_FILES =
  /write|\b(?:append|unlink|remove|rmtree|rename|os\.replace|truncate|rm|cp|copy|move|chmod|symlink|link|mkdir|touch|delete)|(?<![=-])>|["'][rbt]*[wax+][bt+]*["']/i;
const MOST_NAMES = 100;

/** Words in code that could be names of files. */
export function namesInText(text: string): string[] {
  const names = text.match(/[^\s'"`()[\]{}<>,;=|&]+/g) ?? [];
  return [...new Set(names)].filter((name) => name.length <= 500).slice(0, MOST_NAMES);
}

function hit(paths: readonly string[], guarded: Protected): string | undefined {
  return firstFound(
    paths,
    (path) =>
      guarded.paths.find((p) => isMeant(path, p) || isBelow(p, path)) ??
      (guarded.fits?.(path) ? path : undefined),
  );
}

function isBelow(folder: string, path: string): boolean {
  return path.toLowerCase().startsWith(`${folder.replace(/\/$/, '')}/`.toLowerCase());
}

function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(0, i).join('/') || '/').slice(1);
}

/** Whether a path or a shell pattern means this file. Case is ignored, as some file systems do. */
function isMeant(written: string, path: string): boolean {
  const [word, name] = [withoutCase(written), withoutCase(path)];
  return /[*?[{]/.test(word) ? wildcardMatcher(shellWildcards(word))(name) : word === name;
}
