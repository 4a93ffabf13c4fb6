import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ourPlugin } from '../../../src/client/settings/our-plugin.ts';

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

test.each<[string, Files, object | undefined]>([
  ['nothing', {}, undefined],
  ['another plugin', { user: on(true, 'ralph-loop@untildone') }, undefined],
  ['switched off', { user: on(false) }, undefined],
  ['switched on for you, off here', { user: on(true), local: on(false) }, undefined],
  ['settings that are no JSON', { user: '{', project: '[]' }, undefined],
  ['on, but noted nowhere', { project: on(true) }, { name: 'untildone@here' }],
  ['a damaged note', { project: on(true), installed: '{"plugins": 5' }, { name: 'untildone@here' }],
  [
    'installed for you',
    {
      user: on(true),
      installed: installed({ projectPath: '/else', installPath: '/a' }, { installPath: '/b' }),
    },
    { name: 'untildone@here', folder: '/b' },
  ],
])('%s', (_, files, expected) => {
  expect(pluginWith(() => files)).toEqual(expected);
});

test('the one of this project is meant before the one of all projects', () => {
  const found = pluginWith((root) => ({
    project: on(true),
    installed: installed({ installPath: '/a' }, { projectPath: join(root, 'project'), installPath: '/b' }),
  }));
  expect(found?.folder).toBe('/b');
});
