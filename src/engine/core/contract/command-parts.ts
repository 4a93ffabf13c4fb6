import { type SimpleCommand, simpleCommands } from '../shell/words.ts';
import type { FileCall } from './definition-or-work.ts';

/** Something outside the contract that decides what a command does, such as a script of package.json. */
export type CommandPart =
  | { kind: 'script'; script: string; folder: string }
  /** A script of packages of a workspace; `which` is a name, a folder, or `*`. */
  | { kind: 'packages'; which: string; script: string; folder: string }
  /** The settings by which a package manager runs this script. */
  | { kind: 'settings'; script: string; folder: string }
  | { kind: 'target'; target: string; folder: string }
  /** A file that is run, with how. */
  | { kind: 'file'; path: string; call: FileCall }
  /** A file that does not exist, and would run in place of the tool that a command names. */
  | { kind: 'shadow'; path: string };

/** Chooses among the files that commands run. */
export interface PartsRule {
  /** Globs of files that you called the work: they define nothing. */
  work?: readonly string[];
  /** The names of parts that count whatever they are, because they were frozen before. */
  frozen?: readonly string[];
  /** Chooses as version 0.1.0 did. */
  asFormerly?: boolean;
}

const RUNNERS = ['npm', 'pnpm', 'yarn', 'bun'];
/** Words of package managers that are not the names of scripts. */
const NOT_SCRIPTS = new Set([
  'ci',
  'install',
  'i',
  'add',
  'exec',
  'x',
  'dlx',
  'pack',
  'audit',
  'init',
  'create',
]);
const INTERPRETERS = [
  'sh',
  'bash',
  'zsh',
  'dash',
  'node',
  'python',
  'python3',
  'ruby',
  'perl',
  'tsx',
  'deno',
  'php',
];
/** Words before the real command. */
const WRAPPERS = new Set([
  'env',
  'exec',
  'time',
  'command',
  'nice',
  'npx',
  'cross-env',
  'sudo',
  'timeout',
  'nohup',
]);
/** Words before the real command that come in pairs. */
const PAIRS = new Set([
  'uv run',
  'poetry run',
  'pipenv run',
  'pdm run',
  'hatch run',
  'rye run',
  'bundle exec',
]);

/** Everything that a command runs of the project, as far as its words tell. */
export function commandParts(command: string, folder = '.'): CommandPart[] {
  return partsOfLine(command, folder, {});
}

function partsOfLine(line: string, folder: string, around: FileCall): CommandPart[] {
  let here = folder;
  const commands = simpleCommands(line);
  return commands.flatMap((command, at) => {
    const [name = '', ...rest] = unwrapped(command.words, true);
    if (name === 'cd' && rest[0]) {
      here = join(here, rest[0]);
      return [];
    }
    const isExamined = isLookedAt(commands, at) || around.isExamined;
    const inner = (command.inner ?? []).flatMap((one) => partsOfLine(one, here, { isExamined: true }));
    return [...inner, ...partsOf(name, rest, here, { isExamined })];
  });
}

/** Commands that look at what another one writes. */
const LOOKING =
  /^(?:e|f)?grep$|^(?:rg|diff|cmp|jq|awk|sed|wc|head|tail|sort|cut|tr|xargs|read|sha\d*sum|md5sum)$/;

function isLookedAt(commands: readonly SimpleCommand[], at: number): boolean {
  const [before, command, next] = [commands[at - 1], commands[at], commands[at + 1]];
  if (next?.piped && LOOKING.test(unwrapped(next.words, true)[0] ?? '')) return true;
  if (command?.writes.some((file) => !file.startsWith('/dev/') && !/^&?\d$/.test(file))) return true;
  // An unquoted `$(` is read as a word that ends with `$` and a subshell.
  return (before?.words.at(-1)?.endsWith('$') ?? false) && (command?.depth ?? 0) > (before?.depth ?? 0);
}

function unwrapped(words: readonly string[], pairs: boolean): string[] {
  let rest = [...words];
  for (;;) {
    const [first, second] = rest;
    if (first === undefined) return rest;
    if (pairs && PAIRS.has(`${first} ${second}`)) rest = rest.slice(2);
    else if (WRAPPERS.has(first)) rest = rest.slice(1);
    else return rest;
    while (
      rest[0] !== undefined &&
      (/^-/.test(rest[0]) || /^[A-Za-z_]\w*=/.test(rest[0]) || /^\d+[smh]?$/.test(rest[0]))
    ) {
      rest = rest.slice(1);
    }
  }
}

function partsOf(name: string, rest: readonly string[], folder: string, call: FileCall): CommandPart[] {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const own = name.includes('/') ? fileParts(name, folder, { ...call, ...askedHelp(rest) }) : [];
  if (RUNNERS.includes(base)) return [...own, ...scriptParts(rest, folder)];
  if (base === 'make' || base === 'gmake') return [...own, ...makeParts(rest, folder)];
  if (base.startsWith('python') && rest.includes('-m')) return [...own, ...shadowParts(rest, folder)];
  if (INTERPRETERS.includes(base)) return [...own, ...interpreted(base, rest, folder, call)];
  return own;
}

const FORMER_WORK =
  /(^|\/)(test|tests|spec|specs|__tests__|src|lib|app)\/|\.(test|spec)\.|(^|\/)test_[^/]+$|_test\.\w+$/;

/** What version 0.1.0 froze of a command. What you trusted then stays trusted. */
export function formerCommandParts(command: string, folder = '.'): CommandPart[] {
  let here = folder;
  return simpleCommands(command).flatMap(({ words }) => {
    const [name = '', ...rest] = unwrapped(words, false);
    if (name === 'cd' && rest[0]) {
      here = join(here, rest[0]);
      return [];
    }
    const base = name.slice(name.lastIndexOf('/') + 1);
    const isInterpreter = INTERPRETERS.includes(base);
    const isOther = RUNNERS.includes(base) || /^g?make$/.test(base);
    if (isOther || (base.startsWith('python') && rest.includes('-m'))) return partsOf(base, rest, here, {});
    const file = isInterpreter
      ? rest.find((word) => !word.startsWith('-') && /[./]/.test(word))
      : name.includes('/')
        ? name
        : '';
    return file === undefined || FORMER_WORK.test(file) ? [] : fileParts(file, here, {});
  });
}

function scriptParts(given: readonly string[], folder: string): CommandPart[] {
  const { packages, rest: words } = workspaceWords(given);
  const prefixAt = words.findIndex((w) => w === '--prefix' || w === '-C' || w === '--cwd' || w === '--dir');
  const there = prefixAt >= 0 && words[prefixAt + 1] ? join(folder, words[prefixAt + 1] ?? '') : folder;
  const plain = words.filter((w, i) => !w.startsWith('-') && (prefixAt < 0 || i !== prefixAt + 1));
  const runs = ['run', 'run-script'].includes(plain[0] ?? '');
  const script = runs ? plain[1] : plain[0] === 't' ? 'test' : plain[0];
  if (!script || (!runs && NOT_SCRIPTS.has(script))) return [];
  if (packages.length === 0) return scriptIn(script, there);
  return packages.map((which) => ({ kind: 'packages', which, script, folder: there }));
}

/** A script of one package, with what the package manager runs beside it. */
export function scriptIn(script: string, folder: string): CommandPart[] {
  const around = [`pre${script}`, script, `post${script}`];
  return [
    ...around.map((s): CommandPart => ({ kind: 'script', script: s, folder })),
    { kind: 'settings', script, folder },
  ];
}

function makeParts(words: readonly string[], folder: string): CommandPart[] {
  const at = words.indexOf('-C');
  const there = at >= 0 && words[at + 1] ? join(folder, words[at + 1] ?? '') : folder;
  const targets = words.filter((w, i) => !w.startsWith('-') && !w.includes('=') && (at < 0 || i !== at + 1));
  return (targets.length > 0 ? targets : ['']).map((target) => ({ kind: 'target', target, folder: there }));
}

/** Options by which an interpreter loads a file before the program. */
const PRELOADS = /^(?:-r|--require|--import|--loader|--experimental-loader|--preload)(?:=(.+))?$/;
/** Options whose value is no file to run. */
const WITH_VALUE =
  /^(?:-C|--conditions|--env-file|--env-file-if-exists|--test-(?:reporter|reporter-destination|name-pattern|shard)|--config|--import-map|--tsconfig)$/;
/** Options whose value is the program itself. */
const EVALUATES: readonly [interpreter: RegExp, option: RegExp][] = [
  [/^(?:node|tsx|deno)$/, /^(?:-e|-p|-pe|--eval|--print)$/],
  [/^python/, /^-c$/],
  [/^(?:ruby|perl)$/, /^-[a-z]*[eE]$/],
  [/^php$/, /^-r$/],
];
const SHELLS = /^(?:ba|da|z)?sh$/;
/** Options and words by which an interpreter reads a file and does not run it. */
const PARSES: readonly [interpreter: RegExp, words: RegExp][] = [
  [SHELLS, /^-[a-z]*n[a-z]*$/],
  [/^node$/, /^(?:-c|--check)$/],
  [/^(?:ruby|perl)$/, /^-\w*c\w*$/],
  [/^php$/, /^(?:-l|--syntax-check)$/],
  [/^deno$/, /^(?:check|lint|fmt|doc|info)$/],
];

/** What an interpreter runs: files that it loads first, then the program, or the commands after `sh -c`. */
function interpreted(
  interpreter: string,
  words: readonly string[],
  folder: string,
  call: FileCall,
): CommandPart[] {
  const parses = PARSES.find(([by]) => by.test(interpreter))?.[1];
  const evaluates = EVALUATES.find(([by]) => by.test(interpreter))?.[1];
  const parts: CommandPart[] = [];
  let isOnlyParsed = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const preload = PRELOADS.exec(word);
    if (evaluates?.test(word)) return parts;
    if (SHELLS.test(interpreter) && /^-[a-z]*c$/.test(word))
      return [...parts, ...partsOfLine(words[at + 1] ?? '', folder, call)];
    if (parses?.test(word)) isOnlyParsed = true;
    else if (preload) parts.push(...preloaded(preload[1] ?? words[++at] ?? '', folder));
    else if (WITH_VALUE.test(word)) at++;
    else if (!word.startsWith('-') && /[./]/.test(word)) {
      const program = { ...call, isOnlyParsed, ...askedHelp(words.slice(at + 1)) };
      return [...parts, ...fileParts(word, folder, program)];
    }
  }
  return parts;
}

function preloaded(file: string, folder: string): CommandPart[] {
  return file.includes('/') ? fileParts(file, folder, { isPreloaded: true }) : [];
}

/** A program that is asked for its help checks nothing. */
function askedHelp(args: readonly string[]): FileCall {
  const only = args.length === 1 && /^(?:-h|-V|-\?|help|version)$/.test(args[0] ?? '');
  return { asksHelp: only || args.some((word) => /^--(?:help|version|usage)$/.test(word)) };
}

const PYTHON_TOOLS =
  /^(?:pytest|unittest|doctest|mypy|ruff|coverage|tox|nox|pylint|flake8|black|isort|pyright|bandit)$/;

/** `python -m` looks into its own folder before it looks where tools are installed. */
function shadowParts(words: readonly string[], folder: string): CommandPart[] {
  const module = words[words.indexOf('-m') + 1] ?? '';
  if (!PYTHON_TOOLS.test(module)) return [];
  return [`${module}.py`, `${module}/__init__.py`].map((path) => ({
    kind: 'shadow',
    path: join(folder, path),
  }));
}

function fileParts(path: string, folder: string, call: FileCall): CommandPart[] {
  if (path === '' || path.startsWith('/')) return [];
  return [{ kind: 'file', path: join(folder, path), call }];
}

function join(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/') || '.';
}

export function partName(part: CommandPart): string {
  switch (part.kind) {
    case 'script':
      return `script "${part.script}" of ${part.folder === '.' ? '' : `${part.folder}/`}package.json`;
    case 'packages':
      return `script "${part.script}" of the packages ${part.which}`;
    case 'settings':
      return `settings of the package manager in ${part.folder === '.' ? 'the project' : part.folder}`;
    case 'target':
      return `target "${part.target || 'default'}" of ${part.folder === '.' ? '' : `${part.folder}/`}Makefile`;
    case 'file':
    case 'shadow':
      return part.path;
  }
}

/** The packages of a workspace in which a script is run. */
interface WorkspaceWords {
  /** Names or folders of packages, `*` for any characters; empty where no package is named. */
  packages: string[];
  /** The words without them. */
  rest: string[];
}

const NAMING = /^(?:-w|--workspace|-F|--filter)$/;
const NAMING_AT_ONCE = /^(?:--workspace|--filter)=(.+)$/;
const ALL = /^(?:-ws|--workspaces|-r|--recursive)$/;

function workspaceWords(words: readonly string[]): WorkspaceWords {
  const packages: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    // The words after it belong to the script.
    if (word === '--') break;
    if (ALL.test(word)) packages.push('*');
    else if (NAMING.test(word)) packages.push(plain(words[++at] ?? ''));
    else if (NAMING_AT_ONCE.test(word)) packages.push(plain(NAMING_AT_ONCE.exec(word)?.[1] ?? ''));
    else rest.push(word);
  }
  const [first, name = ''] = rest;
  if (first === 'workspace') return { packages: [...packages, plain(name)], rest: rest.slice(2) };
  if (first !== 'workspaces') return { packages, rest };
  return { packages: ['*'], rest: rest.slice(1).filter((word) => word !== 'foreach') };
}

/** A name without the `...` of pnpm, which adds dependents or dependencies. */
function plain(name: string): string {
  return name.replace(/^\.\.\.|\^?\.\.\.$/g, '').replace(/^\.\/|\/$/g, '');
}
