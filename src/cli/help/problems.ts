/** What you read, or a program reads, when a command was called in a wrong way or failed. */
import type { Command } from 'commander';
import { EngineAway, RemoteAway } from '../../engine/core/fleet/errors.ts';
import { ContractError, NotApproved, UsageError } from '../../engine/core/text/errors.ts';
import { jsonText } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { isDiskFull } from '../../engine/files/unwritable.ts';
import { allCommands, nameOf } from './help.ts';

/** What people type out of habit, and what it is called here. */
const HABITS: Readonly<Record<string, readonly string[]>> = {
  abort: ['cancel'],
  accept: ['approve'],
  check: ['verify'],
  continue: ['resume'],
  deny: ['reject'],
  fix: ['doctor'],
  history: ['log'],
  journal: ['log'],
  kill: ['cancel'],
  list: ['status'],
  loop: ['start', 'run'],
  ls: ['status'],
  new: ['init', 'start'],
  no: ['reject'],
  ps: ['status'],
  quit: ['cancel'],
  remove: ['uninstall', 'prune'],
  stop: ['pause', 'cancel'],
  test: ['verify'],
  undo: ['uninstall'],
  upgrade: ['install'],
  version: ['--version'],
  yes: ['approve'],
};

/** What an older version had, and what to use now: commands, and options with the name of their command. */
const GONE: Readonly<Record<string, string>> = {
  replay: '`untildone replay` is gone since 0.2: use untildone reflect',
  'reflect --deep': '`--deep` is gone since 0.2: use untildone reflect without it',
  'reflect --max-cost': '`--max-cost` of `reflect` is gone since 0.2: leave it out',
  'reflect --model': '`--model` of `reflect` is gone since 0.2: leave it out',
};

/**
 * One line for a mistake that commander found: `error: unknown option '--promis'\n(Did you mean --promise?)`. It ends with
 * what to type next.
 */
export function problemLine(problem: string, command: Command): string {
  const lines = problem.split('\n').map((line) => line.trim());
  const said = lines
    .filter((line) => line !== '')
    .join(' ')
    .replace(/^error: /, '')
    .replace(/\.$/, '');
  const [whole, unknown] = /^unknown (?:command|option) '(.*?)'(?= \(Did you mean |$)/s.exec(said) ?? [];
  const gone = `${nameOf(command)} ${unknown}`.trim();
  if (Object.hasOwn(GONE, gone)) return GONE[gone] ?? said;
  // What is known goes before what only looks alike.
  const meant = unknown === undefined ? '' : didYouMean(meantBy(unknown, command));
  return `${meant === '' ? said : `${whole}${meant}`}; untildone ${`${nameOf(command)} --help`.trim()} shows what there is`;
}

function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return '';
  return ` (Did you mean ${names.length > 1 ? 'one of ' : ''}${names.map((name) => `untildone ${name}`).join(', ')}?)`;
}

/** Commands that a word stands for although it looks like none of them: a habit, a flag, or a command of a command. */
function meantBy(word: string, command: Command): string[] {
  const root = rootOf(command);
  const all = allCommands(root);
  const plain = word.replace(/^--?/, '');
  const isThere = (name: string) => name.startsWith('--') || all.some((one) => nameOf(one) === name);
  const known = Object.hasOwn(HABITS, plain) ? (HABITS[plain] ?? []).filter(isThere) : [];
  // A flag of a command is a mistake of its own: `status --test` does not mean `verify`.
  if (word.startsWith('-') && command.parent) return [];
  if (isThere(plain)) return [plain];
  const named = all.filter((one) => one.name() === plain).map(nameOf);
  return [...new Set([...known, ...named])].slice(0, 3);
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

/** A word after `untildone receipt` is a loop, or else a command of it that was misspelled: `receipt verfiy`. */
export function misspelledSubcommand(cli: Command, words: readonly string[]): string | undefined {
  const command = calledCommand(cli, words);
  const typed = command?.args[0];
  if (!command?.parent || typed === undefined) return undefined;
  const near = command.commands.find((one) => isNear(one.name(), typed));
  return near && `did you mean: untildone ${nameOf(near)}?`;
}

/** Whether a word became the other by one slip: a letter too many, too few, another, or two that changed places. */
export function isNear(name: string, typed: string): boolean {
  if (name === typed || Math.abs(name.length - typed.length) > 1) return false;
  let from = 0;
  while (from < name.length && name[from] === typed[from]) from++;
  const [a, b] = [name.slice(from), typed.slice(from)];
  return (
    a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || `${a[1]}${a[0]}${a.slice(2)}` === b
  );
}

/** The command that these words call, as far as they are names of commands. */
export function calledCommand(cli: Command, words: readonly string[]): Command | undefined {
  let found: Command | undefined;
  for (const word of words) {
    if (word === '--') break;
    const next = (found ?? cli).commands.find((one) => one.name() === word);
    if (next) found = next;
    else if (!word.startsWith('-')) break;
  }
  return found;
}

/** Whether the caller is a program that reads JSON: `--json`, or `--format json`, before the words that are free. */
export function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  const before = end < 0 ? words : words.slice(0, end);
  return before.some(
    (word, index) =>
      word === '--json' || word === '--format=json' || (word === '--format' && before[index + 1] === 'json'),
  );
}

export interface Problem {
  /** Stable: `usage`, `contract`, `not_trusted`, `disk_full`, `away`, `unexpected`. */
  code: string;
  message: string;
  exit_code: number;
  /** Of a contract with mistakes: each of them. */
  problems?: readonly string[];
  /** Of a contract that is not trusted: what to trust. */
  fingerprint?: string;
}

/** Tells kinds of errors apart by name: an error that another bundle throws is of a class of its own. */
export function problemOf(error: Error): Problem {
  const is = (kind: { name: string }) => error.name === kind.name;
  const exit_code = EXIT.refused;
  const message = inWords(error);
  if (is(ContractError))
    return { code: 'contract', message, exit_code, problems: (error as ContractError).problems };
  if (is(NotApproved))
    return { code: 'not_trusted', message, exit_code, fingerprint: (error as NotApproved).fingerprint };
  if (isDiskFull(error)) return { code: 'disk_full', message, exit_code };
  if (is(EngineAway) || is(RemoteAway)) return { code: 'away', message, exit_code };
  return { code: isWrongUse(error) ? 'usage' : 'unexpected', message, exit_code };
}

export function problemJson(problem: Problem): string {
  return jsonText({ error: problem });
}

const WRONG_USE = new Set(['UsageError', 'ContractError', 'NotApproved', 'NothingToDo']);

export function isWrongUse(error: unknown): boolean {
  return error instanceof UsageError || WRONG_USE.has((error as Error).name);
}

/** Tells you what to do about a full disk, which the words of the system do not. */
export function inWords(error: NodeJS.ErrnoException): string {
  if (!isDiskFull(error)) return error.message;
  return `the disk is full (${error.message}): make room, then type the command again. A run that was cut off goes on with: untildone run --resume`;
}
