/** Claude Code's sandbox in the text of a settings file of a project, and rules that keep its file tools out, too. */
import type { Node } from 'jsonc-parser';
import { type ClientSandbox, clientSandbox, type SessionSandbox } from '../../core/run/client-sandbox.ts';
import {
  appendElement,
  appendMember,
  JsonRefused,
  memberOf,
  membersOf,
  parseStrict,
  removeChild,
  replaceValue,
} from './json-text.ts';

/** Settings of a project are shared, so they name the home of whoever reads them. */
const HIDDEN = [
  ...['~/.untildone', '~/.ssh', '~/.gnupg', '~/.aws', '~/.azure', '~/.kube', '~/.docker', '~/.netrc'],
  ...['~/.config/gcloud', '~/.config/gh', '~/.git-credentials', '~/.claude/.credentials.json'],
];

export interface SandboxPlan {
  choice: SessionSandbox['choice'];
  network: boolean;
  /** The untildone home, where it is not the usual one. */
  untildoneHome?: string;
}

export interface AddedSandbox {
  text: string;
  /** Your own settings of the sandbox, which stay, do not hide the home of untildone, or let commands leave. */
  kept?: 'whole' | 'open';
}

/** Adds the sandbox, unless there is one. Doing so twice is the same as once. */
export function addSandbox(text: string, plan: SandboxPlan): AddedSandbox {
  const hidden = [...HIDDEN, ...(plan.untildoneHome === undefined ? [] : [plan.untildoneHome])];
  const wanted = clientSandbox({ ...plan, hidden });
  const root = parseStrict(text);
  const there = memberOf(text, root, 'sandbox');
  if (there === undefined) return { text: withRules(appendMember(text, root, 'sandbox', wanted), hidden) };
  const value = valueAt(text, there);
  if (isOurs(value)) return { text: withRules(replacedWhere(text, there, value, wanted), hidden) };
  return { text: withRules(text, hidden), kept: keepsOut(value, hidden[0] ?? '') ? 'whole' : 'open' };
}

function replacedWhere(text: string, node: Node, value: unknown, wanted: ClientSandbox): string {
  return JSON.stringify(value) === JSON.stringify(wanted) ? text : replaceValue(text, node, wanted);
}

/** Removes what `addSandbox` added. What was there before the first install stays. */
export function removeSandbox(text: string, original = ''): string {
  if (text.trim() === '') return text;
  const had = original.trim() === '' ? '{}' : original;
  const root = parseStrict(text);
  const sandbox = memberOf(text, root, 'sandbox');
  const isAdded =
    sandbox && isOurs(valueAt(text, sandbox)) && memberOf(had, parseStrict(had), 'sandbox') === undefined;
  return withoutRules(isAdded ? withoutMember(text, root, 'sandbox') : text, had);
}

function withoutMember(text: string, object: Node, key: string): string {
  const member = membersOf(text, object).find((each) => each.key === key);
  return member ? removeChild(text, object, member.node) : text;
}

/** Removes our rules, and the objects that this leaves empty, unless they were there before. */
function withoutRules(text: string, had: string): string {
  const kept = new Set(rulesIn(listIn(had)));
  const added = new Set(ourRulesIn(rulesIn(listIn(text))).filter((rule) => !kept.has(rule)));
  let current = text;
  for (;;) {
    const list = listIn(current);
    const ours = list?.children?.find(({ value }) => added.has(value));
    if (!list || !ours) break;
    current = removeChild(current, list, ours);
  }
  if (current === text || listIn(had) || (listIn(current)?.children ?? []).length > 0) return current;
  const root = parseStrict(current);
  const permissions = memberOf(current, root, 'permissions');
  if (!permissions) return current;
  const isAlone = (permissions.children ?? []).length === 1;
  const was = memberOf(had, parseStrict(had), 'permissions');
  return isAlone && !was
    ? withoutMember(current, root, 'permissions')
    : withoutMember(current, permissions, 'deny');
}

/** Ours have exactly the keys that we write, and hide the home of untildone. */
function isOurs(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const keys = Object.keys(value).filter((key) => key !== 'network');
  const own = Object.keys(clientSandbox({ choice: 'required', hidden: [], network: false }));
  return keys.join() === own.join() && keepsOut(value, HIDDEN[0] ?? '');
}

/** Whether these settings hide a folder, and let no command leave. */
function keepsOut(value: unknown, folder: string): boolean {
  const { enabled, allowUnsandboxedCommands, filesystem } = (value ?? {}) as Partial<ClientSandbox>;
  const lists = [filesystem?.denyRead, filesystem?.denyWrite];
  const hides = lists.every((list) => Array.isArray(list) && list.includes(folder));
  return enabled === true && allowUnsandboxedCommands === false && hides;
}

const rulesFor = (hidden: readonly string[]) =>
  hidden.flatMap((path) => {
    const rooted = path.startsWith('/') ? `/${path}` : path;
    return [rooted, `${rooted}/**`].flatMap((each) => [`Read(${each})`, `Edit(${each})`]);
  });

/** Adds the rules that are missing to `permissions.deny`. */
function withRules(text: string, hidden: readonly string[]): string {
  const known = new Set(rulesIn(listIn(text)));
  const missing = rulesFor(hidden).filter((rule) => !known.has(rule));
  if (missing.length === 0) return text;
  const root = parseStrict(text);
  const permissions = memberOf(text, root, 'permissions');
  if (permissions === undefined) return appendMember(text, root, 'permissions', { deny: missing });
  refuseUnless(text, permissions, 'object', 'permissions');
  const deny = memberOf(text, permissions, 'deny');
  if (deny === undefined) return appendMember(text, permissions, 'deny', missing);
  refuseUnless(text, deny, 'array', 'permissions.deny');
  return missing.reduce((now, rule) => {
    const list = listIn(now);
    return list ? appendElement(now, list, rule) : now;
  }, text);
}

function refuseUnless(text: string, node: Node, type: 'object' | 'array', where: string): void {
  if (node.type === type) return;
  const wanted = type === 'object' ? 'an object, { ... }' : 'an array, [ ... ]';
  throw new JsonRefused(
    `${where} must be ${wanted}, not ${node.type}; correct it and run this again`,
    text,
    node.offset,
  );
}

function listIn(text: string): Node | undefined {
  const permissions = memberOf(text, parseStrict(text), 'permissions');
  const deny = permissions?.type === 'object' ? memberOf(text, permissions, 'deny') : undefined;
  return deny?.type === 'array' ? deny : undefined;
}

function rulesIn(list: Node | undefined): string[] {
  return (list?.children ?? []).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}

const OF_ANY_HOME = /^Read\(\/(\/.*untildone[^/]*)\)$/;

/** Rules about our own list of paths, and about homes of untildone for which all our rules are there. */
function ourRulesIn(rules: readonly string[]): string[] {
  const homes = rules.flatMap((rule) => OF_ANY_HOME.exec(rule)?.[1] ?? []);
  const whole = homes.filter((home) => rulesFor([home]).every((rule) => rules.includes(rule)));
  return rulesFor([...HIDDEN, ...whole]);
}

function valueAt(text: string, node: Node): unknown {
  try {
    return JSON.parse(text.slice(node.offset, node.offset + node.length));
  } catch {
    return undefined;
  }
}
