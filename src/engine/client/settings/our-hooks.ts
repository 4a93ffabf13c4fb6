/** Adds and removes our hooks in the text of a Claude Code settings file. Everything else stays as it is. */

import type { Node } from 'jsonc-parser';
import type { KnownEventName } from '../../core/loop/event.ts';
import { defined } from '../../core/text/defined.ts';
import {
  hookLine,
  isOlderLine,
  isOtherToolsLine,
  isOurLine,
  OTHER_TOOLS_LINE,
} from '../../home/hook-line.ts';
import {
  appendElement,
  appendMember,
  JsonRefused,
  type Member,
  memberOf,
  membersOf,
  parseStrict,
  removeChild,
  replaceValue,
} from './json-text.ts';
import { OUR_EVENTS } from './our-events.ts';
import { CHANGING_TOOLS } from './settings.ts';

export interface HookPlan {
  /** The timeout of events at which gates are judged, in seconds. */
  readonly judgeTimeout?: number;
}

export interface AddedHooks {
  readonly text: string;
  readonly changed: boolean;
  /** Your own cap on blocks in a row, which stays. */
  readonly capKept?: string;
  /** True when the cap of an older version of untildone was removed. */
  readonly capRemoved: boolean;
  /** True when the file switches all hooks off. */
  readonly hooksDisabled: boolean;
}

interface PlannedHook {
  readonly event: KnownEventName;
  readonly matcher?: string;
  readonly command: string;
  readonly timeout: number;
  /** What Claude Code shows while the hook runs. */
  readonly statusMessage?: string;
}

export const STATUS = 'untildone checks whether the work is done';

/**
 * Claude Code's cap on blocks in a row. Up to 0.1.0 untildone switched it off in the settings. That reached sessions which
 * untildone does not hold, so it is removed.
 */
const CAP = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';
const NO_CAP = '0';

/**
 * Adds our hooks. Doing so twice is the same as once, and an older line of ours is replaced in place. `undefined` stands for
 * a missing file. `original` is the text before the first install, if it is known. Throws `JsonRefused` for a text that does
 * not have Claude Code's form.
 */
export function addHooks(text: string | undefined, plan: HookPlan = {}, original?: string): AddedHooks {
  const planned = plannedHooks(plan);
  const events = new Set<string>(planned.map((hook) => hook.event));
  let current = isBlank(text) ? `${text?.startsWith('\uFEFF') ? '\uFEFF' : ''}{}\n` : text;
  requireObject(current, parseStrict(current), 'the settings');
  const repaired = withoutOurCap(current, original);
  const capRemoved = repaired !== current;
  current = untilSettled(repaired, (now) => dropOneHook(now, (event) => !events.has(event)));
  for (const hook of planned) current = untilSettled(current, (now) => placeOneStep(now, hook));
  return {
    text: current,
    changed: current !== text,
    capKept: capIn(current),
    capRemoved,
    hooksDisabled: memberOf(current, parseStrict(current), 'disableAllHooks')?.value === true,
  };
}

/** Whether these settings hold the cap of an older version of untildone. Never throws. */
export function hasOurCap(text: string): boolean {
  try {
    return withoutOurCap(text, undefined) !== text;
  } catch {
    return false;
  }
}

/** The cap is ours beside a line of an older version, and where it came with our hooks; never where it was before them. */
function withoutOurCap(text: string, original: string | undefined): string {
  const had = original === undefined ? undefined : shapeOf(original);
  const isOurs = had === undefined ? hasHook(text, isOlderLine) : !had.cap && hasHook(text, isOurLine);
  return isOurs ? dropCap(text, had) : text;
}

/**
 * Removes what `addHooks` added. `original` is the text before that, if it is known: its objects and arrays stay even when
 * they become empty, and so does its cap. Without it, everything that our hooks leave empty is removed.
 */
export function removeHooks(text: string, original?: string): { text: string; changed: boolean } {
  if (isBlank(text)) return { text, changed: false };
  const had = original === undefined ? undefined : shapeOf(original);
  const uncapped = withoutOurCap(text, original);
  const current = untilSettled(uncapped, (now) => dropOneHook(now, () => true, had));
  return { text: current, changed: current !== text };
}

/** Hides the values of `env`, so that a diff of settings does not print keys. */
export function maskEnv(text: string): string {
  if (isBlank(text)) return text;
  const env = memberOf(text, parseStrict(text), 'env');
  if (env?.type !== 'object') return text;
  const secret = membersOf(text, env).filter((member) => member.key !== CAP);
  return secret.reverse().reduce((masked, member) => replaceValue(masked, member.value, '***'), text);
}

function plannedHooks({ judgeTimeout = 3600 }: HookPlan): PlannedHook[] {
  const timeouts = { judged: judgeTimeout, quick: 60, ending: 10 };
  const others = {
    event: 'PreToolUse',
    matcher: `^(?!(?:${CHANGING_TOOLS})$)`,
    command: OTHER_TOOLS_LINE,
    timeout: timeouts.quick,
  } as const;
  const planned = OUR_EVENTS.map(([event, kind]) => ({
    event,
    matcher: event === 'PreToolUse' ? CHANGING_TOOLS : undefined,
    command: hookLine(event),
    timeout: timeouts[kind],
    ...(kind === 'judged' ? { statusMessage: STATUS } : {}),
  }));
  return [...planned, others];
}

function isBlank(text: string | undefined): text is undefined | '' {
  return text === undefined || text.trim() === '';
}

/** Applies `step` until it returns undefined. Every step parses the text again, so offsets are never stale. */
function untilSettled(text: string, step: (text: string) => string | undefined): string {
  let current = text;
  for (let next = step(current); next !== undefined; next = step(current)) current = next;
  return current;
}

function placeOneStep(text: string, planned: PlannedHook): string | undefined {
  const { event, matcher, command, timeout, statusMessage } = planned;
  const root = parseStrict(text);
  const group = {
    matcher,
    hooks: [{ type: 'command', command, timeout, ...defined({ statusMessage }) }],
  };
  const hooks = memberOf(text, root, 'hooks');
  if (hooks === undefined) return appendMember(text, root, 'hooks', { [event]: [group] });
  requireObject(text, hooks, 'hooks');
  const groups = memberOf(text, hooks, event);
  if (groups === undefined) return appendMember(text, hooks, event, [group]);
  requireGroups(text, groups, event);
  const isOfThisKind = (ours: OurHook) =>
    isOtherToolsLine(commandOf(text, ours.hook)) === isOtherToolsLine(command);
  const [first, second] = ourHooksIn(text, groups).filter(isOfThisKind);
  if (first === undefined) return appendElement(text, groups, group);
  if (second !== undefined) return dropFromGroups(text, groups, second);
  const wrongMatcher = memberOf(text, first.group, 'matcher')?.value !== matcher;
  if (wrongMatcher && (first.list.children ?? []).length > 1) return dropFromGroups(text, groups, first);
  if (wrongMatcher) return setMember(text, first.group, 'matcher', matcher);
  return (
    setMember(text, first.hook, 'type', 'command') ??
    setMember(text, first.hook, 'command', command) ??
    setMember(text, first.hook, 'timeout', timeout) ??
    addMember(text, first.hook, 'statusMessage', statusMessage) ??
    dropCondition(text, first.hook)
  );
}

/** Members that install writes; of the others each could keep our hook from running, or from being waited for. */
const WRITTEN = ['type', 'command', 'timeout', 'statusMessage'];

function dropCondition(text: string, hook: Node): string | undefined {
  const other = membersOf(text, hook).find(({ key }) => !WRITTEN.includes(key));
  return other && removeChild(text, hook, other.node);
}

/** Sets a member, or removes it for the value undefined. Returns undefined when there is nothing to change. */
function setMember(text: string, object: Node, key: string, value: unknown): string | undefined {
  const member = membersOf(text, object).find((each) => each.key === key);
  if (member === undefined) return value === undefined ? undefined : appendMember(text, object, key, value);
  if (value === undefined) return removeChild(text, object, member.node);
  return member.value.value === value ? undefined : replaceValue(text, member.value, value);
}

/** Adds a member that is missing. One that is there may be yours. */
function addMember(text: string, object: Node, key: string, value: unknown): string | undefined {
  return memberOf(text, object, key) === undefined ? setMember(text, object, key, value) : undefined;
}

interface OurHook {
  readonly group: Node;
  /** The group's `hooks`. */
  readonly list: Node;
  readonly hook: Node;
}

/** Our hooks in one event's groups. Ignores entries that do not have Claude Code's form. */
function ourHooksIn(text: string, groups: Node): OurHook[] {
  const found: OurHook[] = [];
  for (const group of elementsOf(groups)) {
    const list = group.type === 'object' ? memberOf(text, group, 'hooks') : undefined;
    if (list === undefined) continue;
    for (const hook of elementsOf(list)) {
      const command = hook.type === 'object' ? memberOf(text, hook, 'command')?.value : undefined;
      if (typeof command === 'string' && isOurLine(command)) found.push({ group, list, hook });
    }
  }
  return found;
}

function commandOf(text: string, hook: Node): string {
  return String(memberOf(text, hook, 'command')?.value ?? '');
}

function elementsOf(node: Node): Node[] {
  return node.type === 'array' ? (node.children ?? []) : [];
}

function dropFromGroups(text: string, groups: Node, ours: OurHook): string {
  if (elementsOf(ours.list).length > 1) return removeChild(text, ours.list, ours.hook);
  return removeChild(text, groups, ours.group);
}

interface Shape {
  readonly hooks: boolean;
  readonly events: ReadonlySet<string>;
  readonly env: boolean;
  readonly cap: boolean;
}

function shapeOf(original: string): Shape {
  const text = isBlank(original) ? '{}' : original;
  const root = parseStrict(text);
  const hooks = memberOf(text, root, 'hooks');
  const env = memberOf(text, root, 'env');
  return {
    hooks: hooks !== undefined,
    events: new Set(hooks?.type === 'object' ? membersOf(text, hooks).map((event) => event.key) : []),
    env: env !== undefined,
    cap: env?.type === 'object' && memberOf(text, env, CAP) !== undefined,
  };
}

/** Removes the first of our hooks, and the objects and arrays that this leaves empty. */
function dropOneHook(text: string, from: (event: string) => boolean, had?: Shape): string | undefined {
  const root = parseStrict(text);
  const hooks = memberOf(text, root, 'hooks');
  if (hooks?.type !== 'object') return undefined;
  for (const event of membersOf(text, hooks)) {
    const [ours] = from(event.key) ? ourHooksIn(text, event.value) : [];
    if (ours === undefined) continue;
    const alone = elementsOf(event.value).length === 1 && elementsOf(ours.list).length === 1;
    if (!alone || had?.events.has(event.key)) return dropFromGroups(text, event.value, ours);
    return dropMember(text, root, 'hooks', event, had?.hooks ?? false);
  }
  return undefined;
}

function hasHook(text: string, matches: (command: string) => boolean): boolean {
  const hooks = memberOf(text, parseStrict(text), 'hooks');
  if (hooks?.type !== 'object') return false;
  return membersOf(text, hooks).some((event) =>
    ourHooksIn(text, event.value).some(({ hook }) => matches(commandOf(text, hook))),
  );
}

function dropCap(text: string, had: Shape | undefined): string {
  const root = parseStrict(text);
  const env = memberOf(text, root, 'env');
  if (env?.type !== 'object') return text;
  const cap = membersOf(text, env).find((member) => member.key === CAP);
  if (cap?.value.value !== NO_CAP) return text;
  return dropMember(text, root, 'env', cap, had?.env ?? false);
}

/** Removes a member of the root's `key`, and `key` itself when that leaves it empty, unless `keep` is set. */
function dropMember(text: string, root: Node, key: 'hooks' | 'env', member: Member, keep: boolean): string {
  const container = membersOf(text, root).find((each) => each.key === key);
  if (container === undefined) return text;
  const last = (container.value.children ?? []).length === 1;
  if (last && !keep) return removeChild(text, root, container.node);
  return removeChild(text, container.value, member.node);
}

/** The cap as it is written; undefined when there is none. */
function capIn(text: string): string | undefined {
  const env = memberOf(text, parseStrict(text), 'env');
  const cap = env?.type === 'object' ? memberOf(text, env, CAP) : undefined;
  return cap && text.slice(cap.offset, cap.offset + cap.length);
}

function requireGroups(text: string, groups: Node, event: string): void {
  const where = `hooks.${event}`;
  requireType(text, groups, 'array', where);
  elementsOf(groups).forEach((group, at) => {
    requireObject(text, group, `${where}[${at}]`);
    const list = memberOf(text, group, 'hooks');
    if (list === undefined) {
      throw new JsonRefused(
        `${where}[${at}] has no "hooks" array; add one or remove the entry`,
        text,
        group.offset,
      );
    }
    requireType(text, list, 'array', `${where}[${at}].hooks`);
    elementsOf(list).forEach((hook, index) => {
      requireObject(text, hook, `${where}[${at}].hooks[${index}]`);
    });
  });
}

function requireObject(text: string, node: Node, where: string): void {
  requireType(text, node, 'object', where);
}

function requireType(text: string, node: Node, type: 'object' | 'array', where: string): void {
  if (node.type === type) return;
  const wanted = type === 'object' ? 'an object, { ... }' : 'an array, [ ... ]';
  throw new JsonRefused(
    `${where} must be ${wanted}, not ${node.type}; correct it and run this again`,
    text,
    node.offset,
  );
}

/** The timeouts of our Stop hooks in this settings text, in seconds; empty when it has none. */
export function stopTimeouts(text: string): number[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const groups = (
    value as { hooks?: { Stop?: { hooks?: { command?: string; timeout?: number }[] }[] } } | null
  )?.hooks?.Stop;
  if (!Array.isArray(groups)) return [];
  return groups
    .flatMap((group) => (Array.isArray(group?.hooks) ? group.hooks : []))
    .filter((hook) => typeof hook?.command === 'string' && isOurLine(hook.command))
    .map((hook) => (typeof hook.timeout === 'number' && hook.timeout > 0 ? hook.timeout : CLIENT_TIMEOUT_S));
}

/** Claude Code's timeout for a command hook that names none. */
const CLIENT_TIMEOUT_S = 600;
