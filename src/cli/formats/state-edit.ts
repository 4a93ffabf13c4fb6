import type { Node } from 'jsonc-parser';
import {
  appendMember,
  JsonRefused,
  memberOf,
  parseStrict,
  replaceValue,
} from '../../engine/client/settings/json-text.ts';
import { didYouMean } from '../../engine/core/text/did-you-mean.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { CONDITIONS } from '../../engine/formats/verified-done/conditions.ts';

/** One `key=value` of `state set`; `conditions.plan_approved` is a path of two. */
export interface Assignment {
  path: string[];
  value: string | number | boolean | null;
}

const PART = /^[A-Za-z0-9_-]{1,128}$/;
const MAX_PARTS = 8;
const FORBIDDEN = new Set(['__proto__', 'prototype', 'constructor']);

/** Keys whose values have to be of one type. */
const FLAG = /^(?:verified_done|conditions\..+)$/;
const COUNT = /^(?:iteration|max_iterations|iterations|complexity)$/;

export function parseAssignment(word: string): Assignment {
  const at = word.indexOf('=');
  if (at < 1)
    throw new UsageError(`"${word}" is not KEY=VALUE; type for example: conditions.plan_approved=true`);
  const key = word.slice(0, at);
  const path = key.split('.');
  if (path.length > MAX_PARTS || !path.every((part) => PART.test(part) && !FORBIDDEN.has(part))) {
    throw new UsageError(`"${key}" is not a key; expected names of letters, digits, - and _, joined by dots`);
  }
  const value = typedValue(word.slice(at + 1));
  if (FLAG.test(key) && typeof value !== 'boolean' && value !== null) {
    throw new UsageError(`${key} is true, false or null; type: ${key}=true`);
  }
  if (COUNT.test(key) && !(typeof value === 'number' && value >= 0)) {
    throw new UsageError(`${key} is a whole number; type for example: ${key}=3`);
  }
  return { path, value };
}

function typedValue(text: string): Assignment['value'] {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  const number = Number(text);
  return /^(?:0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(number) ? number : text;
}

/** Notices a misspelt condition, which would stay unmet for ever. */
export function probablyMeant({ path }: Assignment): string | undefined {
  const [first, name = ''] = path;
  if (first !== 'conditions' || path.length !== 2 || Object.hasOwn(CONDITIONS, name)) return undefined;
  const meant = didYouMean(name, Object.keys(CONDITIONS));
  return `"${name}" is none of the nine conditions${meant ? `; did you mean ${meant}?` : ''}`;
}

/** The text of a JSON object with the values set; everything else stays as it is, byte by byte. */
export function withValues(text: string, assignments: readonly Assignment[], file: string): string {
  try {
    return assignments.reduce(withValue, text);
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw new UsageError(`${file}, line ${error.line}, column ${error.column}: ${error.message}`);
  }
}

function withValue(text: string, { path, value }: Assignment): string {
  let node: Node = parseStrict(text);
  for (const [index, key] of path.entries()) {
    if (node.type !== 'object') throw new UsageError(noObject(path.slice(0, index), node));
    const member = memberOf(text, node, key);
    const rest = path.slice(index + 1);
    const inner = rest.reduceRight<unknown>((inside, name) => ({ [name]: inside }), value);
    if (!member) return appendMember(text, node, key, inner);
    if (rest.length > 0 && member.type === 'null') return replaceValue(text, member, inner);
    node = member;
  }
  if (node.type === 'object' || node.type === 'array') {
    const key = path.join('.');
    throw new UsageError(`${key} is ${kindOf(node)}; name a key in it, for example: ${key}.NAME=true`);
  }
  return replaceValue(text, node, value);
}

function noObject(path: string[], node: Node): string {
  const what = path.length === 0 ? 'the file' : path.join('.');
  return `${what} is ${kindOf(node)}, so nothing can be set in it`;
}

function kindOf({ type }: Node): string {
  return type === 'array' ? 'a list' : type === 'object' ? 'an object' : `a ${type}`;
}
