import { expect, test } from 'vitest';
import {
  isDependencyFile,
  isRunnerSetting,
  isSharedSetting,
  isUsualTest,
  testPaths,
} from '../../../../src/engine/core/proof/test-places.ts';

test.each(
  `test/a.js tests/a.py spec/a_spec.rb src/a.test.ts src/a.spec.tsx src/__tests__/a.js pkg/a_test.go test_a.py a_test.py
  tests.py conftest.py src/test/java/A.java src/main/java/ATest.java TestA.java tests/it.rs __snapshots__/a.snap
  src/__snapshots__/a.test.js.snap testdata/in.txt pkg/testdata/x fixtures/a.json test/fixtures/a.json My.Tests/A.cs
  Tests/ATests.swift a_test.exs ATest.php a.bats features/login.feature e2e/a.ts cypress/a.cy.js test.js test-a.mjs
  src/a.test-d.ts spec/spec_helper.rb t/a.t a_test.cc ATests.kt out.approved.txt`.split(/\s+/),
)('%s is a test', (path) => {
  expect(isUsualTest(path)).toBe(true);
});

test.each(
  `src/index.ts src/latest.js src/contest.py lib/attest.rb src/testing.ts api-spec.yaml openapi-spec.json src/main/java/A.java
  cmd/main.go src/lib.rs protest.go src/specification.ts package.json README.md src/inspect.js src/fastest/a.js`.split(
    /\s+/,
  ),
)('%s is no test', (path) => {
  expect(isUsualTest(path)).toBe(false);
});

test.each(
  `vitest.config.ts pkg/jest.config.js jest.setup.ts .mocharc.yml pytest.ini tox.ini sitecustomize.py src/usercustomize.py
  pytest.py unittest/__init__.py .rspec phpunit.xml.dist karma.conf.js playwright.config.ts .cargo/config.toml .mvn/maven.config
  .npmrc node_modules/.bin/vitest setupTests.ts noxfile.py .coveragerc Rakefile tsconfig.test.json vitest.workspace.ts
  gradle.properties bunfig.toml .nycrc.json test-setup.js cypress.config.ts .env.test`.split(/\s+/),
)('%s decides how tests run', (path) => {
  expect(isRunnerSetting(path)).toBe(true);
});

test.each(
  'package.json src/config.ts tsconfig.json src/setup.ts Cargo.toml src/unit.py .env Makefile'.split(' '),
)('%s does not, or not alone', (path) => {
  expect(isRunnerSetting(path)).toBe(false);
});

test('settings of code and tests, and files of dependencies', () => {
  expect(['vite.config.ts', 'a/babel.config.js', '.swcrc', 'nx.json'].every(isSharedSetting)).toBe(true);
  expect(
    ['package.json', 'a/go.mod', 'Cargo.lock', 'requirements-dev.txt', 'pom.xml'].every(isDependencyFile),
  ).toBe(true);
  expect(['src/a.ts', 'vite.config.ts'].some(isDependencyFile)).toBe(false);
});

test('the contract may say which files are tests', () => {
  const isTest = testPaths(['checks/**']);
  expect([isTest('checks/a.js'), isTest('test/a.js')]).toEqual([true, false]);
});
