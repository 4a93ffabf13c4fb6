import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderFacts, Machine, ProjectFacts } from '../../core/contract/project-facts.ts';
import { globMatches } from '../../core/text/globs.ts';
import { namesIn, readSmall } from '../../files/whole-file.ts';
import { ciOf } from './ci/ci.ts';
import { dependenciesOf } from './dependencies.ts';
import { mapOf, parsed } from './json.ts';
import { callOf, managerOf } from './node-dependencies.ts';
import { otherTests } from './other-tests.ts';
import { packageFolders } from './package-folders.ts';
import { MAKEFILES, tasksOf } from './tasks.ts';

const LARGEST = 1024 * 1024;

const PLANS = ['PLAN.md', 'plan.md', 'docs/PLAN.md', '.claude/PLAN.md'];
const FEATURE_LISTS = ['feature_list.json', '.claude/feature_list.json', 'docs/feature_list.json'];

/**
 * Facts about a project that can be seen without running anything of it. A file that cannot be read counts as missing. Without
 * `machine` every program is taken to be there.
 */
export function projectFacts(folder: string, machine?: Machine): ProjectFacts {
  const has = (path: string) => existsSync(join(folder, path));
  const read = (path: string) => readQuietly(join(folder, path));
  const plan = PLANS.find((path) => /^[ \t]*[-*+] \[[ xX]\] /m.test(read(path) ?? ''));
  const featureList = FEATURE_LISTS.find((path) => read(path) !== undefined);
  const { packages, leftOut } = packageFolders(folder);
  return {
    ...folderFacts(folder, [], machine),
    ...(packages.length > 0
      ? {
          packages: packages.map((one) => ({ folder: one, ...folderFacts(folder, one.split('/'), machine) })),
        }
      : {}),
    ...(leftOut.length > 0 ? { leftOut } : {}),
    plan,
    featureList,
    git: has('.git'),
    githubWorkflows: hasWorkflows(join(folder, '.github', 'workflows')),
    ...ciFacts(folder),
    ...(machine ? { machine } : {}),
    ...needsOf(read),
  };
}

function ciFacts(folder: string): Pick<ProjectFacts, 'ci' | 'versions'> {
  const { steps, versions } = ciOf(folder);
  return { ...(steps.length > 0 ? { ci: steps } : {}), ...(versions.length > 0 ? { versions } : {}) };
}

const ENV_FILES = ['.env.test', '.env.testing', '.env.test.local'];

/** Files with settings for tests, where .gitignore leaves them out. */
function needsOf(read: Read): { needs?: string[] } {
  const ignored = (read('.gitignore') ?? '').split('\n').map((line) => line.trim().replace(/^\//, ''));
  const isIgnored = (file: string) => ignored.some((glob) => glob !== '' && globMatches(glob, file));
  const needs = ENV_FILES.filter((file) => read(file) !== undefined && isIgnored(file));
  return needs.length === 0 ? {} : { needs };
}

/** Facts about a folder of the project. Lock files of the folders above it count. */
export function folderFacts(project: string, parts: readonly string[] = [], machine?: Machine): FolderFacts {
  const folder = join(project, ...parts);
  const read = (path: string) => readQuietly(join(folder, path));
  const has = (path: string) => existsSync(join(folder, path));
  const isAbove = (path: string) =>
    [...parts, ''].some((_, i) => existsSync(join(project, ...parts.slice(0, parts.length - i), path)));
  const node = nodeFacts(read, has, isAbove, machine);
  const tasks = tasksOf(read);
  const others = otherTests({
    read,
    has,
    names: (below) => namesIn(join(folder, below)),
    ...(machine ? { machine } : {}),
  });
  return {
    node,
    python: pythonFacts(read, has, isAbove, { folder, machine }),
    java: javaFacts(has),
    ...(others.length > 0 ? { others } : {}),
    dependencies: dependenciesOf(read, has, isAbove, node?.manager ?? 'npm', machine),
    rust: has('Cargo.toml'),
    go: has('go.mod'),
    makeTargets: makeTargets(MAKEFILES.map(read).find((text) => text !== undefined) ?? ''),
    ...(tasks.length > 0 ? { tasks } : {}),
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

function nodeFacts(read: Read, has: Has, isAbove: Has, machine?: Machine): ProjectFacts['node'] {
  const text = read('package.json');
  if (text === undefined) return undefined;
  const json = mapOf(parsed(text));
  const scripts = Object.entries(mapOf(json.scripts)).flatMap(([name, script]) =>
    typeof script === 'string' ? [[name, script]] : [],
  );
  const depends = { ...mapOf(json.dependencies), ...mapOf(json.devDependencies) };
  const manager = managerOf(json.packageManager, isAbove);
  const call = callOf(manager, read, has, machine);
  return {
    manager: call === undefined ? 'npm' : manager,
    ...(call === undefined || call === manager ? {} : { call }),
    scripts: Object.fromEntries(scripts) as Record<string, string>,
    typescript: has('tsconfig.json') && 'typescript' in depends,
    ...workspacesIn(json.workspaces, read('pnpm-workspace.yaml')),
  };
}

/** The globs by which a package names the packages that belong to it. */
function workspacesIn(listed: unknown, pnpm = ''): { workspaces?: string[] } {
  const named = Array.isArray(listed) ? listed : mapOf(listed).packages;
  const lines = [...pnpm.matchAll(/^[ \t]*-[ \t]+["']?([^"'#\n]+)/gm)].map(([, glob = '']) => glob.trim());
  const globs = [...(Array.isArray(named) ? named : []), ...lines].filter((glob) => typeof glob === 'string');
  return globs.length === 0 ? {} : { workspaces: globs };
}

const PYTHON_FILES = ['pyproject.toml', 'setup.cfg', 'tox.ini', 'requirements.txt', 'requirements-dev.txt'];

function pythonFacts(
  read: Read,
  has: Has,
  isAbove: Has,
  { folder, machine }: { folder: string; machine: Machine | undefined },
): ProjectFacts['python'] {
  const texts = PYTHON_FILES.flatMap((file) => read(file) ?? []);
  const tests = pythonTests(folder);
  const isPython = texts.length > 0 || has('setup.py') || has('pytest.ini') || tests.length > 0;
  if (!isPython) return undefined;
  const text = withoutComments(texts.join('\n'));
  const names = (tool: string) => new RegExp(`(^|[^\\w-])${tool}([^\\w-]|$)`, 'm').test(text);
  const sources = tests.map((path) => read(path) ?? '');
  const usesUnittest = sources.some((source) => /^[ \t]{0,40}(?:import|from) unittest\b/m.test(source));
  const pytest =
    names('pytest') ||
    ['pytest.ini', 'conftest.py', 'tests/conftest.py', 'test/conftest.py'].some(has) ||
    sources.some((source) => /^[ \t]{0,40}(?:import|from) pytest\b/m.test(source)) ||
    (sources.length > 0 && !usesUnittest);
  return {
    runner: runnerOf(isAbove, machine),
    pytest,
    ...(usesUnittest && !pytest ? { unittest: folderOfTests(tests) } : {}),
    ruff: names('ruff') || has('ruff.toml'),
    mypy: names('mypy') || has('mypy.ini'),
    names: PYTHON_TOOLS.filter(names),
  };
}

function runnerOf(isAbove: Has, machine: Machine | undefined): NonNullable<ProjectFacts['python']>['runner'] {
  const isThere = (program: string) => machine?.hasProgram(program) ?? true;
  if (isAbove('uv.lock') && isThere('uv')) return 'uv run';
  return isAbove('poetry.lock') && isThere('poetry') ? 'poetry run' : '';
}

const PYTHON_TOOLS = [
  'pytest',
  'ruff',
  'mypy',
  'flake8',
  'black',
  'isort',
  'pylint',
  'bandit',
  'codespell',
  'pycodestyle',
  'coverage',
  'pyright',
  'tox',
  'nox',
];

const PYTHON_TEST = /^(?:test_.*|.*_test)\.py$/;
const PYTHON_TEST_FOLDERS = ['.', 'tests', 'test'];

/** Test files in the usual places. */
function pythonTests(folder: string): string[] {
  return PYTHON_TEST_FOLDERS.flatMap((below) =>
    namesIn(join(folder, below))
      .filter((name) => PYTHON_TEST.test(name))
      .slice(0, MOST_TEST_FILES)
      .map((name) => (below === '.' ? name : `${below}/${name}`)),
  );
}

const MOST_TEST_FILES = 20;

function folderOfTests([first = '']: readonly string[]): string {
  return first.includes('/') ? first.slice(0, first.indexOf('/')) : '.';
}

function javaFacts(has: Has): ProjectFacts['java'] {
  if (has('pom.xml')) return { tests: `${has('mvnw') ? './mvnw' : 'mvn'} -q -B test`, why: 'pom.xml' };
  const build = ['build.gradle', 'build.gradle.kts'].find(has);
  if (build === undefined) return undefined;
  return { tests: `${has('gradlew') ? './gradlew' : 'gradle'} --no-daemon test`, why: build };
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
