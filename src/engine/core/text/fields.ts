/** An object of a file or a message that anybody can write. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asFields(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

/** The value when it is an object, else an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
