import { describe, expect, test } from 'vitest';
import { lineEvents } from '../../../../src/read/reflect/audit/check-runs.ts';

/** What a line tells when its call ends well or badly: results of its checks, and `edit` for what it edits. */
function told(command: string, well: boolean | 'not seen' = true, output = ''): string[] {
  const end = { well: well === 'not seen' ? undefined : well, output };
  const events = lineEvents({ command, file: 0, line: 1 }, end);
  return events.map((event) => {
    if ('edits' in event) return `edit ${event.edits.join(' ')}`;
    const { result, narrow, masking, kinds } = event.run;
    return [kinds.join('+'), result, ...(narrow ? ['narrow'] : []), ...(masking ? [masking] : [])].join(' ');
  });
}

describe('a check whose exit code is that of the line passes and fails with it', () => {
  test.each<[string, string]>([
    ['npm test', 'tests'],
    ['npm t', 'tests'],
    ['cd app && npm test', 'tests'],
    ['cd app; npm run lint', 'lint'],
    ['npm run test:unit -- --coverage', 'tests'],
    ['pnpm -C web run typecheck', 'types'],
    ['pnpm --filter web test', 'tests'],
    ['yarn build', 'build'],
    ['yarn vitest run', 'tests'],
    ['bun test', 'tests'],
    ['npx vitest run 2>&1', 'tests'],
    ['npx --yes jest --ci > /dev/null', 'tests'],
    ['npx tsc --noEmit &> tsc.log', 'types'],
    ['CI=1 node --test', 'tests'],
    ['node --test "test/**/*.test.js"', 'tests'],
    ['./node_modules/.bin/eslint .', 'lint'],
    ['node node_modules/.bin/eslint src', 'lint'],
    ['npx biome check .', 'lint'],
    ['npx prettier --check .', 'format'],
    ['pytest', 'tests'],
    ['python -m pytest -q tests', 'tests'],
    ['uv run pytest', 'tests'],
    ['poetry run mypy src', 'types'],
    ['python3 manage.py test', 'tests'],
    ['ruff check . && mypy .', 'lint+types'],
    ['go test ./...', 'tests'],
    ['go vet ./...', 'lint'],
    ['cargo test', 'tests'],
    ['cargo +nightly clippy -- -D warnings', 'lint'],
    ['cargo fmt --check', 'format'],
    ['mvn -q verify', 'all'],
    ['./gradlew test', 'tests'],
    ['./gradlew :app:testDebugUnitTest :app:lint', 'lint'],
    ['make test', 'tests'],
    ['make -C build -j 8', 'build'],
    ['make check', 'all'],
    ['just ci', 'all'],
    ['bundle exec rspec', 'tests'],
    ['bin/rails test', 'tests'],
    ['vendor/bin/phpunit', 'tests'],
    ['php artisan test', 'tests'],
    ['composer test', 'tests'],
    ['dotnet test', 'tests'],
    ['ctest --test-dir build', 'tests'],
    ['bats test', 'tests'],
    ['deno test', 'tests'],
    ['mix test', 'tests'],
    ['swift test', 'tests'],
    ['flutter analyze', 'lint'],
    ['tox', 'all'],
    ['pre-commit run --all-files', 'all'],
    ['./scripts/test.sh', 'tests'],
    ['bash scripts/check-all.sh', 'all'],
    ['docker compose run --rm app npm test', 'tests'],
    ['docker exec -it web pytest', 'tests'],
    ['timeout 300 npm test', 'tests'],
    ['time npm test', 'tests'],
    ['nice -n 10 make test', 'tests'],
    ['(cd app && npm test)', 'tests'],
    ['{ npm test; }', 'tests'],
    ['bash -c "npm test"', 'tests'],
    ['set -e; npm test; echo done', 'tests'],
    ['set -o pipefail; npm test | tee log.txt', 'tests'],
    ['set -euo pipefail\nnpm test 2>&1 | tail -5', 'tests'],
    ['bash -o pipefail -c "npm test | tail"', 'tests'],
    ['npm test || exit 1', 'tests'],
    ['npm test || { echo broken; exit 1; }', 'tests'],
    ['npm test; exit $?', 'tests'],
    ['npm test | tail -3; exit $' + '{PIPESTATUS[0]}', 'tests'],
    ['npm test > out.log 2>&1; code=$?; tail out.log; exit $code', 'tests'],
    ['if ! npm test; then echo no; exit 1; fi', 'tests'],
    ['npm test & wait $!', 'tests'],
    ['out=$(npm test 2>&1)', 'tests'],
    ['yes | npm test', 'tests'],
    ['npx untildone verify', 'all'],
  ])('%s', (command, kinds) => {
    expect(told(command)).toEqual([`${kinds} passed`]);
    expect(told(command, false)).toEqual([`${kinds} failed`]);
  });
});

describe('a check is masked by', () => {
  test.each<[string, string]>([
    ['npm test | tail -20', 'pipe'],
    ['npm test 2>&1 | head -50', 'pipe'],
    ['npm test 2>&1 | grep -E "pass|fail"', 'pipe'],
    ['npm test 2>&1 | tee test.log', 'pipe'],
    ['cd app && pytest -q |& tail', 'pipe'],
    ['(npm test) | cat', 'pipe'],
    ['npm test || true', 'or'],
    ['npm test || :', 'or'],
    ['npm test 2>/dev/null || echo failed', 'or'],
    ['npm test && echo PASS || echo FAIL', 'or'],
    ['npm test || exit 0', 'exit_zero'],
    ['npm test; echo done', 'later_command'],
    ['npm test; true', 'later_command'],
    ['npm test\ngit status', 'later_command'],
    ['set +e; npm test; git status', 'later_command'],
    ['set -e; set +e; npm test; ls', 'later_command'],
    ['npm test; exit 0', 'exit_zero'],
    ['npm test > log 2>&1; tail -5 log', 'later_command'],
    ['if npm test; then echo good; fi', 'if'],
    ['if npm test; then echo good; else echo bad; fi', 'if'],
    ['while npm test; do sleep 1; done', 'loop'],
    ['for i in 1 2 3; do npm test; done', 'loop'],
    ['! npm test', 'negated'],
    ['npm test &', 'background'],
    ['npm test & echo started', 'background'],
    ['nohup npm test > log 2>&1 &', 'background'],
    ['echo "$(npm test)"', 'substitution'],
    ['echo $(npm test)', 'substitution'],
    ["trap 'exit 0' EXIT; npm test", 'trap'],
    ['test -d dist || npm run build', 'may_not_run'],
    ['bash -c "npm test | tail"', 'pipe'],
    ['eval "npm test || true"', 'or'],
    ['timeout 5 npm test || true', 'or'],
    ['npx jest --passWithNoTests', 'no_tests_is_fine'],
    ['npm run test --if-present', 'no_tests_is_fine'],
    ['pytest --collect-only', 'dry_run'],
    ['make -n test', 'dry_run'],
    ['cargo test --no-run', 'dry_run'],
    ['npx jest --listTests', 'dry_run'],
    ["go test -run '^$' ./...", 'dry_run'],
    ['npm test --dry-run', 'dry_run'],
    ['pylint src --exit-zero', 'errors_are_fine'],
    ['make -i test', 'errors_are_fine'],
    ['mvn package -DskipTests', 'tests_skipped'],
    ['./gradlew build -x test', 'tests_skipped'],
    ['git commit --no-verify -m "done"', 'hooks_skipped'],
    ['git commit -nm done', 'hooks_skipped'],
    ['HUSKY=0 git commit -m done', 'hooks_skipped'],
  ])('%s', (command, masking) => {
    expect(told(command).at(-1)).toMatch(new RegExp(`^\\S+ masked (?:narrow )?${masking}$`));
  });

  test('a result that was not seen', () => {
    expect(told('npm test', 'not seen')).toEqual(['tests masked no_result']);
  });

  test('nothing, when the failure comes through all the same', () => {
    expect(told('npx jest --passWithNoTests', false)).toEqual(['tests failed']);
  });
});

describe('an exit code that the line prints tells', () => {
  test.each<[string, string, string]>([
    ['npm test; echo "exit: $?"', 'ok\nexit: 0', 'tests passed'],
    ['npm test; echo "exit: $?"', 'not ok\nexit: 1', 'tests failed'],
    ['npm test; echo $?', 'bad\n1', 'tests failed'],
    ['npm test > log; echo EXIT=$' + '{?}', 'EXIT=0', 'tests passed'],
    ['npm test; echo "exit: $?"', 'cut off', 'tests masked later_command'],
    ['npm test | tail; echo "exit: $?"', 'exit: 0', 'tests masked pipe'],
  ])('%s with %j', (command, output, expected) => {
    expect(told(command, true, output)).toEqual([expected]);
  });
});

describe('a narrower run', () => {
  test.each([
    'npx vitest run src/a.test.ts',
    'npx jest -t "adds"',
    'npm test -- --grep adds',
    'npm test -- src/a.test.js',
    'pytest tests/test_a.py::test_b',
    'pytest -k login',
    'npx mocha -g adds',
    'node --test test/a.test.js',
    'go test ./pkg/a',
    'go test -run TestA ./...',
    'cargo test parser',
    'cargo test -p core',
    'mvn test -Dtest=FooTest',
    './gradlew test --tests Foo',
    'dotnet test --filter Name=Foo',
    'bundle exec rspec spec/a_spec.rb:12',
    'vendor/bin/phpunit --filter testA',
    'npx eslint src/a.ts',
    'mypy src/a.py',
    'bats test/a.bats',
    'ctest -R parser',
  ])('%s', (command) => {
    expect(told(command)).toEqual([expect.stringMatching(/ passed narrow$/)]);
  });
});

describe('no check', () => {
  test.each([
    'ls -la',
    'git status',
    'npm install',
    'npm ci',
    'npm run dev',
    'npm run test:watch',
    'npx vitest --watch',
    'npx jest --version',
    'tsc --help',
    'npm run format',
    'npx prettier --write .',
    'echo "npm test"',
    'grep -rn "npm test" docs',
    'cat test/a.test.ts',
    "git commit -m 'run npm test'",
    'node server.js',
    'python app.py',
    'python -c "print(1)"',
    'npm view vitest',
    'docker ps',
    'which pytest',
    'cat <<EOF\nnpm test\nEOF',
    '# npm test',
    'npm publish --dry-run',
  ])('%s', (command) => {
    expect(told(command).filter((line) => !line.startsWith('edit'))).toEqual([]);
  });
});

describe('edits that are certain', () => {
  test.each<[string, string[]]>([
    ["sed -i 's/a/b/' src/a.ts && npm test", ['edit src/a.ts', 'tests passed']],
    ["npm test && sed -i 's/a/b/' src/a.ts", ['tests passed', 'edit src/a.ts']],
    ['cat > src/b.ts <<EOF\nx\nEOF', ['edit src/b.ts']],
    ['echo x >> .gitignore', ['edit .gitignore']],
    ['mv a.ts b.ts', ['edit b.ts b.ts/a.ts a.ts']],
    ['git apply fix.diff', ['edit (git apply)']],
    ['npm test > test.log', ['tests passed']],
    ['cat a.ts > /tmp/a.ts', []],
    ['echo hi > /dev/null', []],
    ['rm -rf dist coverage', []],
    ['ls > files.log', []],
    ['mkdir -p src/new', []],
  ])('%s', (command, expected) => {
    expect(told(command)).toEqual(expected);
  });

  test('are none when the command failed', () => {
    expect(told("sed -i 's/a/b/' missing.ts", false)).toEqual([]);
  });
});
