/** Readers of the JSON objects of Claude Code. They are tolerant: a field of the wrong type counts as absent. */
import { asFields, type Fields, isFields } from '../core/text/fields.ts';

export { asFields, type Fields, isFields };

/** Parses one line of JSON; undefined when it is not an object. */
export function parseFields(line: string): Fields | undefined {
  try {
    return asFields(JSON.parse(line));
  } catch {
    return undefined;
  }
}

export function text(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' ? value : undefined;
}

export function list(fields: Fields, key: string): Fields[] {
  const value = fields[key];
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** An object with only those keys that have a value, for optional properties. */
export function present<T extends Record<string, unknown>>(
  values: T,
): { [K in keyof T]?: NonNullable<T[K]> } {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values))
    if (value !== undefined && value !== null) out[key] = value;
  return out as { [K in keyof T]?: NonNullable<T[K]> };
}
