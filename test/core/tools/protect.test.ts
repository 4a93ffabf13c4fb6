import { describe, expect, test } from 'vitest';
import { personOnlyCommand } from '../../../src/core/tools/protect.ts';
import { HOME, PROJECT, refused } from '../../support/core/protected-files.ts';

describe('tools that write', () => {
  test.each([
    ['Write', { file_path: `${PROJECT}/untildone.yaml`, content: 'x' }],
    ['Edit', { file_path: 'untildone.yaml' }],
    ['MultiEdit', { file_path: './src/../untildone.yaml' }],
    ['Write', { file_path: '~/.untildone/projects/x/loops/l/journal.jsonl' }],
    ['Write', { file_path: `${PROJECT}/.claude/settings.local.json` }],
    ['NotebookEdit', { notebook_path: `${HOME}/.claude/settings.json` }],
    ['Write', { file_path: `${PROJECT}/UNTILDONE.yaml` }],
  ])('%s %j is refused', (tool, input) => {
    expect(refused(tool, input)).toContain('is part of the definition of done and not yours to change');
  });
  test.each([
    ['Write', { file_path: `${PROJECT}/src/untildone.yaml.ts` }],
    ['Write', { file_path: `${PROJECT}/packages/a/untildone.yaml` }],
    ['Write', { file_path: `${HOME}/.untildone-notes/a.md` }],
    ['Edit', { file_path: `${PROJECT}/.claude/agents/review.md` }],
    ['Read', { file_path: `${PROJECT}/untildone.yaml` }],
    ['Grep', { pattern: 'untildone', path: 'untildone.yaml' }],
    ['Write', { file_path: 7 }],
    ['Write', {}],
    ['Bash', {}],
    ['Bash', { command: ['rm', 'untildone.yaml'] }],
    ['constructor', { file_path: 'untildone.yaml' }],
  ])('%s %j is not', (tool, input) => expect(refused(tool, input)).toBeUndefined());
  test('the refusal names what it is about and no way around it', () => {
    expect(refused('Write', { file_path: '~/.untildone/key' })).toBe(
      "untildone: untildone's own folder is part of the definition of done and not yours to change. " +
        'Leave it as it is and do the work itself.',
    );
  });
});

describe('commands that are for a person', () => {
  test.each([
    ['untildone cancel', 'cancel'],
    ['untildone approve plan --note "fine"', 'approve'],
    ['untildone reject', 'reject'],
    ['env -u CLAUDECODE -u CLAUDE_PID untildone approve', 'approve'],
    ['npx untildone approve plan', 'approve'],
    ['node dist/untildone.cjs approve', 'approve'],
    ['node ./node_modules/untildone/dist/untildone.cjs approve', 'approve'],
    ['./node_modules/.bin/untildone approve --loop l1', 'approve'],
    ["sh -c 'sleep 1; untildone approve' &", 'approve'],
    ['untildone --debug cancel l1 --note "x"', 'cancel'],
    ['npx untildone cancel', 'cancel'],
    ['npx -y untildone@latest release', 'release'],
    ['npx --package untildone untildone pause', 'pause'],
    ['npx -p untildone untildone pause', 'pause'],
    ['npm exec -- untildone cancel', 'cancel'],
    ['pnpm dlx untildone cancel', 'cancel'],
    ['pnpm untildone cancel', 'cancel'],
    ['yarn untildone cancel', 'cancel'],
    ['bunx untildone cancel', 'cancel'],
    ['./node_modules/.bin/untildone release', 'release'],
    ['node /opt/untildone/dist/untildone.cjs trust --fingerprint x', 'trust'],
    ['node --no-warnings dist/untildone.cjs uninstall', 'uninstall'],
    ["sh -c 'untildone cancel'", 'cancel'],
    ['bash -lc "cd x && untildone allow deleted:a"', 'allow'],
    ['echo y | untildone trust', 'trust'],
    ['env -u CLAUDECODE -u CLAUDE_PID untildone cancel', 'cancel'],
    ['CLAUDECODE= untildone cancel', 'cancel'],
    ['setsid nohup untildone cancel &', 'cancel'],
    ['echo "$(untildone cancel)"', 'cancel'],
    ['echo `untildone cancel`', 'cancel'],
    ['true; untildone cancel', 'cancel'],
    ['if true; then untildone cancel; fi', 'cancel'],
    ['bash <<EOF\nuntildone cancel\nEOF', 'cancel'],
    ["echo 'untildone cancel' | sh", 'cancel'],
    ['echo l1 | xargs untildone cancel', 'cancel'],
    ['untildone contract update', 'contract update'],
    ['untildone lock off', 'lock off'],
    ['untildone import --from harness --yes', 'import'],
    ['untildone import --from=lock', 'import'],
    ['untildone import --undo', 'import'],
    ['untildone prune --older-than 1d', 'prune'],
    ['untildone trust --show; untildone trust', 'trust'],
    ["un'tildone' can\\cel", 'cancel'],
  ])('%s', (line, command) => expect(personOnlyCommand(line)).toBe(command));

  test.each([
    'echo "untildone cancel"',
    'echo untildone cancel',
    'git commit -m "docs: untildone cancel ends a loop"',
    `git commit -m "$(cat <<'EOF'\nuntildone cancel\nEOF\n)"`,
    'grep -rn "untildone cancel" docs',
    "cat > README.md <<'EOF'\nuntildone cancel\nEOF",
    'printf "untildone release\\n" > notes.md',
    'untildone status',
    'untildone log cancel',
    'untildone start "cancel the order"',
    'untildone resume',
    'untildone verify trust',
    'untildone contract',
    'untildone trust --show',
    'untildone import',
    'untildone prune --dry-run',
    'untildone import --from harness --dry-run',
    'npx untildone verify',
    'cat dist/untildone.cjs cancel.md',
    'npm run cancel',
    'git checkout untildone && git commit --allow-empty -m release',
    'cd untildone && cancel',
    '# untildone cancel',
    'node scripts/release.js',
  ])('not: %s', (line) => expect(personOnlyCommand(line)).toBeUndefined());
});
