/** What a project of Python depends on, and what installs exactly that here. */
import type { Dependencies, Machine } from '../../core/contract/project-facts.ts';
import { tableIn, tablesIn, textsIn, valueIn } from './toml.ts';

type Read = (path: string) => string | undefined;
type Has = (path: string) => boolean;

interface Locked {
  file: string;
  program: string;
  run: string;
  get: string;
}

const LOCKED: readonly Locked[] = [
  { file: 'uv.lock', program: 'uv', run: 'uv sync --frozen', get: 'pipx install uv' },
  { file: 'poetry.lock', program: 'poetry', run: 'poetry install', get: 'pipx install poetry' },
  { file: 'pdm.lock', program: 'pdm', run: 'pdm sync', get: 'pipx install pdm' },
  {
    file: 'Pipfile.lock',
    program: 'pipenv',
    run: 'PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev',
    get: 'pipx install pipenv',
  },
];

export function ofPython(read: Read, has: Has, isAbove: Has, machine?: Machine): Dependencies | undefined {
  const project = read('pyproject.toml') ?? '';
  if (machine && !PYTHON_FILES.some(has)) return undefined;
  const there = whatIsThere(read, project, machine);
  const locked = LOCKED.find(({ file }) => has(file));
  if (locked) {
    const inputs = [
      ...['pyproject.toml', 'Pipfile'].filter(has),
      locked.file,
      ...(machine ? readByBuilds(has, project) : []),
    ];
    if (machine === undefined || machine.hasProgram(locked.program))
      return { run: locked.run, inputs, ...foundOnly(there) };
    return {
      inputs,
      missing: `${locked.program} (${locked.get})`,
      hint: `${locked.program} is not installed here: ${locked.get}`,
      ...there,
    };
  }
  // The lock file of a folder above serves this one, too.
  if (LOCKED.some(({ file }) => isAbove(file))) return undefined;
  const requirements = requirementsOf(read);
  if (there.found) return { inputs: [], missing: 'uv.lock, poetry.lock or requirements.txt', ...there };
  if (requirements.length > 0)
    return inVenv(
      requirements.map((path) => `-r ${path}`),
      REQUIREMENTS.filter(has),
      { read, has, project, machine },
    );
  const declares =
    /^[ \t]*dependencies[ \t]*=[ \t]*\[[ \t]*(?!\])\S|^[ \t]*dependencies[ \t]*=[ \t]*\[[ \t]*$/m.test(
      project,
    );
  if (!declares && !has('Pipfile') && !has('setup.py') && !(machine && isInstallable(project, has)))
    return undefined;
  if (machine === undefined || !isInstallable(project, has))
    return { inputs: [], missing: 'uv.lock, poetry.lock or requirements.txt' };
  const needsPytest = !/pytest/.test(project) || !/optional-dependencies/.test(project) ? ['pytest'] : [];
  return inVenv(needsPytest, [], { read, has, project, machine });
}

/** The project itself, among what is installed. */
const EDITABLE = /^[ \t]*(?:-e[ \t]+)?(?:\.(?:\[[^\]]*\])?|file:\.)[ \t]*(?:#.*)?$/m;

interface Look {
  read: Read;
  has: Has;
  /** The text of pyproject.toml. */
  project: string;
  machine: Machine | undefined;
}

/** Where the project can be installed, it is, so that tests find the package as people get it. */
function inVenv(
  what: readonly string[],
  inputs: readonly string[],
  { read, has, project, machine }: Look,
): Dependencies {
  const extras = textsOfExtras(project);
  const named = inputs.some((path) => EDITABLE.test(read(path) ?? ''));
  const own =
    machine && isInstallable(project, has) && !named
      ? [`-e ${extras.length > 0 ? `'.[${extras.join(',')}]'` : '.'}`]
      : [];
  const run = `python3 -m venv .venv && .venv/bin/python -m pip install -q ${[...what, ...own].join(' ')}`;
  const isInstalled = own.length > 0 || named;
  const built = isInstalled
    ? [...['pyproject.toml', 'setup.py'].filter(has), ...readByBuilds(has, project)]
    : [];
  // Where that fails, the interpreter itself may have what is needed.
  const fallback = machine ? { found: true as const } : {};
  return { run, ...fallback, inputs: [...new Set([...inputs, ...built])], python: '.venv/bin/python' };
}

function isInstallable(project: string, has: Has): boolean {
  return has('setup.py') || /^\[build-system\]/m.test(project);
}

/** The names under which projects list what their tests need. */
const TEST_EXTRAS = /^(?:tests?|testing|dev|develop|development|all)$/;

function textsOfExtras(project: string): string[] {
  const table = tableIn(project, 'project.optional-dependencies');
  return [...table.matchAll(/^[ \t]*["']?([\w-]+)["']?[ \t]*=/gm)]
    .map(([, name = '']) => name)
    .filter((name) => TEST_EXTRAS.test(name))
    .slice(0, 2);
}

/** Files that a build of the package reads: its page, its licence, the files with its version. */
function readByBuilds(has: Has, project: string): string[] {
  if (!isInstallable(project, has)) return [];
  const files = [
    'setup.py',
    'setup.cfg',
    'MANIFEST.in',
    'README.md',
    'README.rst',
    'README',
    'README.txt',
    'LICENSE',
    'LICENSE.txt',
    'LICENSE.md',
    '.python-version',
  ];
  return [
    ...files.filter(has),
    '*/__init__.py',
    'src/*/__init__.py',
    ...(tablesIn(project).includes('tool.setuptools.dynamic') ? ['VERSION', 'VERSION.txt'].filter(has) : []),
  ];
}

type There = Pick<Dependencies, 'found' | 'python'>;

function foundOnly({ found }: There): There {
  return found ? { found } : {};
}

/** An environment in the project, or an interpreter that has what the project names. */
function whatIsThere(read: Read, project: string, machine: Machine | undefined): There {
  if (!machine?.hasModule) return {};
  const own = machine.environment;
  if (own !== undefined) return { found: true, python: `${own}/bin/python` };
  // Tools for development are named one by one where a command needs them.
  const needed = [...namesOf(read('requirements.txt') ?? ''), ...declaredIn(project)];
  const isThere = needed.every((name) => machine.hasPackage?.(name) ?? false);
  const texts = [project, ...requirementsOf(read).map((path) => read(path) ?? '')];
  const hasRunner = machine.hasModule('pytest') || !texts.some((text) => /\bpytest\b/.test(text));
  return isThere && hasRunner ? { found: true } : {};
}

function declaredIn(project: string): string[] {
  return textsIn(valueIn(tableIn(project, 'project'), 'dependencies') ?? '').flatMap(namesOf);
}

/** Packages that a requirement names for this machine. One with a condition may be for another one. */
function namesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const name = /^[ \t]*([A-Za-z][\w.-]*)/.exec(line)?.[1];
    return name === undefined || line.includes(';') ? [] : [name.toLowerCase().replace(/[-_.]+/g, '-')];
  });
}

const PYTHON_FILES = [
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'tox.ini',
  'pytest.ini',
  'Pipfile',
  'requirements.txt',
];

const REQUIREMENTS = [
  'requirements.txt',
  'requirements-dev.txt',
  'requirements-test.txt',
  'requirements-tests.txt',
  'dev-requirements.txt',
  'test-requirements.txt',
  'requirements/dev.txt',
  'requirements/development.txt',
  'requirements/test.txt',
  'requirements/tests.txt',
  'requirements/testing.txt',
];

/** Those that install something, without those that another one of them reads. */
function requirementsOf(read: Read): string[] {
  const all = REQUIREMENTS.filter((path) => /^[ \t]*(?:[A-Za-z]|-[re]\b)/m.test(read(path) ?? ''));
  const included = new Set(
    all.flatMap((path) =>
      [...(read(path) ?? '').matchAll(/^[ \t]*-r[ \t]+(\S+)/gm)].map(([, name = '']) => name),
    ),
  );
  return all.filter((path) => !included.has(path));
}
