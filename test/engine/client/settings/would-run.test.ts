import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addHooks } from '../../../../src/engine/client/settings/our-hooks.ts';
import { hooksWouldRunAt, type Obstacle } from '../../../../src/engine/client/settings/would-run.ts';
import { installPlugin } from '../../../support/client/settings-text.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'untildone-would-run-'));
  write('home/hook.sh', '# the script\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const FILES = {
  user: 'config/settings.json',
  project: 'project/.claude/settings.json',
  local: 'project/.claude/settings.local.json',
  managed: 'managed/managed-settings.json',
  drop: 'managed/managed-settings.d/10-hooks.json',
};

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

type Files = Partial<Record<keyof typeof FILES, unknown>>;

function stateWith(files: Files, clientVersion?: string) {
  for (const [scope, settings] of Object.entries(files))
    write(
      FILES[scope as keyof typeof FILES],
      typeof settings === 'string' ? settings : JSON.stringify(settings),
    );
  return hooksWouldRunAt({
    project: join(root, 'project'),
    home: join(root, 'home'),
    claudeConfigDir: join(root, 'config'),
    managed: join(root, 'managed'),
    clientVersion,
    env: { UNTILDONE_HOME: '/as/here' },
  });
}

const installed = JSON.parse(addHooks(undefined).text) as { hooks: Record<string, unknown> };
const OFF = { disableAllHooks: true };
const ON = { disableAllHooks: false };

// As Claude Code 2.1.325 was measured: the strongest scope that names the switch decides.
test.each<[string, Files]>([
  ['user', { user: installed }],
  ['project', { project: installed }],
  ['local', { local: installed }],
  ['managed', { managed: installed }],
  ['project, switched off there and on again in local', { project: { ...installed, ...OFF }, local: ON }],
  ['project, switched off for the user and on again here', { project: { ...installed, ...ON }, user: OFF }],
  ['a file with a byte order mark', { project: `\uFEFF${JSON.stringify(installed)}` }],
  ['a switch that is no boolean decides nothing', { project: installed, local: { disableAllHooks: 'true' } }],
  ['managed, where only managed hooks run', { managed: { ...installed, allowManagedHooksOnly: true } }],
])('hooks of %s run', (_, files) => {
  expect(stateWith(files)).toEqual({ held: true });
});

test.each<[string, Files, Obstacle, string]>([
  ['nothing is installed', {}, 'not_installed', 'no hooks of untildone are installed'],
  [
    'local switches off',
    { project: installed, local: OFF },
    'hooks_disabled',
    '"disableAllHooks" is true in',
  ],
  ['the user switches off', { project: installed, user: OFF }, 'hooks_disabled', 'config/settings.json'],
  [
    'the file itself switches off',
    { project: { ...installed, ...OFF } },
    'hooks_disabled',
    '.claude/settings.json; remove it',
  ],
  [
    'local beats project',
    { user: installed, project: ON, local: OFF },
    'hooks_disabled',
    'settings.local.json',
  ],
  [
    'managed switches off',
    { project: { ...installed, ...ON }, managed: OFF },
    'managed_policy',
    'your organization manages',
  ],
  [
    'only managed hooks',
    { project: installed, drop: { allowManagedHooksOnly: true } },
    'managed_policy',
    '10-hooks.json',
  ],
  [
    'only hooks of plugins',
    { project: installed, managed: { strictPluginOnlyCustomization: ['hooks'] } },
    'managed_policy',
    'allows only its own hooks',
  ],
  [
    'a file that is no JSON',
    { project: `${JSON.stringify(installed)},` },
    'settings_not_read',
    'is not JSON',
  ],
  [
    'Stop was taken out',
    { project: { hooks: { ...installed.hooks, Stop: [] } } },
    'not_installed',
    'the Stop hook of untildone in',
  ],
])('%s: nothing is held, and it is said why', (_, files, obstacle, why) => {
  expect(stateWith(files)).toEqual({ held: false, obstacle, why: expect.stringContaining(why) });
});

const DECOY = { command: ': UNTILDONE_HOME /.untildone /hook.sh', type: 'command', timeout: 3600 };

test.each<[string, Files, Obstacle, string]>([
  [
    'a line that looks like ours',
    { project: { hooks: { Stop: [{ hooks: [DECOY] }] } } },
    'not_installed',
    'no hooks',
  ],
  [
    'a value of a wrong form',
    { project: { ...installed, permissions: 5 } },
    'settings_not_read',
    '"permissions" in',
  ],
  [
    'a plugin by its name',
    { project: { enabledPlugins: { 'untildone@decoy': true } } },
    'not_installed',
    'no hooks',
  ],
  [
    'a home elsewhere',
    { project: installed, local: { env: { UNTILDONE_HOME: '/x' } } },
    'settings_variable',
    '"UNTILDONE_HOME" in the "env" of',
  ],
  [
    'code in Node',
    { project: { ...installed, env: { NODE_OPTIONS: '-r /x' } } },
    'settings_variable',
    'NODE_OPTIONS',
  ],
  ['a PATH of the project', { project: { ...installed, env: { PATH: '/x' } } }, 'settings_variable', 'PATH'],
  [
    'code in the shell',
    { user: { ...installed, env: { ENV: '/x' } } },
    'settings_variable',
    'config/settings.json',
  ],
  [
    'no hooks at all',
    { user: { ...installed, env: { CLAUDE_CODE_SIMPLE: '1' } } },
    'settings_variable',
    'SIMPLE',
  ],
  [
    'of an organization',
    { managed: { ...installed, env: { LD_PRELOAD: '/x' } } },
    'settings_variable',
    'LD_PRELOAD',
  ],
])('%s: not counted as holding', (_, files, obstacle, why) => {
  expect(stateWith(files)).toEqual({ held: false, obstacle, why: expect.stringContaining(why) });
});

test.each<Record<string, string>>([
  { PATH: '/mine' },
  { NODE_OPTIONS: '--max-old-space-size=8192 --no-warnings' },
  { NODE_ENV: 'test', GIT_PAGER: 'cat', CLAUDE_CODE_SIMPLE: '0', UNTILDONE_HOME: '/as/here' },
])('variables of yours that change nothing about that: %j', (env) => {
  expect(stateWith({ user: { ...installed, env } })).toEqual({ held: true });
});

test('a plugin that is installed and switched on holds', () => {
  installPlugin(join(root, 'config'));
  expect(stateWith({ user: { enabledPlugins: { 'untildone@untildone': true } } })).toEqual({ held: true });
});

test('hooks whose script is gone hold nothing', () => {
  rmSync(join(root, 'home/hook.sh'));
  const why = expect.stringContaining('untildone install');
  expect(stateWith({ project: installed })).toEqual({ held: false, obstacle: 'script_missing', why });
});

test.each<[version: string, files: Files, why?: RegExp]>([
  ['2.1.110', { project: installed }],
  ['2.1.84', { project: installed }],
  ['3.0.0', { project: installed }],
  ['2.1.83', { project: installed }, /does not know TaskCreated.* 2\.1\.84 or newer, with: claude update$/],
  ['2.1.40', { project: installed }, /does not know StopFailure, ConfigChange, TaskCreated,/],
  ['2.1.116', { project: withExpansion() }],
  ['2.1.115', { project: withExpansion() }, /UserPromptExpansion.* 2\.1\.116 .*or .*: untildone install$/],
  ['2.1.115', { project: withExpansion(), user: installed }],
  ['2.1.115', { project: { hooks: { UserPromptExpansion: [] } }, user: installed }],
])('Claude Code %s takes the hooks of files whose events it knows, and no others', (version, files, why) => {
  const state = stateWith(files, version);
  if (why === undefined) expect(state).toEqual({ held: true });
  else
    expect(state).toMatchObject({ held: false, obstacle: 'client_too_old', why: expect.stringMatching(why) });
});

/** What 0.1.0 wrote. */
function withExpansion() {
  return { hooks: { ...installed.hooks, UserPromptExpansion: installed.hooks.UserPromptSubmit } };
}
