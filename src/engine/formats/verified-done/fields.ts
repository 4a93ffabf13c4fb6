import { type Fields, isFields } from '../../core/text/fields.ts';
import type { ForeignFiles } from '../../ports/ports.ts';
import { jsonFault } from '../../schema/json-fault.ts';
import type { Damage } from '../format.ts';

/** Reads values from files that anybody can write. Every value becomes something usable, and nothing throws. */

export { type Fields, isFields };

/** Takes the text "true" like the value: the format's own hook does, because it asks jq for text. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

/** The text of a string, number or boolean; undefined for everything else. */
export function plainText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

interface Count {
  value?: number;
  /** What is odd about the value. */
  odd?: string;
}

/** Reads a whole number, also from text. Other values are reported, and a number below zero counts as zero. */
export function countOf(value: unknown, name: string): Count {
  if (value === undefined || value === null) return {};
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    return { odd: `${name} is not a number and is not used` };
  }
  const whole = Math.min(Math.max(0, Math.floor(number)), Number.MAX_SAFE_INTEGER);
  return whole === number
    ? { value: whole }
    : { value: whole, odd: `${name} is ${number}: used as ${whole}` };
}

/** How a value is shown in a sentence. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (typeof value === 'string') return `"${value}"`;
  return plainText(value) ?? (Array.isArray(value) ? 'a list' : 'an object');
}

/** A JSON object in a file, or a problem that says where it is and what to do. */
export type ObjectRead =
  | { kind: 'object'; fields: Fields }
  | { kind: 'none' }
  | { kind: 'unusable'; problem: string; damage?: Damage };

export function readObject(path: string, files: ForeignFiles): ObjectRead {
  const read = files.read(path);
  if (read.kind !== 'text') {
    return read.kind === 'none'
      ? read
      : { kind: 'unusable', problem: `${read.problem}; repair or remove it` };
  }
  const text = read.text.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return { kind: 'object', fields: value };
    return {
      kind: 'unusable',
      problem: `${path} holds no JSON object; repair or remove it`,
      damage: { file: path, fault: 'it holds no JSON object' },
    };
  } catch {
    const { line, column } = jsonFault(text);
    return {
      kind: 'unusable',
      problem: `${path} is not JSON (line ${line}, column ${column}); repair or remove it`,
      damage: { file: path, fault: `line ${line}, column ${column}: this is no JSON` },
    };
  }
}
