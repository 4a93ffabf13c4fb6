/** What a call of an assertion function checks, by the name of the function and its arguments. */
import type { RawCheck } from './check.ts';
import { type Expr, pathOf } from './code.ts';
import { checksOfCondition, isConstant, numberIn } from './condition.ts';
import { relationNamed } from './relations.ts';
import { resolve, type Scope } from './scope.ts';

/** The checks of a call by the name of its function and its arguments, as in `assertEquals(1, f())`. */
export function checksOfCall(
  name: string,
  args: readonly Expr[],
  at: Expr['at'],
  scope: Scope,
  more: Partial<RawCheck> = {},
): RawCheck[] | undefined {
  const said = relationNamed(name);
  if (!said) return undefined;
  const raw = (over: Partial<RawCheck>): RawCheck[] => [
    { ...said, matcher: name, at, expected: [], ...more, ...over },
  ];
  const [first, second, third] = args;
  switch (said.relation) {
    case 'fails':
      return raw({});
    case 'true':
    case 'truthy': {
      if (!first) return raw({ vacuous: true });
      return checksOfCondition(first, at, !said.negated, name, said.relation).map((check) => ({
        ...check,
        ...more,
      }));
    }
    case 'throws':
      return raw(
        first && isThrown(first, scope)
          ? { expected: [first], subject: second }
          : { subject: first, expected: args.slice(1, 3).filter((one) => one.kind !== 'function') },
      );
    case 'finishes':
    case 'null':
    case 'present':
    case 'empty':
    case 'called':
    case 'snapshot':
      return raw({ subject: first, expected: args.slice(1, said.relation === 'called' ? 2 : 1) });
    case 'calledWith':
      return raw({ subject: more.subject, expected: [...args] });
    case 'near':
      return raw({ ...sides(first, second, scope), tolerance: numberIn(third) ?? more.tolerance });
    case 'contains':
      return raw({ subject: first, expected: args.slice(1) });
    default:
      if (/contain|exactly|consist|array$|elements/i.test(name) && args.length > 2)
        return raw({ subject: first, expected: args.slice(1) });
      return raw({
        ...sides(first, second, scope),
        ...(said.relation === 'equal' && third ? delta(third) : {}),
      });
  }
}

/** A third number beside two sides is how far they may be apart. */
function delta(third: Expr): Partial<RawCheck> {
  const tolerance = third.kind === 'literal' && third.of === 'number' ? numberIn(third) : undefined;
  return tolerance === undefined ? {} : { relation: 'near', tolerance };
}

/** Whether this names a type of failure: `ValueError`, `IOException.class`. */
function isThrown(expr: Expr, scope: Scope): boolean {
  const path = pathOf(resolve({ expr, scope }).expr) ?? '';
  return (
    /(?:^|\.)[A-Z]\w*(?:\.class)?$/.test(path) ||
    (expr.kind === 'list' && expr.items.every((one) => isThrown(one, scope)))
  );
}

/** Which of two is checked and which is expected: the one that is written out is expected. */
function sides(
  first: Expr | undefined,
  second: Expr | undefined,
  scope: Scope,
): Pick<RawCheck, 'subject' | 'expected'> {
  if (!first || !second) return { subject: first, expected: [] };
  const constant = (expr: Expr) => isConstant(resolve({ expr, scope }).expr);
  return constant(first) && !constant(second)
    ? { subject: second, expected: [first] }
    : { subject: first, expected: [second] };
}
