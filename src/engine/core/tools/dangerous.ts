/** Commands that destroy something for good, or run a program from the net unseen. See docs/guides/tool-rules.md. */

import { inFolder, type ShellCall, shellCalls } from '../shell/calls.ts';
import { firstFound } from '../text/lists.ts';
import { has, type Look, lossInGit } from './dangerous-git.ts';
import { fold } from './tool-paths.ts';
import type { ToolPlace, Variables } from './tool-rules.ts';

const INTERPRETERS = /^(?:node|deno|bun|tsx|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua)$/;
const SHELLS = /^(?:sh|bash|zsh|dash|ksh|fish)$/;
const LOADERS = /^(?:curl|wget)$/;

const CHECKS: readonly ((look: Look) => string | undefined)[] = [
  deletesTooMuch,
  changesRightsOfTooMuch,
  overwritesDevice,
  formats,
  stopsMachine,
  killsTooMuch,
  runsFromNet,
  throwsAway,
  lossInGit,
];

/** What a line does that cannot be undone, as the end of "this command ..."; undefined when nothing was found. */
export function dangerIn(line: string, place: ToolPlace, variables: Variables): string | undefined {
  if (isForkBomb(line)) return 'starts processes without end';
  if (runsSubstitutionFromNet(line)) return FROM_NET;
  const calls = shellCalls(line);
  for (const [i, call] of calls.entries()) {
    const at = (word: string) => place.spellings(inFolder(call.folder, word), variables);
    const look: Look = { call, before: calls.slice(0, i), line, place, variables, at };
    for (const check of CHECKS) {
      const found = check(look);
      if (found) return found;
    }
  }
  return undefined;
}

function isForkBomb(line: string): boolean {
  return /([A-Za-z_:.][\w:.]{0,40})\s{0,9}\(\)\s{0,9}\{[^}]{0,200}?(?<![\w:.])\1\s{0,9}\|\s{0,9}\1(?![\w:.])[^}]{0,99}&/.test(
    line.slice(0, 20_000),
  );
}

function isRecursive(args: readonly string[]): boolean {
  return args.some((word) => /^-[a-zA-Z]*[rR]|^--recursive$/.test(word));
}

/** The names that `xargs` hands over; known only from `echo`, `printf`, or a `find` without conditions. */
function fedBy({ fed, given }: ShellCall): readonly string[] {
  const [program = '', ...words] = given;
  if (!fed) return [];
  if (/^(?:echo|printf)$/.test(program)) return words;
  return program === 'find' && FINDS_ALL.test(words.join(' ')) ? foldersOfFind(words) : [];
}

/** Arguments of a `find` without conditions. */
const FINDS_ALL = /^[^-(!]*(?:-(?:type f|(?:min|max)depth \d+|print0?|L)(?: |$))*$/;

function deletesTooMuch(look: Look): string | undefined {
  const { program, args } = look.call;
  if (program === 'rm' && args.includes('--no-preserve-root')) return 'deletes the whole machine';
  const isRemoval = (program === 'rm' && (isRecursive(args) || look.call.fed)) || program === 'rimraf';
  const words = isRemoval ? [...args.filter((word) => !word.startsWith('-')), ...fedBy(look.call)] : [];
  return firstFound(
    [...words, ...emptiedByFind(look.call), ...mirroredTo(look.call), ...deletedByProgram(look.call)],
    (word) => tooMuch(word, look) ?? emptyVariable(word, look),
  );
}

/** The folders that a `find` without conditions empties. */
function emptiedByFind({ program, args }: ShellCall): string[] {
  if (program !== 'find') return [];
  const exec = args.findIndex((word) => /^-exec(?:dir)?$/.test(word));
  const deletes = args.includes('-delete') || (exec >= 0 && args[exec + 1] === 'rm');
  if (
    !deletes ||
    args.some((word) =>
      /^-(?:i?(?:name|path|wholename|regex)|[acm](?:time|min)|newer|empty|size)$/.test(word),
    )
  )
    return [];
  return foldersOfFind(args);
}

function foldersOfFind(args: readonly string[]): string[] {
  const first = args.findIndex((word) => /^[-(!]/.test(word));
  return first === 0 || args.length === 0 ? ['.'] : args.slice(0, first < 0 ? undefined : first);
}

/** The folder in which `rsync --delete` deletes everything that it does not copy. */
function mirroredTo({ program, args }: ShellCall): string[] {
  const deletes = args.some((word) => /^--(?:delete|del)\b/.test(word)) && !has(args, 'n', '--dry-run');
  return program === 'rsync' && deletes ? args.filter((word) => !word.startsWith('-')).slice(-1) : [];
}

const DELETES =
  /(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_tree|rimraf(?:\.sync)?|removeSync|\brm)\s{0,9}\(\s{0,9}(['"`])([^'"`]{1,300})\1/g;

function deletedByProgram({ program, args, given }: ShellCall): string[] {
  if (!INTERPRETERS.test(program)) return [];
  return [...[...args, ...given].join('\n').slice(0, 50_000).matchAll(DELETES)].map((m) => m[2] ?? '');
}

/** A pattern for everything in a folder. */
const EVERYTHING = /(?:^|\/)(?:\*+|\.\*|\.\[[^\]]*\]\*|\{[^}]*\*[^}]*\})$/;

/** Why deleting this folder is too much; undefined when it is not. */
function tooMuch(word: string, { at, place }: Look): string | undefined {
  const isContent = EVERYTHING.test(word);
  const folder = isContent ? word.replace(EVERYTHING, '') || (word.startsWith('/') ? '/' : '.') : word;
  return firstFound(at(folder), (path) => {
    const meant = fold(path);
    if (isContent && /^(?:\/private)?(?:\/var)?\/tmp$/.test(meant)) return undefined;
    if (isSystemFolder(meant)) return `deletes ${path === '/' ? 'the whole machine' : path}`;
    if (holds(meant, place.home)) return 'deletes the home folder';
    if (place.roots.some((root) => holds(meant, root))) return 'deletes the project itself';
    const git = place.gitFolders().find((one) => holds(meant, one) || holds(one, meant));
    return git === undefined ? undefined : 'deletes the history of the project';
  });
}

function isSystemFolder(path: string): boolean {
  return (
    /^\/[^/]*$/.test(path) ||
    (/^\/(?:usr|var|etc|private|system|library)\/[^/]+$/.test(path) && !/\/tmp$/.test(path))
  );
}

/** Whether a folder is the path, or holds it. */
function holds(folder: string, path: string): boolean {
  const [outer, inner] = [fold(folder), fold(path)];
  return outer === inner || inner.startsWith(`${outer.replace(/\/$/, '')}/`);
}

/** Finds `$X/*` with a variable that is not set: it means `/*`. */
function emptyVariable(word: string, { variables, at }: Look): string | undefined {
  const [, name = ''] = /^\$\{?(\w+)\}?\/\*?$/.exec(word) ?? [];
  if (name === '' || variables.has(name) || at(`$${name}`).some((path) => !path.includes('$')))
    return undefined;
  return `deletes the whole machine if ${name} is empty`;
}

function changesRightsOfTooMuch({ call, at, place }: Look): string | undefined {
  if (!/^(?:chmod|chown|chgrp|setfacl)$/.test(call.program) || !isRecursive(call.args)) return undefined;
  const names = call.args.filter((word) => !word.startsWith('-')).slice(1);
  return firstFound(names, (word) =>
    firstFound(at(word.replace(EVERYTHING, '') || (word.startsWith('/') ? '/' : '.')), (path) => {
      const above = place.roots.some((root) => holds(path, root) && fold(path) !== fold(root));
      const isMuch = isSystemFolder(fold(path)) || holds(path, place.home) || above;
      return isMuch ? `changes the rights of everything in ${path}` : undefined;
    }),
  );
}

const DEVICE = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk|dm-|mapper\/|md\d)/;

function overwritesDevice({ call, at }: Look): string | undefined {
  const { program, args, writes } = call;
  const named = /^(?:tee|cp|mv|shred|truncate|install|sponge)$/.test(program) ? args : [];
  const output = program === 'dd' ? args.filter((w) => w.startsWith('of=')).map((w) => w.slice(3)) : [];
  const words = [...writes, ...named, ...output].filter((word) => !word.startsWith('-'));
  return words.flatMap(at).some((path) => DEVICE.test(path)) ? 'overwrites a disk' : undefined;
}

const FORMATTERS =
  /^(?:mkfs(?:\..+)?|mke2fs|newfs(?:_.+)?|mkswap|wipefs|blkdiscard|sgdisk|sfdisk|fdisk|gdisk|parted|cryptsetup)$/;

function formats({ call: { program, args } }: Look): string | undefined {
  const onlyLooks = args.some((word) =>
    /^(?:-l|--list|-p|--print|print|status|luksDump|isLuks|-n|--no-act)$/.test(word),
  );
  if (FORMATTERS.test(program) && !onlyLooks && args.some((word) => /^\/dev\//.test(word)))
    return 'erases a disk';
  const erases = program === 'diskutil' && /^(?:erase|partition|secureErase|zeroDisk)/.test(args[0] ?? '');
  return erases ? 'erases a disk' : undefined;
}

function stopsMachine({ call: { program, args } }: Look): string | undefined {
  const stops =
    (/^(?:shutdown|reboot|halt|poweroff)$/.test(program) &&
      !args.some((word) => /^(?:-c|--help|--version|--show)$/.test(word))) ||
    (/^(?:init|telinit)$/.test(program) && /^[06]$/.test(args[0] ?? '')) ||
    (program === 'systemctl' &&
      args.some((word) => /^(?:poweroff|reboot|halt|kexec|emergency|rescue)$/.test(word)));
  return stops ? 'stops the machine' : undefined;
}

function killsTooMuch({ call: { program, args } }: Look): string | undefined {
  if (program === 'killall5') return 'ends every process';
  if (program === 'kill') {
    const end = args.indexOf('--');
    const rest = end >= 0 ? args.slice(end + 1) : args.slice(/^-/.test(args[0] ?? '') ? 1 : 0);
    return rest.some((pid) => /^-?0*1$/.test(pid)) ? 'ends every process' : undefined;
  }
  if (program !== 'pkill' && program !== 'killall') return undefined;
  return args.some((word) => /^(?:|\.|\.\*|\.\+)$/.test(word)) ? 'ends every process' : undefined;
}

const FROM_NET = 'runs a program from the net unread';

/** Finds `curl ... | sh`. A program that has its code from elsewhere (`python -m json.tool`) only reads its input. */
function runsFromNet({ call }: Look): string | undefined {
  const { program, args, given } = call;
  if (call.fed || !given.some((word) => LOADERS.test(word))) return undefined;
  const names = args.filter((word) => !word.startsWith('-') || word === '-');
  const readsIt = SHELLS.test(program)
    ? !args.some((word) => /^-\w*c$/.test(word)) &&
      (names.length === 0 || names[0] === '-' || args.some((word) => /^-\w*s$/.test(word)))
    : INTERPRETERS.test(program) && (args.length === 0 || names[0] === '-');
  return readsIt ? FROM_NET : undefined;
}

/** Finds `sh -c "$(curl ...)"`, `bash <(curl ...)`, `eval "$(curl ...)"`. */
function runsSubstitutionFromNet(line: string): boolean {
  return /(?:^|[\s;&|(])(?:(?:ba|z|da|k|fi)?sh|eval|source|\.|node|python[\d.]*|ruby|perl|php)\s+(?:-\w+\s+){0,5}(?:<{1,3}\s*)?["']?(?:<\(|\$\(|`)\s*(?:sudo\s+)?(?:curl|wget)\s/.test(
    line,
  );
}

function throwsAway({ call: { program, args } }: Look): string | undefined {
  if (program === 'mv' && args.at(-1) === '/dev/null') return 'throws a file away';
  if (program === 'crontab' && has(args, 'r')) return 'deletes all scheduled jobs';
  if (program === 'gh' && args[0] === 'repo' && args[1] === 'delete')
    return 'deletes a repository on the server';
  return undefined;
}
