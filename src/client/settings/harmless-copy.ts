/**
 * A copy of Claude Code's settings for a session that is only a proof. It decides about our hooks as the original does, but runs
 * nothing of others, logs in nowhere and writes to none of your folders.
 *
 * Claude Code takes nothing at all from a file with one value of a wrong form (measured with 2.1.325). So a value of a wrong form
 * stays as it is, and what is taken away leaves a value of the right form.
 */
import { isOurLine } from '../../home/hook-line.ts';
import { asFields, type Fields, isFields } from '../fields.ts';
import { withoutMark } from './guard.ts';

/** A text that Claude Code cannot read either. */
const UNREADABLE = '{';
/** A command that does nothing. */
const NOTHING = ':';

/** Settings that name a command, a folder to write to, or a login: they are left out when they are texts. */
const LEFT_OUT =
  /(?:Helper|Refresh|Export|Command)$|^(?:autoMemoryDirectory|plansDirectory|forceLogin\w+|model|outputStyle)$/;

/** Variables that decide how a hook starts, and which no service is reached by. */
const HOOK_VARIABLE =
  /^(?:PATH|ENV|BASH_ENV|LANG|LC_\w+|NODE_(?:OPTIONS|PATH)|CLAUDE_CODE_STOP_HOOK_BLOCK_CAP)$/;

/** Whether a variable changes how hooks run, and reaches no service. */
export function isHookVariable(name: string): boolean {
  return HOOK_VARIABLE.test(name);
}

/** Variables by which Claude Code reaches a service. */
const SERVICE_VARIABLE =
  /^(?:ANTHROPIC_|AWS_|VERTEX_|GOOGLE_|CLOUD_ML_|OTEL_|CLAUDE_CODE_(?:USE|ENABLE_TELEMETRY|OAUTH)|(?:HTTPS?|ALL|NO)_PROXY$)/i;

/**
 * Names what these settings run, or which service they reach, beside our hooks; undefined when nothing. For settings of an
 * organization: Claude Code always reads them, and they cannot be copied without that.
 */
export function reachesOut(settings: Fields): string | undefined {
  const helper = Object.keys(settings).find(
    (name) => LEFT_OUT.test(name) && !/^(?:model|outputStyle)$/.test(name),
  );
  if (helper !== undefined) return `"${helper}"`;
  const variable = Object.keys(asFields(settings.env) ?? {}).find((name) => SERVICE_VARIABLE.test(name));
  if (variable !== undefined) return `"env": "${variable}"`;
  const plugin = Object.entries(asFields(settings.enabledPlugins) ?? {}).find(([, isOn]) => isOn !== false);
  if (plugin !== undefined) return `the plugin ${plugin[0]}`;
  const isForeign = (hook: unknown) => harmlessHook(hook) !== hook;
  const event = Object.entries(asFields(settings.hooks) ?? {}).find(
    ([, groups]) =>
      Array.isArray(groups) &&
      groups.filter(isFields).some((group) => Array.isArray(group.hooks) && group.hooks.some(isForeign)),
  );
  return event && `a hook for ${event[0]}`;
}

export function harmlessCopy(text: string): string {
  const bare = withoutMark(text);
  if (bare.trim() === '') return '';
  const value = parsed(bare);
  if (value === undefined) return UNREADABLE;
  return JSON.stringify(isFields(value) ? harmlessSettings(value) : value, null, 2);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function harmlessSettings(settings: Fields): Fields {
  const kept = Object.entries(settings).filter(
    ([name, value]) => !(LEFT_OUT.test(name) && typeof value === 'string'),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, harmlessValue(name, value)]));
}

function harmlessValue(name: string, value: unknown): unknown {
  if (!isFields(value)) return value;
  switch (name) {
    case 'hooks':
      return mapValues(value, (groups) => mapList(groups, harmlessGroup));
    case 'env':
      return harmlessVariables(value);
    case 'enabledPlugins':
      return mapValues(value, (isOn) => (typeof isOn === 'boolean' || Array.isArray(isOn) ? false : isOn));
    case 'extraKnownMarketplaces':
    case 'pluginConfigs':
      return {};
    default:
      // A status line, a file suggestion.
      return typeof value.command === 'string' ? { ...value, command: NOTHING } : value;
  }
}

function harmlessGroup(group: unknown): unknown {
  return isFields(group) ? { ...group, hooks: mapList(group.hooks, harmlessHook) } : group;
}

/** The texts that a hook of each type has to name. */
const NAMED_BY: Record<string, readonly string[]> = {
  command: ['command'],
  http: ['url'],
  prompt: ['prompt'],
  agent: ['prompt'],
  mcp_tool: ['server', 'tool'],
};

/** Our hook as it is; a hook of others as one that does nothing. */
function harmlessHook(hook: unknown): unknown {
  if (!isFields(hook)) return hook;
  const { type, command } = hook;
  if (type === 'command' && typeof command === 'string' && isOurLine(command)) return hook;
  const named = NAMED_BY[String(type)];
  const isWhole = named === undefined || named.every((name) => typeof hook[name] === 'string');
  return isWhole ? { type: 'command', command: NOTHING } : hook;
}

/** Keeps the variables that decide how a hook starts. A value of a wrong form stays, under a name that means nothing. */
function harmlessVariables(env: Fields): Fields {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value], index): [string, unknown][] => {
      if (typeof value !== 'string') return [[`UNTILDONE_LEFT_OUT_${index}`, value]];
      return isHookVariable(name) ? [[name, value]] : [];
    }),
  );
}

function mapValues(fields: Fields, change: (value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));
}

function mapList(value: unknown, change: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : value;
}
