import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseContract, renderProblem } from '../../../../src/engine/contract/read.ts';
import type { Contract } from '../../../../src/engine/core/contract/contract.ts';
import type { ProjectFacts } from '../../../../src/engine/core/contract/project-facts.ts';
import { proposeContract } from '../../../../src/engine/core/contract/propose.ts';
import { rounds } from '../../../support/long.ts';

const NOTHING: ProjectFacts = { rust: false, go: false, makeTargets: [], git: false, githubWorkflows: false };

function proposed(facts: Partial<ProjectFacts>): Contract {
  const result = parseContract(proposeContract({ ...NOTHING, ...facts }), 'untildone.yaml');
  if (!result.ok) throw new Error(result.problems.map(renderProblem).join('\n'));
  expect(result.warnings).toEqual([]);
  return result.contract;
}

function commands(facts: Partial<ProjectFacts>): Record<string, string> {
  const entries = Object.entries(proposed(facts).gates);
  return Object.fromEntries(
    entries.flatMap(([name, spec]) => (spec.kind === 'run' ? [[name, spec.options.command]] : [])),
  );
}

const node = (scripts: Record<string, string>, more: Partial<NonNullable<ProjectFacts['node']>> = {}) => ({
  node: { manager: 'npm' as const, scripts, typescript: false, ...more },
});

describe('commands', () => {
  test('come from the scripts of package.json', () => {
    const scripts = {
      test: 'vitest run',
      lint: 'eslint .',
      typecheck: 'tsc',
      build: 'vite build',
      dev: 'vite',
    };
    expect(commands(node(scripts))).toEqual({
      tests: 'npm test',
      lint: 'npm run lint',
      types: 'npm run typecheck',
      build: 'npm run build',
    });
  });

  test.each([
    ['pnpm', { tests: 'pnpm test', lint: 'pnpm run lint', types: 'pnpm exec tsc --noEmit' }],
    ['yarn', { tests: 'yarn test', lint: 'yarn run lint', types: 'yarn tsc --noEmit' }],
    ['bun', { tests: 'bun run test', lint: 'bun run lint', types: 'bun x tsc --noEmit' }],
    ['npm', { tests: 'npm test', lint: 'npm run lint', types: 'npx --no-install tsc --noEmit' }],
  ] as const)('are spelled as %s spells them', (manager, expected) => {
    expect(commands(node({ test: 't', lint: 'l' }, { manager, typescript: true }))).toEqual(expected);
  });

  test('are not taken from a script that fails or watches for ever', () => {
    expect(commands(node({ test: 'echo "Error: no test specified" && exit 1' }))).toEqual({});
    expect(commands(node({ test: 'jest --watch' }))).toEqual({});
    expect(commands(node({ test: 'jest --watchAll', 'test:ci': 'jest --ci' }))).toEqual({
      tests: 'npm run test:ci',
    });
    expect(commands(node({ test: 'jest --watch=false' }))).toEqual({ tests: 'npm test' });
  });

  test('come from a Makefile where package.json has none', () => {
    const facts = { ...node({ lint: 'eslint' }), makeTargets: ['test', 'lint', 'deploy'] };
    expect(commands(facts)).toEqual({ tests: 'make test', lint: 'npm run lint' });
  });

  test('a target of the Makefile stands for what a language brings', () => {
    expect(commands({ go: true, makeTargets: ['check'] })).toEqual({
      tests: 'make check',
      lint: 'go vet ./...',
    });
  });

  test('Python tools run as the project runs them', () => {
    const tools = { pytest: true, ruff: true, mypy: true };
    expect(commands({ python: { runner: '', ...tools } })).toEqual({
      tests: 'python3 -m pytest',
      lint: 'python3 -m ruff check .',
      types: 'python3 -m mypy .',
    });
    expect(commands({ python: { runner: 'uv run', ...tools, mypy: false } })).toEqual({
      tests: 'uv run pytest',
      lint: 'uv run ruff check .',
    });
  });

  test('a second language gets gates of its own', () => {
    const python = { runner: '' as const, pytest: true, ruff: false, mypy: false };
    expect(commands({ ...node({ test: 't' }), python, rust: true, go: true })).toEqual({
      tests: 'npm test',
      'tests-python': 'python3 -m pytest',
      'tests-rust': 'cargo test',
      'tests-go': 'go test ./...',
      lint: 'go vet ./...',
    });
  });
});

test('lists of the project become gates, and everything proposed has to pass', () => {
  const contract = proposed({ rust: true, plan: 'docs/PLAN.md', featureList: 'feature_list.json' });
  expect(contract.gates.plan).toEqual({ kind: 'checklist', options: { file: 'docs/PLAN.md' } });
  expect(contract.gates.features).toEqual({ kind: 'features', options: { file: 'feature_list.json' } });
  expect(contract.done).toEqual(['tests', 'features', 'plan', 'tidy', 'intact', 'honest']);
});

test('a project without anything still gets a contract that says what is missing', () => {
  expect(proposed({}).done).toEqual(['tidy', 'intact', 'honest']);
  expect(proposeContract(NOTHING)).toContain('# tests: { run: make test, timeout: 10m }');
});

test('the first line tells editors where the schema of an installed package is', () => {
  expect(proposeContract(NOTHING).split('\n')[0]).toBe(
    '# yaml-language-server: $schema=./node_modules/untildone/schema/untildone.schema.json',
  );
});

test('every suggestion that is off is right when it is switched on', () => {
  const facts = { ...NOTHING, ...node({ test: 't', lint: 'l' }), git: true, githubWorkflows: true };
  const text = proposeContract(facts).replace(/^( *)# (saved|checks|every_stop)/gm, '$1$2');
  const result = parseContract(text, 'untildone.yaml');
  expect(result.ok && Object.keys(result.contract.gates)).toEqual(
    expect.arrayContaining(['tests', 'lint', 'saved', 'checks']),
  );
  expect(result.ok && result.contract.everyStop).toEqual({ gates: ['lint'], blocks: 2 });
});

describe('folders below the project', () => {
  const BARE = { rust: false, go: false, makeTargets: [] };
  const PYTHON = { python: { runner: 'uv run' as const, pytest: true, ruff: true, mypy: false } };
  const runs = (facts: Partial<ProjectFacts>) =>
    Object.fromEntries(
      Object.entries(proposed(facts).gates).flatMap(([name, spec]) =>
        spec.kind === 'run' ? [[name, [spec.options.cwd ?? '.', spec.options.command]]] : [],
      ),
    );
  const notes = (facts: Partial<ProjectFacts>) =>
    proposeContract({ ...NOTHING, ...facts })
      .split('\n')
      .filter((line) => /^# {3}|^# (Found|Left)/.test(line) && !/review:|git init/.test(line));

  test('get gates of their own, in their folder', () => {
    const packages = [
      { ...BARE, folder: 'api', go: true },
      { ...BARE, folder: 'backend', ...PYTHON },
      { ...BARE, folder: 'web', ...node({ test: 'vitest run', lint: 'eslint .' }, { manager: 'pnpm' }) },
    ];
    expect(runs({ packages })).toEqual({
      'tests-api': ['api', 'go test ./...'],
      'tests-backend': ['backend', 'uv run pytest'],
      'tests-web': ['web', 'pnpm test'],
      'lint-api': ['api', 'go vet ./...'],
      'lint-backend': ['backend', 'uv run ruff check .'],
      'lint-web': ['web', 'pnpm run lint'],
    });
    expect(notes({ packages })).toEqual(['# Found in folders: api, backend, web']);
    expect(proposed({ packages }).done).toContain('tests-web');
    expect(proposeContract({ ...NOTHING, packages })).not.toContain('No command that tests');
  });

  test('are left out where a command above covers them, and that is said', () => {
    const member = { ...BARE, folder: 'packages/ui', ...node({ test: 't', lint: 'l' }) };
    const stranger = { ...BARE, folder: 'tools/gen', ...node({ test: 't' }) };
    const root = node({ test: 'turbo test' }, { workspaces: ['packages/*'] });
    const found = runs({ ...root, packages: [member, stranger] });
    expect(Object.keys(found)).toEqual(['tests', 'tests-tools-gen', 'lint-packages-ui']);
    expect(notes({ ...root, packages: [{ ...member, ...node({ test: 't' }) }] })).toEqual([
      '# Left out:',
      '#   packages/ui: the commands above it cover it',
    ]);
    expect(
      Object.keys(runs({ rust: true, packages: [{ ...BARE, folder: 'crates/a', rust: true }] })),
    ).toEqual(['tests']);
    expect(Object.keys(runs({ makeTargets: ['test'], packages: [stranger] }))).toEqual(['tests']);
  });

  test('a folder between covers its own members', () => {
    const packages = [
      { ...BARE, folder: 'web', ...node({ test: 't' }, { workspaces: ['packages/*', '!packages/x'] }) },
      { ...BARE, folder: 'web/packages/a', ...node({ test: 't' }) },
      { ...BARE, folder: 'web/packages/x', ...node({ test: 't' }) },
    ];
    expect(Object.keys(runs({ packages }))).toEqual(['tests-web', 'tests-web-packages-x']);
  });

  test('too many, and what could not be used, are named', () => {
    const packages = Array.from({ length: 22 }, (_, i) => ({ ...BARE, folder: `p${i}`, go: true }));
    const leftOut = [{ folder: 'examples/a', why: 'it looks like examples, test data or documents' }];
    expect(notes({ packages: [...packages, { ...BARE, folder: 'empty' }], leftOut })).toEqual([
      `# Found in folders: ${packages
        .slice(0, 20)
        .map(({ folder }) => folder)
        .join(', ')}`,
      '# Left out:',
      '#   p20: there are more than 20 such folders',
      '#   p21: there are more than 20 such folders',
      '#   empty: no command that tests or checks it was found',
      '#   examples/a: it looks like examples, test data or documents',
    ]);
  });

  test('whose names look alike stay apart', () => {
    const packages = ['a-b', 'a/b', 'a b'].map((folder) => ({ ...BARE, folder, rust: true }));
    expect(Object.values(runs({ packages })).map(([cwd]) => cwd)).toEqual(['a-b', 'a/b', 'a b']);
  });
});

test('whatever the project looks like, the proposal is a contract without warnings', () => {
  const path = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter(
      (text) => /\S/.test(text) && !/^[/~\\]|^[A-Za-z]:|\\|\0|\.\./.test(text) && text !== 'transcript',
    );
  const scripts = fc.dictionary(
    fc.constantFrom('test', 'test:ci', 'lint', 'types', 'build', 'x'),
    fc.string(),
  );
  const facts: fc.Arbitrary<ProjectFacts> = fc.record(
    {
      node: fc.record({
        manager: fc.constantFrom('npm', 'pnpm', 'yarn', 'bun'),
        scripts,
        typescript: fc.boolean(),
      }),
      python: fc.record({
        runner: fc.constantFrom('', 'uv run', 'poetry run'),
        pytest: fc.boolean(),
        ruff: fc.boolean(),
        mypy: fc.boolean(),
      }),
      packages: fc.array(
        fc.record({
          folder: path.filter((text) => !text.includes('/') || text.length > 2),
          rust: fc.boolean(),
          go: fc.boolean(),
          makeTargets: fc.constant([]),
        }),
        { maxLength: 10 },
      ),
      rust: fc.boolean(),
      go: fc.boolean(),
      makeTargets: fc.array(fc.oneof(fc.constantFrom('test', 'check', 'lint', 'build'), fc.string())),
      plan: path,
      featureList: path,
      git: fc.boolean(),
      githubWorkflows: fc.boolean(),
    },
    { requiredKeys: ['rust', 'go', 'makeTargets', 'git', 'githubWorkflows'] },
  );
  fc.assert(
    fc.property(facts, (seen) => {
      const { gates, done } = proposed(seen);
      expect(done).toEqual(Object.keys(gates));
      if (seen.plan !== undefined) expect(gates.plan?.options).toEqual({ file: seen.plan });
      if (seen.featureList !== undefined) expect(gates.features?.options).toEqual({ file: seen.featureList });
    }),
    { numRuns: rounds(300, 30) },
  );
});

const LOCKED = { node: { run: 'npm ci', inputs: ['package.json', 'package-lock.json'] } };

describe('the room', () => {
  test('is clean where the setup can be told, and the tests are compared with those of the start', () => {
    const contract = proposed({ ...node({ test: 'x' }), git: true, dependencies: LOCKED });
    expect(contract.room).toEqual({
      choice: 'clean',
      setup: { run: ['npm ci'], inputs: ['package.json', 'package-lock.json'] },
    });
    expect(contract.gates.proof?.kind).toBe('differential');
    expect(contract.done).toContain('proof');
  });

  test('is clean where nothing has to be installed', () => {
    const contract = proposed({ ...node({ test: 'x' }), git: true });
    expect(contract.room).toEqual({ choice: 'clean' });
  });

  test('keeps settings for tests that git ignores', () => {
    expect(proposed({ ...node({ test: 'x' }), git: true, needs: ['.env.test'] }).room?.needs).toEqual([
      '.env.test',
    ]);
  });

  test.each([
    ['no git', { git: false }, 'git init'],
    [
      'no lock file',
      { git: true, dependencies: { node: { inputs: [], missing: 'a lock file' } } },
      'a lock file',
    ],
  ])('is the folder of the project with %s, and what is missing is said', (_, facts, missing) => {
    expect(proposed({ ...node({ test: 'x' }), ...facts }).room).toBeUndefined();
    expect(proposed({ ...node({ test: 'x' }), ...facts }).gates.proof).toBeUndefined();
    expect(proposeContract({ ...NOTHING, ...node({ test: 'x' }), ...facts })).toContain(missing);
  });

  test('several folders and languages are prepared one after the other', () => {
    const python = { python: { run: 'uv sync --frozen', inputs: ['pyproject.toml', 'uv.lock'] } };
    const facts = {
      ...node({ test: 'x' }),
      git: true,
      dependencies: LOCKED,
      packages: [{ ...NOTHING, folder: 'my api', dependencies: python }],
    };
    expect(proposed(facts).room?.setup).toEqual({
      run: ['npm ci', "cd 'my api' && uv sync --frozen"],
      inputs: ['package.json', 'package-lock.json', 'my api/pyproject.toml', 'my api/uv.lock'],
    });
  });

  test('what is not in a clean room still prepares worktrees', () => {
    expect(proposed({ ...node({ test: 'x' }), dependencies: LOCKED }).run?.setup).toEqual({
      run: ['npm ci'],
    });
  });
});
