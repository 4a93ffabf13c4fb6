/** Adds to the text of a contract and leaves the rest as it is. */

import { type Document, isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { DEFAULT_LIMITS_LINE, SCHEMA_LINE, TRUST_LINE } from '../core/contract/propose.ts';
import type { WrittenPhase } from '../core/import/command-phases.ts';
import type { Additions, WrittenGate } from '../core/import/import-hooks.ts';
import { defined } from '../core/text/defined.ts';
import { type Fields, fieldsOf } from '../core/text/fields.ts';

const DEFAULT_BLOCKS = 2;

export interface ContractAdditions extends Additions {
  /** Phases to add behind those of the contract. */
  phases?: Record<string, WrittenPhase>;
}

/** A new contract for a project that has none. `made` says where it comes from. */
export function newContract(additions: ContractAdditions, made: string): string {
  const { gates, ...data } = merged({}, additions);
  const lines = Object.entries(fieldsOf(gates)).map(([name, gate]) => `  ${flow(name)}: ${flow(gate)}`);
  const line = (key: string) => (key in data ? ['', `${key}: ${flow(data[key])}`] : []);
  return [
    SCHEMA_LINE,
    `# ${made}`,
    TRUST_LINE,
    ...(lines.length === 0 ? [] : ['', 'gates:', ...lines]),
    ...line('done'),
    ...('every_stop' in data
      ? [
          '',
          '# Judged at every Stop of every session. "blocks" is how often a session is held after one prompt:',
        ]
      : []),
    ...line('every_stop').slice(1),
    ...line('subagent'),
    ...line('memory'),
    '',
    DEFAULT_LIMITS_LINE,
    '',
  ].join('\n');
}

/**
 * The text with the additions. It is edited line by line, so that comments and columns stay: the YAML library moves
 * comments and loses columns. Where that does not work (a contract in JSON, aliases), the library writes the whole text.
 */
export function addToContract(text: string, additions: ContractAdditions): string {
  const before = fieldsOf(parsed(text).toJS());
  const wanted = merged(before, additions);
  const edited = edit(text, before, wanted);
  if (isEqual(dataOf(edited), wanted)) return edited;
  const document = parsed(text);
  for (const [key, value] of Object.entries(wanted))
    if (!isEqual(before[key], value)) document.set(key, document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

/** The gates of a contract as they are written. */
export function writtenGates(text: string): Record<string, WrittenGate> {
  const gates = fieldsOf(fieldsOf(dataOf(text)).gates);
  return Object.fromEntries(
    Object.entries(gates).map(([name, gate]) => [name, fieldsOf(gate) as WrittenGate]),
  );
}

/** The phases of a contract as they are written. */
export function writtenPhases(text: string): Record<string, unknown> {
  return fieldsOf(fieldsOf(dataOf(text)).phases);
}

function parsed(text: string): Document {
  return parseDocument(text, { schema: 'core', logLevel: 'error' });
}

function dataOf(text: string): unknown {
  const document = parsed(text);
  return document.errors.length > 0 ? undefined : document.toJS();
}

function merged(before: Fields, additions: ContractAdditions): Fields {
  const { gates, everyStop, subagent, memory, phases = {} } = additions;
  // Gates that are there are never replaced.
  const all = { ...fieldsOf(before.gates), ...gates, ...fieldsOf(before.gates) };
  const done = doneWith(before, additions);
  return {
    ...before,
    ...(Object.keys(all).length > 0 ? { gates: all } : {}),
    ...(done ? { done } : {}),
    ...(everyStop.length > 0 ? { every_stop: everyStopWith(before.every_stop, everyStop) } : {}),
    ...(Object.keys(subagent).length > 0
      ? { subagent: subagentWith(fieldsOf(before.subagent), subagent) }
      : {}),
    ...(memory ? { memory: memoryWith(before.memory, memory) } : {}),
    ...(Object.keys(phases).length > 0
      ? { phases: { ...fieldsOf(before.phases), ...phases, ...fieldsOf(before.phases) } }
      : {}),
  };
}

/** Without `done` a loop has to pass every gate. Gates that only guard subagents must not become part of that. */
function doneWith(before: Fields, { gates, everyStop, subagent }: ContractAdditions): unknown[] | undefined {
  if (before.done !== undefined) return undefined;
  const guarding = Object.values(subagent).flat();
  const onlyGuarding = Object.keys(gates).filter(
    (name) => guarding.includes(name) && !everyStop.includes(name),
  );
  if (onlyGuarding.length === 0) return undefined;
  const parts = Object.values(fieldsOf(before.gates)).flatMap((gate) => partsOf(fieldsOf(gate)));
  const done = [...Object.keys(fieldsOf(before.gates)), ...Object.keys(gates)].filter(
    (name) => !onlyGuarding.includes(name) && !parts.includes(name),
  );
  return done.length > 0 ? done : undefined;
}

function partsOf({ all, any }: Fields): unknown[] {
  return [all, any].flatMap((parts) => (Array.isArray(parts) ? parts : listOf(fieldsOf(parts).gates)));
}

function everyStopWith(before: unknown, names: readonly string[]): unknown {
  if (before === undefined) return { gates: [...names], blocks: DEFAULT_BLOCKS };
  if (Array.isArray(before)) return union(before, names);
  return { ...fieldsOf(before), gates: union(listOf(fieldsOf(before).gates), names) };
}

function subagentWith(before: Fields, added: Record<string, string[]>): Fields {
  const lists = Object.entries(added).map(([type, names]) => [type, union(listOf(before[type]), names)]);
  return { ...before, ...Object.fromEntries(lists) };
}

function memoryWith(before: unknown, memory: NonNullable<Additions['memory']>): unknown {
  if (before === undefined)
    return { ...defined(memory), files: memory.files.length === 1 ? memory.files[0] : memory.files };
  const written = typeof before === 'string' ? { files: before } : fieldsOf(before);
  const files = listOf(written.files);
  return memory.files.every((file) => files.includes(file))
    ? before
    : { ...written, files: union(files, memory.files) };
}

function union(before: readonly unknown[], added: readonly unknown[]): unknown[] {
  return [...new Set([...before, ...added])];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function edit(text: string, before: Fields, wanted: Fields): string {
  let edited = text;
  for (const [key, value] of Object.entries(wanted)) {
    if (isEqual(before[key], value)) continue;
    const block = BLOCKS[key];
    edited = block
      ? withMembers(edited, key, fieldsOf(before[key]), fieldsOf(value), block)
      : withKey(edited, key, flow(value));
  }
  return edited;
}

/** The lines of one member, without indentation, by the key of its map. */
const BLOCKS: Readonly<Record<string, (name: string, value: unknown) => string[]>> = {
  gates: (name, gate) => [`${flow(name)}: ${flow(gate)}`],
  phases: (name, phase) => [
    `${flow(name)}:`,
    ...Object.entries(fieldsOf(phase)).flatMap(([key, value]) =>
      typeof value === 'string' && value.includes('\n')
        ? indented(
            stringify({ [key]: value }, { lineWidth: 0 })
              .trimEnd()
              .split('\n'),
            '  ',
          )
        : [`  ${key}: ${flow(value)}`],
    ),
  ],
};

function indented(lines: readonly string[], indent: string): string[] {
  return lines.map((line) => (line === '' ? '' : indent + line));
}

function withMembers(
  text: string,
  key: string,
  before: Fields,
  wanted: Fields,
  linesOf: (name: string, value: unknown) => string[],
): string {
  const added = Object.entries(wanted).filter(([name]) => !Object.hasOwn(before, name));
  const members = pairOf(text, key)?.value;
  if (!isMap(members) || members.items.length === 0) {
    const lines = added.flatMap(([name, value]) => indented(linesOf(name, value), '  '));
    return withKey(text, key, `\n${lines.join('\n')}`);
  }
  const last = endOf(members);
  if (members.flow) {
    const close = text.lastIndexOf('}', last);
    const head = text.slice(0, close).trimEnd();
    const rest = text.slice(head.length);
    return `${head}${added.map(([name, value]) => `, ${flow(name)}: ${flow(value)}`).join('')}${rest}`;
  }
  const indent = ' '.repeat(columnOf(text, startOf(members)));
  const lines = added.flatMap(([name, value]) => indented(linesOf(name, value), indent));
  return insertLines(text, lineEnd(text, endOf(members.items.at(-1)?.value)), lines);
}

/** Replaces the value of a key, or adds the key at the end. */
function withKey(text: string, key: string, value: string): string {
  const pair = pairOf(text, key);
  const line = value.startsWith('\n') ? `${key}:${value}` : `${key}: ${value}`;
  if (!pair) return insertLines(text, text.length, ['', ...line.split('\n')]);
  const start = startOf(pair.key);
  const end = Math.max(endOf(pair.key) + 1, endOf(pair.value));
  const kept = text.slice(start, end).endsWith('\n') ? eolOf(text) : '';
  return text.slice(0, start) + line.split('\n').join(eolOf(text)) + kept + text.slice(end);
}

function pairOf(text: string, key: string): Pair | undefined {
  const root = parsed(text).contents;
  if (!isMap(root)) return undefined;
  return (root as YAMLMap).items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function rangeOf(node: unknown): readonly number[] {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range ?? [0, 0];
}

function startOf(node: unknown): number {
  return rangeOf(node)[0] ?? 0;
}

function endOf(node: unknown): number {
  return rangeOf(node)[1] ?? 0;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** The end of the line in which a value ends. A block of text ends with its own line break. */
function lineEnd(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset;
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}

function insertLines(text: string, offset: number, lines: readonly string[]): string {
  const eol = eolOf(text);
  const before = text.slice(0, offset);
  const gap = before === '' || before.endsWith('\n') ? '' : eol;
  return `${before}${gap}${lines.join(eol)}${eol}${text.slice(offset)}`;
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** A value on one line, as people write it in a contract. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, inner]) => `${flow(key)}: ${flow(inner)}`);
    return `{ ${members.join(', ')} }`;
  }
  // The library adds the right quotes when the value stands inside a list, `[ value ]`. The value may begin with a space of its own.
  const options = { collectionStyle: 'flow', lineWidth: 0, defaultStringType: 'PLAIN' } as const;
  return stringify([value], options).slice('[ '.length, -' ]\n'.length);
}
