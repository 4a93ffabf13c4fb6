/** What a package of JavaScript depends on, and what installs exactly that here. */
import type { Dependencies, Machine, PackageManager } from '../../core/contract/project-facts.ts';
import { mapOf, parsed } from './json.ts';

type Read = (path: string) => string | undefined;
type Has = (path: string) => boolean;

export const LOCK_FILES: readonly [string, PackageManager][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];
const MANAGERS: readonly PackageManager[] = ['npm', 'pnpm', 'yarn', 'bun'];

/** The manager that the project names, unless only another one's lock file is there. */
export function managerOf(declared: unknown, has: Has): PackageManager {
  const name = typeof declared === 'string' ? declared.split('@')[0] : undefined;
  const locked = LOCK_FILES.filter(([file]) => has(file)).map(([, manager]) => manager);
  const named = MANAGERS.find((manager) => manager === name);
  if (named !== undefined && (locked.length === 0 || locked.includes(named))) return named;
  return locked[0] ?? named ?? 'npm';
}

/** How the manager is called here; undefined where it cannot be. */
export function callOf(
  manager: PackageManager,
  read: Read,
  has: Has,
  machine: Machine | undefined,
): string | undefined {
  const release = /^[ \t]*yarnPath[ \t]*:[ \t]*["']?([\w./-]+)/m.exec(read('.yarnrc.yml') ?? '')?.[1];
  if (manager === 'yarn' && release !== undefined && has(release)) return `node ${release}`;
  if (machine === undefined || machine.hasProgram(manager)) return manager;
  if (manager !== 'bun' && machine.hasProgram('corepack')) return `corepack ${manager}`;
  return undefined;
}

const FILES: Record<PackageManager, readonly string[]> = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json', '.npmrc'],
  pnpm: ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', '.pnpmfile.cjs'],
  yarn: ['yarn.lock', '.yarnrc.yml', '.yarnrc'],
  bun: ['bun.lock', 'bun.lockb', 'bunfig.toml'],
};
const BERRY_FOLDERS = ['.yarn/releases', '.yarn/plugins', '.yarn/patches', '.yarn/sdks'];

export const DEPENDENCY_KEYS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
];

export function ofNode(
  read: Read,
  has: Has,
  manager: PackageManager,
  machine?: Machine,
): Dependencies | undefined {
  const text = read('package.json');
  if (text === undefined) return undefined;
  const json = mapOf(parsed(text));
  const needs = DEPENDENCY_KEYS.some((key) => Object.keys(mapOf(json[key])).length > 0);
  const listed = Array.isArray(json.workspaces) ? json.workspaces : mapOf(json.workspaces).packages;
  const workspaces = Array.isArray(listed) ? listed.filter((glob) => typeof glob === 'string') : [];
  if (!needs && workspaces.length === 0 && !has('pnpm-workspace.yaml')) return undefined;
  const members = membersOf(workspaces, read('pnpm-workspace.yaml'));
  const own = localFiles(json, has);
  const inputs = [
    'package.json',
    ...FILES[manager].filter(has),
    ...BERRY_FOLDERS.filter(has).map((folder) => `${folder}/**`),
    ...members,
    ...own.inputs,
  ];
  return {
    ...howToInstall(read, has, manager, own.buildsItself, machine),
    inputs,
    ...(own.buildsItself ? { builds: own.builds } : {}),
  };
}

/** The manifests of the packages of a workspace. */
function membersOf(workspaces: readonly string[], pnpm: string | undefined): string[] {
  const isPnpmWorkspace = pnpm !== undefined && /^packages\s*:/m.test(pnpm);
  if (pnpm !== undefined) return isPnpmWorkspace || pnpm.trim() === '' ? ['**/package.json'] : [];
  return workspaces.map((glob) => `${glob.replace(/^\.\//, '').replace(/\/$/, '')}/package.json`);
}

type HowToInstall = Pick<Dependencies, 'run' | 'missing' | 'found' | 'hint'>;

function howToInstall(
  read: Read,
  has: Has,
  manager: PackageManager,
  withoutScripts: boolean,
  machine: Machine | undefined,
): HowToInstall {
  const isLocked = LOCK_FILES.some(([file, of]) => of === manager && has(file));
  const call = callOf(manager, read, has, machine);
  const found = has('node_modules') ? { found: true as const } : {};
  if (isLocked && call !== undefined)
    return { run: installLines(manager, call, read, has, withoutScripts).join(' && '), ...found };
  if (isLocked)
    return {
      missing: `${manager} (${HOW_TO_GET[manager]})`,
      hint: `${manager} is not installed here: ${HOW_TO_GET[manager]}`,
      ...found,
    };
  const isFound = found.found === true || machine === undefined;
  // Without a lock file the newest fitting versions are taken, once.
  return isFound
    ? { missing: 'a lock file', ...found }
    : { run: 'npm install --no-package-lock --no-audit --no-fund', missing: 'a lock file' };
}

const HOW_TO_GET: Record<PackageManager, string> = {
  npm: 'it comes with Node',
  pnpm: 'npm install -g pnpm',
  yarn: 'npm install -g corepack && corepack enable',
  bun: 'npm install -g bun',
};

/** Exactly what a lock file names. With `withoutScripts` only the scripts of the packages run, not those of the project. */
function installLines(
  manager: PackageManager,
  call: string,
  read: Read,
  has: Has,
  withoutScripts: boolean,
): string[] {
  switch (manager) {
    case 'npm':
      return withoutScripts ? ['npm ci --ignore-scripts', 'npm rebuild'] : ['npm ci'];
    case 'pnpm': {
      const frozen = `${call} install --frozen-lockfile`;
      const lines = withoutScripts ? [`${frozen} --ignore-scripts`, `${call} rebuild`] : [frozen];
      // Scripts of the project call the manager by its name.
      return call.startsWith('corepack ')
        ? [...lines, 'corepack enable --install-directory node_modules/.bin pnpm']
        : lines;
    }
    case 'yarn': {
      const isBerry =
        has('.yarnrc.yml') || /"packageManager"\s*:\s*"yarn@(?!1\.)/.test(read('package.json') ?? '');
      if (isBerry) return [`${call} install --immutable${withoutScripts ? ' --mode=skip-build' : ''}`];
      return [
        `${call} install --frozen-lockfile${withoutScripts ? ' --ignore-scripts' : ''}`,
        ...(withoutScripts ? ['npm rebuild'] : []),
      ];
    }
    case 'bun':
      return [`${call} install --frozen-lockfile${withoutScripts ? ' --ignore-scripts' : ''}`];
  }
}

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];
/** Scripts that only set up hooks of git, or ask who installs: a clean room needs none of them. */
const HOOKS =
  /^(?:husky(?: install)?(?: \S+)?|is-ci|is-ci \|\| husky(?: install)?|simple-git-hooks|lefthook install|npx (?:husky|only-allow|simple-git-hooks)\b.*|only-allow \w+|ts-scripts install|lint-staged|git config .*|(?:\w+ )?\|\| true|effect-language-service \w+|skip-ci|node \.husky\/\S+)$/;

/**
 * Files of the project that the installation reads: packages in folders and archives, patches, scripts. Scripts of the project
 * that need more than that are not run with the installation: `builds` names them, for the commands that need what they make.
 */
function localFiles(
  json: Record<string, unknown>,
  has: Has,
): { inputs: string[]; buildsItself: boolean; builds: string[] } {
  const versions = DEPENDENCY_KEYS.flatMap((key) => Object.values(mapOf(json[key])));
  const packages = versions.flatMap((version) => {
    const path =
      typeof version === 'string' ? version.match(/^(?:file|link|portal):(?:\.\/)?(.+)$/)?.[1] : undefined;
    if (path === undefined || path.startsWith('..') || path.startsWith('/')) return [];
    return /\.(?:tgz|tar\.gz)$/.test(path) ? [path] : [`${path.replace(/\/$/, '')}/**`];
  });
  const scripts = INSTALL_SCRIPTS.flatMap((name) => {
    const script = mapOf(json.scripts)[name];
    return typeof script === 'string' && script.trim() !== '' ? [{ name, script: script.trim() }] : [];
  });
  const needing = scripts.filter(
    ({ script }) => !script.split('&&').every((part) => isContained(part.trim(), has)),
  );
  const builds = needing.filter(
    ({ script }) =>
      !script.split('&&').every((part) => HOOKS.test(part.trim()) || isContained(part.trim(), has)),
  );
  const words = scripts.filter((one) => !needing.includes(one)).flatMap(({ script }) => script.split(/\s+/));
  const run = words.map((word) => word.replace(/^\.\//, '')).filter((word) => word !== '' && has(word));
  const patches = has('patches') ? ['patches/**'] : [];
  return {
    inputs: [...new Set([...packages, ...run, ...patches])],
    buildsItself: needing.length > 0,
    builds: builds.map(({ name }) => name),
  };
}

/** Whether a script reads only files that its own words name. */
function isContained(part: string, has: Has): boolean {
  if (/^patch-package\b/.test(part)) return true;
  const [program = '', file = ''] = part.split(/\s+/);
  return /^(?:node|sh|bash)$/.test(program) && has(file.replace(/^\.\//, ''));
}
