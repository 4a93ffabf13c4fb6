import { describe, expect, test } from 'vitest';
import { parseContract, renderProblem } from '../../../../../src/engine/contract/read.ts';
import type { CiStep, Machine, ProjectFacts } from '../../../../../src/engine/core/contract/project-facts.ts';
import { proposeContract } from '../../../../../src/engine/core/contract/propose.ts';

const NOTHING: ProjectFacts = { rust: false, go: false, makeTargets: [], git: true, githubWorkflows: true };
const PYTHON = {
  runner: '' as const,
  pytest: true,
  ruff: true,
  mypy: true,
  names: ['pytest', 'ruff', 'mypy'],
};

const steps = (...runs: (string | Partial<CiStep>)[]): CiStep[] =>
  runs.map((run) => ({ where: 'ci.yml, job test', run: '', ...(typeof run === 'string' ? { run } : run) }));

const node = (scripts: Record<string, string>, more: Partial<NonNullable<ProjectFacts['node']>> = {}) => ({
  node: { manager: 'npm' as const, scripts, typescript: false, ...more },
});

function commands(facts: Partial<ProjectFacts>): Record<string, string> {
  const result = parseContract(proposeContract({ ...NOTHING, ...facts }), 'untildone.yaml');
  if (!result.ok) throw new Error(result.problems.map(renderProblem).join('\n'));
  return Object.fromEntries(
    Object.entries(result.contract.gates).flatMap(([name, spec]) =>
      spec.kind === 'run' ? [[name, spec.options.command]] : [],
    ),
  );
}

describe('commands of CI', () => {
  test.each<[string, Partial<ProjectFacts>, Record<string, string>]>([
    [
      'win over what is usual in a language',
      { go: true, ci: steps('go get -d ./...', 'go test -race -v ./sub/...') },
      { tests: 'go test ./sub/...' },
    ],
    [
      'are called as the scripts that run the same',
      { ...node({ test: 'vitest run', build: 'tsc' }), ci: steps('npm ci', 'npx vitest run --reporter=dot') },
      { tests: 'npm test' },
    ],
    [
      'measure no coverage, and do not wait for changes',
      { ...node({ dev: 'vitest' }, { manager: 'pnpm' }), ci: steps('pnpm vitest --coverage') },
      { tests: 'pnpm exec vitest run' },
    ],
    [
      'are what a script that measures coverage runs',
      {
        ...node({ test: 'mocha test/', 'test-ci': 'nyc --reporter=text npm test' }),
        ci: steps('npm run test-ci'),
      },
      { tests: 'npm test' },
    ],
    [
      'are what an environment of tox runs',
      {
        python: PYTHON,
        tasks: [
          {
            call: 'tox',
            name: 'tox',
            lines: ["python -m unittest discover -p '*_test.py'"],
            where: 'tox.ini',
          },
          { call: 'tox -e typing', name: 'typing', lines: ['mypy src'], where: 'tox.ini' },
        ],
        ci: steps('tox -e py312', 'uv run --locked tox run -e typing'),
      },
      { tests: "python3 -m unittest discover -p '*_test.py'", types: 'python3 -m mypy src' },
    ],
    [
      'are what a target runs that also installs',
      {
        python: PYTHON,
        tasks: [
          {
            call: 'make coverage',
            name: 'coverage',
            lines: [
              'python -m pip install -r dev.txt',
              'coverage run --include="a/*" -m pytest',
              'coverage report',
            ],
            where: 'Makefile',
          },
        ],
        ci: steps('make coverage'),
      },
      { tests: 'python3 -m pytest' },
    ],
    [
      'of several parts are the script that covers them',
      {
        ...node({
          test: 'npm run build && npm run a && npm run b',
          build: 'rollup -c',
          a: 'mocha a',
          b: 'mocha b',
        }),
        ci: steps('npm run build', 'npm run a', 'npm run b'),
      },
      { tests: 'npm test' },
    ],
  ])('%s', (_, facts, expected) => {
    expect(commands(facts)).toEqual(expected);
  });

  test('bring their variables, for the proof too, and say where they stand', () => {
    const ci = steps({ run: 'npm test', env: { TZ: 'America/New_York' } });
    const text = proposeContract({ ...NOTHING, ...node({ test: 'jest' }), ci });
    expect(text).toContain('tests:  { run: npm test, env: { TZ: "America/New_York" }');
    expect(text).toContain('proof:  { differential: npm test, env: { TZ: "America/New_York" } }');
    expect(text).toContain('# ci.yml, job test');
  });

  test('that cannot be run here are named, with why', () => {
    const machine: Machine = { hasProgram: (name) => name === 'go', hasModule: () => false };
    const ci = steps('go test ./...', 'golangci-lint run', {
      run: 'go test -tags db ./...',
      needs: 'the service postgres',
    });
    const text = proposeContract({ ...NOTHING, go: true, machine, ci });
    expect(text).toContain('golangci-lint run: golangci-lint is not installed here');
    expect(text).toContain('go test -tags db ./...: it needs the service postgres');
    expect(commands({ go: true, machine, ci })).toEqual({ tests: 'go test ./...' });
  });

  test('do not give anything away, change files, or have to fail', () => {
    const scripts = { test: 'jest', lint: 'eslint --fix .', format: 'prettier --write .' };
    const ci = steps('npm run lint', 'npm publish', '! npm run lint', 'npm test || true', 'npm run format');
    expect(commands({ ...node(scripts), ci })).toEqual({ tests: 'npm test' });
  });

  test('a script with control structures is no command', () => {
    const ci = steps('if [ -f x ]; then\n  go test ./x\nfi', 'for i in 1 2; do go test ./y; done');
    expect(commands({ go: true, ci })).toEqual({ tests: 'go test ./...', lint: 'go vet ./...' });
  });

  test('leave other commands of the project as lines that are off', () => {
    const text = proposeContract({
      ...NOTHING,
      ...node({ test: 'jest', build: 'tsc -b' }),
      ci: steps('npm test'),
    });
    expect(text).toContain('  # build: { run: npm run build, timeout: 10m }');
  });

  test('of folders are those of their packages; others are not judged', () => {
    const below = { rust: false, go: true, makeTargets: [] };
    const facts = {
      ...node({ test: 'jest' }),
      packages: [
        { ...below, folder: 'api' },
        { ...below, folder: 'tools' },
      ],
      ci: steps('npm test', { run: 'go test ./...', cwd: 'api' }),
    };
    expect(commands(facts)).toEqual({ tests: 'npm test', 'tests-api': 'go test ./...' });
    expect(proposeContract({ ...NOTHING, ...facts })).toContain('#   tools: CI does not run its commands');
  });
});

describe('nothing is run twice', () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    [
      'a script that only checks is taken apart',
      { test: 'npm run lint && tsc --noEmit && vitest run', lint: 'eslint .' },
      { tests: 'npx --no-install vitest run', lint: 'npm run lint', types: 'npx --no-install tsc --noEmit' },
    ],
    [
      'what a script that builds runs is no gate of its own',
      { test: 'npm run lint && npm run build && mocha', lint: 'eslint .', build: 'rollup -c' },
      { tests: 'npm test' },
    ],
    [
      'scripts by a pattern count',
      { test: 'run-s test:*', 'test:unit': 'mocha', 'test:lint': 'eslint .', lint: 'eslint .' },
      { tests: 'npm run test:unit', lint: 'npm run test:lint' },
    ],
    [
      'scripts before and after a script count',
      { pretest: 'npm run lint', test: 'mocha', lint: 'eslint .' },
      { tests: 'npx --no-install mocha', lint: 'npm run lint' },
    ],
    [
      'tests behind a compiler that writes what they test stay with it',
      { test: 'tsc && node --test dist', types: 'tsc --noEmit' },
      { tests: 'npm test', types: 'npm run types' },
    ],
    ['a script that calls itself comes to an end', { test: 'npm test && jest' }, { tests: 'npm test' }],
  ])('%s', (_, scripts, expected) => {
    expect(commands(node(scripts))).toEqual(expected);
  });

  test('a target counts like a script', () => {
    const tasks = [
      { call: 'make test', name: 'test', lines: ['make lint', 'go test ./...'], where: 'Makefile' },
      { call: 'make lint', name: 'lint', lines: ['go vet ./...'], where: 'Makefile' },
    ];
    expect(commands({ makeTargets: ['test', 'lint'], tasks, go: true })).toEqual({
      tests: 'go test ./...',
      lint: 'make lint',
    });
  });

  test('targets that lead to each other in ever more ways are read in an instant', () => {
    const names = Array.from({ length: 40 }, (_, i) => `t${i}`);
    const lines = names.map((name) => `make ${name}`);
    const tasks = names.map((name) => ({ call: `make ${name}`, name, lines, where: 'Makefile' }));
    expect(
      commands({
        makeTargets: ['test'],
        tasks: [...tasks, { call: 'make test', name: 'test', lines, where: 'Makefile' }],
      }),
    ).toEqual({
      tests: 'make test',
    });
  });
});

describe('rooms', () => {
  const room = (facts: Partial<ProjectFacts>, asFound = false) => {
    const lines = proposeContract({ ...NOTHING, ...facts }, { asFound }).split('\n');
    return lines.filter((line) => /^(?:setup:|# Dependencies as found|room:)/.test(line));
  };

  test('get the dependencies that lie there, where no lock file names them', () => {
    expect(room({ dependencies: { node: { inputs: [], found: true, missing: 'a lock file' } } })).toEqual([
      'room: clean',
      '# Dependencies as found: there is no lock file',
      'setup: as_found',
    ]);
  });

  test('and beside them what can be installed', () => {
    const dependencies = {
      node: { run: 'npm ci', inputs: ['package.json'] },
      python: { inputs: [], found: true as const, hint: 'uv is not installed here: pipx install uv' },
    };
    expect(room({ dependencies })).toEqual([
      'room: clean',
      '# Dependencies as found: uv is not installed here: pipx install uv',
      'setup: { found: ["*"], run: npm ci, inputs: [package.json] }',
    ]);
  });

  test('where an installation fails, what lies there is the next best', () => {
    const facts = {
      python: { ...PYTHON, runner: 'uv run' as const },
      dependencies: { python: { run: 'uv sync --frozen', inputs: ['uv.lock'], found: true as const } },
    };
    expect(room(facts, true)).toEqual([
      'room: clean',
      '# Dependencies as found: "uv sync --frozen" fails here',
      'setup: as_found',
    ]);
    expect(proposeContract({ ...NOTHING, ...facts }, { asFound: true })).toContain('run: python3 -m pytest');
  });

  test('run scripts of the project that build before what needs them', () => {
    const dependencies = {
      node: { run: 'npm ci --ignore-scripts', inputs: ['package.json'], builds: ['prepare'] },
    };
    expect(commands({ ...node({ prepare: 'tshy', test: 'tap' }), dependencies })).toMatchObject({
      tests: 'npm run prepare && npm test',
    });
    expect(
      commands({ ...node({ prepare: 'tshy', pretest: 'npm run prepare', test: 'tap' }), dependencies }),
    ).toMatchObject({
      tests: 'npm test',
    });
  });
});

test('a large workspace gets one command for all packages that have a script', () => {
  const packages = Array.from({ length: 40 }, (_, i) => ({
    rust: false,
    go: false,
    makeTargets: [],
    folder: `packages/p${i}`,
    ...node({ test: 'vitest run', ...(i < 3 ? { lint: 'eslint .' } : {}) }),
  }));
  const root = node({ lint: 'eslint .' }, { workspaces: ['packages/*'] });
  expect(commands({ ...root, packages })).toEqual({
    tests: 'npm run test --workspaces --if-present',
    lint: 'npm run lint',
  });
});
