import type { AnswerShape } from '../../ports/ports.ts';

/**
 * What keeps a value from having a shape, with the path to it; undefined when it has. The words are those of zod, which would
 * be by far the largest part of the bundle that gates measure with.
 */
export function mismatchOf(value: unknown, shape: AnswerShape, path = ''): string | undefined {
  const { type, enum: options, items } = shape;
  const problem = (words: string) => `${path || 'the answer'}: ${words}`;
  if (options && !options.includes(value as string))
    return problem(`Invalid option: expected one of ${options.map((one) => `"${one}"`).join('|')}`);
  const kind = kindOf(value);
  if (kind !== type) return problem(`Invalid input: expected ${type}, received ${kind}`);
  if (type === 'object') return mismatchOfObject(value as Record<string, unknown>, shape, path);
  if (items)
    return firstOf((value as unknown[]).map((one, i) => () => mismatchOf(one, items, below(path, i))));
  return undefined;
}

function mismatchOfObject(
  value: Record<string, unknown>,
  { properties = {}, required = [], additionalProperties }: AnswerShape,
  path: string,
): string | undefined {
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || value[name] !== undefined,
  );
  const known = names.map((name) => () => {
    const shape = properties[name];
    return shape && mismatchOf(value[name], shape, below(path, name));
  });
  const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  const named = others.map((name) => `"${name}"`).join(', ');
  const unknown = () =>
    additionalProperties === false && others.length > 0
      ? `${path || 'the answer'}: Unrecognized key${others.length > 1 ? 's' : ''}: ${named}`
      : undefined;
  return firstOf([...known, unknown]);
}

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}

function below(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
