/**
 * Puts what a first run of the gates showed into the text of a proposed contract. The text is edited line by line, so that
 * its comments and columns stay.
 */
import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';
import type { KnownFailure } from '../core/contract/contract.ts';
import { yamlText } from '../core/contract/propose-text.ts';
import { oneLine } from '../core/text/clip.ts';

export interface Learnt {
  /** Time limits, by gate: `2m`. */
  timeouts: Readonly<Record<string, string>>;
  /** Why a gate is not asked for, by its name. */
  leftOut: Readonly<Record<string, string>>;
  /** Gates that nobody has judged yet. */
  notJudged: readonly string[];
  known: readonly KnownFailure[];
}

interface Edit {
  from: number;
  to: number;
  text: string;
}

export function withLearnt(text: string, learnt: Learnt): string {
  const { timeouts, leftOut, notJudged, known } = learnt;
  const gates = gatesIn(text);
  const edits = gates.flatMap((pair): Edit[] => {
    const name = nameOf(pair);
    const why = leftOut[name];
    if (why !== undefined) return [asComment(text, pair, why)];
    return [
      ...(timeouts[name] === undefined ? [] : timeoutEdits(pair, timeouts[name])),
      ...(notJudged.includes(name) ? [remark(text, pair, 'not judged at setup')] : []),
    ];
  });
  const left = gates.map(nameOf).filter((name) => leftOut[name] !== undefined);
  return withKnown(applied(text, [...edits, ...doneEdits(text, left)]), known);
}

/** The text with another value for a key of the contract, or without that key. */
export function withTopKey(text: string, key: string, value: string | undefined): string {
  const pair = topPair(text, key);
  if (!pair) return text;
  const from = lineStart(text, startOf(pair.key));
  const to = lineEnd(text, Math.max(endOf(pair.key), endOf(pair.value) - 1));
  return text.slice(0, from) + (value === undefined ? '' : `${key}: ${value}\n`) + text.slice(to);
}

/** The names of gates, in the order of the text. */
export function gateNamesIn(text: string): string[] {
  return gatesIn(text).map(nameOf);
}

function applied(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.from - a.from)
    .reduce((now, { from, to, text: put }) => now.slice(0, from) + put + now.slice(to), text);
}

function topPair(text: string, key: string): Pair | undefined {
  const root = parseDocument(text, { schema: 'core', logLevel: 'error' }).contents;
  return isMap(root) ? root.items.find((pair) => nameOf(pair) === key) : undefined;
}

function gatesIn(text: string): Pair[] {
  const gates = topPair(text, 'gates')?.value;
  return isMap(gates) ? (gates as YAMLMap).items : [];
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

/** A gate that is not asked for stays as a comment with the reason, for you to take up. */
function asComment(text: string, { key, value }: Pair, why: string): Edit {
  const from = lineStart(text, startOf(key));
  const lines = text.slice(startOf(key), endOf(value)).split('\n');
  const rest = lines.slice(1).map((line) => `  # ${line.trim()}`);
  const body = [`  # ${lines[0]?.trimEnd()}`, ...rest].join('\n');
  return { from, to: lineEnd(text, endOf(value)), text: `  # Left out: ${oneLine(why, 200)}\n${body}\n` };
}

function timeoutEdits({ value }: Pair, timeout: string): Edit[] {
  if (!isMap(value)) return [];
  const old = value.items.find((pair) => nameOf(pair) === 'timeout');
  if (old) return [{ from: startOf(old.value), to: endOf(old.value), text: timeout }];
  const end = endOf(value.items.at(-1)?.value);
  return value.flow ? [{ from: end, to: end, text: `, timeout: ${timeout}` }] : [];
}

function remark(text: string, { value }: Pair, words: string): Edit {
  const end = lineEnd(text, endOf(value)) - 1;
  const hasComment = text.slice(endOf(value), end).includes('#');
  return { from: end, to: end, text: hasComment ? `; ${words}` : `  # ${words}` };
}

function doneEdits(text: string, left: readonly string[]): Edit[] {
  const done = topPair(text, 'done')?.value;
  if (left.length === 0 || !isSeq(done)) return [];
  const names = done.items.flatMap((item) => (isScalar(item) ? [String(item.value)] : []));
  const rest = names.filter((name) => !left.includes(name));
  return rest.length === names.length
    ? []
    : [{ from: startOf(done), to: endOf(done), text: `[${rest.join(', ')}]` }];
}

function withKnown(text: string, known: readonly KnownFailure[]): string {
  if (known.length === 0) return text;
  const lines = known.map(({ gate, test, since, reason }) => {
    const members = Object.entries({ gate, test, since, reason }).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key}: ${key === 'since' ? value : yamlText(value)}`],
    );
    return `  - { ${members.join(', ')} }`;
  });
  const block = [
    '# What failed before any work. It holds nobody, and ends when it has passed once.',
    'known_failures:',
    ...lines,
    '',
  ];
  const limits = topPair(text, 'limits');
  const at = limits ? lineStart(text, startOf(limits.key)) : text.length;
  return `${text.slice(0, at)}${block.join('\n')}\n${text.slice(at)}`;
}

function rangeOf(node: unknown): readonly number[] {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range ?? [0, 0];
}

const startOf = (node: unknown) => rangeOf(node)[0] ?? 0;
const endOf = (node: unknown) => rangeOf(node)[1] ?? 0;

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}
