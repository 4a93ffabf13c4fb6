import { describe, expect, test } from 'vitest';
import { commandParts, makeRule, partName } from '../../src/core/command-parts.ts';
import { simpleCommands } from '../../src/core/shell-words.ts';

const names = (command: string) => commandParts(command).map(partName);

describe('what a command leans on', () => {
  test.each([
    [
      'npm test',
      [
        'script "pretest" of package.json',
        'script "test" of package.json',
        'script "posttest" of package.json',
      ],
    ],
    [
      'CI=1 npm run -s lint -- --fix',
      [
        'script "prelint" of package.json',
        'script "lint" of package.json',
        'script "postlint" of package.json',
      ],
    ],
    [
      'cd api && pnpm build',
      [
        'script "prebuild" of api/package.json',
        'script "build" of api/package.json',
        'script "postbuild" of api/package.json',
      ],
    ],
    [
      'yarn --cwd web test',
      [
        'script "pretest" of web/package.json',
        'script "test" of web/package.json',
        'script "posttest" of web/package.json',
      ],
    ],
    ['make -C sub check', ['target "check" of sub/Makefile']],
    ['make', ['target "default" of Makefile']],
    ['./scripts/check.sh --all', ['scripts/check.sh']],
    ['bash ./ci/verify.sh', ['ci/verify.sh']],
    ['timeout 60 node tools/verify.mjs', ['tools/verify.mjs']],
    ['node --test test/a.test.js', []],
    ['python src/main.py', []],
    ['npm ci', []],
    ['pytest -q', []],
    ['/usr/bin/true', []],
  ])('%s', (command, expected) => expect(names(command)).toEqual(expected));
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
