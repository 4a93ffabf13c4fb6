import { checkOf } from '../../../engine/core/commands/checks.ts';
import { unwrapped } from '../../../engine/core/shell/calls.ts';
import { type SimpleCommand, simpleCommands } from '../../../engine/core/shell/words.ts';
import { normalCommand } from './normalise.ts';
import { copied } from './repeats.ts';

/** What a shell command does, as far as findings need it: whether it runs tests, changes files, or takes work back. */

/** Programs that change no file of the project. */
const ONLY_LOOK = new Set([
  ...[
    'ls',
    'cat',
    'head',
    'tail',
    'less',
    'more',
    'grep',
    'egrep',
    'fgrep',
    'rg',
    'ag',
    'wc',
    'stat',
    'file',
    'pwd',
  ],
  ...[
    'echo',
    'printf',
    'which',
    'type',
    'sleep',
    'true',
    'false',
    'test',
    '[',
    'date',
    'whoami',
    'uname',
    'env',
  ],
  ...[
    'ps',
    'df',
    'du',
    'tree',
    'sort',
    'uniq',
    'cut',
    'tr',
    'diff',
    'cmp',
    'jq',
    'cd',
    'pushd',
    'popd',
    'export',
    'set',
  ],
  ...[
    'basename',
    'dirname',
    'realpath',
    'readlink',
    'sha256sum',
    'md5sum',
    'nl',
    'column',
    'wait',
    'exit',
    'time',
  ],
]);
const GIT_LOOKS =
  /^(?:-\S+ )*(?:status|diff|log|show|branch|rev-parse|ls-files|blame|describe|remote|grep)\b/;
const GIT_BACK =
  /^(?:-\S+ )*(?:checkout (?:\S+ )*--? |checkout \.|restore\b(?! --staged\b(?!.*--worktree))|reset (?:\S+ )*--hard|revert\b|stash(?: push| save|$| -)|clean (?:\S+ )*-\w*f)/;

export interface CommandDoes {
  /** It runs tests. */
  tests: boolean;
  /** It may change files, which includes everything that is not known. */
  mayChange: boolean;
  /** It commits what was done. */
  commits: boolean;
  /** It takes work back: the files that it names, or `all`. */
  takesBack?: 'all' | string[];
}

export function commandDoes(command: string): CommandDoes {
  const parts = simpleCommands(command.slice(0, LONGEST));
  const back = parts.map(takenBack).filter((files) => files !== undefined);
  const named = back.flat();
  return {
    tests: parts.some(runsTests),
    commits: parts.some(({ words }) => baseOf(words[0]) === 'git' && words.includes('commit')),
    mayChange: !parts.every((part) => runsTests(part) || onlyLooks(part)),
    takesBack: back.length === 0 ? undefined : named.length === 0 ? 'all' : named,
  };
}

const LONGEST = 4_000;
const MOST_KNOWN = 2_000;
const LONGEST_KNOWN = 500;

/** What commands are and do, read once for a command that comes again and again. */
export class KnownCommands {
  private readonly known = new Map<string, ReadCommand>();

  read(command: string): ReadCommand {
    const before = this.known.get(command);
    if (before) return before;
    const own = copied(command);
    const read = { normal: normalCommand(own), does: commandDoes(own) };
    if (own.length > LONGEST_KNOWN) return read;
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(own, read);
    return read;
  }
}

interface ReadCommand {
  normal: string;
  does: CommandDoes;
}

function runsTests({ words }: SimpleCommand): boolean {
  const [program, ...args] = unwrapped(words).words;
  const check = checkOf({ program: baseOf(program), args });
  // A commit that leaves out the hooks of a project runs none of its checks.
  return (check?.kind === 'tests' || check?.kind === 'all') && check.weak !== 'hooks_skipped';
}

function onlyLooks(part: SimpleCommand): boolean {
  const [program = '', ...rest] = part.words;
  const { writes, inner = [] } = part;
  if (writes.some((file) => !/^(?:&?\d|\/dev\/(?:null|stdout|stderr))$/.test(file))) return false;
  if (!inner.every((line) => simpleCommands(line).every(onlyLooks))) return false;
  const name = baseOf(program);
  if (name === 'git') return GIT_LOOKS.test(rest.join(' '));
  if (name === 'find') return !rest.some((word) => /^-(?:delete|exec|execdir|ok|fprint)/.test(word));
  if (name === 'sed' || name === 'awk')
    return name === 'sed' && rest.includes('-n') && !rest.some((word) => /^-\w*i/.test(word));
  return name === '' || ONLY_LOOK.has(name);
}

/** The files that git puts back, an empty list for all of them; undefined for any other command. */
function takenBack({ words }: SimpleCommand): string[] | undefined {
  const [program = '', ...rest] = words;
  if (baseOf(program) !== 'git' || !GIT_BACK.test(rest.join(' '))) return undefined;
  const [what = ''] = rest.filter((word) => !word.startsWith('-'));
  if (what !== 'checkout' && what !== 'restore') return [];
  const marker = rest.indexOf('--');
  const files =
    marker >= 0
      ? rest.slice(marker + 1)
      : rest.slice(rest.indexOf(what) + 1).filter((word) => !word.startsWith('-'));
  return files.includes('.') ? [] : files;
}

function baseOf(program: string | undefined): string {
  return (program ?? '').replace(/^.*[/\\]/, '').replace(/\.(?:exe|cmd)$/, '');
}
