import { simpleCommands } from '../shell/words.ts';
import { workspaceWords } from './workspace-words.ts';

/** Something outside the contract that decides what a command really does. */
export type CommandPart =
  | { kind: 'script'; script: string; folder: string }
  /** A script of packages of a workspace: a name, a folder, or `*`. Which folders these are, the files tell. */
  | { kind: 'packages'; which: string; script: string; folder: string }
  /** What a package manager is told about how it runs this script. */
  | { kind: 'settings'; script: string; folder: string }
  | { kind: 'target'; target: string; folder: string }
  | { kind: 'file'; path: string }
  /** A file that is not there, and would be taken for the tool that a command names. */
  | { kind: 'shadow'; path: string };

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
const WORK =
  /(^|\/)(test|tests|spec|specs|__tests__|src|lib|app)\/|\.(test|spec)\.|(^|\/)test_[^/]+$|_test\.\w+$/;

/** What a command leans on, as far as its words tell. Tests and sources are the work itself, not its definition. */
export function commandParts(command: string, folder = '.'): CommandPart[] {
  let here = folder;
  return simpleCommands(command).flatMap(({ words }) => {
    const [name = '', ...rest] = unwrapped(words);
    if (name === 'cd' && rest[0]) {
      here = join(here, rest[0]);
      return [];
    }
    return partsOf(name, rest, here);
  });
}

function unwrapped(words: readonly string[]): string[] {
  let rest = [...words];
  while (rest[0] !== undefined && WRAPPERS.has(rest[0])) {
    rest = rest.slice(1);
    while (
      rest[0] !== undefined &&
      (/^-/.test(rest[0]) || /^[A-Za-z_]\w*=/.test(rest[0]) || /^\d+[smh]?$/.test(rest[0]))
    ) {
      rest = rest.slice(1);
    }
  }
  return rest;
}

function partsOf(name: string, rest: readonly string[], folder: string): CommandPart[] {
  const base = name.slice(name.lastIndexOf('/') + 1);
  if (RUNNERS.includes(base)) return scriptParts(rest, folder);
  if (base === 'make' || base === 'gmake') return makeParts(rest, folder);
  if (base.startsWith('python') && rest.includes('-m')) return shadowParts(rest, folder);
  if (INTERPRETERS.includes(base)) return fileParts(firstFile(rest), folder);
  return name.includes('/') ? fileParts(name, folder) : [];
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

function firstFile(words: readonly string[]): string | undefined {
  return words.find((word) => !word.startsWith('-') && /[./]/.test(word));
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

function fileParts(path: string | undefined, folder: string): CommandPart[] {
  if (!path || path.startsWith('/') || WORK.test(path)) return [];
  return [{ kind: 'file', path: join(folder, path) }];
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
