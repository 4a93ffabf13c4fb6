import { describe, expect, test } from 'vitest';
import { HOME, PROJECT, refused } from '../../../support/core/protected-files.ts';

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
