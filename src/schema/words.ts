/** What the schema says when something does not fit: the words travel through zod as the message of the issue. */
import { z } from 'zod';

export interface Words {
  /** Completes the sentence "expected ...". */
  expected: string;
  /** One line of YAML to copy. */
  example?: string;
  /** The words that would have fitted, for "did you mean". */
  candidates?: readonly string[];
  /** Any text fits: what YAML takes for a number or a truth value only lacks quotes. */
  anyText?: boolean;
}

export function say(
  expected: string,
  example: string,
  more: Omit<Words, 'expected' | 'example'> = {},
): string {
  return JSON.stringify({ expected, example, ...more } satisfies Words);
}

/** The words of an issue; a message that zod made by itself is taken as it is. */
export function hear(message: string): Words {
  try {
    const words: unknown = JSON.parse(message);
    if (typeof words === 'object' && words !== null && 'expected' in words) return words as Words;
  } catch {
    // Not ours.
  }
  return { expected: message };
}

/** A map that refuses keys it does not know: a misspelt key must not pass in silence. */
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
