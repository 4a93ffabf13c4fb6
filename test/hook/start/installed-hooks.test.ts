import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOOK_LINE, OTHER_TOOLS_LINE } from '../../../src/home/hook-line.ts';
import { warnOldHooks } from '../../../src/hook/start/installed-hooks.ts';

function warnings(hooks: Record<string, string[]>): string[] {
  const project = mkdtempSync(join(tmpdir(), 'untildone-hooks-'));
  const groups = Object.entries(hooks).map(([event, lines]) => [
    event,
    [{ hooks: lines.map((command) => ({ type: 'command', command })) }],
  ]);
  mkdirSync(join(project, '.claude'));
  writeFileSync(
    join(project, '.claude/settings.json'),
    JSON.stringify({ hooks: Object.fromEntries(groups) }),
  );
  const said: string[] = [];
  warnOldHooks(project, { HOME: project, CLAUDE_CONFIG_DIR: join(project, 'none') }, (line) =>
    said.push(line),
  );
  return said;
}

test('hooks from before there were tool rules are told of', () => {
  expect(warnings({ PreToolUse: [HOOK_LINE], Stop: [HOOK_LINE] })).toEqual([
    expect.stringContaining('untildone install'),
  ]);
});

test('hooks of today are not, nor is a project without any', () => {
  expect(warnings({ PreToolUse: [HOOK_LINE, OTHER_TOOLS_LINE], PermissionRequest: [HOOK_LINE] })).toEqual([]);
  expect(warnings({ Stop: ['echo mine'] })).toEqual([]);
});
