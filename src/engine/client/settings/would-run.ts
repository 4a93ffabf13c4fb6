import { join } from 'node:path';
import { namesIn, readSmall } from '../../files/whole-file.ts';
import { quotesOurLine } from '../../home/hook-line.ts';
import { hookScriptPath, type Scope, settingsPath } from './files.ts';
import { misshapenSetting } from './forms.ts';
import { unknownEvents } from './our-events.ts';
import { ourPlugin } from './our-plugin.ts';
import { callsUs, ourHooksIn, parsedSettings, type Settings, withoutMark } from './settings.ts';
import { decisiveVariable } from './variables.ts';

/** What prevents that a session is held. */
export type Obstacle =
  | 'not_installed'
  | 'hooks_disabled'
  | 'settings_not_read'
  | 'settings_variable'
  | 'managed_policy'
  | 'script_missing'
  | 'program_missing'
  | 'node_missing'
  | 'client_too_old';

/** Whether a session that begins now would be held. `why` says what prevents it, where, and what to do. */
export type HooksState = { held: true } | { held: false; obstacle: Obstacle; why: string };

/** All paths are absolute. */
export interface SettingsPlaces {
  readonly project: string;
  readonly home: string;
  readonly claudeConfigDir: string;
  /** The folder of the settings that an organization manages; the one of this system when absent. */
  readonly managed?: string;
  /** The environment that Claude Code is started with; empty when absent. */
  readonly env?: NodeJS.ProcessEnv;
  /** The version of Claude Code, if it is known. */
  readonly clientVersion?: string;
}

export interface ReadSettings {
  readonly path: string;
  readonly text: string;
  readonly settings: Settings;
}

/** The scopes from strongest to weakest. For a switch, the strongest scope that names it decides. */
const STRONGEST_FIRST = ['local', 'project', 'user'] as const satisfies readonly Scope[];

/** Whether our hooks are installed for a project, and would run when Claude Code is started there. Writes nothing. */
export function hooksWouldRunAt(places: SettingsPlaces): HooksState {
  const managed = managedSettings(places.managed);
  const own = STRONGEST_FIRST.map((scope) => readAt(settingsPath(scope, places)));
  const hasPlugin = ourPlugin(places) !== undefined;
  return (
    (hasPlugin ? undefined : installedNowhere([...managed, ...own])) ??
    forbidden(managed) ??
    switchedOff(own) ??
    changedBy([...managed, ...own], settingsPath('user', places), places.env ?? {}) ??
    (hasPlugin ? undefined : misshapen([...managed, ...own])) ??
    (hasPlugin ? undefined : notTaken([...managed, ...own], places.clientVersion)) ??
    withoutScript(hookScriptPath(places.home)) ?? { held: true }
  );
}

type NotHeld = Extract<HooksState, { held: false }>;

function notHeld(obstacle: Obstacle, why: string): NotHeld {
  return { held: false, obstacle, why };
}

/** Claude Code takes nothing from a file with a value of a wrong form. Another file with our hooks may hold. */
function misshapen(files: readonly ReadSettings[]): NotHeld | undefined {
  const ours = files.filter(({ settings }) => callsUs(settings, 'Stop'));
  const names = ours.map(({ settings }) => misshapenSetting(settings));
  const [first] = names;
  if (first === undefined || names.includes(undefined)) return undefined;
  return notHeld(
    'settings_not_read',
    `"${first}" in ${ours[0]?.path} has a wrong form, so Claude Code takes nothing from that file; correct it`,
  );
}

/** Claude Code takes no hook from a file with an event that it does not know. Another file with our hooks may hold. */
function notTaken(files: readonly ReadSettings[], version: string | undefined): NotHeld | undefined {
  if (version === undefined) return undefined;
  const ours = files.filter(({ settings }) => callsUs(settings, 'Stop'));
  const problems = ours.map(({ settings }) => unknownEvents(version, settings));
  const [first] = problems;
  if (first === undefined || problems.includes(undefined)) return undefined;
  return notHeld('client_too_old', `${first.what} (${ours[0]?.path}); ${first.todo}`);
}

function withoutScript(script: string): NotHeld | undefined {
  if (textAt(script).trim() !== '') return undefined;
  return notHeld('script_missing', `${script} is missing or empty; write it again with: untildone install`);
}

function installedNowhere(files: readonly ReadSettings[]): NotHeld | undefined {
  if (files.some(({ settings }) => callsUs(settings, 'Stop'))) return undefined;
  const named = files.find(({ text, settings }) => ourHooksIn(settings).length > 0 || quotesOurLine(text));
  if (named === undefined)
    return notHeld(
      'not_installed',
      'no hooks of untildone are installed for this project; install them with: untildone install',
    );
  return isJson(named.text)
    ? notHeld(
        'not_installed',
        `the Stop hook of untildone in ${named.path} was removed or changed; write it again with: untildone install`,
      )
    : notHeld(
        'settings_not_read',
        `${named.path} is not JSON, so Claude Code takes nothing from it; correct it`,
      );
}

/** What an organization's settings say: they win over all others. */
function forbidden(managed: readonly ReadSettings[]): NotHeld | undefined {
  const off = managed.find(({ settings }) => settings.disableAllHooks === true);
  if (off)
    return notHeld(
      'managed_policy',
      `"disableAllHooks" is true in ${off.path}, which your organization manages`,
    );
  const only = managed.find(({ settings }) => {
    const { allowManagedHooksOnly, strictPluginOnlyCustomization: plugins } = settings;
    return allowManagedHooksOnly === true || plugins === true || isListWith(plugins, 'hooks');
  });
  if (only === undefined || managed.some(({ settings }) => callsUs(settings, 'Stop'))) return undefined;
  return notHeld(
    'managed_policy',
    `${only.path}, which your organization manages, allows only its own hooks`,
  );
}

function switchedOff(own: readonly ReadSettings[]): NotHeld | undefined {
  const deciding = own.find(({ settings }) => typeof settings.disableAllHooks === 'boolean');
  return deciding?.settings.disableAllHooks === true
    ? notHeld('hooks_disabled', `"disableAllHooks" is true in ${deciding.path}; remove it`)
    : undefined;
}

/** A variable that chooses what our hooks run, or where they look. What it names is never tried. */
function changedBy(
  files: readonly ReadSettings[],
  user: string,
  env: NodeJS.ProcessEnv,
): NotHeld | undefined {
  for (const file of files) {
    const name = decisiveVariable(file.settings.env, env, { isYours: file.path === user });
    if (name === undefined) continue;
    return notHeld(
      'settings_variable',
      `"${name}" in the "env" of ${file.path} changes what the hooks run, or where they look; remove it there, or set it in ` +
        'your shell instead',
    );
  }
  return undefined;
}

function isListWith(value: unknown, word: string): boolean {
  return Array.isArray(value) && value.includes(word);
}

/** The settings that an organization manages, file by file; `text` is empty where there is none. */
export function managedSettings(folder = managedFolder()): ReadSettings[] {
  return managedFiles(folder).map(readAt);
}

/** Where Claude Code looks for settings that an organization manages, beside what it loads from elsewhere. */
export function managedFolder(platform = process.platform): string {
  if (platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  return platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
}

function managedFiles(folder: string): string[] {
  const parts = join(folder, 'managed-settings.d');
  const names = namesIn(parts).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  return [join(folder, 'managed-settings.json'), ...names.sort().map((name) => join(parts, name))];
}

function readAt(path: string): ReadSettings {
  const text = textAt(path);
  return { path, text, settings: parsedSettings(text) };
}

/** The text of a file; empty when it cannot be read. */
function textAt(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(withoutMark(text));
    return true;
  } catch {
    return false;
  }
}
