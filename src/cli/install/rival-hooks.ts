import { readSettings, type Scope, settingsPath } from '../../client/settings/files.ts';
import { foreignHooks, pluginSwitches } from '../../client/settings/other-hooks.ts';
import { drivesRalphLoop, formatDrivenBy } from '../../core/import/loop-drivers.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { SettingsPlace } from './settings-change.ts';

const COMMAND_LIMIT = 160;
/** What stands in the later ones wins. */
const WEAKEST_FIRST = ['user', 'project', 'local'] as const satisfies readonly Scope[];

/** What is still in the settings and would count every stop beside us; one line each, for people. */
export function rivalHooks(place: Pick<SettingsPlace, 'project' | 'claudeConfigDir'>): string[] {
  const plugins = new Map<string, string>();
  const hooks = WEAKEST_FIRST.flatMap((scope) => {
    const path = settingsPath(scope, place);
    const { commands, switches } = settingsAt(path);
    for (const [name, isOn] of switches) {
      if (isOn) plugins.set(name, path);
      else plugins.delete(name);
    }
    return commands.map((command) => warning(path, `runs ${oneLine(command, COMMAND_LIMIT)}`));
  });
  const switched = [...plugins].map(([name, path]) =>
    warning(path, `switches on the plugin ${oneLine(name, COMMAND_LIMIT)}`),
  );
  return [...hooks, ...switched];
}

function warning(path: string, what: string): string {
  return `Warning: ${path} still ${what}. Take that out, or both count every stop.`;
}

function settingsAt(path: string): { commands: string[]; switches: [name: string, isOn: boolean][] } {
  try {
    const text = readSettings(path).text ?? '';
    const stops = foreignHooks(text, path).filter(({ event }) => event === 'Stop');
    return {
      commands: stops.flatMap(({ command = '' }) => (formatDrivenBy(command) === undefined ? [] : [command])),
      switches: pluginSwitches(text).filter(([name]) => drivesRalphLoop(name)),
    };
  } catch {
    // Whoever has to change this file says what is wrong with it.
    return { commands: [], switches: [] };
  }
}
