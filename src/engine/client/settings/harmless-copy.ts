/**
 * A copy of Claude Code's settings for a session that is only a proof. It decides about our hooks as the original does, but
 * names no command, folder, plugin or service: our own lines are written anew, and of all else only what is listed here stays.
 *
 * Claude Code takes nothing at all from a file with one value of a wrong form (measured with 2.1.325). So a value of a wrong form
 * keeps a wrong form, and what is taken away leaves a value of the right form.
 */
import { isOurLine } from '../../home/hook-line.ts';
import { asFields, type Fields, isFields } from '../fields.ts';
import { STATUS } from './our-hooks.ts';
import { withoutMark } from './settings.ts';

/** A text that Claude Code cannot read either. */
const UNREADABLE = '{';
/** A command that does nothing. */
const NOTHING = { type: 'command', command: ':' };
const CAP = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';

type IsOurs = (line: string) => boolean;

/** `isOurs` tells our lines from others; those of the settings when absent. */
export function harmlessCopy(text: string, isOurs: IsOurs = isOurLine): string {
  const bare = withoutMark(text);
  if (bare.trim() === '') return '';
  const value = parsed(bare);
  if (value === undefined) return UNREADABLE;
  return JSON.stringify(isFields(value) ? harmlessSettings(value, isOurs) : hollow(value), null, 2);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Objects by these names; the text of a switch decides nothing. A text in their place can only be a wrong form. */
const NEVER_TEXTS =
  /^(?:hooks|env|permissions|sandbox|enabledPlugins|extraKnownMarketplaces|pluginConfigs|statusLine|fileSuggestion|disableAllHooks)$/;

function harmlessSettings(settings: Fields, isOurs: IsOurs): Fields {
  return mapFields(settings, (value, name) => {
    if (typeof value === 'string') return NEVER_TEXTS.test(name) || name === '$schema' ? value : undefined;
    return isFields(value) ? harmlessObject(name, value, isOurs) : wordless(value);
  });
}

function harmlessObject(name: string, value: Fields, isOurs: IsOurs): unknown {
  switch (name) {
    case 'hooks':
      return mapFields(value, (groups) => mapList(groups, (group) => harmlessGroup(group, isOurs)));
    case 'env':
      return harmlessVariables(value);
    case 'permissions':
      return mapFields(value, harmlessRule);
    case 'sandbox':
      return mapFields(value, wordless);
    case 'enabledPlugins':
      return mapFields(value, (isOn) =>
        typeof isOn === 'boolean' || Array.isArray(isOn) ? false : hollow(isOn),
      );
    case 'extraKnownMarketplaces':
    case 'pluginConfigs':
      return {};
    default:
      // A status line, a file suggestion.
      return typeof value.command === 'string'
        ? { ...mapFields(value, wordless), ...NOTHING }
        : wordless(value);
  }
}

/** Rules say which tools may run, and no tool is called. Folders are read from. */
function harmlessRule(value: unknown, name: string): unknown {
  if (/^(?:allow|deny|ask|defaultMode|disableBypassPermissionsMode)$/.test(name)) return value;
  return Array.isArray(value) ? [] : wordless(value);
}

function harmlessGroup(group: unknown, isOurs: IsOurs): unknown {
  if (!isFields(group)) return hollow(group);
  return mapFields(group, (value, name) => {
    if (name === 'hooks') return mapList(value, (hook) => harmlessHook(hook, isOurs));
    return name === 'matcher' && typeof value === 'string' ? value : wordless(value);
  });
}

/** The texts that a hook of each type has to name. */
const NAMED_BY = new Map<unknown, readonly string[]>([
  ['command', ['command']],
  ['http', ['url']],
  ['prompt', ['prompt']],
  ['agent', ['prompt']],
  ['mcp_tool', ['server', 'tool']],
]);

/** Our hook, written anew; a hook of others as one that does nothing. */
function harmlessHook(hook: unknown, isOurs: IsOurs): unknown {
  if (!isFields(hook)) return hollow(hook);
  const ours = ourHook(hook, isOurs);
  if (ours) return ours;
  const named = NAMED_BY.get(hook.type);
  const isWhole = named === undefined || named.every((name) => typeof hook[name] === 'string');
  return isWhole ? NOTHING : { type: hook.type, ...mapFields(hook, wordless) };
}

/** A hook with our line and what install writes beside it; undefined for every other. */
function ourHook(hook: Fields, isOurs: IsOurs): Fields | undefined {
  const { type, command, timeout, statusMessage, ...more } = hook;
  if (type !== 'command' || typeof command !== 'string' || !isOurs(command)) return undefined;
  if (Object.keys(more).length > 0) return undefined;
  return {
    type,
    command,
    ...(timeout === undefined ? {} : { timeout: hollow(timeout) }),
    ...(statusMessage === STATUS ? { statusMessage } : {}),
  };
}

/** Keeps the cap on blocks alone: it may let a session go. A value of a wrong form stays, under a name that means nothing. */
function harmlessVariables(env: Fields): Fields {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value], index): [string, unknown][] => {
      if (typeof value !== 'string') return [[`UNTILDONE_LEFT_OUT_${index}`, hollow(value)]];
      return name === CAP && /^-?\d{1,6}$/.test(value) ? [[name, value]] : [];
    }),
  );
}

/** A value without any text in it; undefined for every other. */
function wordless(value: unknown): unknown {
  const hasWords = (each: unknown): boolean =>
    typeof each === 'string' ||
    (typeof each === 'object' && each !== null && Object.values(each).some(hasWords));
  return hasWords(value) ? undefined : value;
}

/** A value that is not what belongs in its place: a text stays, because nothing reads it there. Lists and objects are emptied. */
function hollow(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isFields(value) ? {} : value;
}

/** Leaves out what becomes undefined. */
function mapFields(fields: Fields, change: (value: unknown, name: string) => unknown): Fields {
  return Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, change(value, name)])
      .filter(([, value]) => value !== undefined),
  );
}

function mapList(value: unknown, change: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : hollow(value);
}

/** Settings that name a command, a folder to write to, or a login. */
const HELPER =
  /(?:Helper|Refresh|Export|Command|Wrapper)$|^(?:autoMemoryDirectory|plansDirectory|forceLogin\w+)$/;

/** Variables by which Claude Code reaches a service. */
const SERVICE_VARIABLE =
  /^(?:ANTHROPIC_|AWS_|VERTEX_|GOOGLE_|CLOUD_ML_|OTEL_|CLAUDE_CODE_(?:USE|ENABLE_TELEMETRY|OAUTH)|(?:HTTPS?|ALL|NO)_PROXY$)/i;

/**
 * Names what these settings run, or which service they reach, beside our hooks; undefined when nothing. For settings of an
 * organization: Claude Code always reads them, and they cannot be copied without that.
 */
export function reachesOut(settings: Fields): string | undefined {
  const helper = Object.keys(settings).find((name) => HELPER.test(name));
  if (helper !== undefined) return `"${helper}"`;
  const variable = Object.keys(asFields(settings.env) ?? {}).find((name) => SERVICE_VARIABLE.test(name));
  if (variable !== undefined) return `"env": "${variable}"`;
  const plugin = Object.entries(asFields(settings.enabledPlugins) ?? {}).find(([, isOn]) => isOn !== false);
  if (plugin !== undefined) return `the plugin ${plugin[0]}`;
  const isForeign = (hook: unknown) => !isFields(hook) || ourHook(hook, isOurLine) === undefined;
  const event = Object.entries(asFields(settings.hooks) ?? {}).find(
    ([, groups]) =>
      Array.isArray(groups) &&
      groups.filter(isFields).some((group) => Array.isArray(group.hooks) && group.hooks.some(isForeign)),
  );
  return event && `a hook for ${event[0]}`;
}
