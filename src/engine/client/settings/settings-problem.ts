import { readSmall } from '../../files/whole-file.ts';
import { misshapenSetting } from './forms.ts';
import { callsUs, NEEDED, ourHooksIn, parsedSettings, type Settings } from './settings.ts';
import { harmfulVariable } from './variables.ts';

interface SettingsAt {
  path: string;
  settings: Settings;
}

/** Settings that switch hooks off, in the words of Claude Code. It reads the last two from an organization alone, today. */
const SWITCHES = ['disableAllHooks', 'allowManagedHooksOnly', 'strictPluginOnlyCustomization'] as const;

/** What in the settings would keep our hooks from holding sessions; undefined when nothing does. */
export function settingsProblem(
  paths: readonly string[],
  isHeldByPlugin: () => boolean,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const files = paths.map((path): SettingsAt => ({ path, settings: parsedSettings(readText(path)) }));
  for (const { path, settings } of files) {
    const off = SWITCHES.find((name) => isOn(settings[name]));
    if (off) return `"${off}" in ${path} would switch ${off === SWITCHES[0] ? 'all hooks' : 'our hooks'} off`;
    const name = harmfulVariable(settings.env, env);
    if (name) return `"${name}" in the env of ${path} would change what the hooks do`;
    const misshapen = ourHooksIn(settings).length > 0 ? misshapenSetting(settings) : undefined;
    if (misshapen)
      return `"${misshapen}" in ${path} has a wrong form, so Claude Code would take nothing from that file, the hooks included`;
  }
  const missing = NEEDED.filter((event) => !files.some(({ settings }) => callsUs(settings, event)));
  if (missing.length === 0 || isHeldByPlugin()) return undefined;
  if (missing.length === NEEDED.length) return 'the hooks of untildone were removed from the settings';
  return `the hooks of untildone for ${missing.join(' and ')} were removed from the settings, or changed`;
}

/** A list names what it is about. */
function isOn(value: unknown): boolean {
  return value === true || (Array.isArray(value) && value.includes('hooks'));
}

function readText(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}
