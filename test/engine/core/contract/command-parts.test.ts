import { describe, expect, test } from 'vitest';
import {
  commandParts,
  formerCommandParts,
  partName,
} from '../../../../src/engine/core/contract/command-parts.ts';
import { makeRule } from '../../../../src/engine/core/contract/make-rule.ts';
import { simpleCommands } from '../../../../src/engine/core/shell/words.ts';

const names = (command: string) => commandParts(command).map(partName);

describe('what a command leans on', () => {
  test.each([
    [
      'npm test',
      [
        'script "pretest" of package.json',
        'script "test" of package.json',
        'script "posttest" of package.json',
        'settings of the package manager in the project',
      ],
    ],
    [
      'CI=1 npm run -s lint -- --fix',
      [
        'script "prelint" of package.json',
        'script "lint" of package.json',
        'script "postlint" of package.json',
        'settings of the package manager in the project',
      ],
    ],
    [
      'cd api && pnpm build',
      [
        'script "prebuild" of api/package.json',
        'script "build" of api/package.json',
        'script "postbuild" of api/package.json',
        'settings of the package manager in api',
      ],
    ],
    [
      'yarn --cwd web test',
      [
        'script "pretest" of web/package.json',
        'script "test" of web/package.json',
        'script "posttest" of web/package.json',
        'settings of the package manager in web',
      ],
    ],
    ['make -C sub check', ['target "check" of sub/Makefile']],
    ['make', ['target "default" of Makefile']],
    ['./scripts/check.sh --all', ['scripts/check.sh']],
    ['bash ./ci/verify.sh', ['ci/verify.sh']],
    ['timeout 60 node tools/verify.mjs', ['tools/verify.mjs']],
    ['node --test test/a.test.js', ['test/a.test.js']],
    ['python src/main.py', ['src/main.py']],
    ['npm ci', []],
    ['pytest -q', []],
    ['cd api && python3 -m pytest -q', ['api/pytest.py', 'api/pytest/__init__.py']],
    ['python -m mypackage', []],
    ['/usr/bin/true', []],
  ])('%s', (command, expected) => expect(names(command)).toEqual(expected));
});

describe('what version 0.1.0 froze of a command', () => {
  const former = (command: string) => formerCommandParts(command).map(partName);
  test.each([
    ['./scripts/check.sh --all', ['scripts/check.sh']],
    ['cd api && node cli.js --help', ['api/cli.js']],
    ['timeout 60 node --import ./hook.mjs cli.js', ['hook.mjs']],
    ['node --test test/a.test.js', []],
    ['sh test/run.sh', []],
    ['python src/main.py', []],
    ['python3 -m pytest', ['pytest.py', 'pytest/__init__.py']],
    ['uv run python check.py', []],
    ['.venv/bin/pytest', ['.venv/bin/pytest']],
    ['make -C sub check', ['target "check" of sub/Makefile']],
    ['test "$(./ci.sh)" = ok', []],
  ])('%s', (command, expected) => expect(former(command)).toEqual(expected));
});

describe('shell words', () => {
  test('quotes, escapes, comments and operators', () => {
    expect(
      simpleCommands(`A=1 echo "a b" 'c;d' e\\ f # g\n(ls | wc -l) && { true; }`).map((c) => c.words),
    ).toEqual([['echo', 'a b', 'c;d', 'e f'], ['ls'], ['wc', '-l'], ['true']]);
  });
  test('where a command writes', () => {
    expect(simpleCommands('echo x > a 2>> "b c" < in; cat <<EOF >d')).toEqual([
      { words: ['echo', 'x', 'in'].filter((w) => w !== 'in').concat('in'), writes: ['a', 'b c'] },
      { words: ['cat', 'EOF'], writes: ['d'] },
    ]);
  });
  test('an open quote ends with the line', () => {
    expect(simpleCommands('echo "abc')[0]?.words).toEqual(['echo', 'abc']);
  });
});

test('the rule of a make target is its line and its recipe', () => {
  const makefile =
    'X := 1\n.PHONY: a\nall: a b\n\ncheck lint: deps\n\tnpm test\n\n\techo done\nother:\n\ttrue\n';
  expect(makeRule(makefile, 'lint')).toBe('check lint: deps\n\tnpm test\n\n\techo done');
  expect(makeRule(makefile, '')).toBe('all: a b');
  expect(makeRule(makefile, 'none')).toBeUndefined();
});

describe('what else of a makefile decides about a target', () => {
  const makefile = [
    'PYTHON ?= python3',
    'TEST = $(PYTHON) -m pytest \\',
    '  -q',
    'SRCS = a.c b.c',
    '.PHONY: test clean',
    'test: $(SRCS)',
    '\t$(TEST)',
    'clean:',
    '\trm -rf out',
  ].join('\n');
  const rule = makeRule(makefile, 'test');

  test.each([
    ['a second recipe, which make prefers', `${makefile}\ntest:\n\t@true\n`],
    ['a variable of the target itself', `${makefile}\ntest: TEST = true\n`],
    ['the variable that holds the command', makefile.replace('-m pytest', '-c pass')],
    ['a variable of that variable', makefile.replace('python3', 'true')],
    ['a variable that is set again', `${makefile}\nTEST = true\n`],
    ['the shell that runs recipes', `SHELL = /bin/true\n${makefile}`],
    ['flags for make', `MAKEFLAGS += -i\n${makefile}`],
    ['failures that do not count', `.IGNORE:\n${makefile}`],
    [
      'a target that a file of its name would satisfy',
      makefile.replace('.PHONY: test clean', '.PHONY: clean'),
    ],
  ])('%s', (_what, changed) => expect(makeRule(changed, 'test')).not.toBe(rule));

  test.each([
    ['another rule', makefile.replace('rm -rf out', 'rm -rf out dist')],
    [
      'a new rule, and its being phony',
      `${makefile}\nlint:\n\truff check\n`.replace('test clean', 'lint test clean'),
    ],
    ['a new source file', makefile.replace('a.c b.c', 'a.c b.c c.c')],
    ['a variable that it does not use', `OUT = out\n${makefile}`],
    ['a failure of another target that does not count', `.IGNORE: clean\n${makefile}`],
  ])('not: %s', (_what, changed) => expect(makeRule(changed, 'test')).toBe(rule));
});
