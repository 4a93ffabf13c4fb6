/** The rows of tables and loops, where they are written out. */
import { calledName, type Expr, type Fn, squeeze } from './code.ts';
import { resolve, Scope, type Value } from './scope.ts';

/** More rows are generated, not written. */
const MOST_ROWS = 300;
/** Calls that only hand on the list that they are called on, or given. */
const HANDS_ON =
  /^(?:iter|into_iter|values|stream|to_vec|as_slice|freeze|Of|of|asList|listOf|arrayOf|list|tuple|iter_mut|cloned|copied|asStream|to_a|param|arguments|arrayContaining)$/;
const PAIRS = /^(?:items|entries)$/;

/** The values of a list; undefined when they are not written out. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one line for each way to write rows.
export function rowsOf(value: Value, depth = 0): Value[] | undefined {
  const { expr, scope } = resolve(value);
  if (depth > 4) return undefined;
  const rows = listed(expr);
  if (rows) return rows.length > MOST_ROWS ? undefined : rows.map((row) => rowAt(row, scope));
  if (expr.kind === 'index') return sliced({ expr: expr.of, scope }, squeeze(expr.key.at.text), depth);
  if (expr.kind !== 'call') return undefined;
  const name = calledName(expr);
  const [first] = expr.args;
  const source = first ?? (expr.fn.kind === 'member' ? expr.fn.of : undefined);
  const own = expr.fn.kind === 'member' ? expr.fn.of : undefined;
  const [callback] = expr.args;
  if (own && name === 'map' && callback?.kind === 'function')
    return mapped({ expr: own, scope }, callback, depth);
  if (own && /^(?:slice|take|skip|first|filter|limit)$/.test(name)) {
    const bounds = expr.args.map(({ at }) => squeeze(at.text));
    return sliced(
      { expr: own, scope },
      name === 'slice' ? bounds.join(':') : name === 'filter' ? '' : `:${bounds[0]}`,
      depth,
    );
  }
  if (!source) return undefined;
  if (/^(?:keys|values)$/.test(name))
    return (
      entries({ expr: source, scope }, name === 'keys' ? 0 : 1) ?? rowsOf({ expr: source, scope }, depth + 1)
    );
  if (name === 'enumerate') return rowsOf({ expr: source, scope }, depth + 1)?.map((row) => pair(row));
  if (name === 'range of') return ranged({ expr: source, scope });
  if (name === 'zip') return zipped(expr.args, scope);
  if (PAIRS.test(name)) {
    const whole = resolve({ expr: source, scope });
    return listed(whole.expr)?.map((row) => rowAt(row, whole.scope));
  }
  if (expr.args.length > 1 && HANDS_ON.test(name)) return expr.args.map((one) => rowAt(one, scope));
  return HANDS_ON.test(name) ? rowsOf({ expr: source, scope }, depth + 1) : undefined;
}

/** A part of a list that is written out; which part a filter leaves is not known, so none is. */
function sliced(value: Value, bounds: string, depth: number): Value[] | undefined {
  const rows = rowsOf(value, depth + 1);
  if (!rows) return undefined;
  const [from = '', to] = bounds.split(':');
  if (to === undefined && !/^-?\d+$/.test(from)) return [];
  return rows.slice(Number(from) || 0, to === undefined || to === '' ? undefined : Number(to));
}

/** What a function of one line makes of each row. */
function mapped(value: Value, { params, body }: Fn, depth: number): Value[] | undefined {
  const [only] = body;
  const made =
    only && body.length === 1 && (only.kind === 'return' || only.kind === 'expression')
      ? only.value
      : undefined;
  const [param] = params;
  if (!made) return undefined;
  return rowsOf(value, depth + 1)?.map((row) => {
    const inner = new Scope(row.scope);
    if (param) inner.bind(param, row);
    return { expr: made, scope: inner };
  });
}

/** The keys or the values of a record. */
function entries(value: Value, side: 0 | 1): Value[] | undefined {
  const { expr, scope } = resolve(value);
  if (expr.kind !== 'record') return undefined;
  return (listed(expr) ?? []).flatMap((row) => {
    const part = row.kind === 'list' ? row.items[side] : undefined;
    return part ? [{ expr: part, scope }] : [];
  });
}

/** The items of a list; those of a record are pairs of key and value. */
function listed(expr: Expr): readonly Expr[] | undefined {
  if (expr.kind === 'list')
    return expr.items.some((one) => /^(?:\.\.\.|\*)/.test(one.at.text)) ? undefined : expr.items;
  if (expr.kind !== 'record') return undefined;
  return expr.entries.map(([key, value]) => ({
    kind: 'list' as const,
    items: [{ kind: 'literal' as const, of: 'string' as const, text: key, at: value.at }, value],
    at: value.at,
  }));
}

/** `pytest.param(1, 2, id="x")`, `Arguments.of(1, 2)`: the values of one row. */
function rowAt(expr: Expr, scope: Value['scope']): Value {
  if (expr.kind === 'call' && /^(?:param|of|arguments)$/.test(calledName(expr)))
    return {
      expr:
        expr.args.length === 1 && expr.args[0]
          ? expr.args[0]
          : { kind: 'list', items: expr.args, at: expr.at },
      scope,
    };
  return { expr, scope };
}

function pair(row: Value): Value {
  const index: Expr = { kind: 'other', pieces: ['index'], at: row.expr.at };
  return { expr: { kind: 'list', items: [index, row.expr], at: row.expr.at }, scope: row.scope };
}

/** The rows of Go's `range`: each with its key. */
function ranged(value: Value): Value[] | undefined {
  const { expr, scope } = resolve(value);
  const rows = listed(expr);
  return rows?.map((row, i) => {
    const [key, item] = expr.kind === 'record' && row.kind === 'list' ? row.items : [];
    const index: Expr = key ?? { kind: 'other', pieces: [`index ${i}`], at: row.at };
    return {
      expr: {
        kind: 'record',
        entries: [
          ['key', index],
          ['value', item ?? row],
        ],
        at: row.at,
      },
      scope,
    };
  });
}

function zipped(args: readonly Expr[], scope: Value['scope']): Value[] | undefined {
  const lists = args.map((expr) => resolve({ expr, scope }).expr);
  const shortest = Math.min(...lists.map((list) => (list.kind === 'list' ? list.items.length : -1)));
  if (shortest < 0 || !Number.isFinite(shortest)) return undefined;
  return Array.from({ length: shortest }, (_, i) => {
    const items = lists.flatMap((list) => (list.kind === 'list' ? (list.items[i] ?? []) : []));
    return { expr: { kind: 'list' as const, items, at: (items[0] ?? args[0])?.at as Expr['at'] }, scope };
  });
}
