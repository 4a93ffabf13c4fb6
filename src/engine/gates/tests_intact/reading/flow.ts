/** How code is reached, and how it is left. */
import type { Check, Reach } from './check.ts';
import { type Expr, type Fn, type Statement, squeeze } from './code.ts';
import type { Marker } from './model.ts';
import { resolve, Scope } from './scope.ts';

/** How the code at hand is reached. */
export interface Flow {
  reach: Reach;
  swallowed: boolean;
  floating: boolean;
  /** In a function that something else calls. */
  called: boolean;
  /** The helpers that led here. */
  via: readonly string[];
}

export const STRAIGHT: Flow = { reach: 'always', swallowed: false, floating: false, called: false, via: [] };

/** What is found in one stretch of code. */
export interface Findings {
  checks: Check[];
  markers: Marker[];
  rows: number;
  openRows: boolean;
}

/** How control leaves a stretch of code. `fails`: by a failure, which nobody can overlook. */
export type Way = 'on' | 'maybe left' | 'left' | 'fails';

export const EACH = /^(?:forEach|map|each|each_with_index|every|for_each|flatMap|each_pair|each_entry)$/;

export function callbackFlow(name: string, given: Flow, alone: boolean): Flow {
  const flow = { ...given, called: true };
  if (name.endsWith('catch_unwind')) return { ...flow, swallowed: true };
  if (/^(?:catch|on|once|addEventListener|addListener|finally|ifPresent|if_some|and_then)$/.test(name))
    return sometimes(flow);
  if (/^(?:setTimeout|setImmediate|setInterval|nextTick|queueMicrotask|go|spawn)$/.test(name))
    return { ...flow, floating: true };
  return name === 'then' && alone ? { ...flow, floating: true } : flow;
}

export function sometimes(flow: Flow): Flow {
  return flow.reach === 'always' ? { ...flow, reach: 'sometimes' } : flow;
}

export function onCondition(found: Findings): Findings {
  const checks = found.checks.map((check) =>
    check.reach === 'always' ? { ...check, reach: 'sometimes' as const } : check,
  );
  return { ...found, checks };
}

export function isLeft(way: Way): boolean {
  return way === 'left' || way === 'fails';
}

/** A scope in which the parameters stand for themselves. */
export function parameters(fn: Fn, home: Scope): Scope {
  const inner = new Scope(home);
  for (const param of fn.params) inner.bind(param, undefined);
  return inner;
}

export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'list':
      return expr.items;
    case 'record':
      return expr.entries.map(([, value]) => value);
    case 'member':
    case 'not':
      return [expr.of];
    case 'index':
      return [expr.of, expr.key];
    case 'other':
      return expr.pieces.filter((piece): piece is Expr => typeof piece !== 'string');
    default:
      return [];
  }
}

/** Whether a condition always holds or never does; undefined where that depends. */
export function remoteRunsOf(condition: Expr, scope: Scope): boolean | undefined {
  if (condition.kind === 'not') {
    const truth = remoteRunsOf(condition.of, scope);
    return truth === undefined ? undefined : !truth;
  }
  if (condition.kind === 'binary' && /^(?:&&|and|\|\||or)$/.test(condition.op)) {
    const sides = [remoteRunsOf(condition.left, scope), remoteRunsOf(condition.right, scope)];
    const decides = !/^(?:&&|and)$/.test(condition.op);
    if (sides.includes(decides)) return decides;
    return sides.every((side) => side !== undefined) ? !decides : undefined;
  }
  if (condition.kind === 'binary' && /^[!=]==?$/.test(condition.op)) return sameLiterals(condition, scope);
  const { expr } = resolve({ expr: condition, scope });
  if (expr.kind !== 'literal') return undefined;
  if (expr.of === 'boolean') return /^true$/i.test(expr.text);
  return expr.of !== 'nothing' && expr.text !== '' && Number(expr.text || 1) !== 0;
}

function sameLiterals(condition: Expr & { kind: 'binary' }, scope: Scope): boolean | undefined {
  const [left, right] = [condition.left, condition.right].map((expr) => resolve({ expr, scope }).expr);
  if (left?.kind !== 'literal' || right?.kind !== 'literal') return undefined;
  return (left.text === right.text) === condition.op.startsWith('=');
}

/** Whether code does nothing at all, or leaves at once. */
export function doesNothing(body: readonly Statement[]): boolean {
  const real = body.filter(
    ({ kind, at }) => !(kind === 'expression' && /^(?:["'`]|pass\b|\.\.\.)/.test(at.text.trim())),
  );
  const [first] = real;
  return (
    first === undefined ||
    (first.kind === 'return' && (!first.value || first.value.kind === 'literal')) ||
    squeeze(first.at.text) === 'return'
  );
}

/** `if (wrong) throw`, `if got != want { t.Errorf() }`: the condition is what is checked. */
export function isFailure(way: Way, { checks }: Findings): boolean {
  if (checks.length === 0) return way === 'fails';
  return checks.every(({ relation }) => relation === 'fails');
}
