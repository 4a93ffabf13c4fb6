/** Reads and removes the hooks of others in the text of a Claude Code settings file. Everything else stays as it is. */
import type { Node } from 'jsonc-parser';
import type { ForeignHook } from '../../core/import/import-hooks.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { isOurLine } from '../../home/hook-line.ts';
import { type Member, memberOf, membersOf, parseStrict, removeChild } from './json-text.ts';

/** A hook with its place: the group of its event, and the index in that group. */
export interface PlacedHook extends ForeignHook {
  group: number;
  index: number;
}

/** Throws `JsonRefused` for a text that is not strict JSON. Ignores entries that do not have Claude Code's form. */
export function foreignHooks(text: string, place: string): PlacedHook[] {
  if (text.trim() === '') return [];
  return eventsIn(text).flatMap(({ key: event, value }) =>
    elementsOf(value).flatMap((group, at) => {
      const list = group.type === 'object' ? memberOf(text, group, 'hooks') : undefined;
      const matcher = group.type === 'object' ? textAt(text, group, 'matcher') : undefined;
      return (list ? elementsOf(list) : []).flatMap((node, index) => {
        const hook = node.type === 'object' ? hookAt(text, node) : undefined;
        if (!hook || (hook.command !== undefined && isOurLine(hook.command))) return [];
        return [{ ...hook, event, matcher: matcher ?? '', place, group: at, index }];
      });
    }),
  );
}

/** The plugins that the settings switch on or off. Throws as `foreignHooks` does. */
export function pluginSwitches(text: string): [name: string, isOn: boolean][] {
  if (text.trim() === '') return [];
  const plugins = memberOf(text, parseStrict(text), 'enabledPlugins');
  return plugins?.type === 'object'
    ? membersOf(text, plugins).map(({ key, value }) => [key, value.value !== false])
    : [];
}

function eventsIn(text: string): Member[] {
  const hooks = memberOf(text, parseStrict(text), 'hooks');
  return hooks?.type === 'object' ? membersOf(text, hooks) : [];
}

function elementsOf(node: Node): Node[] {
  return node.type === 'array' ? (node.children ?? []) : [];
}

type HookOnly = Omit<PlacedHook, 'event' | 'matcher' | 'place' | 'group' | 'index'>;

function hookAt(text: string, node: Node): HookOnly {
  const command = textAt(text, node, 'command');
  const args = memberOf(text, node, 'args');
  const timeout = memberOf(text, node, 'timeout')?.value;
  return {
    type: textAt(text, node, 'type') ?? 'command',
    ...optional('command', command === undefined || !args ? command : withArguments(command, args)),
    ...optional('prompt', textAt(text, node, 'prompt')),
    ...optional('model', textAt(text, node, 'model')),
    timeout: typeof timeout === 'number' ? timeout : undefined,
    background: ['async', 'asyncRewake'].some((key) => memberOf(text, node, key)?.value === true),
    ...optional('condition', textAt(text, node, 'if')),
  };
}

function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: string });
}

function textAt(text: string, object: Node, key: string): string | undefined {
  const value: unknown = memberOf(text, object, key)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** The command line of a hook with `args`, which runs without a shell: words are quoted, and the project's folder is `.`. */
function withArguments(command: string, args: Node): string {
  const words = [command, ...elementsOf(args).map((word) => String(word.value))];
  return words
    .map((word) => word.replaceAll('${' + 'CLAUDE_PROJECT_DIR}', '.'))
    .map((word) => (/^[\w./@=:,+-]+$/.test(word) ? word : quoteForShell(word)))
    .join(' ');
}

/** The text without these hooks, and without the groups, events and `hooks` that they leave empty. */
export function withoutForeignHooks(
  text: string,
  hooks: readonly Pick<PlacedHook, 'event' | 'group' | 'index'>[],
): string {
  // From last to first, so that the places of the other hooks stay valid.
  const lastFirst = [...hooks].sort((a, b) => b.group - a.group || b.index - a.index);
  return lastFirst.reduce((current, hook) => withoutHook(current, hook), text);
}

function withoutHook(
  text: string,
  { event, group, index }: Pick<PlacedHook, 'event' | 'group' | 'index'>,
): string {
  const root = parseStrict(text);
  const container = membersOf(text, root).find(({ key }) => key === 'hooks');
  const groups = container && membersOf(text, container.value).find(({ key }) => key === event);
  const groupNode = groups && elementsOf(groups.value)[group];
  const list = groupNode && memberOf(text, groupNode, 'hooks');
  const hook = list && elementsOf(list)[index];
  if (!hook) return text;
  if (elementsOf(list).length > 1) return removeChild(text, list, hook);
  if (elementsOf(groups.value).length > 1) return removeChild(text, groups.value, groupNode);
  if (membersOf(text, container.value).length > 1) return removeChild(text, container.value, groups.node);
  return removeChild(text, root, container.node);
}
