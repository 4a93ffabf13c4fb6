/** What a folder depends on, and what installs exactly that, as far as its files tell. */
import type { Dependencies, FolderFacts, PackageManager } from '../../core/contract/project-facts.ts';
import { mapOf, parsed } from './json.ts';

type Read = (path: string) => string | undefined;
type Has = (path: string) => boolean;

/** By language; a language without dependencies is absent. */
export function dependenciesOf(
  read: Read,
  has: Has,
  isAbove: Has,
  manager: PackageManager,
): FolderFacts['dependencies'] {
  const found = {
    node: ofNode(read, has, manager),
    python: ofPython(read, has, isAbove),
    go: ofGo(read, has),
    rust: ofRust(read, has),
    java: ofJava(has),
  };
  const there = Object.entries(found).filter(([, one]) => one !== undefined);
  return there.length === 0 ? undefined : Object.fromEntries(there as [string, Dependencies][]);
}

/** Commands that install exactly what a lock file names. */
const INSTALL: Record<PackageManager, string> = {
  npm: 'npm ci',
  pnpm: 'pnpm install --frozen-lockfile',
  yarn: 'yarn install --frozen-lockfile',
  bun: 'bun install --frozen-lockfile',
};
const NODE_FILES: Record<PackageManager, readonly string[]> = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json', '.npmrc'],
  pnpm: ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'],
  yarn: ['yarn.lock', '.yarnrc.yml', '.yarnrc'],
  bun: ['bun.lock', 'bun.lockb', 'bunfig.toml'],
};

function ofNode(read: Read, has: Has, manager: PackageManager): Dependencies | undefined {
  const text = read('package.json');
  if (text === undefined) return undefined;
  const json = mapOf(parsed(text));
  const needs = DEPENDENCY_KEYS.some((key) => Object.keys(mapOf(json[key])).length > 0);
  const listed = Array.isArray(json.workspaces) ? json.workspaces : mapOf(json.workspaces).packages;
  const workspaces = Array.isArray(listed) ? listed.filter((glob) => typeof glob === 'string') : [];
  if (!needs && workspaces.length === 0 && !has('pnpm-workspace.yaml')) return undefined;
  const [lock] = NODE_FILES[manager].filter(has);
  const isLocked = lock !== undefined && !lock.startsWith('.');
  const members = has('pnpm-workspace.yaml')
    ? ['**/package.json']
    : workspaces.map((glob) => `${trimmed(glob)}/package.json`);
  return {
    run: isLocked ? INSTALL[manager] : undefined,
    inputs: ['package.json', ...NODE_FILES[manager].filter(has), ...members, ...localInputs(json, has)],
    missing: 'a lock file',
  };
}

/** Files of the project that the installation reads: packages in folders and archives, patches, scripts that it runs. */
function localInputs(json: Record<string, unknown>, has: Has): string[] {
  const versions = DEPENDENCY_KEYS.flatMap((key) => Object.values(mapOf(json[key])));
  const packages = versions.flatMap((version) => {
    const path =
      typeof version === 'string' ? version.match(/^(?:file|link|portal):(?:\.\/)?(.+)$/)?.[1] : undefined;
    if (path === undefined || path.startsWith('..') || path.startsWith('/')) return [];
    return /\.(?:tgz|tar\.gz)$/.test(path) ? [path] : [`${path.replace(/\/$/, '')}/**`];
  });
  const scripts = INSTALL_SCRIPTS.flatMap((name) => String(mapOf(json.scripts)[name] ?? '').split(/\s+/));
  const run = scripts.map((word) => word.replace(/^\.\//, '')).filter((word) => word !== '' && has(word));
  return [...new Set([...packages, ...run, ...(has('patches') ? ['patches/**'] : [])])];
}

const DEPENDENCY_KEYS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

function trimmed(glob: string): string {
  const bare = glob.startsWith('./') ? glob.slice(2) : glob;
  return bare.endsWith('/') ? bare.slice(0, -1) : bare;
}

function ofPython(read: Read, has: Has, isAbove: Has): Dependencies | undefined {
  const project = read('pyproject.toml') ?? '';
  if (has('uv.lock')) return { run: 'uv sync --frozen', inputs: ['pyproject.toml', 'uv.lock'] };
  if (has('poetry.lock')) return { run: 'poetry install', inputs: ['pyproject.toml', 'poetry.lock'] };
  // The lock file of a folder above serves this one, too.
  if (['uv.lock', 'poetry.lock'].some(isAbove)) return undefined;
  const requirements = REQUIREMENTS.filter((path) => isRequiring(read(path) ?? ''));
  if (requirements.length > 0) {
    const files = requirements.map((path) => `-r ${path}`).join(' ');
    const run = `python3 -m venv .venv && .venv/bin/python -m pip install -q ${files}`;
    return { run, inputs: [...REQUIREMENTS.filter(has)], python: '.venv/bin/python' };
  }
  const declares =
    /^[ \t]*dependencies[ \t]*=[ \t]*\[[ \t]*(?!\])\S|^[ \t]*dependencies[ \t]*=[ \t]*\[[ \t]*$/m.test(
      project,
    );
  return declares || has('Pipfile') || has('setup.py')
    ? { inputs: [], missing: 'uv.lock, poetry.lock or requirements.txt' }
    : undefined;
}

const REQUIREMENTS = [
  'requirements.txt',
  'requirements-dev.txt',
  'requirements-test.txt',
  'dev-requirements.txt',
  'test-requirements.txt',
];

function isRequiring(text: string): boolean {
  return text.split('\n').some((line) => /^[ \t]*[A-Za-z]/.test(line));
}

/** The packages of the language itself are compiled once, with the setup. */
function ofGo(read: Read, has: Has): Dependencies | undefined {
  const text = read('go.mod');
  if (text === undefined) return undefined;
  const requires = /^[ \t]*require\b/m.test(text);
  const inputs = ['go.mod', ...['go.sum', 'go.work', 'go.work.sum'].filter(has)];
  return { run: requires ? 'go mod download && go build std' : 'go build std', inputs };
}

/** Cargo wants source files before it fetches anything: an empty one is there for that moment. */
const CARGO_FETCH = 'mkdir -p src && touch src/lib.rs && cargo fetch --locked && rm -r src';

function ofRust(read: Read, has: Has): Dependencies | undefined {
  const text = read('Cargo.toml');
  if (text === undefined) return undefined;
  const needs = /^\[(?:[\w-]+\.)*(?:dev-|build-)?dependencies(?:\.|\])/m.test(text);
  const isEmpty =
    !/^\[(?:[\w-]+\.)*(?:dev-|build-)?dependencies\]\s*\n\s*[\w"-]/m.test(text) &&
    !/dependencies\./.test(text);
  const isWorkspace = /^\[workspace\b/m.test(text);
  if (!isWorkspace && (!needs || isEmpty)) return undefined;
  const canFetch = has('Cargo.lock') && !isWorkspace && !/^\[\[|^\[lib\]/m.test(text);
  return {
    run: canFetch ? CARGO_FETCH : undefined,
    inputs: [
      'Cargo.toml',
      ...['Cargo.lock', 'rust-toolchain', 'rust-toolchain.toml', '.cargo/config.toml'].filter(has),
    ],
    missing: isWorkspace ? 'a single package' : 'Cargo.lock, and targets in their usual places',
  };
}

function ofJava(has: Has): Dependencies | undefined {
  if (has('pom.xml')) {
    const maven = has('mvnw') ? './mvnw' : 'mvn';
    return {
      run: `${maven} -q -B dependency:go-offline`,
      inputs: ['pom.xml', '**/pom.xml', ...['mvnw', '.mvn/**'].filter(has)],
    };
  }
  const builds = ['build.gradle', 'build.gradle.kts'].filter(has);
  if (builds.length === 0) return undefined;
  const settings = ['settings.gradle', 'settings.gradle.kts', 'gradle.properties'].filter(has);
  return {
    run: `${has('gradlew') ? './gradlew' : 'gradle'} --no-daemon -q dependencies`,
    inputs: [...builds, ...settings, ...(has('gradlew') ? ['gradlew', 'gradle/**'] : [])],
  };
}
