/** Finds our plugin where Claude Code has installed it. A name alone shows nothing: its hooks are what makes it ours. */
import { join } from 'node:path';
import { readSmall } from '../../files/whole-file.ts';
import { asFields, isFields, list, parseFields, text } from '../fields.ts';
import { type Scope, settingsPath } from './files.ts';
import { NEEDED, parsedSettings, pluginCallsUs, type Settings } from './settings.ts';

const NAME = /^untildone@/;
/** For a switch, the strongest scope that names it decides. */
const STRONGEST_FIRST = ['local', 'project', 'user'] as const satisfies readonly Scope[];

export interface OurPlugin {
  /** With its marketplace: `untildone@somewhere`. */
  name: string;
  /** Its folder. */
  folder: string;
}

interface Places {
  project: string;
  claudeConfigDir: string;
}

/** The plugin of untildone that is installed and switched on for a project, with our hooks in it; undefined when none is. */
export function ourPlugin(places: Places): OurPlugin | undefined {
  const installed = installedPlugins(places.claudeConfigDir);
  return [...switchesAt(places)].flatMap(([name, isOn]) => {
    const folder = isOn ? folderFor(places.project, list(installed, name)) : undefined;
    return folder !== undefined && bringsOurHooks(folder) ? [{ name, folder }] : [];
  })[0];
}

/** Whether the plugin in a folder has our hooks, and runs the script that they name. */
export function bringsOurHooks(folder: string): boolean {
  const hooks = parsedSettings(textAt(join(folder, 'hooks', 'hooks.json')));
  return NEEDED.every((event) => pluginCallsUs(hooks, event));
}

/**
 * Whether our plugin holds this session: one of its hooks started this process. Not every way to load a plugin is in the settings,
 * but a folder that the settings claim for this process shows nothing, and one that they switch off holds no longer.
 */
export function isStartedByPlugin(places: Places, { CLAUDE_PLUGIN_ROOT: root }: NodeJS.ProcessEnv): boolean {
  if (!root) return false;
  const isClaimed = settingsAt(places).some(({ env }) => asFields(env)?.CLAUDE_PLUGIN_ROOT !== undefined);
  return !isClaimed && bringsOurHooks(root) && !isOff(root, places);
}

/** Claude Code runs a plugin in the folder where it is installed, or in that of its marketplace when that is a folder here. */
function isOff(folder: string, places: Places): boolean {
  const installed = installedPlugins(places.claudeConfigDir);
  const marketplaces = parseFields(
    textAt(join(places.claudeConfigDir, 'plugins', 'known_marketplaces.json')),
  );
  return [...switchesAt(places)].some(([name, isOn]) => {
    const marketplace = asFields(marketplaces?.[name.replace(NAME, '')]);
    const around = marketplace && text(marketplace, 'installLocation');
    const isHere = list(installed, name).some((each) => text(each, 'installPath') === folder);
    return !isOn && (isHere || (around !== undefined && folder.startsWith(around)));
  });
}

function settingsAt(places: Places): Settings[] {
  return STRONGEST_FIRST.map((scope) => parsedSettings(textAt(settingsPath(scope, places))));
}

function switchesAt(places: Places): Map<string, boolean> {
  const switches = new Map<string, boolean>();
  for (const { enabledPlugins } of settingsAt(places))
    for (const [name, isOn] of Object.entries(asFields(enabledPlugins) ?? {}))
      if (NAME.test(name) && !switches.has(name)) switches.set(name, isOn !== false);
  return switches;
}

/** As Claude Code 2.1.325 notes them, by their names: a plugin may be installed for you, and for single projects. */
function installedPlugins(claudeConfigDir: string): Record<string, unknown> {
  const file = parseFields(textAt(join(claudeConfigDir, 'plugins', 'installed_plugins.json')));
  return isFields(file?.plugins) ? file.plugins : {};
}

function folderFor(project: string, installed: readonly Record<string, unknown>[]): string | undefined {
  const here = installed.find(({ projectPath }) => projectPath === project);
  const found = here ?? installed.find(({ projectPath }) => projectPath === undefined) ?? installed[0];
  return found && text(found, 'installPath');
}

function textAt(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}
