import { simpleCommands } from './shell-words.ts';

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
const CHANGERS = new Set([
  'rm',
  'mv',
  'cp',
  'tee',
  'truncate',
  'dd',
  'ln',
  'install',
  'rsync',
  'shred',
  'unlink',
  'touch',
  'chmod',
  'chown',
  'patch',
  'ed',
  'ex',
  'vi',
  'vim',
  'nano',
  'rmdir',
  'mkdir',
  'sponge',
]);
/** Programs that change files only with some words. */
const CHANGERS_WITH: Record<string, RegExp> = {
  sed: /^-[a-zA-Z]*i|^--in-place/,
  perl: /^-[a-zA-Z]*i/,
  git: /^(checkout|restore|reset|clean|apply|am|stash|rm|mv|merge|rebase|cherry-pick|revert|pull|config|update-ref)$/,
  find: /^-(delete|exec|execdir|ok|okdir)$/,
  awk: /^-i$|inplace/,
};
/** Programs that run what they are given: a protected path anywhere in their words is enough. */
const INTERPRETERS =
  /^(sh|bash|zsh|dash|ksh|fish|node|deno|bun|tsx|python[\d.]*|ruby|perl|php|lua|osascript|pwsh|eval|xargs)$/;

/** Why this tool call is refused; undefined when nothing speaks against it. Best effort: hashes find what slips through. */
export function refusedWrite(
  tool: string,
  input: Record<string, unknown>,
  guarded: Protected,
  resolve: ResolvePath,
): string | undefined {
  const field = WRITE_TOOLS[tool];
  if (field !== undefined) {
    const path = input[field];
    return typeof path === 'string' ? refusalFor(path, guarded, resolve) : undefined;
  }
  if (tool !== 'Bash' || typeof input.command !== 'string') return undefined;
  return refusedCommand(input.command, guarded, resolve);
}

function refusedCommand(line: string, guarded: Protected, resolve: ResolvePath): string | undefined {
  let folder = '';
  for (const { words, writes } of simpleCommands(line)) {
    const [name = '', ...rest] = words;
    const program = name.slice(name.lastIndexOf('/') + 1);
    const here: ResolvePath = (path) => resolve(folder && !/^[/~$]/.test(path) ? `${folder}/${path}` : path);
    for (const path of [...writes, ...touchedWords(program, rest)]) {
      const refusal = refusalFor(path, guarded, here);
      if (refusal) return refusal;
    }
    for (const folderTaken of takenAlong(program, rest)) {
      const refusal = refusalForFolder(folderTaken, guarded, here);
      if (refusal) return refusal;
    }
    if (INTERPRETERS.test(program)) {
      const hidden = mentioned(rest.join(' '), guarded);
      if (hidden) return hidden;
    }
    if (program === 'cd' && rest[0])
      folder = folder && !/^[/~$]/.test(rest[0]) ? `${folder}/${rest[0]}` : rest[0];
  }
  return undefined;
}

function touchedWords(program: string, rest: readonly string[]): string[] {
  const changes = CHANGERS.has(program) || rest.some((word) => CHANGERS_WITH[program]?.test(word));
  if (!changes) return [];
  // `of=FILE`, `--output=FILE` and the like name their file behind the sign.
  return rest.flatMap((word) => (word.includes('=') ? [word, word.slice(word.indexOf('=') + 1)] : [word]));
}

/** What goes away with everything in it. */
function takenAlong(program: string, rest: readonly string[]): string[] {
  const names = rest.filter((word) => !word.startsWith('-'));
  if (program === 'rm' || program === 'shred') return names;
  if (program === 'mv') return names.slice(0, -1);
  return program === 'find' && rest.some((word) => CHANGERS_WITH.find?.test(word)) ? names.slice(0, 1) : [];
}

function refusalFor(path: string, guarded: Protected, resolve: ResolvePath): string | undefined {
  const absolute = resolve(path);
  const hit = guarded.paths.find((p) => absolute === p || absolute.startsWith(`${p}/`));
  return hit === undefined ? undefined : refusal(guarded.what(hit));
}

function refusalForFolder(path: string, guarded: Protected, resolve: ResolvePath): string | undefined {
  const absolute = resolve(path);
  const hit = guarded.paths.find((p) => p.startsWith(`${absolute}/`));
  return hit === undefined ? undefined : refusal(guarded.what(hit));
}

/** A path inside a program's text cannot be resolved; its last parts give it away. */
function mentioned(text: string, guarded: Protected): string | undefined {
  const hit = guarded.paths.find((path) => {
    const tail = path.split('/').slice(-2).join('/');
    const name = path.slice(path.lastIndexOf('/') + 1);
    return text.includes(path) || text.includes(tail) || (DISTINCT.test(name) && text.includes(name));
  });
  return hit === undefined ? undefined : refusal(guarded.what(hit));
}

const DISTINCT = /untildone/;

function refusal(what: string): string {
  return `untildone: ${what} is part of the definition of done and not yours to change. Leave it as it is and do the work itself.`;
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
]);

/** A command that only a person may give, called in a shell; the word for it, or undefined. */
export function personOnlyCommand(line: string): string | undefined {
  for (const { words } of simpleCommands(line)) {
    for (const [i, word] of words.entries()) {
      if (!/(^|\/)untildone(\.cjs|\.js|@\S+)?$/.test(word)) continue;
      const [command, argument] = words.slice(i + 1).filter((w) => !w.startsWith('-'));
      if (command !== undefined && PERSON_ONLY.has(command)) return command;
      if (command === 'contract' && argument === 'update') return 'contract update';
      if (command === 'lock' && argument === 'off') return 'lock off';
    }
    const nested = words
      .slice(1)
      .find((word) => /\suntildone\s|^untildone\s|\/untildone(\.cjs)?\s/.test(word));
    const inside = nested === undefined ? undefined : personOnlyCommand(nested);
    if (inside) return inside;
  }
  return undefined;
}
