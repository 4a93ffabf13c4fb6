import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderFacts, PackageManager, ProjectFacts } from '../../core/contract/propose.ts';
import { readSmall } from '../../files/whole-file.ts';
import { packageFolders } from './package-folders.ts';

const LARGEST = 1024 * 1024;

const LOCK_FILES: readonly [string, PackageManager][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];
const MANAGERS: readonly PackageManager[] = ['npm', 'pnpm', 'yarn', 'bun'];
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const PLANS = ['PLAN.md', 'plan.md', 'docs/PLAN.md', '.claude/PLAN.md'];
const FEATURE_LISTS = ['feature_list.json', '.claude/feature_list.json', 'docs/feature_list.json'];

/** Facts about a project that can be seen without running anything of it. A file that cannot be read counts as missing. */
export function projectFacts(folder: string): ProjectFacts {
  const has = (path: string) => existsSync(join(folder, path));
  const read = (path: string) => readQuietly(join(folder, path));
  const plan = PLANS.find((path) => /^[ \t]*[-*+] \[[ xX]\] /m.test(read(path) ?? ''));
  const featureList = FEATURE_LISTS.find((path) => read(path) !== undefined);
  const { packages, leftOut } = packageFolders(folder);
  return {
    ...folderFacts(folder),
    ...(packages.length > 0
      ? { packages: packages.map((one) => ({ folder: one, ...folderFacts(folder, one.split('/')) })) }
      : {}),
    ...(leftOut.length > 0 ? { leftOut } : {}),
    plan,
    featureList,
    git: has('.git'),
    githubWorkflows: hasWorkflows(join(folder, '.github', 'workflows')),
  };
}

/** Facts about a folder of the project. Lock files of the folders above it count. */
export function folderFacts(project: string, parts: readonly string[] = []): FolderFacts {
  const folder = join(project, ...parts);
  const read = (path: string) => readQuietly(join(folder, path));
  const has = (path: string) => existsSync(join(folder, path));
  const isAbove = (path: string) =>
    [...parts, ''].some((_, i) => existsSync(join(project, ...parts.slice(0, parts.length - i), path)));
  return {
    node: nodeFacts(read, has, isAbove),
    python: pythonFacts(read, has, isAbove),
    rust: has('Cargo.toml'),
    go: has('go.mod'),
    makeTargets: makeTargets(MAKEFILES.map(read).find((text) => text !== undefined) ?? ''),
  };
}

function readQuietly(path: string): string | undefined {
  try {
    return readSmall(path, LARGEST)?.replace(/^\uFEFF/, '');
  } catch {
    return undefined;
  }
}

type Read = (path: string) => string | undefined;
type Has = (path: string) => boolean;

function nodeFacts(read: Read, has: Has, isAbove: Has): ProjectFacts['node'] {
  const text = read('package.json');
  if (text === undefined) return undefined;
  const json = mapOf(parsed(text));
  const scripts = Object.entries(mapOf(json.scripts)).flatMap(([name, script]) =>
    typeof script === 'string' ? [[name, script]] : [],
  );
  const depends = { ...mapOf(json.dependencies), ...mapOf(json.devDependencies) };
  return {
    manager: managerOf(json.packageManager, isAbove),
    scripts: Object.fromEntries(scripts) as Record<string, string>,
    typescript: has('tsconfig.json') && 'typescript' in depends,
    ...(isLocked(json, depends, has) ? { locked: true } : {}),
    ...workspacesIn(json.workspaces, read('pnpm-workspace.yaml')),
  };
}

function isLocked(json: Record<string, unknown>, depends: Record<string, unknown>, has: Has): boolean {
  const needs = Object.keys(depends).length > 0 || json.workspaces !== undefined;
  return needs && LOCK_FILES.some(([file]) => has(file));
}

/** The globs by which a package names the packages that belong to it. */
function workspacesIn(listed: unknown, pnpm = ''): { workspaces?: string[] } {
  const named = Array.isArray(listed) ? listed : mapOf(listed).packages;
  const lines = [...pnpm.matchAll(/^[ \t]*-[ \t]+["']?([^"'#\n]+)/gm)].map(([, glob = '']) => glob.trim());
  const globs = [...(Array.isArray(named) ? named : []), ...lines].filter((glob) => typeof glob === 'string');
  return globs.length === 0 ? {} : { workspaces: globs };
}

function managerOf(declared: unknown, has: Has): PackageManager {
  const name = typeof declared === 'string' ? declared.split('@')[0] : undefined;
  return MANAGERS.find((manager) => manager === name) ?? LOCK_FILES.find(([file]) => has(file))?.[1] ?? 'npm';
}

function pythonFacts(read: Read, has: Has, isAbove: Has): ProjectFacts['python'] {
  const text = read('pyproject.toml');
  if (text === undefined) return undefined;
  const names = (tool: string) =>
    new RegExp(`(^|[^\\w-])${tool}([^\\w-]|$)`, 'm').test(withoutComments(text));
  return {
    runner: isAbove('uv.lock') ? 'uv run' : isAbove('poetry.lock') ? 'poetry run' : '',
    pytest: names('pytest') || has('pytest.ini'),
    ruff: names('ruff') || has('ruff.toml'),
    mypy: names('mypy') || has('mypy.ini'),
  };
}

function withoutComments(toml: string): string {
  return toml.replace(/^[ \t]*#.*$/gm, '');
}

/** The targets of a makefile, without variables, patterns and hidden targets. */
function makeTargets(text: string): string[] {
  const rules = text.matchAll(/^([A-Za-z][\w.-]*(?: +[A-Za-z][\w.-]*)*) *::?(?!=)/gm);
  return [...new Set([...rules].flatMap(([, names = '']) => names.split(/ +/)))];
}

function hasWorkflows(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /\.ya?ml$/.test(name));
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function mapOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
