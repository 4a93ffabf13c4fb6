import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveParts, workOf } from '../../../../src/engine/project/facts/command-parts.ts';

const PROGRAM = 'const [a, b] = process.argv.slice(2);\nconsole.log(Number(a) + Number(b));\n';
const PYTHON = 'import sys\nprint(sum(map(int, sys.argv[1:])))\n';
const GREET = '#!/bin/sh\necho "Hello $1"\n';
const CHECK = '#!/bin/sh\nset -e\nmake prog\n';
const ASSERTS = "import assert from 'node:assert';\nassert.equal(1 + 1, 2);\n";

const FILES: Record<string, string> = {
  'package.json': JSON.stringify({
    name: 'x',
    bin: { sum: './sum.js', 'x-lint': 'lint.mjs' },
    scripts: {
      start: 'node serve.js',
      test: 'node one.js && node cli.js --help',
      try: 'node sum.js 1 2',
      hello: './greet.sh Ann',
    },
  }),
  Makefile:
    'check: prog\n\t./ci/all.sh\n\t./greet.sh Ann | grep -q Ann\n\nshow:\n\tpython3 calc.py 1 2\n\nprog:\n\ttrue\n',
  'cli.js': PROGRAM,
  'sum.js': PROGRAM,
  'lint.mjs': PROGRAM,
  'one.js': ASSERTS,
  'demo.js': ASSERTS,
  'hello.js': "console.log('hello');\n",
  'serve.js': "require('node:http').createServer().listen(0);\n",
  'verify.js': ASSERTS,
  'runTests.mjs': "import './a.mjs';\n",
  'test.js': ASSERTS,
  'check.py': 'import calc\nassert calc.sum(1, 2) == 3\n',
  'calc.py': PYTHON,
  'main.py': PYTHON,
  'manage.py': PYTHON,
  'greet.sh': GREET,
  'go.sh': CHECK,
  'run-tests.sh': CHECK,
  'build.sh': CHECK,
  gradlew: '#!/bin/sh\nexec java "$@"\n',
  'bin/greet.sh': GREET,
  'bin/tool': `#!/usr/bin/env node\n${PROGRAM}`,
  'bin/check': CHECK,
  'bin/rails': '#!/usr/bin/env ruby\nARGV\n',
  'scripts/check.sh': '#!/bin/sh\n. ./x\nnode tools/count.mjs\nnode cli.js 1 2\nsh greet.sh Ann\n',
  'scripts/deploy.sh': GREET,
  'tools/count.mjs': PROGRAM,
  'hack/gen.sh': GREET,
  'ci/all.sh': 'npm test\n',
  '.github/verify.sh': CHECK,
  'src/main.py': PYTHON,
  'src/verify.js': PROGRAM,
  'lib/cli.js': PROGRAM,
  'dist/cli.js': PROGRAM,
  'cmd/x/run.js': PROGRAM,
  'test/run.sh': 'for t in test/*_test.sh; do sh "$t"; done\n',
  'test/greet_test.sh': '[ "$(./greet.sh Ann)" = "Hello Ann" ]\n',
  'test/a.test.js': ASSERTS,
  'test/calc.js': ASSERTS,
  'test/run.js': "import './a.test.js';\n",
  'test/index.js': "import './a.test.js';\n",
  'tests/run_tests.py': 'import unittest\nunittest.main()\n',
  'tests/test_calc.py': 'def test_a():\n  assert True\n',
  'setup-env.mjs': "process.env.X = '1';\n",
  prog: '\u007fELF\0\0',
  'node_modules/.bin/jest': '#!/usr/bin/env node\n',
  '.venv/bin/pytest': '#!/usr/bin/python\n',
  'other.js': ASSERTS,
};

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'untildone-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

const isFile = (name: string) => !/^(?:script|target) "|^settings of /.test(name);
const found = (command: string) => ({
  frozen: Object.keys(resolveParts(project, [command])).filter(isFile),
  work: workOf(project, [command]),
});

describe('what a gate leans on: files that define are frozen, files that are the work are not', () => {
  test.each<[command: string, frozen: string[], work: string[]]>([
    // programs that are asked something
    ['node cli.js --help', [], ['cli.js']],
    ['node ./cli.js add --help', [], ['cli.js']],
    ['./bin/tool --version', [], ['bin/tool']],
    ['python3 calc.py -h', [], ['calc.py']],
    ['node validate.js --help', [], ['validate.js']],
    // files that are only read
    ['sh -n bin/greet.sh', [], ['bin/greet.sh']],
    ['bash -n scripts/check.sh', [], ['scripts/check.sh']],
    ['node --check cli.js', [], ['cli.js']],
    ['node -c verify.js', [], ['verify.js']],
    ['ruby -wc bin/tool', [], ['bin/tool']],
    ['perl -c greet.sh', [], ['greet.sh']],
    ['php -l one.js', [], ['one.js']],
    ['python -m py_compile main.py', [], []],
    // programs by their names, their folders and the manifest
    ['python main.py --selftest', [], ['main.py']],
    ['./bin/tool check', [], ['bin/tool']],
    ['node src/verify.js', [], ['src/verify.js']],
    ['python src/main.py', [], ['src/main.py']],
    ['node dist/cli.js 1 2', [], ['dist/cli.js']],
    ['node cmd/x/run.js', [], ['cmd/x/run.js']],
    ['node sum.js 1 2', [], ['sum.js']],
    ['node lint.mjs .', [], ['lint.mjs']],
    ['npm start', [], ['serve.js']],
    ['npm run try', [], ['sum.js']],
    ['go run ./cmd/x', [], []],
    ['cargo run', [], []],
    ['./prog', [], ['prog']],
    // programs by what they do, and by what is done with them
    ['python3 calc.py 1 2', [], ['calc.py']],
    ['make show', [], ['calc.py']],
    ['node hello.js', [], ['hello.js']],
    ['./greet.sh World', [], ['greet.sh']],
    ['./greet.sh | grep -q Hello', [], ['greet.sh']],
    ['test "$(node other.js)" = ok', [], ['other.js']],
    ['test $(node other.js) = ok', [], ['other.js']],
    ['node other.js > out.txt && diff out.txt want.txt', [], ['other.js']],
    ['npm run hello', [], ['greet.sh']],
    // tests: other gates tell whether they were weakened
    ['node --test test/a.test.js', [], ['test/a.test.js']],
    ['node test/calc.js', [], ['test/calc.js']],
    ['python tests/test_calc.py', [], ['tests/test_calc.py']],
    ['sh test/greet_test.sh', [], ['test/greet_test.sh']],
    // checks by their names and folders
    ['sh test/run.sh', ['test/run.sh'], []],
    ['node test/run.js', ['test/run.js'], []],
    ['node test/index.js', ['test/index.js'], []],
    ['python3 tests/run_tests.py', ['tests/run_tests.py'], []],
    ['./scripts/check.sh', ['scripts/check.sh', 'tools/count.mjs'], ['cli.js', 'greet.sh']],
    ['bash scripts/deploy.sh', ['scripts/deploy.sh'], []],
    ['./hack/gen.sh --verify', ['hack/gen.sh'], []],
    ['.github/verify.sh', ['.github/verify.sh'], []],
    ['node verify.js', ['verify.js'], []],
    ['python check.py', ['check.py'], []],
    ['uv run python check.py', ['check.py'], []],
    ['node test.js', ['test.js'], []],
    ['node runTests.mjs', ['runTests.mjs'], []],
    ['./run-tests.sh --fast', ['run-tests.sh'], []],
    ['./build.sh', ['build.sh'], []],
    ['./bin/check', ['bin/check'], []],
    ["sh -c './bin/check && node cli.js 1'", ['bin/check'], ['cli.js']],
    // checks by what they do, and by what leads to them
    ['node demo.js', ['demo.js'], []],
    ['./go.sh', ['go.sh'], []],
    ['npm test', ['one.js'], ['cli.js']],
    ['make check', ['ci/all.sh', 'one.js'], ['cli.js', 'greet.sh']],
    // launchers, installed programs, what is loaded first
    ['./gradlew test', ['gradlew'], []],
    ['python manage.py test', ['manage.py'], []],
    ['bin/rails test', ['bin/rails'], []],
    ['node_modules/.bin/jest', ['node_modules/.bin/jest'], []],
    ['.venv/bin/pytest -q', ['.venv/bin/pytest'], []],
    ['node --import ./setup-env.mjs cli.js 1 2', ['setup-env.mjs'], ['cli.js']],
    // what does not exist cannot be frozen
    ['./missing-check.sh', [], []],
    ['node new.js', [], ['new.js']],
  ])('%s', (command, frozen, work) => expect(found(command)).toEqual({ frozen, work }));
});

test('you have the last word: what you call the work is not frozen', () => {
  const rule = { work: ['verify.js', 'tools/**'] };
  const lines = ['node verify.js', './scripts/check.sh'];
  expect(Object.keys(resolveParts(project, lines, rule))).toEqual(['scripts/check.sh']);
  expect(workOf(project, lines, rule)).toEqual(['verify.js', 'tools/count.mjs', 'cli.js', 'greet.sh']);
});

test('what was frozen once is compared, whatever it looks like now', () => {
  expect(resolveParts(project, ['node cli.js --help'], { frozen: ['cli.js'] })).toEqual({
    'cli.js': PROGRAM,
  });
});
