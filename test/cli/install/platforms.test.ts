import { expect, test } from 'vitest';
import { shellProblem } from '../../../src/cli/install/commands.ts';
import { executableName } from '../../../src/engine/client/sdk/find-client.ts';
import { managedFolder } from '../../../src/engine/client/settings/would-run.ts';
import { desktopCall } from '../../../src/engine/hook/wiring/notifier.ts';

const nothing = { env: { PATH: '' }, isFile: () => false };

test('Windows without the bash of Git is named before anybody relies on the hooks', () => {
  expect(shellProblem({ platform: 'win32', ...nothing })).toContain('Install Git for Windows');
  const env = { CLAUDE_CODE_GIT_BASH_PATH: 'C:\\bash.exe' };
  expect(shellProblem({ platform: 'win32', env, isFile: () => true })).toBeUndefined();
  for (const platform of ['linux', 'darwin'] as const)
    expect(shellProblem({ platform, ...nothing })).toBeUndefined();
});

test('each system has its own names for the client, its managed settings and its desktop', () => {
  const message = { event: 'ended', loop: 'l', title: "it's done", text: '-e evil' } as Parameters<
    typeof desktopCall
  >[0];
  const rows = (['linux', 'darwin', 'win32'] as const).map((platform) => [
    executableName(platform),
    managedFolder(platform),
    desktopCall(message, platform)?.[0],
  ]);
  expect(rows).toEqual([
    ['claude', '/etc/claude-code', 'notify-send'],
    ['claude', '/Library/Application Support/ClaudeCode', 'osascript'],
    ['claude.exe', 'C:\\Program Files\\ClaudeCode', undefined],
  ]);
  for (const platform of ['linux', 'darwin'] as const)
    expect(desktopCall(message, platform)?.slice(-2)).toEqual([message.title, message.text]);
});
