import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMAND_NAMES } from '../../src/cli/slash/meaning.ts';
import { unknownEvents } from '../../src/engine/client/settings/our-events.ts';
import { addHooks } from '../../src/engine/client/settings/our-hooks.ts';
import { SRC } from './files.ts';

const ROOT = dirname(SRC);
const PLUGINS = ['plugin', 'plugin-ralph'];
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');
const json = (...path: string[]) => JSON.parse(read(...path));
const commandsOf = (plugin: string) =>
  readdirSync(join(ROOT, plugin, 'commands')).map((name) => name.replace(/\.md$/, ''));

test('every slash command has a page, and every page is answered', () => {
  expect(PLUGINS.flatMap(commandsOf).sort()).toEqual([...COMMAND_NAMES].sort());
});

test('the version is the same everywhere', () => {
  const { version } = json('package.json');
  const listed = json('.claude-plugin', 'marketplace.json').plugins;
  const launcher = /^version=(.+)$/m.exec(read('plugin', 'bin', 'untildone'))?.[1];
  const versions = PLUGINS.map((plugin) => json(plugin, '.claude-plugin', 'plugin.json').version);
  expect([...versions, ...listed.map((entry: { version: string }) => entry.version), launcher]).toEqual(
    Array(5).fill(version),
  );
});

test('the package has the marketplace and both plugins in it', () => {
  const { files } = json('package.json');
  for (const name of ['.claude-plugin', ...PLUGINS]) expect(files).toContain(name);
});

describe.each(PLUGINS)('%s', (plugin) => {
  test.each(commandsOf(plugin))('/%s is for a person, and no shell reads what is typed', (name) => {
    const page = read(plugin, 'commands', `${name}.md`);
    expect(page).toMatch(/^---\ndescription: \S.*\n(?:.*\n)*?disable-model-invocation: true\n---\n/);
    // A hook gets the arguments. Claude Code would change them on their way through the page.
    expect(page).not.toMatch(/\$ARGUMENTS|\$\d|!`|```!/);
  });

  test('has a licence, a README and a square icon', () => {
    expect(read(plugin, 'LICENSE')).toBe(read('LICENSE'));
    expect(read(plugin, 'README.md').split(/\s+/).length).toBeGreaterThan(40);
    const icon = readFileSync(join(ROOT, plugin, 'icon.png'));
    expect(icon.subarray(1, 4).toString()).toBe('PNG');
    expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([512, 512]);
  });
});

test('the hooks of the plugin answer its commands and look for Node', () => {
  const { hooks, modules } = json('plugin', 'hooks', 'hooks.json');
  const own = json('plugin', '.claude-plugin', 'plugin.json').hooks;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code puts the folder in
  const program = 'sh "${CLAUDE_PLUGIN_ROOT}/bin/untildone"';
  const commands = (event: string, of = hooks): string[] =>
    of[event].flatMap((group: { hooks: { command: string }[] }) => group.hooks.map((hook) => hook.command));
  expect(commands('UserPromptExpansion', json('plugin', own).hooks)).toEqual([`${program} slash`]);
  expect(commands('SessionStart')).toContain(`${program} plugin-check`);
  expect(modules).toEqual(['./register.ts']);
  // One event that a Claude Code does not know would cost it all hooks of that file.
  const settings = JSON.parse(addHooks(undefined).text).hooks;
  expect(Object.keys(hooks)).toEqual(Object.keys(settings));
  expect(unknownEvents('2.1.110', { hooks })).toBeUndefined();
});
