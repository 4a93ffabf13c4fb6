/** What settings of Claude Code say of our hooks. A line is ours by what it is, as a whole: `isOurLine`. */
import { isLineOf, isOurLine, pluginLine } from '../../home/hook-line.ts';
import { asFields, isFields } from '../fields.ts';

export interface Settings {
  disableAllHooks?: unknown;
  /** In settings that an organization manages: hooks of others do not run. */
  allowManagedHooksOnly?: unknown;
  /** In settings that an organization manages: mods of others do not run. */
  allowManagedModsOnly?: unknown;
  strictPluginOnlyCustomization?: unknown;
  env?: unknown;
  hooks?: unknown;
  enabledPlugins?: unknown;
}

/** Takes nothing from a text that is not JSON, as Claude Code does. */
export function parsedSettings(text: string): Settings {
  try {
    const value: unknown = JSON.parse(withoutMark(text));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** The text without a byte order mark, over which Claude Code reads, too (measured with 2.1.325). */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** The hooks that have to stay: they hold a session, protect the contract, and report changed settings. */
export const NEEDED = ['Stop', 'PreToolUse', 'ConfigChange'] as const;

/** A shorter timeout counts as a disabled hook, because Claude Code would end it before it has judged. */
export const SHORTEST_TIMEOUT_S = 60;

/** The tools that can change the contract: our hook sees every call of them in a loop. All versions wrote this matcher. */
export const CHANGING_TOOLS = 'Bash|Write|Edit|MultiEdit|NotebookEdit';

/**
 * Whether settings have our hook for an event, as install writes it. With a condition, in the background, with a short timeout
 * or for fewer tools it does not hold.
 */
export function callsUs({ hooks }: Settings, event: string): boolean {
  return hasWholeHook(hooks, event, (line) => isLineOf(event, line));
}

/** Whether the hooks file of a plugin has our hook for an event. A plugin of 0.1.0 had the lines of the settings. */
export function pluginCallsUs({ hooks }: Settings, event: string): boolean {
  return hasWholeHook(hooks, event, (line) => line === pluginLine(event) || isLineOf(event, line));
}

function hasWholeHook(hooks: unknown, event: string, isOurs: (line: string) => boolean): boolean {
  return listIn(hooks, event).some(
    (group) => seesAll(group, event) && listIn(group, 'hooks').some((hook) => isWhole(hook, isOurs)),
  );
}

function seesAll({ matcher }: Record<string, unknown>, event: string): boolean {
  const all = [undefined, '', '*'];
  return (event === 'PreToolUse' ? [...all, CHANGING_TOOLS] : all).some((each) => each === matcher);
}

/** Whether a hook has our line, and nothing that keeps it from running to its end. */
function isWhole(hook: Record<string, unknown>, isOurs: (line: string) => boolean): boolean {
  const { type, command, timeout, statusMessage: _shown, ...more } = hook;
  return (
    type === 'command' &&
    typeof command === 'string' &&
    isOurs(command) &&
    (timeout === undefined || (typeof timeout === 'number' && timeout >= SHORTEST_TIMEOUT_S)) &&
    Object.keys(more).length === 0
  );
}

function listIn(value: unknown, name: string): Record<string, unknown>[] {
  const list = asFields(value)?.[name];
  return Array.isArray(list) ? list.filter(isFields) : [];
}

export interface OurHook {
  event: string;
  command: string;
}

/** Our hooks in settings, wherever they stand. */
export function ourHooksIn({ hooks }: Settings): OurHook[] {
  return Object.keys(asFields(hooks) ?? {}).flatMap((event) =>
    listIn(hooks, event).flatMap((group) =>
      listIn(group, 'hooks').flatMap(({ command }) =>
        typeof command === 'string' && isOurLine(command) ? [{ event, command }] : [],
      ),
    ),
  );
}
