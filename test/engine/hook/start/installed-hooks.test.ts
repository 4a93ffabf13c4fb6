import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addHooks } from '../../../../src/engine/client/settings/our-hooks.ts';
import { HOOK_LINE, OTHER_TOOLS_LINE } from '../../../../src/engine/home/hook-line.ts';
import { olderLines } from '../../../../src/engine/home/older-lines.ts';
import { hooksWouldRun, warnOldHooks } from '../../../../src/engine/hook/start/installed-hooks.ts';

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
  const old = olderLines().find(([, at]) => at === 'OtherTools')?.[0] ?? '';
  expect(warnings({ PreToolUse: [HOOK_LINE, old], PermissionRequest: [HOOK_LINE] })).toEqual([]);
});

test('whether hooks would run is asked of the home and the settings that the environment names', () => {
  const root = mkdtempSync(join(tmpdir(), 'untildone-hooks-'));
  const project = join(root, 'project');
  const env = { HOME: root, CLAUDE_CONFIG_DIR: join(root, 'config'), UNTILDONE_HOME: join(root, 'home') };
  expect(hooksWouldRun(project, env).held).toBe(false);
  for (const folder of ['config', 'home']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'home/hook.sh'), '# the script\n');
  writeFileSync(join(root, 'config/settings.json'), addHooks(undefined).text);
  expect(hooksWouldRun(project, env)).toEqual({ held: true });
});
