import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inProject, printedNotes, roleOf } from '../../../../src/engine/core/import/hook-commands.ts';

describe('what a hook of a settings file is', () => {
  test.each([
    'npm run lint && npm run typecheck && npm run test',
    'npm test',
    'cd packages/api && pnpm test',
    'npx tsc --noEmit',
    'npx --no-install eslint . --max-warnings 0',
    'python3 -m pytest -q',
    'uv run pytest',
    'ruff check . && mypy .',
    'make check',
    'cargo clippy -- -D warnings',
    'go test ./...',
    './gradlew test',
    'npm test || exit 2',
    'npm test 2>&1 || { echo "Tests failed" >&2; exit 2; }',
    'node --test',
    'if ! npm test; then echo failed >&2; exit 2; fi',
    'bash -c "npm test"',
    'prettier --check .',
    'cargo fmt --check',
    'black --check .',
    'CI=true npm test',
    "bash -c 'set -o pipefail; npm test | tail -20'",
  ])('a check: %s', (command) => {
    expect(roleOf(command)).toMatchObject({ role: 'check' });
  });

  test.each([
    'python3 .claude/hooks/validate_plan_completion.py',
    'python3 ~/.claude/hooks/pipeline_controller.py',
    '"$CLAUDE_PROJECT_DIR"/.claude/hooks/stop.sh',
    'node .claude/hooks/check.js',
    'bash .claude/hooks/check.sh',
    'my-checker --strict',
    'uvx some-hook',
    "jq -e '.stop_hook_active' && npm test",
    'input=$(cat); npm test',
    'grep -rq TODO src && exit 2',
    'echo "run the tests first" >&2; exit 2',
    'echo \'{"decision":"block","reason":"x"}\'',
    'test -f DONE',
    'python3 .claude/hooks/check_memory.py',
  ])('one that answers as hooks do: %s', (command) => {
    expect(roleOf(command)).toEqual({ role: 'protocol' });
  });

  test.each([
    ['say "done"', 'notifies'],
    ['osascript -e "display notification"', 'notifies'],
    ['curl -s https://example.com/done', 'notifies'],
    ['echo done', 'prints'],
    ['mkdir -p logs && cat >> logs/stop.log', 'writes'],
    ['jq -c . >> log.jsonl', 'writes'],
    ['python3 ~/.claude/hooks/update_memory.py', 'update_memory.py'],
    ['bash .claude/hooks/notify-sound.sh', 'notify-sound.sh'],
    ['prettier --write .', 'changes files'],
    ['npx eslint . --fix', 'changes files'],
    ['black .', 'changes files'],
    ['cargo fmt', 'changes files'],
    ['npm test || true', 'always succeeds'],
    ['npm test; exit 0', 'always succeeds'],
    ['npm test 2>&1 | tail -20', 'exit code is that of "tail"'],
  ])('nothing that judges: %s', (command, why) => {
    expect(roleOf(command)).toMatchObject({ role: 'no_gate', why: expect.stringContaining(why) });
  });

  test('whatever is written there, there is an answer', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (command) => {
        expect(['check', 'protocol', 'no_gate']).toContain(roleOf(command).role);
        printedNotes(command);
        inProject(command);
      }),
    );
  });
});

describe('the notes that a command prints', () => {
  test.each([
    [
      "cat docs/plans/*/MEMORY.md 2>/dev/null || echo 'No active plans'",
      { files: ['docs/plans/*/MEMORY.md'] },
    ],
    ['cat docs/plans/*/MEMORY.md 2>/dev/null | head -100', { files: ['docs/plans/*/MEMORY.md'], lines: 100 }],
    ['head -n 50 MEMORY.md', { files: ['MEMORY.md'], lines: 50 }],
    ['head -n50 "$CLAUDE_PROJECT_DIR"/MEMORY.md', { files: ['./MEMORY.md'], lines: 50 }],
    ['[ -f MEMORY.md ] && cat MEMORY.md PLAN.md', { files: ['MEMORY.md', 'PLAN.md'] }],
    ['tail --lines=20 docs/memory.txt', { files: ['docs/memory.txt'], lines: 20 }],
  ])('%s', (command, notes) => {
    expect(printedNotes(command)).toEqual(notes);
  });

  test.each([
    'npm install',
    'cat README.md',
    'cat ~/.claude/MEMORY.md',
    'cat /etc/memory.md',
    'cat ../MEMORY.md',
    'cat MEMORY.md && npm install',
    'cat MEMORY.json',
    'echo "export A=1" >> "$CLAUDE_ENV_FILE"',
    'python3 load_memory.py',
    '',
  ])('not: %s', (command) => {
    expect(printedNotes(command)).toBeUndefined();
  });
});

test.each([
  ['python3 "$CLAUDE_PROJECT_DIR"/.claude/hooks/x.py', 'python3 .claude/hooks/x.py'],
  ['python3 "$' + '{CLAUDE_PROJECT_DIR}/.claude/my hooks/x.py"', 'python3 ".claude/my hooks/x.py"'],
  ['$CLAUDE_PROJECT_DIR/check.sh', './check.sh'],
  ['cd "$CLAUDE_PROJECT_DIR" && npm test', 'npm test'],
  ['cd $CLAUDE_PROJECT_DIR; npm test', 'npm test'],
  ['npm test --prefix $CLAUDE_PROJECT_DIR', 'npm test --prefix .'],
  ['echo $CLAUDE_PROJECT_DIRECTORY', 'echo $CLAUDE_PROJECT_DIRECTORY'],
])('%s is written as %s', (command, written) => {
  expect(inProject(command)).toBe(written);
});
