import { simpleCommands } from '../shell/words.ts';

/** Something outside the contract that decides what a command does, such as a script of package.json. */
export type CommandPart =
  | { kind: 'script'; script: string; folder: string }
  /** A script of packages of a workspace; `which` is a name, a folder, or `*`. */
  | { kind: 'packages'; which: string; script: string; folder: string }
  /** The settings by which a package manager runs this script. */
  | { kind: 'settings'; script: string; folder: string }
  | { kind: 'target'; target: string; folder: string }
  | { kind: 'file'; path: string }
  /** A file that does not exist, and would run in place of the tool that a command names. */
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

/** What a command depends on, as far as its words tell. Tests and sources are left out: they are the work itself. */
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

/** The rules of a makefile, each with its head and the recipe under it. A line that ends with a backslash goes on. */
function rulesOf(makefile: string): string[][] {
  const rules: string[][] = [];
  let open = false;
  for (const line of makefile.split('\n')) {
    const isHead = /^[^\s#:=][^:=#]*:(?!:?:?=)/.test(line);
    if (isHead) rules.push([line]);
    else if (open && (line === '' || /^[\t ]/.test(line) || line.startsWith('#') || goesOn(rules.at(-1)))) {
      rules.at(-1)?.push(line);
      continue;
    }
    open = isHead;
  }
  return rules;
}

function goesOn(lines: readonly string[] | undefined): boolean {
  return lines?.at(-1)?.endsWith('\\') ?? false;
}

function targetsOf([head = '']: readonly string[]): string[] {
  return head.slice(0, head.indexOf(':')).trim().split(/\s+/);
}

/**
 * All rules for a target, the definitions of the variables in its commands, and the settings that decide how recipes are
 * run. An empty name means the target of the first rule.
 */
export function makeRule(makefile: string, target: string): string | undefined {
  const rules = rulesOf(makefile);
  const plain = rules.filter((rule) => !rule[0]?.startsWith('.'));
  const wanted = target === '' ? plain[0]?.slice(0, 1).flatMap((head) => targetsOf([head]))[0] : target;
  const own = plain.filter((rule) => wanted !== undefined && targetsOf(rule).includes(wanted));
  if (wanted === undefined || own.length === 0) return undefined;
  const text = own.map((rule) => rule.join('\n').trimEnd()).join('\n');
  const recipes = own.map(recipeOf).join('\n');
  return [text, ...variablesOf(makefile, recipes), ...settingsOf(makefile, rules, wanted)].join('\n');
}

function recipeOf([head = '', ...recipe]: readonly string[]): string {
  return [head.includes(';') ? head.slice(head.indexOf(';')) : '', ...recipe].join('\n');
}

/** Lists of sources and compiler flags are part of the work: they change as it grows. */
const SOURCES_AND_FLAGS =
  /^(?:.*_)?(?:SRCS?|SOURCES?|OBJS?|OBJECTS?|HEADERS?|HDRS?|DEPS?|LIBS?|LDLIBS|INCLUDES?|FILES|MODULES?|PACKAGES?|PKGS?|VERSION|C(?:PP|XX)?FLAGS|LDFLAGS)$/i;
const DEFINITION = /^[ \t]*(?:(?:export|override|private)[ \t]+)*([\w.-]+)[ \t]*(?:\?|\+|!|:{1,3})?=/;

/** The definitions of the variables that a text names, and of those that these name, in the order of the makefile. */
function variablesOf(makefile: string, text: string): string[] {
  const definitions = definitionsOf(makefile);
  const found = new Set<string>();
  const open = namesIn(text);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name) || SOURCES_AND_FLAGS.test(name)) continue;
    found.add(name);
    open.push(...definitions.filter((one) => one.name === name).flatMap((one) => namesIn(one.text)));
  }
  return definitions.filter(({ name }) => found.has(name)).map((one) => one.text);
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/\$[({]([\w.-]+)/g)].flatMap(([, name]) => name ?? []);
}

function definitionsOf(makefile: string): { name: string; text: string }[] {
  const lines = makefile.split('\n');
  return lines.flatMap((line, at) => {
    const block = /^[ \t]*(?:override[ \t]+)?define[ \t]+([\w.-]+)/.exec(line)?.[1];
    const name = line.startsWith('\t') ? undefined : (block ?? DEFINITION.exec(line)?.[1]);
    if (name === undefined) return [];
    const isLast = (one: string) => (block ? /^[ \t]*endef\b/.test(one) : !one.endsWith('\\'));
    let last = at;
    while (last < lines.length - 1 && !isLast(lines[last] ?? '')) last++;
    return [{ name, text: lines.slice(at, last + 1).join('\n') }];
  });
}

/** Variables that decide which shell runs recipes, and whether failures count. */
const SETTINGS = ['SHELL', '.SHELLFLAGS', 'MAKEFLAGS', 'GNUMAKEFLAGS', 'MAKEFILES', 'PATH'];

function settingsOf(makefile: string, rules: readonly string[][], target: string): string[] {
  const special = rules.flatMap((rule): string[] => {
    const [name = ''] = targetsOf(rule);
    const named = (rule[0] ?? '')
      .slice(name.length + 1)
      .trim()
      .split(/\s+/);
    if (name === '.ONESHELL') return [name];
    if (name === '.PHONY')
      return rule
        .join(' ')
        .split(/[\s:\\]+/)
        .includes(target)
        ? [`.PHONY: ${target}`]
        : [];
    return name === '.IGNORE' && (named.join('') === '' || named.includes(target))
      ? [`.IGNORE: ${target}`]
      : [];
  });
  const set = definitionsOf(makefile).filter(({ name }) => SETTINGS.includes(name));
  return [...set.map((one) => one.text), ...special];
}
