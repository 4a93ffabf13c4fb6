/** Go in the shape of all languages. */
import type { SyntaxNode } from '../../../ports/source.ts';
import {
  binaryAt,
  child,
  type Expr,
  type Fn,
  fieldAt,
  NO_PATTERN,
  otherwise,
  type Pattern,
  parts,
  type Statement,
} from '../reading/code.ts';

export function lowerGo(root: SyntaxNode): Statement[] {
  return parts(root).flatMap(statement);
}

function bodyOf(node: SyntaxNode | undefined): Statement[] {
  if (!node) return [];
  return parts(node).flatMap((one) =>
    one.type === 'statement_list' ? parts(one).flatMap(statement) : statement(one),
  );
}

function statement(at: SyntaxNode): Statement[] {
  switch (at.type) {
    case 'function_declaration':
    case 'method_declaration':
      return [
        { kind: 'define', name: child(at, 'name')?.text ?? '', fn: functionAt(at), attributes: [], at },
      ];
    case 'short_var_declaration':
    case 'assignment_statement':
      return assigned(at, child(at, 'left'), child(at, 'right'));
    case 'var_declaration':
    case 'const_declaration':
      return parts(at).flatMap(specAt);
    case 'expression_statement':
      return parts(at).map((one) => ({ kind: 'expression', value: lower(one), at }));
    case 'go_statement':
      return parts(at).map((one) => ({ kind: 'expression', value: inBackground(at, lower(one)), at }));
    case 'defer_statement':
      return parts(at).flatMap((one): Statement[] =>
        /\brecover\s*\(\s*\)/.test(one.text)
          ? [recovering(at, one)]
          : [{ kind: 'expression', value: lower(one), at }],
      );
    case 'if_statement':
      return [ifAt(at)];
    case 'for_statement':
      return [forAt(at)];
    case 'expression_switch_statement':
    case 'type_switch_statement':
    case 'select_statement':
      return [switchAt(at)];
    case 'return_statement': {
      const [value] = parts(at);
      return [{ kind: 'return', value: value && lower(value), at }];
    }
    case 'break_statement':
    case 'continue_statement':
      return [{ kind: 'leave', at }];
    case 'block':
      return [{ kind: 'block', body: bodyOf(at), at }];
    default:
      return /comment|package|import|type_declaration|inc_|dec_|label/.test(at.type)
        ? []
        : [{ kind: 'expression', value: lower(at), at }];
  }
}

/** `go func() { ... }()`: nobody waits for it. */
function inBackground(at: SyntaxNode, value: Expr): Expr {
  const fn: Expr = { kind: 'name', id: 'go', at };
  const run = value.kind === 'call' && value.fn.kind === 'function' ? value.fn : value;
  return { kind: 'call', fn, args: [run], named: {}, at };
}

/** `defer func() { recover() }()`: what panics after it is forgotten, unless it is looked at. */
function recovering(at: SyntaxNode, call: SyntaxNode): Statement {
  const value = lower(call);
  const isLookedAt = /\b(?:t|tb|b)\.(?:Error|Fatal|Fail)|\bassert\.|\brequire\.|panic\s*\(/.test(call.text);
  if (isLookedAt) return { kind: 'expression', value, at };
  const fn: Expr = { kind: 'name', id: 'recover', at };
  return { kind: 'expression', value: { kind: 'call', fn, args: [], named: {}, at }, at };
}

function assigned(at: SyntaxNode, left: SyntaxNode | undefined, right: SyntaxNode | undefined): Statement[] {
  if (!left || !right) return [];
  const names = parts(left);
  const values = parts(right);
  return names.map((name, i): Statement => {
    const value = values[i];
    // The second result of a call is a part of it.
    const many: Expr | undefined =
      values.length === 1 && names.length > 1 && values[0]
        ? {
            kind: 'index',
            of: lower(values[0]),
            key: { kind: 'literal', of: 'number', text: String(i), at },
            at,
          }
        : undefined;
    return {
      kind: 'bind',
      pattern: patternOf(name),
      value: many ?? (value ? lower(value) : { kind: 'other', pieces: [at.text], at }),
      at,
    };
  });
}

function specAt(at: SyntaxNode): Statement[] {
  if (at.type === 'var_spec_list') return parts(at).flatMap(specAt);
  const names = at.children.filter(({ field }) => field === 'name');
  const value = child(at, 'value');
  const values = value ? parts(value) : [];
  return names.flatMap((name, i) =>
    values[i] ? [{ kind: 'bind' as const, pattern: patternOf(name), value: lower(values[i]), at }] : [],
  );
}

function ifAt(at: SyntaxNode): Statement {
  const first = child(at, 'initializer');
  const condition = child(at, 'condition') ?? at;
  const alternative = child(at, 'alternative');
  const branch: Statement = {
    kind: 'if',
    condition: lower(condition),
    yes: bodyOf(child(at, 'consequence')),
    no: !alternative ? [] : alternative.type === 'block' ? bodyOf(alternative) : statement(alternative),
    at,
  };
  return first ? { kind: 'block', body: [...statement(first), branch], at } : branch;
}

function forAt(at: SyntaxNode): Statement {
  const body = bodyOf(child(at, 'body'));
  const range = parts(at).find(({ type }) => type === 'range_clause');
  if (!range) {
    const clause = parts(at).find(({ type }) => type !== 'block');
    const condition = clause?.type === 'for_clause' ? undefined : clause;
    return { kind: 'loop', pattern: NO_PATTERN, condition: condition && lower(condition), body, at };
  }
  const left = child(range, 'left');
  const right = child(range, 'right');
  const names = left ? parts(left) : [];
  const item = names[1];
  const key = names[0];
  const isMap = right?.type === 'composite_literal' && child(right, 'type')?.type === 'map_type';
  const pattern: Pattern = item ? patternOf(item) : isMap && key ? patternOf(key) : NO_PATTERN;
  // The values of a map come with their keys.
  return {
    kind: 'loop',
    pattern: item
      ? {
          kind: 'record',
          entries: [
            ['key', key ? patternOf(key) : NO_PATTERN],
            ['value', pattern],
          ],
        }
      : pattern,
    over: right && ranged(right),
    body,
    at,
  };
}

/** `range x` as pairs of key and value. */
function ranged(at: SyntaxNode): Expr {
  const fn: Expr = { kind: 'name', id: 'range of', at };
  return { kind: 'call', fn, args: [lower(at)], named: {}, at };
}

function switchAt(at: SyntaxNode): Statement {
  const cases = parts(at).filter(({ type }) => /_case$|^default_case$/.test(type));
  return {
    kind: 'if',
    condition: lower(child(at, 'value') ?? at),
    yes: cases.flatMap((one) =>
      parts(one)
        .filter(({ type }) => type === 'statement_list')
        .flatMap((list) => parts(list).flatMap(statement)),
    ),
    no: [],
    at,
  };
}

function functionAt(at: SyntaxNode): Fn {
  const list = child(at, 'parameters');
  const params = (list ? parts(list) : []).flatMap((one) =>
    one.children.filter(({ field }) => field === 'name').map(patternOf),
  );
  return { kind: 'function', params, body: bodyOf(child(at, 'body')), at };
}

function patternOf(node: SyntaxNode): Pattern {
  return node.type === 'identifier'
    ? node.text === '_'
      ? NO_PATTERN
      : { kind: 'name', id: node.text }
    : /selector|index/.test(node.type)
      ? { kind: 'name', id: node.text }
      : NO_PATTERN;
}

function lower(at: SyntaxNode): Expr {
  switch (at.type) {
    case 'identifier':
    case 'field_identifier':
    case 'package_identifier':
    case 'type_identifier':
      return { kind: 'name', id: at.text, at };
    case 'int_literal':
    case 'float_literal':
      return { kind: 'literal', of: 'number', text: at.text.replaceAll('_', ''), at };
    case 'interpreted_string_literal':
    case 'raw_string_literal':
    case 'rune_literal':
      return { kind: 'literal', of: 'string', text: at.text.slice(1, -1), at };
    case 'true':
    case 'false':
      return { kind: 'literal', of: 'boolean', text: at.text, at };
    case 'nil':
      return { kind: 'literal', of: 'nothing', text: at.text, at };
    case 'parenthesized_expression':
    case 'literal_element':
    case 'expression_list': {
      const list = parts(at);
      return list.length === 1 && list[0] ? lower(list[0]) : { kind: 'list', items: list.map(lower), at };
    }
    case 'selector_expression':
      return { kind: 'member', of: fieldAt(at, 'operand', lower), name: child(at, 'field')?.text ?? '', at };
    case 'index_expression':
      return { kind: 'index', of: fieldAt(at, 'operand', lower), key: fieldAt(at, 'index', lower), at };
    case 'call_expression':
      return {
        kind: 'call',
        fn: fieldAt(at, 'function', lower),
        args: parts(child(at, 'arguments') ?? at).map(lower),
        named: {},
        at,
      };
    case 'func_literal':
      return functionAt(at);
    case 'composite_literal':
      return compositeAt(at);
    case 'literal_value':
      return valuesAt(at, []);
    case 'binary_expression':
      return binaryAt(at, lower);
    case 'unary_expression':
      return unaryAt(at);
    default:
      return otherwise(at, lower);
  }
}

function unaryAt(at: SyntaxNode): Expr {
  const op = child(at, 'operator')?.text;
  const of = fieldAt(at, 'operand', lower);
  if (op === '!') return { kind: 'not', of, at };
  if (op === '&') return of;
  if (op === '-' && of.kind === 'literal') return { ...of, text: `-${of.text}`, at };
  return otherwise(at, lower);
}

/** Slices of structs without a name have their fields beside them, so that values may stand without keys. */
function compositeAt(at: SyntaxNode): Expr {
  const type = child(at, 'type');
  const body = child(at, 'body');
  if (!body) return otherwise(at, lower);
  const element = type && (child(type, 'element') ?? child(type, 'value'));
  const fields = element?.type === 'struct_type' ? fieldsOf(element) : [];
  if (type?.type === 'struct_type') return valuesAt(body, fieldsOf(type));
  if (type?.type === 'map_type') return { ...valuesAt(body, [], fields), at };
  if (type && /slice_type|array_type/.test(type.type)) {
    const items = parts(body).map((one) => {
      const [inner] = one.type === 'literal_element' ? parts(one) : [one];
      return inner?.type === 'literal_value' ? valuesAt(inner, fields) : lower(inner ?? one);
    });
    return { kind: 'list', items, at };
  }
  return valuesAt(body, []);
}

function fieldsOf(struct: SyntaxNode): string[] {
  const list = parts(struct).find(({ type }) => type === 'field_declaration_list');
  return (list ? parts(list) : []).flatMap((one) =>
    one.children.filter(({ field }) => field === 'name').map(({ text }) => text),
  );
}

function valuesAt(at: SyntaxNode, fields: readonly string[], inner: readonly string[] = []): Expr {
  const list = parts(at);
  const value = (node: SyntaxNode): Expr => {
    const [only] = node.type === 'literal_element' ? parts(node) : [node];
    return only?.type === 'literal_value' && inner.length > 0 ? valuesAt(only, inner) : lower(node);
  };
  if (list.some(({ type }) => type === 'keyed_element') || fields.length > 0) {
    const entries = list.map((one, i): readonly [string, Expr] => {
      const [key, given] = [child(one, 'key'), child(one, 'value')];
      return key && given
        ? [key.text.replace(/^"(.*)"$/, '$1'), value(given)]
        : [fields[i] ?? String(i), value(one)];
    });
    return { kind: 'record', entries, at };
  }
  return { kind: 'list', items: list.map(value), at };
}
