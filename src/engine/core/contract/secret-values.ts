/** The secrets that a contract brings in its commands, variables and addresses. They leave it in no text that is kept or shown. */
import { isSecretName } from '../text/redact.ts';
import type { Contract } from './contract.ts';

/** A short plain word (`postgres`) would be masked in everything that the agent reads, and is hardly a secret. */
const TELLING = /^(?=.*[^a-z]).{6,}$|^.{12,}$/s;
const known = new WeakMap<object, readonly string[]>();

/** The values as they stand in the contract, the longest first. For `redact`, which masks them wherever they occur. */
export function secretsOf(contract: Pick<Contract, 'gates'> & Partial<Contract>): readonly string[] {
  const before = known.get(contract);
  if (before) return before;
  const found = new Set<string>();
  collect(contract.gates, found);
  collect(contract.run, found);
  collect(contract.room, found);
  for (const { webhook, command } of contract.notify ?? []) {
    if (webhook !== undefined) for (const part of partsOfAddress(webhook)) found.add(part);
    collect(command, found);
  }
  const values = [...found].filter((value) => TELLING.test(value)).sort((a, b) => b.length - a.length);
  known.set(contract, values);
  return values;
}

function collect(value: unknown, found: Set<string>, name = ''): void {
  if (typeof value === 'string') {
    if (TELLING.test(value) && isSecretName(name)) found.add(value);
    for (const part of partsOfCommand(value)) found.add(part);
  } else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      if (name === 'env' && typeof inner === 'string' && LIKE_A_KEY.test(inner)) found.add(inner);
      collect(inner, found, Array.isArray(value) ? name : key);
    }
}

/** Whoever knows the path of a webhook can post to it, so it counts as a whole. */
function partsOfAddress(address: string): string[] {
  const [, rest = ''] = /^[a-z][\w+.-]*:\/\/[^/?#]*(.*)$/i.exec(address) ?? [];
  const named = rest.split(/[/?&#=]/).filter((part) => part.length >= 8 && /[\dA-Z]/.test(part));
  return [address, ...(TELLING.test(rest) ? [rest] : []), ...named, ...namedInAddresses(address)];
}

/** The value of a variable that is not named like a secret. */
const LIKE_A_KEY = /^(?=.*\d)[\w+=-]{16,}$/;

const HEADER = /\bauthorization\s*[:=]\s*(?:[a-z]+\s+)?["']?([^\s"']+)/gi;
const OWN_HEADER = /-H\s*["']?[\w-]*(?:key|token|secret|auth)[\w-]*\s*:\s*([^\s"']+)/gi;
const LOGIN = /(?:^|\s)(?:-u|--user)[\s=]*["']?[^\s:"']+:([^\s"']+)/g;
const OPTION = /(?:^|\s)--?([a-z][\w-]*)(?:=|\s+)["']?([^\s"'`;|&)]+)/gi;
const ASSIGNED = /\b([a-z_]\w*)=["']?([^\s"'`;|&)]+)/gi;

/** What has none of these holds no option, no value that is set, no address and no word that looks made up. */
const MAY_HOLD_A_SECRET = /[=:\d]|(?:^|\s)-/;

function partsOfCommand(command: string): string[] {
  if (!MAY_HOLD_A_SECRET.test(command)) return [];
  const plain = [HEADER, OWN_HEADER, LOGIN].flatMap((pattern) =>
    [...command.matchAll(pattern)].map(([, value = '']) => value),
  );
  const named = [OPTION, ASSIGNED].flatMap((pattern) =>
    [...command.matchAll(pattern)].flatMap(([, name = '', value = '']) =>
      isSecretName(name) && !/^[-$]/.test(value) ? [value] : [],
    ),
  );
  return [
    ...plain.filter((value) => !value.startsWith('$')),
    ...named,
    ...namedInAddresses(command),
    ...madeUp(command),
  ];
}

/** Logins, and what looks made up, in addresses. */
function namedInAddresses(text: string): string[] {
  return [...text.matchAll(/\b[a-z][\w+.-]*:\/\/(?:([^\s/@"'<>]+)@)?[^\s"'<>]*/gi)].flatMap(
    ([, login = '']) => login.split(':').slice(-1),
  );
}

/** Words that nobody chose: letters and digits that change often. Digests and commits are named, not kept secret. */
function madeUp(text: string): string[] {
  return text.split(/[\s"'`=:,;&|()<>@/?]+/).filter((word) => {
    if (word.length < 16 || !/^[\w+-]+$/.test(word) || /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(word))
      return false;
    return (word.match(/\d(?=[a-z])|[a-z](?=\d)/gi)?.length ?? 0) > 3;
  });
}
