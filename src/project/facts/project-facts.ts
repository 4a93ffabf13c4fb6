import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageManager, ProjectFacts } from '../../core/contract/propose.ts';
import { readSmall } from '../../files/whole-file.ts';

const LARGEST = 1024 * 1024;

const LOCK_FILES: readonly [string, PackageManager][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
];
const MANAGERS: readonly PackageManager[] = ['npm', 'pnpm', 'yarn', 'bun'];
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const PLANS = ['PLAN.md', 'plan.md', 'docs/PLAN.md', '.claude/PLAN.md'];
const FEATURE_LISTS = ['feature_list.json', '.claude/feature_list.json', 'docs/feature_list.json'];

/** Facts about a project that can be seen without running anything. A file that cannot be read counts as missing. */
export function projectFacts(folder: string): ProjectFacts {
  const has = (path: string) => existsSync(join(folder, path));
  const read = (path: string) => readQuietly(join(folder, path));
  const node = nodeFacts(read, has);
  const python = pythonFacts(read, has);
  const plan = PLANS.find((path) => /^[ \t]*[-*+] \[[ xX]\] /m.test(read(path) ?? ''));
  const featureList = FEATURE_LISTS.find((path) => read(path) !== undefined);
  return {
    node,
    python,
    rust: has('Cargo.toml'),
    go: has('go.mod'),
    makeTargets: makeTargets(MAKEFILES.map(read).find((text) => text !== undefined) ?? ''),
    plan,
    featureList,
    git: has('.git'),
    githubWorkflows: hasWorkflows(join(folder, '.github', 'workflows')),
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

function nodeFacts(read: Read, has: Has): ProjectFacts['node'] {
  const text = read('package.json');
  if (text === undefined) return undefined;
  const json = mapOf(parsed(text));
  const scripts = Object.entries(mapOf(json.scripts)).flatMap(([name, script]) =>
    typeof script === 'string' ? [[name, script]] : [],
  );
  const depends = { ...mapOf(json.dependencies), ...mapOf(json.devDependencies) };
  return {
    manager: managerOf(json.packageManager, has),
    scripts: Object.fromEntries(scripts) as Record<string, string>,
    typescript: has('tsconfig.json') && 'typescript' in depends,
  };
}

function managerOf(declared: unknown, has: Has): PackageManager {
  const name = typeof declared === 'string' ? declared.split('@')[0] : undefined;
  return MANAGERS.find((manager) => manager === name) ?? LOCK_FILES.find(([file]) => has(file))?.[1] ?? 'npm';
}

function pythonFacts(read: Read, has: Has): ProjectFacts['python'] {
  const text = read('pyproject.toml');
  if (text === undefined) return undefined;
  const names = (tool: string) =>
    new RegExp(`(^|[^\\w-])${tool}([^\\w-]|$)`, 'm').test(withoutComments(text));
  return {
    runner: has('uv.lock') ? 'uv run' : has('poetry.lock') ? 'poetry run' : '',
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
