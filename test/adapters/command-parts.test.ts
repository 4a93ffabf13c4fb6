import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { hashParts, resolveParts } from '../../src/adapters/command-parts.ts';
import { temporaryFolder } from './workers.ts';

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
  test('scripts that call each other end', () => {
    scripts({ a: 'npm run b', b: 'npm run a' });
    expect(Object.keys(parts('npm run a')).sort()).toEqual(
      ['prea', 'a', 'posta', 'preb', 'b', 'postb'].map((name) => script(name)).sort(),
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
