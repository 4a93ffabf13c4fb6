import { join } from 'node:path';
import { namesIn, readSmall } from '../../files/whole-file.ts';
import { isOurLine } from '../../home/hook-line.ts';
import { hookScriptPath, type Scope, settingsPath } from './files.ts';
import { callsUs, parsedSettings, type Settings } from './guard.ts';

/** Whether a session that begins now would be held. `why` says what prevents it, where, and what to do. */
export type HooksState = { held: true } | { held: false; why: string };

/** All paths are absolute. */
export interface SettingsPlaces {
  readonly project: string;
  readonly home: string;
  readonly claudeConfigDir: string;
  /** The folder of the settings that an organization manages; the one of this system when absent. */
  readonly managed?: string;
}

interface ReadSettings {
  readonly path: string;
  readonly text: string;
  readonly settings: Settings;
}

/** The scopes from strongest to weakest. For a switch, the strongest scope that names it decides. */
const STRONGEST_FIRST = ['local', 'project', 'user'] as const satisfies readonly Scope[];

/** Whether our hooks are installed for a project, and would run when Claude Code is started there. Writes nothing. */
export function hooksWouldRunAt(places: SettingsPlaces): HooksState {
  const managed = managedFiles(places.managed ?? managedFolder()).map(readAt);
  const own = STRONGEST_FIRST.map((scope) => readAt(settingsPath(scope, places)));
  const why = installedNowhere([...managed, ...own]) ?? forbidden(managed) ?? switchedOff(own);
  if (why !== undefined) return { held: false, why };
  const script = hookScriptPath(places.home);
  if (textAt(script).trim() === '')
    return { held: false, why: `${script} is missing or empty; write it again with: untildone install` };
  return { held: true };
}

function installedNowhere(files: readonly ReadSettings[]): string | undefined {
  if (files.some(({ settings }) => callsUs(settings, 'Stop'))) return undefined;
  const named = files.find(({ text }) => isOurLine(text));
  if (named === undefined)
    return 'no hooks of untildone are installed for this project; install them with: untildone install';
  return isJson(named.text)
    ? `the Stop hook of untildone in ${named.path} was removed or changed; write it again with: untildone install`
    : `${named.path} is not JSON, so Claude Code takes nothing from it; correct it`;
}

/** What an organization's settings say: they win over all others. */
function forbidden(managed: readonly ReadSettings[]): string | undefined {
  const off = managed.find(({ settings }) => settings.disableAllHooks === true);
  if (off) return `"disableAllHooks" is true in ${off.path}, which your organization manages`;
  const only = managed.find(({ settings }) => {
    const { allowManagedHooksOnly, strictPluginOnlyCustomization: plugins } = settings;
    return allowManagedHooksOnly === true || plugins === true || isListWith(plugins, 'hooks');
  });
  if (only === undefined || managed.some(({ settings }) => callsUs(settings, 'Stop'))) return undefined;
  return `${only.path}, which your organization manages, allows only its own hooks`;
}

function switchedOff(own: readonly ReadSettings[]): string | undefined {
  const deciding = own.find(({ settings }) => typeof settings.disableAllHooks === 'boolean');
  return deciding?.settings.disableAllHooks === true
    ? `"disableAllHooks" is true in ${deciding.path}; remove it`
    : undefined;
}

function isListWith(value: unknown, word: string): boolean {
  return Array.isArray(value) && value.includes(word);
}

/** The files of settings that an organization manages; those of this system when no folder is given. */
export function managedPaths(folder?: string): string[] {
  return managedFiles(folder ?? managedFolder());
}

/** Where Claude Code looks for settings that an organization manages, beside what it loads from elsewhere. */
function managedFolder(): string {
  if (process.platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  return process.platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
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
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
