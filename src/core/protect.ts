import { baseName, inFolder, isUntildone, type ShellCall, shellCalls } from './shell-calls.ts';

/** What must stay out of the agent's reach, as absolute paths. */
export interface Protected {
  /** Files and whole folders. */
  paths: readonly string[];
  /** Why, for the refusal; by path. */
  what(path: string): string;
}

/** Turns a path as it was written into an absolute one: relative to the session's folder, `~` and links resolved. */
export type ResolvePath = (written: string) => string;

const WRITE_TOOLS: Record<string, string> = {
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
};

/** Programs that change the files they name. Reading a protected file is fine. */
const CHANGERS =
  /^(?:rm|unlink|shred|truncate|touch|tee|sponge|chmod|chown|patch|ed|ex|vi|vim|nvim|nano|mkdir|rmdir)$/;
/** The last one they name is where they write. */
const COPIERS = /^(?:cp|mv|ln|install|rsync|scp)$/;
/** What they take from is changed, too. */
const TAKERS = /^(?:mv|ln)$/;
/** Programs that change files only with some words. */
const CHANGERS_WITH: Record<string, RegExp> = {
  sed: /^-[a-zA-Z]*i|^--in-place/,
  perl: /^-[a-zA-Z]*i/,
  ruby: /^-[a-zA-Z]*i/,
  awk: /^inplace$/,
  gawk: /^inplace$/,
  yq: /^-i$|^--inplace/,
  curl: /^-[a-zA-Z]*[oO]|^--(?:output|remote-name)/,
  wget: /./,
  sort: /^-o|^--output/,
};
/** Formatters, which agents let loose on whole projects: only what they name counts, not what they may find. */
const IN_PLACE = /^--(?:write|fix|in-?place)$/;
/** Of git, these change the files they name. */
const GIT_CHANGERS = /^(?:checkout|restore|rm|mv|stash|clean)$/;
/** Programs that run a text they are given: a protected path anywhere in it is enough. */
const INTERPRETERS = /^(?:node|deno|bun|tsx|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|osascript|pwsh)$/;
const WITH_TEXT = /^-\w*[ecpr]$|^--(?:eval|print|command)$|^eval$/i;

/** Why this tool call is refused; undefined when nothing speaks against it. Best effort: hashes find what slips through. */
export function refusedWrite(
  tool: string,
  input: Record<string, unknown>,
  guarded: Protected,
  resolve: ResolvePath,
): string | undefined {
  const field = WRITE_TOOLS[tool];
  const path = field === undefined ? undefined : input[field];
  if (typeof path === 'string') return refusal(hit(resolve(path), guarded), guarded);
  if (tool !== 'Bash' || typeof input.command !== 'string') return undefined;
  for (const call of shellCalls(input.command)) {
    const refused = refusal(reachedBy(call, guarded, resolve), guarded);
    if (refused) return refused;
  }
  return undefined;
}

function refusal(path: string | undefined, guarded: Protected): string | undefined {
  if (path === undefined) return undefined;
  return `untildone: ${guarded.what(path)} is part of the definition of done and not yours to change. Leave it as it is and do the work itself.`;
}

/** The protected path that a call would change, if any. */
function reachedBy(call: ShellCall, guarded: Protected, resolve: ResolvePath): string | undefined {
  const at: ResolvePath = (path) => resolve(inFolder(call.folder, path));
  const hits = (paths: readonly string[]) => firstOf(paths, (path) => hit(at(path), guarded));
  const words = call.fed ? fedWords(call) : call.args;
  return (
    hits(call.writes) ??
    mentioned(textsOf(call).join('\n'), guarded) ??
    (call.program === 'find' ? foundBy(call.args, guarded, at) : undefined) ??
    (call.program === 'git' ? reachedByGit(call.args, guarded, at) : undefined) ??
    hits(changedNames(call.program, words)) ??
    takenAlong(call.program, call.args, guarded, at)
  );
}

/** `xargs` puts what it reads behind the other words, or where `{}` stands. */
function fedWords({ args, given }: ShellCall): string[] {
  return args.includes('{}') ? args.flatMap((word) => (word === '{}' ? given : [word])) : [...args, ...given];
}

function firstOf<T, R>(all: readonly T[], find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The names among a call's words that it may change. */
function changedNames(program: string, words: readonly string[]): string[] {
  const names = namesIn(words);
  if (COPIERS.test(program)) return copiedTo(program, words, names);
  if (program === 'dd') return words.filter((word) => word.startsWith('of=')).map((word) => word.slice(3));
  const pattern = CHANGERS_WITH[program];
  if (CHANGERS.test(program) || words.some((word) => pattern?.test(word))) {
    // A file from the net is called here as it is there.
    return /^(?:wget|curl)$/.test(program) ? [...names, ...names.map(baseName)] : names;
  }
  return words.some((word) => IN_PLACE.test(word)) ? names.filter((name) => !/[*?[{]/.test(name)) : [];
}

/** `--output=FILE` and the like name their file behind the sign. */
function namesIn(words: readonly string[]): string[] {
  return words.flatMap((word) =>
    word.startsWith('-') ? (word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : []) : [word],
  );
}

function copiedTo(program: string, words: readonly string[], names: readonly string[]): string[] {
  const named = words.find((word) => word.startsWith('--target-directory='))?.slice(19);
  const target = named ?? (words.includes('-t') ? words[words.indexOf('-t') + 1] : names.at(-1)) ?? '';
  const sources = names.filter((name) => name !== target);
  return [
    target,
    ...sources.map((source) => `${target}/${baseName(source)}`),
    ...(TAKERS.test(program) ? sources : []),
  ];
}

/** What goes away with everything in it. */
function takenAlong(
  program: string,
  words: readonly string[],
  guarded: Protected,
  at: ResolvePath,
): string | undefined {
  const names = namesIn(words);
  const gone = program === 'rm' || program === 'shred' ? names : program === 'mv' ? names.slice(0, -1) : [];
  return firstOf(gone, (folder) =>
    guarded.paths.find((path) => foldersOf(path).some((above) => isMeant(at(folder), above))),
  );
}

function reachedByGit(words: readonly string[], guarded: Protected, at: ResolvePath): string | undefined {
  let rest = words;
  let folder = '';
  while (rest[0]?.startsWith('-')) {
    if (rest[0] === '-C') folder = inFolder(folder, rest[1] ?? '');
    rest = rest.slice(/^-[Cc]$/.test(rest[0]) ? 2 : 1);
  }
  const [command = '', ...paths] = rest;
  if (!GIT_CHANGERS.test(command)) return undefined;
  const there: ResolvePath = (path) => at(inFolder(folder, path.replace(/^:(?:\/|\([^)]*\))/, '')));
  return (
    firstOf(namesIn(paths), (path) => hit(there(path), guarded)) ?? takenAlong(command, paths, guarded, there)
  );
}

/** `find` with an action that changes what it finds; the names it asks for narrow down what that can be. */
function foundBy(words: readonly string[], guarded: Protected, at: ResolvePath): string | undefined {
  const exec = words.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word));
  const run = exec < 0 ? [] : shellCalls(words.slice(exec + 1).join(' '));
  const changes = run.some((c) => changedNames(c.program, c.args).length > 0 || /sh$/.test(c.program));
  if (!changes && !words.includes('-delete')) return undefined;
  const first = words.findIndex((word) => /^[-(!]/.test(word));
  const names = words.filter(
    (_, i) =>
      /^-i?(?:name|path|wholename)$/.test(words[i - 1] ?? '') && !/^(?:!|-not)$/.test(words[i - 2] ?? ''),
  );
  return firstOf(first === 0 ? ['.'] : words.slice(0, first < 0 ? undefined : first), (root) =>
    guarded.paths.find((path) => {
      if (!isBelow(at(root), path)) return false;
      const parts = path.slice(at(root).length).split('/');
      return names.length === 0 || names.some((name) => parts.some((part) => isMeant(baseName(name), part)));
    }),
  );
}

/** The texts that a call runs as a program. */
function textsOf({ program, args, given }: ShellCall): string[] {
  if (/^[gm]?awk$/.test(program)) return args.filter((word) => word.includes('>'));
  if (!INTERPRETERS.test(program) || isLineFilter(program, args)) return [];
  if (args.some((word) => WITH_TEXT.test(word))) return args;
  return args.some((word) => !word.startsWith('-')) ? [] : given;
}

/** What it names in its text is mostly what it looks for; the files it works on stand behind it. */
function isLineFilter(program: string, args: readonly string[]): boolean {
  return /^(?:perl|ruby)$/.test(program) && args.some((word) => /^-[a-zA-Z]*[np]/.test(word));
}

/** A path inside a program's text cannot be resolved; its last parts give it away. */
function mentioned(text: string, guarded: Protected): string | undefined {
  if (text === '') return undefined;
  const has = (part: string) => text.toLowerCase().includes(part.toLowerCase());
  return guarded.paths.find((path) => {
    const tail = path.split('/').slice(-2).join('/');
    return has(tail) || (/untildone/.test(baseName(path)) && has(baseName(path)));
  });
}

function hit(path: string, guarded: Protected): string | undefined {
  return guarded.paths.find((p) => isMeant(path, p) || isBelow(p, path));
}

function isBelow(folder: string, path: string): boolean {
  return path.toLowerCase().startsWith(`${folder.replace(/\/$/, '')}/`.toLowerCase());
}

function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(0, i).join('/') || '/').slice(1);
}

/** More places to choose from would take for ever, and nobody writes such a path. */
const MOST_WILDCARDS = 8;

/** Whether a path, or a pattern as a shell reads it, means this file. Some systems do not tell capitals apart. */
function isMeant(written: string, path: string): boolean {
  const wildcards = written.match(/[*?[{]/g)?.length ?? 0;
  if (wildcards === 0 || wildcards > MOST_WILDCARDS) return written.toLowerCase() === path.toLowerCase();
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const parts = written.match(/\*+|\?|\[[^\]/]+\]|\{[^{}/]+\}|[^*?[{]+|[[{]/g) ?? [];
  const expression = parts.map((part) => {
    if (part.startsWith('*')) return '[^/]*';
    if (part === '?' || /^\[.+\]$/.test(part)) return '[^/]';
    const choices = /^\{(.+)\}$/.exec(part)?.[1]?.split(',');
    return choices ? `(?:${choices.map(literal).join('|')})` : literal(part);
  });
  return new RegExp(`^${expression.join('')}$`, 'i').test(path);
}

const PERSON_ONLY = new Set([
  'trust',
  'approve',
  'reject',
  'cancel',
  'release',
  'pause',
  'uninstall',
  'allow',
  'claim',
  'import',
]);

/** A command that only a person may give, called in a shell; the word for it, or undefined. */
export function personOnlyCommand(line: string): string | undefined {
  for (const { program, args } of shellCalls(line)) {
    const script = INTERPRETERS.test(program) ? args.findIndex(isUntildone) : -1;
    if (script < 0 && !isUntildone(program)) continue;
    const words = args.slice(script + 1);
    const [command = '', argument] = words.filter((word) => !word.startsWith('-') && !isUntildone(word));
    // Looking at what would be approved is for everyone.
    if (command === 'trust' && words.includes('--show')) continue;
    if (command === 'import' && isOnlyLooking(words)) continue;
    if (PERSON_ONLY.has(command)) return command;
    if (command === 'contract' && argument === 'update') return 'contract update';
    if (command === 'lock' && argument === 'off') return 'lock off';
  }
  return undefined;
}

/** Listing what could be imported, or what that would change. */
function isOnlyLooking(words: readonly string[]): boolean {
  return words.includes('--dry-run') || !words.some((word) => /^--(?:from|undo)\b/.test(word));
}
