import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { hashParts, resolveParts } from '../../../../src/engine/project/facts/command-parts.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

let project: string;
beforeEach(() => {
  project = temporaryFolder();
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}
const scripts = (all: Record<string, unknown>, folder = '.') =>
  write(`${folder}/package.json`, JSON.stringify({ name: 'x', scripts: all }));
const parts = (...commands: string[]) => resolveParts(project, commands);
const script = (name: string, folder = '') => `script "${name}" of ${folder}package.json`;
const settings = 'settings of the package manager in the project';
const target = (name: string) => `target "${name}" of Makefile`;

describe('package scripts', () => {
  test('what a command resolves to, and what the package manager runs beside it', () => {
    scripts({ test: 'node --test', pretest: 'npm run build', build: 'tsc', other: 'x' });
    expect(parts('npm test')).toEqual({
      [script('pretest')]: 'npm run build',
      [script('prebuild')]: '',
      [script('build')]: 'tsc',
      [script('postbuild')]: '',
      [script('test')]: 'node --test',
      [script('posttest')]: '',
      [settings]: '',
    });
  });
  test.each([
    ['.npmrc', 'script-shell=/bin/true'],
    ['.npmrc', 'node-options = --require ./pass.cjs'],
    ['pnpm-workspace.yaml', 'scriptShell: /bin/true'],
    ['.yarnrc.yml', 'yarnPath: ./pass.cjs'],
    ['bunfig.toml', 'shell = "system"'],
  ])('%s may say by what scripts are run: %s', (file, line) => {
    scripts({ test: 'node --test' });
    expect(parts('npm test')[settings]).toBe('');
    write(file, `# ours\n${line}\n`);
    expect(parts('npm test')[settings]).toBe(line);
  });
  test('other settings of package managers are nobody’s business', () => {
    scripts({ test: 'node --test' });
    write(
      '.npmrc',
      'registry=https://registry.example/\n//registry.example/:_authToken=abc\nsave-exact=true\n',
    );
    expect(parts('npm test')[settings]).toBe('');
  });
  test('in a workspace, the settings of the project rule, too', () => {
    scripts({ test: 'vitest' }, 'packages/a');
    write('.npmrc', 'script-shell=/bin/true\n');
    expect(parts('cd packages/a && npm test')).toMatchObject({
      'settings of the package manager in packages/a': 'script-shell=/bin/true',
    });
  });
  test('a script that is added beside one that was there is a change', () => {
    scripts({ test: 'node --test' });
    const before = hashParts(parts('npm test'));
    scripts({ test: 'node --test', pretest: 'rm -rf test' });
    const after = hashParts(parts('npm test'));
    expect(Object.keys(before).filter((name) => before[name] !== after[name])).toEqual([script('pretest')]);
  });
  test('a script that is not there yet is nothing to hold fast', () => {
    scripts({});
    expect(parts('npm test')).toEqual({});
    rmSync(join(project, 'package.json'));
    expect(parts('npm test')).toEqual({});
  });
  test('scripts of packages, by folder', () => {
    scripts({ test: 'vitest' }, 'packages/a');
    expect(parts('cd packages/a && npm test', 'npm --prefix packages/a test')).toMatchObject({
      [script('test', 'packages/a/')]: 'vitest',
    });
  });
  describe('in a workspace', () => {
    beforeEach(() => {
      write('package.json', JSON.stringify({ name: 'root', workspaces: ['packages/*', 'tool'] }));
      for (const name of ['packages/a', 'packages/b', 'tool', 'elsewhere'])
        write(
          `${name}/package.json`,
          JSON.stringify({ name: `@x/${name}`, scripts: { test: `test ${name}` } }),
        );
    });
    const tested = (command: string) =>
      Object.entries(parts(command)).flatMap(([name, text]) =>
        name.startsWith('script "test"') ? text : [],
      );

    test.each<[command: string, texts: string[]]>([
      ['npm test -w packages/a', ['test packages/a']],
      ['npm -w ./packages/a -w tool test', ['test packages/a', 'test tool']],
      ['npm run test --workspace=@x/packages/b -- -w packages/a', ['test packages/b']],
      ['pnpm --filter @x/tool... test', ['test tool']],
      ["pnpm --filter '@x/packages/*' run test", ['test packages/a', 'test packages/b']],
      ['yarn workspace @x/tool test', ['test tool']],
      ['npm test --workspaces', ['test packages/a', 'test packages/b', 'test tool']],
      ['pnpm -r test', ['test packages/a', 'test packages/b', 'test tool']],
      ['npm test -w nowhere', []],
    ])('%s', (command, texts) => expect(tested(command)).toEqual(texts));

    test('of pnpm', () => {
      write('package.json', JSON.stringify({ name: 'root' }));
      write('pnpm-workspace.yaml', "packages:\n  - 'elsewhere' # ours\n  - '!packages/a'\n");
      expect(tested('pnpm -r test')).toEqual(['test elsewhere']);
    });
  });
  test('scripts that call each other end', () => {
    scripts({ a: 'npm run b', b: 'npm run a' });
    expect(Object.keys(parts('npm run a')).sort()).toEqual(
      [...['prea', 'a', 'posta', 'preb', 'b', 'postb'].map((name) => script(name)), settings].sort(),
    );
  });
  test.each(['', 'null', '[]', '{"scripts": null}', '{"scripts": {"test": 7}}', '{"scripts": []}', '{'])(
    '%j has no scripts, and is no error',
    (text) => {
      write('package.json', text);
      expect(parts('npm test', 'npm run constructor')).toEqual({});
    },
  );
});

describe('make', () => {
  test('a rule with the rules and scripts that it needs', () => {
    scripts({ lint: 'eslint .' });
    write(
      'Makefile',
      'check: build lint\n\t@npm run lint\n\nbuild:\n\t./scripts/build.sh\n\nlint:\n\ttrue\n',
    );
    write('scripts/build.sh', 'tsc\n');
    expect(parts('make check')).toMatchObject({
      [target('check')]: 'check: build lint\n\t@npm run lint',
      [target('build')]: 'build:\n\t./scripts/build.sh',
      [target('lint')]: 'lint:\n\ttrue',
      [script('lint')]: 'eslint .',
      'scripts/build.sh': 'tsc\n',
    });
  });
  test('a makefile that make prefers is a change', () => {
    write('Makefile', 'test:\n\tnpm test\n');
    const before = parts('make test');
    write('GNUmakefile', 'test:\n\ttrue\n');
    expect(parts('make test')).not.toEqual(before);
    rmSync(join(project, 'GNUmakefile'));
    expect(parts('make test')).toEqual(before);
  });
  test('the command in a variable, a later rule, and what is included', () => {
    scripts({ lint: 'eslint .' });
    write('Makefile', 'include common.mk\ntest:\n\t$(CHECK)\n');
    write('common.mk', '-include common.mk none.mk\nCHECK = ./ci/check.sh\n');
    write('ci/check.sh', 'npm test\n');
    const before = parts('make test');
    expect(before).toMatchObject({
      [target('test')]: 'test:\n\t$(CHECK)\nCHECK = ./ci/check.sh',
      'ci/check.sh': 'npm test\n',
    });
    write('common.mk', 'CHECK = ./ci/check.sh\ntest:\n\ttrue\n');
    expect(parts('make test')[target('test')]).not.toBe(before[target('test')]);
  });
  test('rules that need each other end', () => {
    write('Makefile', 'a: b\nb: a\n');
    expect(Object.keys(parts('make a'))).toEqual([target('a'), target('b')]);
  });
});

describe('script files', () => {
  test('named as a command or after an interpreter', () => {
    write('ci/check.sh', 'exit 0\n');
    write('tools/verify.mjs', 'x\n');
    write('toString', 'exit 0\n');
    expect(parts('./ci/check.sh --all', 'node tools/verify.mjs', './toString')).toEqual({
      'ci/check.sh': 'exit 0\n',
      'tools/verify.mjs': 'x\n',
      toString: 'exit 0\n',
    });
  });
  test('that are taken for the tool which a command names are changes', () => {
    expect(parts('python -m pytest')).toEqual({ 'pytest.py': '', 'pytest/__init__.py': '' });
    write('pytest.py', 'raise SystemExit(0)\n');
    expect(parts('python -m pytest')).toMatchObject({ 'pytest.py': 'raise SystemExit(0)\n' });
  });
  test('that cannot be read are not there', () => {
    mkdirSync(join(project, 'ci', 'check.sh'), { recursive: true });
    expect(parts('./ci/check.sh', './missing.sh')).toEqual({});
  });
});

test('a hash for each, which changes with the text', () => {
  const one = hashParts({ a: 'x', b: 'y' });
  expect(one).toEqual({
    a: expect.stringMatching(/^[0-9a-f]{64}$/),
    b: expect.not.stringMatching(one.a ?? ''),
  });
  expect(hashParts({ a: 'x', b: 'z' })).toMatchObject({ a: one.a });
});
