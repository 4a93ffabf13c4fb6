/** What a condition checks that has to hold. */
import { isTruthy, type RawCheck } from './check.ts';
import { calledName, type Expr, pathOf, squeeze } from './code.ts';
import { type Relation, rankOf, type Said } from './relations.ts';

/** The checks that a condition makes which has to hold, or which must not. */
export function checksOfCondition(
  condition: Expr,
  at: Expr['at'],
  holds: boolean,
  matcher = 'condition',
  loose: Relation = 'truthy',
): RawCheck[] {
  const make = (
    said: Said,
    subject: Expr,
    expected: Expr[] = [],
    more: Partial<RawCheck> = {},
  ): RawCheck[] => [{ ...said, negated: said.negated === holds, subject, expected, at, matcher, ...more }];
  if (condition.kind === 'not') return checksOfCondition(condition.of, at, !holds, matcher, loose);
  if (condition.kind === 'await') return checksOfCondition(condition.of, at, holds, matcher, loose);
  if (condition.kind === 'binary') return ofBinary(condition, at, holds, matcher, loose, make);
  if (condition.kind === 'call') {
    const found = ofPredicate(condition);
    if (found)
      return make({ relation: found.relation, negated: found.negated }, found.subject, found.expected, {
        tolerance: found.tolerance,
      });
  }
  const vacuous = condition.kind === 'literal' && isTruthy(condition, condition.text) === holds;
  return make({ relation: loose, negated: false }, condition, [], { vacuous });
}

type Make = (said: Said, subject: Expr, expected?: Expr[], more?: Partial<RawCheck>) => RawCheck[];

type Comparison = 'less' | 'greater';

const OPPOSITE = { less: 'greater', greater: 'less' } as const;

const COMPARED: ReadonlyMap<string, Comparison> = new Map([
  ['<', 'less'],
  ['<=', 'less'],
  ['>', 'greater'],
  ['>=', 'greater'],
]);

function ofBinary(
  condition: Expr & { kind: 'binary' },
  at: Expr['at'],
  holds: boolean,
  matcher: string,
  loose: Relation,
  make: Make,
): RawCheck[] {
  const { op, left, right } = condition;
  if (/^(?:&&|and|\|\||or)$/.test(op)) return ofBoth(condition, at, holds, matcher, loose, make);
  const [subject, expected] = isConstant(left) && !isConstant(right) ? [right, left] : [left, right];
  const flipped = subject !== left;
  if (/^(?:==|===|is|eq|eql\?)$/.test(op)) return ofEquality(subject, expected, false, make);
  if (/^(?:!=|!==|is not|ne)$/.test(op)) return ofEquality(subject, expected, true, make);
  const compared = COMPARED.get(op);
  if (compared) {
    // What must not be greater has to be less.
    const asked = holds ? compared : OPPOSITE[compared];
    const near = asked === 'less' && !flipped ? distance(left, right, make) : undefined;
    const positive = (checks: RawCheck[]) => checks.map((check) => ({ ...check, negated: false }));
    if (near) return positive(near);
    return positive(
      make({ relation: flipped ? OPPOSITE[asked] : asked, negated: false }, subject, [expected]),
    );
  }
  if (op === 'in') return make({ relation: 'contains', negated: false }, right, [left]);
  if (op === 'not in') return make({ relation: 'contains', negated: true }, right, [left]);
  if (op === 'instanceof') return make({ relation: 'type', negated: false }, left, [right]);
  if (op === '=~') return make({ relation: 'matches', negated: false }, left, [right]);
  return make({ relation: loose, negated: false }, condition);
}

function ofBoth(
  condition: Expr & { kind: 'binary' },
  at: Expr['at'],
  holds: boolean,
  matcher: string,
  loose: Relation,
  make: Make,
): RawCheck[] {
  const { op, left, right } = condition;
  const both = (op === '&&' || op === 'and') === holds;
  const sides = [left, right].map((side) => checksOfCondition(side, at, holds, matcher, loose));
  if (both) return sides.flat();
  // One of them is enough: a side that always holds makes the whole say nothing.
  const vacuous = sides.some((side) => side.some((check) => check.vacuous || rankOf(check) === 0));
  return make({ relation: 'truthy', negated: false }, condition, [], { vacuous });
}

function ofEquality(subject: Expr, expected: Expr, negated: boolean, make: Make): RawCheck[] {
  if (expected.kind === 'literal' && expected.of === 'nothing')
    return make({ relation: 'null', negated }, subject);
  const near = expected.kind === 'call' && calledName(expected) === 'approx' ? expected : undefined;
  if (near)
    return make({ relation: 'near', negated }, subject, near.args.slice(0, 1), {
      tolerance: numberIn(near.named.abs ?? near.named.rel ?? near.args[1]) ?? 1e-6,
    });
  return make({ relation: 'equal', negated }, subject, [expected]);
}

/** `abs(a - b) < 0.1`: a is near b. */
function distance(left: Expr, right: Expr, make: Make): RawCheck[] | undefined {
  if (left.kind !== 'call' || !/^(?:abs|fabs|Abs)$/.test(calledName(left))) return undefined;
  const difference = left.args[0] ?? (left.fn.kind === 'member' ? left.fn.of : undefined);
  if (difference?.kind !== 'binary' || difference.op !== '-') return undefined;
  return make({ relation: 'near', negated: false }, difference.left, [difference.right], {
    tolerance: numberIn(right),
  });
}

export function numberIn(expr: Expr | undefined): number | undefined {
  if (!expr) return undefined;
  const number = Number(squeeze(expr.at.text).replace(/(?<=\d)_(?=\d)|[fFdDL]$|_?f(?:32|64)$/g, ''));
  return Number.isNaN(number) ? undefined : number;
}

export function isConstant(expr: Expr): boolean {
  if (expr.kind === 'literal') return true;
  if (expr.kind === 'list') return expr.items.every(isConstant);
  if (expr.kind === 'record') return expr.entries.every(([, value]) => isConstant(value));
  // `List.of(1, 2)`, `Decimal('1.5')`: a value that is made of values.
  if (expr.kind === 'call' && /^(?:of|asList|[A-Z]\w*)$/.test(calledName(expr).split('::').at(-1) ?? ''))
    return expr.args.length > 0 && expr.args.every(isConstant);
  return false;
}

interface Predicate extends Said {
  subject: Expr;
  expected: Expr[];
  tolerance?: number;
}

/** Functions that answer yes or no, and what a yes says of their argument. */
const FREE: ReadonlyMap<string, Relation> = new Map(
  Object.entries({
    isinstance: 'type',
    issubclass: 'type',
    hasattr: 'present',
    callable: 'present',
    DeepEqual: 'equal',
    isEqual: 'equal',
    isDeepStrictEqual: 'equal',
    deepEqual: 'equal',
    EqualFold: 'equal',
    Contains: 'contains',
    HasPrefix: 'contains',
    HasSuffix: 'contains',
    MatchString: 'matches',
    isclose: 'near',
    allclose: 'near',
    any: 'present',
    some: 'present',
    all: 'holds',
  }),
);

const METHODS: ReadonlyMap<string, Relation> = new Map(
  Object.entries({
    equals: 'equal',
    Equal: 'equal',
    eq: 'equal',
    includes: 'contains',
    include: 'contains',
    contains: 'contains',
    contains_key: 'contains',
    containsKey: 'contains',
    has: 'contains',
    startsWith: 'contains',
    endsWith: 'contains',
    startswith: 'contains',
    endswith: 'contains',
    starts_with: 'contains',
    ends_with: 'contains',
    test: 'matches',
    matches: 'matches',
    match: 'matches',
    is_some: 'present',
    is_ok: 'present',
    every: 'holds',
    all: 'holds',
    some: 'present',
    any: 'present',
    isPresent: 'present',
    is_a: 'type',
    kind_of: 'type',
    instance_of: 'type',
  }),
);

const ABSENT = /^(?:is_none|is_err|isEmpty|is_empty|empty|nil)$/;

function ofPredicate(call: Expr & { kind: 'call' }): Predicate | undefined {
  const name = calledName(call).replace(/[?!]$/, '');
  const [first, second] = call.args;
  const base = call.fn.kind === 'member' ? pathOf(call.fn.of) : undefined;
  const isLibrary =
    base !== undefined &&
    /^(?:reflect|bytes|strings|regexp|slices|maps|errors|cmp|math|np|numpy|util|_|lodash|Objects|Arrays)$/.test(
      base,
    );
  const free = FREE.get(name);
  if (free && first && (call.fn.kind === 'name' || isLibrary)) {
    const tolerance =
      free === 'near'
        ? numberIn(call.named.abs_tol ?? call.named.atol ?? call.named.rel_tol ?? call.named.rtol)
        : undefined;
    const subject = free === 'holds' ? call : first;
    return { relation: free, negated: false, subject, expected: call.args.slice(1), tolerance };
  }
  if (name === 'Is' && base === 'errors' && first && second)
    return { relation: 'throws', negated: false, subject: first, expected: [second] };
  if ((name === 'equals' || name === 'Equal') && isLibrary && first && second)
    return { relation: 'equal', negated: false, subject: first, expected: [second] };
  if (call.fn.kind !== 'member') return undefined;
  if (ABSENT.test(name))
    return {
      relation: name.includes('mpty') ? 'empty' : 'null',
      negated: false,
      subject: call.fn.of,
      expected: [],
    };
  const method = METHODS.get(name);
  if (!method) return undefined;
  // `/x/.test(text)`: the argument is what is looked at.
  if (name === 'test' && first)
    return { relation: method, negated: false, subject: first, expected: [call.fn.of] };
  if (method === 'holds') return { relation: method, negated: false, subject: call, expected: [] };
  return { relation: method, negated: false, subject: call.fn.of, expected: [...call.args] };
}
