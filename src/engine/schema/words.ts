/** What a schema says about a value that does not fit. zod carries these words as the message of an issue, in JSON. */
import * as z from 'zod';

export interface Words {
  /** Completes the sentence "expected ...". */
  expected: string;
  /** One line of YAML to copy. */
  example?: string;
  /** The valid words, for "did you mean". */
  candidates?: readonly string[];
  /** Any text is valid: a number or a truth value only lacks quotes. */
  anyText?: boolean;
}

export function say(
  expected: string,
  example: string,
  more: Omit<Words, 'expected' | 'example'> = {},
): string {
  return JSON.stringify({ expected, example, ...more } satisfies Words);
}

/** The words of an issue; a message of zod itself becomes `expected`. */
export function hear(message: string): Words {
  try {
    const words: unknown = JSON.parse(message);
    if (typeof words === 'object' && words !== null && 'expected' in words) return words as Words;
  } catch {
    // A message of zod itself.
  }
  return { expected: message };
}

/** A map that refuses unknown keys, so that a misspelt key is noticed. */
export function strict<Shape extends z.core.$ZodShape>(shape: Shape, expected: string, example: string) {
  const keys = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? say(`one of the keys ${keys.join(', ')}`, example, { candidates: keys })
        : say(expected, example),
  });
}

export function oneOf<const Values extends readonly string[]>(values: Values, example: string) {
  const expected = values.length > 1 ? `one of ${values.join(', ')}` : (values[0] ?? '');
  return z.enum(values, say(expected, example, { candidates: values }));
}
