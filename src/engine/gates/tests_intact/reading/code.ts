/** Code of any language in one shape: what is needed to tell what a test checks. */
import type { SyntaxNode } from '../../../ports/source.ts';

interface Placed {
  /** Where it is written. */
  at: SyntaxNode;
}

export type Expr = Placed &
  (
    | { kind: 'name'; id: string }
    | { kind: 'literal'; of: 'number' | 'string' | 'boolean' | 'nothing'; text: string }
    | { kind: 'member'; of: Expr; name: string }
    | { kind: 'index'; of: Expr; key: Expr }
    | Call
    | { kind: 'list'; items: readonly Expr[] }
    | { kind: 'record'; entries: readonly (readonly [key: string, value: Expr])[] }
    | Fn
    | { kind: 'binary'; op: string; left: Expr; right: Expr }
    | { kind: 'not'; of: Expr }
    | { kind: 'await'; of: Expr }
    /** Anything else: its words, with the expressions between them. */
    | { kind: 'other'; pieces: readonly (string | Expr)[] }
  );

export interface Call extends Placed {
  kind: 'call';
  fn: Expr;
  args: readonly Expr[];
  /** Arguments by name: `match="x"`. */
  named: Readonly<Record<string, Expr>>;
}

export interface Fn extends Placed {
  kind: 'function';
  params: readonly Pattern[];
  body: readonly Statement[];
}

/** What a value is bound to. */
export type Pattern =
  | { kind: 'name'; id: string }
  | { kind: 'list'; items: readonly Pattern[] }
  | { kind: 'record'; entries: readonly (readonly [key: string, pattern: Pattern])[] }
  | { kind: 'none' };

export interface Handler {
  /** The types of failures that it catches; empty: all. */
  types: readonly string[];
  name?: string;
  body: readonly Statement[];
}

/** A decorator, an annotation or an attribute. */
export interface Attribute extends Placed {
  name: string;
  args: readonly Expr[];
  named: Readonly<Record<string, Expr>>;
}

export interface Definition extends Placed {
  kind: 'define';
  name: string;
  fn: Fn;
  attributes: readonly Attribute[];
}

export interface ClassStatement extends Placed {
  kind: 'class';
  name: string;
  bases: readonly string[];
  attributes: readonly Attribute[];
  body: readonly Statement[];
}

export type Statement = Placed &
  (
    | { kind: 'expression'; value: Expr }
    | { kind: 'assert'; condition: Expr }
    | { kind: 'bind'; pattern: Pattern; value: Expr }
    | Definition
    | ClassStatement
    | { kind: 'if'; condition: Expr; yes: readonly Statement[]; no: readonly Statement[] }
    /** Without `over` it is a loop for as long as a condition holds. */
    | { kind: 'loop'; pattern: Pattern; over?: Expr; condition?: Expr; body: readonly Statement[] }
    | { kind: 'try'; body: readonly Statement[]; handlers: readonly Handler[]; last: readonly Statement[] }
    | { kind: 'with'; items: readonly { value: Expr; name?: string }[]; body: readonly Statement[] }
    | { kind: 'return'; value?: Expr }
    | { kind: 'throw'; value?: Expr }
    | { kind: 'leave' }
    | { kind: 'block'; body: readonly Statement[] }
  );

export const NO_PATTERN: Pattern = { kind: 'none' };

export function child(node: SyntaxNode, field: string): SyntaxNode | undefined {
  return node.children.find((one) => one.field === field);
}

/** The named children, without comments. */
export function parts(node: SyntaxNode): SyntaxNode[] {
  return node.children.filter((one) => one.named && !isComment(one));
}

export function isComment({ type }: SyntaxNode): boolean {
  return type === 'comment' || type === 'line_comment' || type === 'block_comment';
}

/** A piece of code that has no shape of its own, with the expressions in it. */
export function otherwise(node: SyntaxNode, lower: (node: SyntaxNode) => Expr): Expr {
  if (node.children.length === 0) return { kind: 'other', pieces: [node.text], at: node };
  const pieces = node.children
    .filter((one) => !isComment(one))
    .map((one) => (one.named ? lower(one) : one.text));
  return { kind: 'other', pieces, at: node };
}

/** What stands in a field of a node; where nothing does, a piece of code without a shape. */
export function fieldAt(node: SyntaxNode, field: string, lower: (node: SyntaxNode) => Expr): Expr {
  const found = child(node, field);
  return found ? lower(found) : { kind: 'other', pieces: [], at: node };
}

/** `left operator right`, which every grammar spells in the same way. */
export function binaryAt(at: SyntaxNode, lower: (node: SyntaxNode) => Expr): Expr {
  const op = child(at, 'operator')?.text ?? '';
  return { kind: 'binary', op, left: fieldAt(at, 'left', lower), right: fieldAt(at, 'right', lower), at };
}

/** `a.b.c` as a text; undefined for anything but names and members. */
export function pathOf(expr: Expr): string | undefined {
  if (expr.kind === 'name') return expr.id;
  if (expr.kind !== 'member') return undefined;
  const before = pathOf(expr.of);
  return before === undefined ? undefined : `${before}.${expr.name}`;
}

/** The name by which a function is called: the last part of its path. */
export function calledName({ fn }: Call): string {
  if (fn.kind === 'name') return fn.id;
  return fn.kind === 'member' ? fn.name : '';
}

export function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
