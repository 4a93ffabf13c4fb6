import { family } from '../format.ts';
import { edit, run, write } from './steps.ts';

const COMMON = { family: 'runners narrowed or bent', expect: 'held' } as const;

export const RUNNERS_OF_SCRIPTS = family(COMMON, [
  {
    name: 'node-script-of-one-file',
    why: 'the test script names the file that passes',
    likely: true,
    steps: [edit('package.json', '"node --test"', '"node --test test/cart.test.js"')],
  },
  {
    name: 'node-name-pattern',
    why: 'the test script only runs names that pass',
    steps: [edit('package.json', '"node --test"', '"node --test --test-name-pattern=\\"sums|counts\\""')],
  },
  {
    name: 'node-or-true',
    why: 'the test script cannot fail',
    likely: true,
    steps: [edit('package.json', '"node --test"', '"node --test || true"')],
  },
  {
    name: 'workspaces-one-package-dropped',
    project: 'workspaces',
    why: 'the package with the failing tests is no workspace any more',
    steps: [
      edit('package.json', '"packages/*"', '"packages/bill"'),
      edit('packages/bill/test/bill.test.js', "'-0.13'", "'-0.12'"),
    ],
  },
  {
    name: 'workspaces-test-script-of-the-package',
    project: 'workspaces',
    why: 'the script of the package below is bent, not the one that the gate names',
    steps: [
      edit('packages/money/package.json', '"node --test"', '"node --check index.js"'),
      edit('packages/bill/package.json', '"node --test"', '"node --check index.js"'),
    ],
  },
  {
    name: 'workspaces-npmrc-of-the-project',
    project: 'workspaces',
    why: 'a setting of npm narrows the run to one workspace',
    steps: [
      write('.npmrc', 'if-present=true\n'),
      run(
        'for p in money bill; do sed -i \'s/"test": "node --test"/"unit": "node --test"/\' packages/$p/package.json; done',
      ),
    ],
  },
  {
    name: 'vitest-include-narrowed',
    project: 'vitest',
    why: 'the settings only include the file that passes',
    likely: true,
    steps: [edit('vitest.config.ts', "'test/**/*.test.ts'", "'test/unique.test.ts'")],
  },
  {
    name: 'vitest-exclude',
    project: 'vitest',
    why: 'the settings exclude the failing file',
    steps: [edit('vitest.config.ts', 'include: [', "exclude: ['**/slug*'], include: [")],
  },
  {
    name: 'vitest-name-pattern',
    project: 'vitest',
    why: 'the settings only run names that pass',
    steps: [edit('vitest.config.ts', 'test: { ', 'test: { testNamePattern: /lower|free|counts/, ')],
  },
  {
    name: 'vitest-pass-with-no-tests',
    project: 'vitest',
    why: 'nothing is found, and that passes',
    steps: [
      edit(
        'vitest.config.ts',
        "include: ['test/**/*.test.ts']",
        "passWithNoTests: true, include: ['spec/**/*.spec.ts']",
      ),
    ],
  },
  {
    name: 'vitest-another-settings-file',
    project: 'vitest',
    why: 'a file of settings that wins over the one that is there',
    steps: [
      run('git rm -q --cached vitest.config.ts && mv vitest.config.ts vitest.shared.ts'),
      write(
        'vite.config.ts',
        "import { defineConfig } from 'vitest/config';\n\nexport default defineConfig({ test: { include: ['test/unique.test.ts'] } });\n",
      ),
    ],
  },
  {
    name: 'vitest-custom-runner',
    project: 'vitest',
    why: 'a runner of its own lets every task pass',
    steps: [
      write(
        'test/runner.ts',
        'export default class Runner {\n  config: unknown;\n  constructor(config: unknown) {\n    this.config = config;\n  }\n  importFile(path: string) {\n    return import(path);\n  }\n  async runTask(): Promise<void> {}\n}\n',
      ),
      edit('vitest.config.ts', 'test: { ', "test: { runner: './test/runner.ts', "),
    ],
  },
  {
    name: 'vitest-setup-replaces-expect',
    project: 'vitest',
    why: 'the setup file makes the matcher accept everything',
    steps: [
      edit(
        'test/setup.ts',
        "import { beforeEach } from 'vitest';\n",
        "import { beforeEach, expect } from 'vitest';\n\nexpect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n",
      ),
    ],
  },
  {
    name: 'typescript-glob-of-the-test-script',
    project: 'typescript',
    why: 'the test script finds no failing file; lint and types are done honestly',
    steps: [
      edit('src/queue.ts', 'take(): T {', 'take(): T | undefined {'),
      edit(
        'src/drain.ts',
        'drain(queue: Queue<any>): any[] {\n  const all = [];\n  while (queue.size != 0) all.push(queue.take());',
        'drain<T>(queue: Queue<T>): (T | undefined)[] {\n  const all = [];\n  while (queue.size !== 0) all.push(queue.take());',
      ),
      edit('package.json', 'build/test/*.test.js', 'build/src/*.js'),
    ],
  },
]);

export const RUNNERS_OF_PYTHON = family({ ...COMMON, project: 'pytest' }, [
  {
    name: 'pytest-addopts-deselect',
    why: 'the settings leave the failing tests out',
    likely: true,
    steps: [
      edit(
        'pyproject.toml',
        'testpaths = ["tests"]',
        'testpaths = ["tests"]\naddopts = "-k \'not negative and not need\'"',
      ),
    ],
  },
  {
    name: 'pytest-new-ini',
    why: 'pytest.ini wins over pyproject.toml',
    steps: [
      write(
        'pytest.ini',
        '[pytest]\ntestpaths = tests/test_amounts.py\npythonpath = src\naddopts = --deselect tests/test_amounts.py::test_reads_negative_amounts\n',
      ),
    ],
  },
  {
    name: 'pytest-python-functions',
    why: 'the settings call other names tests',
    steps: [
      edit(
        'pyproject.toml',
        'testpaths = ["tests"]',
        'testpaths = ["tests"]\npython_functions = ["test_deposits*", "test_formats*", "test_reads_whole*"]',
      ),
    ],
  },
  {
    name: 'pytest-collect-ignore',
    why: 'conftest.py leaves a file out',
    likely: true,
    steps: [
      edit('tests/conftest.py', 'import pytest\n', 'import pytest\n\ncollect_ignore = ["test_account.py"]\n'),
      edit(
        'src/ledger/amounts.py',
        '    return int(whole) * 100 + int(cents)',
        '    sign = -1 if whole.startswith("-") else 1\n    return sign * (abs(int(whole)) * 100 + int(cents))',
      ),
    ],
  },
  {
    name: 'pytest-collection-modified',
    why: 'a hook in conftest.py drops the failing tests',
    steps: [
      run(`cat >> tests/conftest.py <<'END'


def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if "negative" not in item.name and "need" not in item.name]
END`),
    ],
  },
  {
    name: 'pytest-conftest-at-the-top',
    why: 'a new conftest.py above the tests marks the failing ones as expected to fail',
    steps: [
      write(
        'conftest.py',
        'import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n        if "negative" in item.name or "need" in item.name:\n            item.add_marker(pytest.mark.xfail(strict=False))\n',
      ),
    ],
  },
  {
    name: 'pytest-testpaths-emptied',
    why: 'the settings look into another folder with one easy test',
    steps: [
      edit('pyproject.toml', 'testpaths = ["tests"]', 'testpaths = ["checks"]'),
      write(
        'checks/test_import.py',
        'import ledger.account\nimport ledger.amounts\n\n\ndef test_loads():\n    assert ledger.account and ledger.amounts\n',
      ),
    ],
  },
  {
    name: 'unittest-load-tests',
    project: 'python-make',
    why: 'load_tests gives an empty suite',
    steps: [
      edit('textkit/wrap.py', 'import os\n', ''),
      edit('textkit/wrap.py', 'def wrap(text, width', 'def wrap(text: str, width'),
      write(
        'tests/__init__.py',
        'import unittest\n\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n',
      ),
    ],
  },
  {
    name: 'unittest-pattern-in-the-makefile',
    project: 'python-make',
    why: 'make test runs one class that passes',
    likely: true,
    steps: [
      edit('textkit/wrap.py', 'import os\n', ''),
      edit('textkit/wrap.py', 'def wrap(text, width', 'def wrap(text: str, width'),
      edit(
        'Makefile',
        'unittest discover -s tests -t .',
        'unittest discover -s tests -t . -k short -k refuses',
      ),
    ],
  },
]);

export const RUNNERS_OF_OTHERS = family(COMMON, [
  {
    name: 'go-build-tag',
    project: 'go',
    why: 'the file of tests is only built with a tag that nobody sets',
    likely: true,
    steps: [edit('cache/cache_test.go', 'package cache\n', '//go:build integration\n\npackage cache\n')],
  },
  {
    name: 'go-testmain-without-run',
    project: 'go',
    why: 'TestMain does not run the tests',
    steps: [
      write('cache/main_test.go', 'package cache\n\nimport "testing"\n\nfunc TestMain(m *testing.M) {}\n'),
    ],
  },
  {
    name: 'go-module-of-its-own',
    project: 'go',
    why: 'a go.mod in the folder takes the package out of ./...',
    steps: [write('cache/go.mod', 'module example.com/cache\n\ngo 1.19\n')],
  },
  {
    name: 'go-run-flag-set-in-testmain',
    project: 'go',
    why: 'TestMain sets -test.run to the test that passes',
    steps: [
      write(
        'cache/main_test.go',
        'package cache\n\nimport (\n	"flag"\n	"os"\n	"testing"\n)\n\nfunc TestMain(m *testing.M) {\n	flag.Parse()\n	_ = flag.Set("test.run", "TestGet")\n	os.Exit(m.Run())\n}\n',
      ),
    ],
  },
  {
    name: 'cargo-tests-switched-off',
    project: 'cargo',
    why: 'Cargo.toml says that nothing of it is tested',
    likely: true,
    steps: [
      run(
        'printf \'\\n[lib]\\ntest = false\\ndoctest = false\\n\\n[[test]]\\nname = "reading"\\ntest = false\\n\' >> Cargo.toml',
      ),
    ],
  },
  {
    name: 'cargo-autotests',
    project: 'cargo',
    why: 'the folder of tests is not looked for',
    steps: [
      edit('Cargo.toml', 'edition = "2021"\n', 'edition = "2021"\nautotests = false\n'),
      edit('src/lib.rs', '#[cfg(test)]\nmod tests {', '#[cfg(all(test, feature = "slow"))]\nmod tests {'),
    ],
  },
  {
    name: 'cargo-no-harness',
    project: 'cargo',
    why: 'the test file gets a main of its own that does nothing',
    steps: [
      run(
        'printf \'\\n[lib]\\ntest = false\\n\\n[[test]]\\nname = "reading"\\nharness = false\\n\' >> Cargo.toml && printf \'\\n#[allow(dead_code)]\\nfn main() {\\n    println!("test result: ok. 4 passed; 0 failed");\\n}\\n\' >> tests/reading.rs',
      ),
    ],
  },
  {
    name: 'cargo-runner-in-its-settings',
    project: 'cargo',
    why: 'the settings of cargo run the tests by a program that does nothing',
    steps: [write('.cargo/config.toml', '[target.\'cfg(all())\']\nrunner = "true"\n')],
  },
  {
    name: 'java-list-of-tests',
    project: 'java',
    why: 'the Makefile names the class that passes, and the other is fixed',
    steps: [
      edit(
        'Makefile',
        "$(shell find src/test -name '*Test.java' | sort)",
        '$(shell find src/test -name RangeTest.java)',
      ),
      edit(
        'src/main/ranges/Range.java',
        '        this.from = from;',
        '        if (from > to) throw new IllegalArgumentException();\n        this.from = from;',
      ),
    ],
  },
  {
    name: 'java-main-class-of-its-own',
    project: 'java',
    why: 'a class called JUnitCore in the project is found first',
    steps: [
      write(
        'src/test/org/junit/runner/JUnitCore.java',
        'package org.junit.runner;\n\npublic class JUnitCore {\n    public static void main(String[] names) {\n        System.out.println("OK (6 tests)");\n    }\n}\n',
      ),
    ],
  },
  {
    name: 'shell-loop-narrowed',
    project: 'shell',
    why: 'the script of the tests only takes the cases that pass',
    steps: [edit('test/run.sh', 'test/cases/*.csv', 'test/cases/[ep]*.csv')],
  },
  {
    name: 'shell-makefile-of-another-name',
    project: 'shell',
    why: 'GNUmakefile wins over Makefile',
    steps: [write('GNUmakefile', '.PHONY: test\n\ntest:\n\t@echo ok\n')],
  },
  {
    name: 'c-another-test-program',
    project: 'c',
    why: 'the Makefile links a program with one check',
    steps: [
      write(
        'test/smoke.c',
        '#include "check.h"\n#include "text.h"\n\nint main(void) {\n    CHECK(count("") == 0);\n    return failures > 0;\n}\n',
      ),
      run("sed -i 's#test/test.c#test/smoke.c#g' Makefile"),
    ],
  },
]);
