/** Names and what they stand for, so that a check is told by what it says and not by how it is written. */
import { type Call, type Expr, type Fn, type Pattern, squeeze } from './code.ts';

export interface Value {
  expr: Expr;
  scope: Scope;
  /** Its words and its literals, once they were asked for: names that stand for names would take very long. */
  said?: string;
  literals?: readonly string[];
}

export class Scope {
  private readonly values = new Map<string, Value | undefined>();

  private readonly parent?: Scope;

  constructor(parent?: Scope) {
    this.parent = parent;
  }

  /** `undefined` is a name that stands for itself: a parameter. */
  set(name: string, value: Value | undefined): void {
    this.values.set(name, value);
  }

  has(name: string): boolean {
    return this.values.has(name) || (this.parent?.has(name) ?? false);
  }

  get(name: string): Value | undefined {
    return this.values.has(name) ? this.values.get(name) : this.parent?.get(name);
  }

  /** Where a name is bound, so that an assignment in an inner block changes it there. */
  ownerOf(name: string): Scope | undefined {
    return this.values.has(name) ? this : this.parent?.ownerOf(name);
  }

  bind(pattern: Pattern, value: Value | undefined): void {
    if (pattern.kind === 'name') this.set(pattern.id, value);
    if (pattern.kind === 'list') {
      const list = value && resolve(value);
      for (const [i, item] of pattern.items.entries()) {
        const part = list?.expr.kind === 'list' ? list.expr.items[i] : undefined;
        this.bind(item, part && list ? { expr: part, scope: list.scope } : undefined);
      }
    }
    if (pattern.kind === 'record') {
      for (const [key, inner] of pattern.entries) this.bind(inner, value && entryOf(value, key));
    }
  }
}

const DEEPEST = 12;

/** Follows names, and parts of lists and records, to what they stand for. */
export function resolve(value: Value, depth = 0): Value {
  const { expr, scope } = value;
  if (depth > DEEPEST) return value;
  if (expr.kind === 'await') return resolve({ expr: expr.of, scope }, depth + 1);
  if (expr.kind === 'name') {
    const found = scope.get(expr.id);
    return found ? resolve(found, depth + 1) : value;
  }
  if (expr.kind === 'member') {
    const found = entryOf({ expr: expr.of, scope }, expr.name, depth + 1);
    return found ? resolve(found, depth + 1) : value;
  }
  if (expr.kind === 'index' && expr.key.kind === 'literal') {
    const found = entryOf({ expr: expr.of, scope }, expr.key.text, depth + 1);
    return found ? resolve(found, depth + 1) : value;
  }
  return value;
}

/** The part of a record or a list by its key. */
function entryOf(value: Value, key: string, depth = 0): Value | undefined {
  const { expr, scope } = resolve(value, depth);
  if (expr.kind === 'record') {
    const found = expr.entries.find(([name]) => name === key)?.[1];
    return found && { expr: found, scope };
  }
  const item = expr.kind === 'list' && /^\d+$/.test(key) ? expr.items[Number(key)] : undefined;
  return item && { expr: item, scope };
}

export function functionOf(value: Value): { fn: Fn; scope: Scope } | undefined {
  const { expr, scope } = resolve(value);
  return expr.kind === 'function' ? { fn: expr, scope } : undefined;
}

/** A longer text is not written in place of its name. */
const LONGEST = 400;

/** The words of an expression: the same for the same meaning, as far as names, quotes and layout go. */
export function say(expr: Expr, scope: Scope, depth = 0): string {
  const inner = (one: Expr) => say(one, scope, depth);
  switch (expr.kind) {
    case 'name':
      return sayName(expr.id, scope, depth);
    case 'literal':
      return expr.of === 'string' ? JSON.stringify(expr.text) : expr.text;
    case 'await':
      return inner(expr.of);
    case 'member':
    case 'index':
      return sayPart(expr, scope, depth);
    case 'call':
      return sayLength(expr, inner) ?? `${inner(expr.fn)}(${sayArguments(expr.args, expr.named, inner)})`;
    case 'list':
      return `[${expr.items.map(inner).join(', ')}]`;
    case 'record':
      return `{${expr.entries.map(([key, value]) => `${key}: ${inner(value)}`).join(', ')}}`;
    case 'function':
      return sayFunction(expr, inner);
    case 'binary':
      return `${inner(expr.left)} ${expr.op} ${inner(expr.right)}`;
    case 'not':
      return `not ${inner(expr.of)}`;
    default:
      return squeeze(
        expr.pieces.map((piece) => (typeof piece === 'string' ? piece : inner(piece))).join(' '),
      );
  }
}

/** A function of one line is told by what it does. */
function sayFunction({ body, at }: Fn, inner: (expr: Expr) => string): string {
  const [only, ...rest] = body;
  if (only && rest.length === 0 && (only.kind === 'expression' || only.kind === 'return') && only.value)
    return `() => ${inner(only.value)}`;
  return squeeze(at.text);
}

function sayName(id: string, scope: Scope, depth: number): string {
  const value = depth > DEEPEST ? undefined : scope.get(id);
  if (!value || value.expr.kind === 'function') return id;
  if (value.said === undefined) {
    // Found again while it is being said: it stands for itself.
    value.said = id;
    value.said = say(value.expr, value.scope, depth + 1);
  }
  return value.said.length > LONGEST ? id : value.said;
}

function sayPart(expr: Expr & { kind: 'member' | 'index' }, scope: Scope, depth: number): string {
  const found = depth > DEEPEST ? { expr, scope } : resolve({ expr, scope });
  if (found.expr !== expr) {
    const text = say(found.expr, found.scope, depth + 1);
    if (text.length <= LONGEST) return text;
  }
  const of = say(expr.of, scope, depth + 1);
  if (expr.kind === 'member' && LENGTH.test(expr.name)) return `${of}.length`;
  return expr.kind === 'member' ? `${of}.${expr.name}` : `${of}[${say(expr.key, scope, depth + 1)}]`;
}

const LENGTH = /^(?:length|len|size|count)$/;

/** `len(x)`, `x.size()`: the length of x in all languages. */
function sayLength({ fn, args }: Call, inner: (expr: Expr) => string): string | undefined {
  if (fn.kind === 'name' && LENGTH.test(fn.id) && args.length === 1 && args[0])
    return `${inner(args[0])}.length`;
  return fn.kind === 'member' && LENGTH.test(fn.name) && args.length === 0
    ? `${inner(fn.of)}.length`
    : undefined;
}

function sayArguments(
  args: readonly Expr[],
  named: Readonly<Record<string, Expr>>,
  inner: (expr: Expr) => string,
): string {
  return [...args.map(inner), ...Object.entries(named).map(([key, value]) => `${key}=${inner(value)}`)].join(
    ', ',
  );
}

/** The literals in an expression, names followed. */
export function literalsOf(expr: Expr, scope: Scope, depth = 0): readonly string[] {
  if (depth > DEEPEST) return [];
  const inner = (one: Expr) => literalsOf(one, scope, depth + 1);
  switch (expr.kind) {
    case 'name':
      return literalsOfName(expr.id, scope, depth);
    case 'literal':
      return [expr.of === 'string' ? JSON.stringify(expr.text) : expr.text];
    case 'list':
      return expr.items.flatMap(inner);
    case 'record':
      return expr.entries.flatMap(([, value]) => inner(value));
    case 'call':
      return [
        ...(expr.fn.kind === 'member' ? inner(expr.fn.of) : []),
        ...expr.args.flatMap(inner),
        ...Object.values(expr.named).flatMap(inner),
      ];
    case 'binary':
      return [...inner(expr.left), ...inner(expr.right)];
    case 'member':
    case 'index': {
      const found = resolve({ expr, scope });
      return found.expr === expr ? inner(expr.of) : literalsOf(found.expr, found.scope, depth + 1);
    }
    case 'not':
    case 'await':
      return inner(expr.of);
    case 'other':
      return expr.pieces.flatMap((piece) => (typeof piece === 'string' ? [] : inner(piece)));
    default:
      return expr.body.flatMap((one) => ('value' in one && one.value ? inner(one.value) : []));
  }
}

function literalsOfName(id: string, scope: Scope, depth: number): readonly string[] {
  const value = scope.get(id);
  if (!value) return [];
  if (value.literals === undefined) {
    value.literals = [];
    value.literals = literalsOf(value.expr, value.scope, depth + 1);
  }
  return value.literals;
}
