/** Words the issues of the schema as problems that you can read. */

import type { z } from 'zod';
import { oneLine } from '../core/text/clip.ts';
import { didYouMean } from '../core/text/did-you-mean.ts';
import { isFields } from '../core/text/fields.ts';
import { GATE_KINDS, KIND_WORDS } from '../gates/grammar.ts';
import { SETTINGS } from '../gates/kind-grammar.ts';
import { hear, type Words } from '../schema/words.ts';
import type { ContractText, Finding, Path } from './document.ts';
import { LIMIT_KEYS, LIMITS } from './grammar.ts';

type Issue = z.core.$ZodIssue;
type UnionIssue = Issue & { code: 'invalid_union' };

/** Keys that people expect, and their names in the grammar. */
const KEYS_BY_OTHER_NAMES: Record<string, string> = {
  permissions: 'tools',
  checkpoints: 'phases',
  stages: 'phases',
  steps: 'chunks',
};

/** Keys that people write in place of `run`. */
const RUN_BY_OTHER_NAMES = ['command', 'cmd', 'shell', 'script', 'exec', 'sh', 'bash'];

const MOST_KEYS = 50;

/** The problems, each once: a misspelt key is not reported as missing, too. */
export function findingsOf(issues: readonly Issue[], text: ContractText, above: Path = []): Finding[] {
  const meant = new Set(issues.flatMap(keysMeant));
  return issues
    .filter((issue) => !(isMissing(issue, text, above) && meant.has(JSON.stringify(issue.path))))
    .flatMap((issue) => findingsOfOne(issue, text, above));
}

function isMissing(issue: Issue, text: ContractText, above: Path): boolean {
  return valueAt(text.data, [...above, ...issue.path]) === undefined;
}

function keysMeant(issue: Issue): string[] {
  if (issue.code !== 'unrecognized_keys') return [];
  const { candidates = [] } = hear(issue.message);
  return issue.keys
    .slice(0, MOST_KEYS)
    .map((key) => JSON.stringify([...issue.path, didYouMean(key, candidates) ?? '']));
}

function findingsOfOne(issue: Issue, text: ContractText, above: Path): Finding[] {
  const path = [...above, ...issue.path];
  const value = valueAt(text.data, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, MOST_KEYS)
        .map((key) => unknownKey(key, path, value, hear(issue.message), text));
    case 'invalid_key':
      return [wrongKey(path, hear(issue.issues[0]?.message ?? issue.message), text)];
    case 'invalid_union': {
      const branch = isGate(path) ? gateBranch(issue, path, value, text) : fittingBranch(issue);
      if (Array.isArray(branch)) return findingsOf(branch, text, path);
      if (branch) return [branch];
    }
  }
  return [{ ...text.at(path), ...wrongValue(issue, path, value) }];
}

function isGate(path: Path): boolean {
  return path.length === 2 && path[0] === 'gates';
}

/**
 * The issues of the one branch whose type fits: they say more than "none of these". A union without words of its own
 * uses those of its first branch, the short form.
 */
function fittingBranch(issue: UnionIssue): Issue[] | undefined {
  const fitting = issue.errors.filter((branch) => !branch.some(isOfAnotherType));
  if (fitting.length === 1) return fitting[0];
  return hear(issue.message).example === undefined ? issue.errors[0] : undefined;
}

function isOfAnotherType(issue: Issue): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === 'invalid_union') return issue.errors.every((branch) => branch.some(isOfAnotherType));
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}

/** The issues of a gate by the grammar of its kind, or what is wrong when it does not have exactly one kind. */
function gateBranch(
  issue: UnionIssue,
  path: Path,
  value: unknown,
  text: ContractText,
): Issue[] | Finding | undefined {
  if (!isFields(value)) return undefined;
  const keys = Object.keys(value);
  const kinds = keys.filter((key) => KIND_WORDS.includes(key));
  const [first, second] = kinds;
  if (first === undefined) return withoutKind(keys, path, hear(issue.message), text);
  if (second !== undefined) {
    return {
      ...text.atKey(path, second),
      message: sentence('one kind of gate', kinds.join(' and '), path),
      example: 'ready: { all: [tests, lint] }',
    };
  }
  return issue.errors[GATE_KINDS.findIndex(({ kind }) => kind === first)];
}

function withoutKind(keys: string[], path: Path, words: Words, text: ContractText): Finding {
  const wrong = keys.find((key) => !SETTINGS.includes(key));
  const expected = `one kind of gate (${KIND_WORDS.join(', ')})`;
  if (wrong === undefined)
    return { ...text.at(path), message: sentence(expected, 'none', path), ...exampleOf(words) };
  const meant = RUN_BY_OTHER_NAMES.includes(wrong.toLowerCase()) ? 'run' : didYouMean(wrong, KIND_WORDS);
  const example = GATE_KINDS.find(({ kind }) => kind === meant)?.example ?? words.example;
  return {
    ...text.atKey(path, wrong),
    message: sentence(expected, quoted(wrong), path) + suggestion(meant),
    ...exampleOf({ example }),
  };
}

function unknownKey(key: string, path: Path, map: unknown, words: Words, text: ContractText): Finding {
  const message = sentence(words.expected, quoted(key), path);
  const other =
    path.length === 0 && Object.hasOwn(KEYS_BY_OTHER_NAMES, key) ? KEYS_BY_OTHER_NAMES[key] : undefined;
  const meant = other ?? didYouMean(key, words.candidates ?? []);
  const at = text.atKey(path, key);
  // In `{ run: echo a, b }` the comma ends the command, and `b` becomes a key without a value.
  const torn = meant === undefined && isFields(map) && map[key] === null;
  if (torn) {
    return { ...at, message: `${message} (a text with a comma needs quotes)`, example: 'run: "echo a, b"' };
  }
  const limit = path.length === 0 && meant === undefined ? didYouMean(key, LIMIT_KEYS) : undefined;
  if (limit !== undefined)
    return { ...at, message: `${message} (did you mean it in limits?)`, example: LIMITS };
  return { ...at, message: message + suggestion(meant), ...exampleOf(words) };
}

function wrongKey(path: Path, words: Words, text: ContractText): Finding {
  const parent = path.slice(0, -1);
  const key = String(path.at(-1));
  return {
    ...text.atKey(parent, key),
    message: sentence(words.expected, quoted(key), parent),
    ...exampleOf(words),
  };
}

function wrongValue(issue: Issue, path: Path, value: unknown): { message: string; example?: string } {
  const words = hear(issue.message);
  const meant = typeof value === 'string' ? didYouMean(value, words.candidates ?? []) : undefined;
  const unquoted = words.anyText && (typeof value === 'number' || typeof value === 'boolean');
  const hint = unquoted ? ' (in quotes it would be a text)' : suggestion(meant);
  return { message: sentence(words.expected, valueInWords(value), path) + hint, ...exampleOf(words) };
}

function exampleOf({ example }: { example?: string | undefined }): { example?: string } {
  return example === undefined ? {} : { example };
}

export function sentence(expected: string, found: string, path: Path): string {
  return `expected ${expected}, found ${found}${path.length > 0 ? ` in ${inWords(path)}` : ''}`;
}

export function suggestion(meant: string | undefined): string {
  return meant === undefined ? '' : ` (did you mean ${quoted(meant)}?)`;
}

export function inWords(path: Path): string {
  return path
    .map((part, i) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = oneLine(String(part), 60);
      return i > 0 ? `.${name}` : name;
    })
    .join('');
}

function valueInWords(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'string' ? quoted(value) : String(value);
}

export function quoted(text: string): string {
  return `"${oneLine(text, 60)}"`;
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    return (value as Record<PropertyKey, unknown>)[part];
  }, data);
}
