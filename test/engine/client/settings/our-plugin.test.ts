import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addHooks } from '../../../../src/engine/client/settings/our-hooks.ts';
import { isStartedByPlugin, ourPlugin } from '../../../../src/engine/client/settings/our-plugin.ts';
import { installPlugin } from '../../../support/client/settings-text.ts';

type Files = Partial<Record<'local' | 'project' | 'user' | 'installed', unknown>>;

const PATHS = {
  local: 'project/.claude/settings.local.json',
  project: 'project/.claude/settings.json',
  user: 'config/settings.json',
  installed: 'config/plugins/installed_plugins.json',
};

function pluginWith(files: (root: string) => Files) {
  const root = mkdtempSync(join(tmpdir(), 'untildone-plugin-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files(root))) {
    const path = join(root, PATHS[name as keyof Files]);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return ourPlugin({ project: join(root, 'project'), claudeConfigDir: join(root, 'config') });
}

const on = (isOn: unknown, name = 'untildone@here') => ({ enabledPlugins: { [name]: isOn } });
const installed = (...entries: object[]) => ({ version: 2, plugins: { 'untildone@here': entries } });
const hooks = addHooks(undefined).text;

/** A folder of a plugin with these hooks. */
function pluginIn(folder: string, text = hooks): string {
  mkdirSync(join(folder, 'hooks'), { recursive: true });
  writeFileSync(join(folder, 'hooks/hooks.json'), text);
  return folder;
}

test.each<[string, Files]>([
  ['nothing', {}],
  ['another plugin', { user: on(true, 'ralph-loop@untildone') }],
  ['switched off', { user: on(false) }],
  ['switched on for you, off here', { user: on(true), local: on(false) }],
  ['settings that are no JSON', { user: '{', project: '[]' }],
  ['on, but noted nowhere', { project: on(true) }],
  ['a damaged note', { project: on(true), installed: '{"plugins": 5' }],
  ['a folder that is gone', { project: on(true), installed: installed({ installPath: '/gone' }) }],
])('%s: none', (_, files) => {
  expect(pluginWith(() => files)).toBeUndefined();
});

test('the one that is installed for you, whatever else goes by our name', () => {
  const found = pluginWith((root) => ({
    project: { enabledPlugins: { 'untildone@decoy': true, 'untildone@here': true } },
    installed: {
      plugins: {
        'untildone@decoy': [
          { installPath: pluginIn(join(root, 'decoy'), hooks.replaceAll(';h=$', ';exit;h=$')) },
        ],
        'untildone@here': [
          { projectPath: '/else', installPath: '/a' },
          { installPath: pluginIn(join(root, 'b')) },
        ],
      },
    },
  }));
  expect(found).toEqual({ name: 'untildone@here', folder: expect.stringMatching(/\/b$/) });
});

test('the one of this project is meant before the one of all projects', () => {
  const found = pluginWith((root) => ({
    project: on(true),
    installed: installed(
      { installPath: pluginIn(join(root, 'a')) },
      { projectPath: join(root, 'project'), installPath: pluginIn(join(root, 'b')) },
    ),
  }));
  expect(found?.folder).toMatch(/\/b$/);
});

describe('whether a hook of the plugin started this process', () => {
  function scene(settings: object = on(true, 'untildone@untildone')) {
    const root = mkdtempSync(join(tmpdir(), 'untildone-plugin-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const places = { project: join(root, 'project'), claudeConfigDir: join(root, 'config') };
    const folder = installPlugin(places.claudeConfigDir);
    mkdirSync(join(root, 'project/.claude'), { recursive: true });
    writeFileSync(join(root, 'project/.claude/settings.local.json'), JSON.stringify(settings));
    return { root, folder, started: (by?: string) => isStartedByPlugin(places, { CLAUDE_PLUGIN_ROOT: by }) };
  }

  test('it did, from where it is installed, and from a folder that the settings do not name', () => {
    const { root, folder, started } = scene();
    expect([folder, pluginIn(join(root, 'elsewhere'))].map(started)).toEqual([true, true]);
  });

  test('another plugin did, or none', () => {
    const { root, started } = scene();
    const decoy = pluginIn(join(root, 'decoy'), '{"hooks":{"Stop":[]}}');
    expect([undefined, '', '/gone', decoy].map(started)).toEqual([false, false, false, false]);
  });

  test('settings that name its folder, or switch it off', () => {
    const claimed = scene({ env: { CLAUDE_PLUGIN_ROOT: '/x' } });
    expect(claimed.started(claimed.folder)).toBe(false);
    const off = scene(on(false, 'untildone@untildone'));
    expect(off.started(off.folder)).toBe(false);
  });

  test('a plugin that runs in the folder of its marketplace is switched off by its name, too', () => {
    const { root, started } = scene(on(false, 'untildone@untildone'));
    const folder = pluginIn(join(root, 'market/plugin'));
    const known = { untildone: { installLocation: join(root, 'market') } };
    writeFileSync(join(root, 'config/plugins/known_marketplaces.json'), JSON.stringify(known));
    expect(started(folder)).toBe(false);
  });
});
