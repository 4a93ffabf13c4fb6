/** Finds our plugin where Claude Code has installed it. */
import { join } from 'node:path';
import { readSmall } from '../../files/whole-file.ts';
import { asFields, list, parseFields, text } from '../fields.ts';
import { type Scope, settingsPath } from './files.ts';
import { parsedSettings } from './guard.ts';

const NAME = /^untildone@/;
/** For a switch, the strongest scope that names it decides. */
const STRONGEST_FIRST = ['local', 'project', 'user'] as const satisfies readonly Scope[];

export interface OurPlugin {
  /** With its marketplace: `untildone@somewhere`. */
  name: string;
  /** Its folder; absent when Claude Code has not noted one. */
  folder?: string;
}

/** The plugin of untildone that is switched on for a project; undefined when none is. */
export function ourPlugin(places: { project: string; claudeConfigDir: string }): OurPlugin | undefined {
  const switches = new Map<string, boolean>();
  for (const scope of STRONGEST_FIRST) {
    const { enabledPlugins } = { ...parsedSettings(textAt(settingsPath(scope, places))) } as {
      enabledPlugins?: unknown;
    };
    for (const [name, isOn] of Object.entries(asFields(enabledPlugins) ?? {}))
      if (NAME.test(name) && !switches.has(name)) switches.set(name, isOn !== false);
  }
  const name = [...switches].find(([, isOn]) => isOn)?.[0];
  return name === undefined ? undefined : { name, folder: folderOf(name, places) };
}

/** As Claude Code 2.1.325 notes it: a plugin may be installed for you, and for single projects. */
function folderOf(
  name: string,
  { project, claudeConfigDir }: { project: string; claudeConfigDir: string },
): string | undefined {
  const file = parseFields(textAt(join(claudeConfigDir, 'plugins', 'installed_plugins.json')));
  const installed = list(asFields(file?.plugins) ?? {}, name);
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
