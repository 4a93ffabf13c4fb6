/** Python in the shape of all languages. */
import type { SyntaxNode } from '../../../ports/source.ts';
import {
  type Attribute,
  binaryAt,
  child,
  type Expr,
  type Fn,
  fieldAt,
  type Handler,
  NO_PATTERN,
  otherwise,
  type Pattern,
  parts,
  type Statement,
  squeeze,
} from '../reading/code.ts';

export function lowerPython(root: SyntaxNode): Statement[] {
  return statements(root);
}

function statements(node: SyntaxNode | undefined): Statement[] {
  return node ? parts(node).flatMap((one) => statement(one)) : [];
}

function statement(at: SyntaxNode, attributes: readonly Attribute[] = []): Statement[] {
  switch (at.type) {
    case 'decorated_definition': {
      const definition = child(at, 'definition');
      const list = parts(at)
        .filter(({ type }) => type === 'decorator')
        .map(attribute);
      return definition ? statement(definition, list) : [];
    }
    case 'function_definition':
      return [{ kind: 'define', name: child(at, 'name')?.text ?? '', fn: functionAt(at), attributes, at }];
    case 'class_definition': {
      const bases = child(at, 'superclasses');
      return [
        {
          kind: 'class',
          name: child(at, 'name')?.text ?? '',
          bases: bases ? parts(bases).map(({ text }) => text) : [],
          attributes,
          body: statements(child(at, 'body')),
          at,
        },
      ];
    }
    case 'assert_statement': {
      const [condition] = parts(at);
      // Brackets around condition and message make a pair, which always holds.
      return condition ? [{ kind: 'assert', condition: lower(condition), at }] : [];
    }
    case 'expression_statement':
      return parts(at).flatMap(expressionStatement);
    case 'if_statement':
      return [ifAt(at)];
    case 'for_statement': {
      const [left, right] = [child(at, 'left'), child(at, 'right')];
      return [
        {
          kind: 'loop',
          pattern: left ? patternOf(left) : NO_PATTERN,
          over: right && lower(right),
          body: statements(child(at, 'body')),
          at,
        },
      ];
    }
    case 'while_statement': {
      const condition = child(at, 'condition');
      return [
        {
          kind: 'loop',
          pattern: NO_PATTERN,
          condition: condition && lower(condition),
          body: statements(child(at, 'body')),
          at,
        },
      ];
    }
    case 'try_statement':
      return [tryAt(at)];
    case 'with_statement':
      return [withAt(at)];
    case 'return_statement': {
      const [value] = parts(at);
      return [{ kind: 'return', value: value && lower(value), at }];
    }
    case 'raise_statement':
      return raiseAt(at);
    case 'break_statement':
    case 'continue_statement':
      return [{ kind: 'leave', at }];
    case 'delete_statement':
    case 'pass_statement':
      return [{ kind: 'expression', value: { kind: 'other', pieces: [at.text], at }, at }];
    default:
      return /import|comment|global|nonlocal/.test(at.type)
        ? []
        : [{ kind: 'expression', value: lower(at), at }];
  }
}

/** `raise SkipTest` skips, everything else fails. */
function raiseAt(at: SyntaxNode): Statement[] {
  const [value] = parts(at);
  if (!value || !/^(?:unittest\.)?(?:SkipTest|Skipped)\b/.test(value.text)) return [{ kind: 'throw', at }];
  return [
    {
      kind: 'expression',
      value: { kind: 'call', fn: { kind: 'name', id: 'SkipTest', at: value }, args: [], named: {}, at },
      at,
    },
  ];
}

function attribute(at: SyntaxNode): Attribute {
  const [value] = parts(at);
  const call = value?.type === 'call' ? callAt(value) : undefined;
  const name = (call?.kind === 'call' ? child(value as SyntaxNode, 'function')?.text : value?.text) ?? '';
  return {
    name: squeeze(name),
    args: call?.kind === 'call' ? call.args : [],
    named: call?.kind === 'call' ? call.named : {},
    at,
  };
}

function expressionStatement(at: SyntaxNode): Statement[] {
  const [left, right] = [child(at, 'left'), child(at, 'right')];
  if (at.type === 'assignment' && left && right)
    return [{ kind: 'bind', pattern: patternOf(left), value: lower(right), at }];
  if (at.type === 'augmented_assignment' && left)
    return [{ kind: 'bind', pattern: patternOf(left), value: { kind: 'other', pieces: [at.text], at }, at }];
  return [{ kind: 'expression', value: lower(at), at }];
}

function ifAt(at: SyntaxNode): Statement {
  const condition = child(at, 'condition') ?? at;
  const rest = parts(at).filter(({ type }) => type === 'elif_clause' || type === 'else_clause');
  const otherwiseOf = ([first, ...more]: readonly SyntaxNode[]): Statement[] => {
    if (!first) return [];
    if (first.type === 'else_clause') return statements(child(first, 'body'));
    const inner = child(first, 'condition') ?? first;
    return [
      {
        kind: 'if',
        condition: lower(inner),
        yes: statements(child(first, 'consequence')),
        no: otherwiseOf(more),
        at: first,
      },
    ];
  };
  return {
    kind: 'if',
    condition: lower(condition),
    yes: statements(child(at, 'consequence')),
    no: otherwiseOf(rest),
    at,
  };
}

function tryAt(at: SyntaxNode): Statement {
  const clauses = parts(at).filter(({ type }) => type.startsWith('except'));
  const last = parts(at).find(({ type }) => type === 'finally_clause');
  const calm = parts(at).find(({ type }) => type === 'else_clause');
  return {
    kind: 'try',
    body: [...statements(child(at, 'body')), ...(calm ? statements(child(calm, 'body')) : [])],
    handlers: clauses.map(handlerAt),
    last: last ? statements(parts(last).find(({ type }) => type === 'block')) : [],
    at,
  };
}

function handlerAt(at: SyntaxNode): Handler {
  const block = parts(at).find(({ type }) => type === 'block');
  const [value] = parts(at).filter(({ type }) => type !== 'block');
  const what = value?.type === 'as_pattern' ? parts(value)[0] : value;
  const alias = value?.type === 'as_pattern' ? child(value, 'alias')?.text : undefined;
  const types = !what ? [] : what.type === 'tuple' ? parts(what).map(({ text }) => text) : [what.text];
  return { types, name: alias, body: statements(block) };
}

function withAt(at: SyntaxNode): Statement {
  const clause = parts(at).find(({ type }) => type === 'with_clause');
  const items = (clause ? parts(clause) : []).flatMap((item) => {
    const value = child(item, 'value') ?? parts(item)[0];
    if (!value) return [];
    const [inner] = value.type === 'as_pattern' ? parts(value) : [value];
    const name = value.type === 'as_pattern' ? child(value, 'alias')?.text : undefined;
    return inner ? [{ value: lower(inner), name }] : [];
  });
  return { kind: 'with', items, body: statements(child(at, 'body')), at };
}

function functionAt(at: SyntaxNode): Fn {
  const list = child(at, 'parameters');
  const body = child(at, 'body');
  const params = (list ? parts(list) : []).map((one) =>
    patternOf(child(one, 'name') ?? (one.type === 'typed_parameter' ? (parts(one)[0] ?? one) : one)),
  );
  const own = params.filter(
    (param, i) => !(i === 0 && param.kind === 'name' && /^(?:self|cls)$/.test(param.id)),
  );
  return {
    kind: 'function',
    params: own,
    body:
      at.type === 'lambda'
        ? body
          ? [{ kind: 'return', value: lower(body), at: body }]
          : []
        : statements(body),
    at,
  };
}

function patternOf(node: SyntaxNode): Pattern {
  switch (node.type) {
    case 'identifier':
    case 'attribute':
    case 'subscript':
      return { kind: 'name', id: node.text };
    case 'pattern_list':
    case 'tuple_pattern':
    case 'list_pattern':
      return { kind: 'list', items: parts(node).map(patternOf) };
    default:
      return NO_PATTERN;
  }
}

function lower(at: SyntaxNode): Expr {
  switch (at.type) {
    case 'identifier':
      return { kind: 'name', id: at.text, at };
    case 'integer':
    case 'float':
      return { kind: 'literal', of: 'number', text: at.text.replaceAll('_', ''), at };
    case 'string':
      return stringAt(at);
    case 'concatenated_string':
      return {
        kind: 'literal',
        of: 'string',
        text: parts(at)
          .map((one) => contentOf(one))
          .join(''),
        at,
      };
    case 'true':
    case 'false':
      return { kind: 'literal', of: 'boolean', text: at.text, at };
    case 'none':
      return { kind: 'literal', of: 'nothing', text: at.text, at };
    case 'parenthesized_expression':
      return inside(at);
    case 'await':
      return { kind: 'await', of: inside(at), at };
    case 'attribute':
      return {
        kind: 'member',
        of: fieldAt(at, 'object', lower),
        name: child(at, 'attribute')?.text ?? '',
        at,
      };
    case 'subscript':
      return { kind: 'index', of: fieldAt(at, 'value', lower), key: fieldAt(at, 'subscript', lower), at };
    case 'call':
      return callAt(at);
    case 'list':
    case 'tuple':
    case 'set':
    case 'expression_list':
      return { kind: 'list', items: parts(at).map(lower), at };
    case 'dictionary':
      return { kind: 'record', entries: parts(at).map(entryAt), at };
    case 'lambda':
      return functionAt(at);
    case 'binary_operator':
    case 'boolean_operator':
      return binaryAt(at, lower);
    case 'comparison_operator':
      return comparisonAt(at);
    case 'not_operator':
      return { kind: 'not', of: fieldAt(at, 'argument', lower), at };
    case 'unary_operator': {
      const of = fieldAt(at, 'argument', lower);
      return of.kind === 'literal'
        ? { ...of, text: `${child(at, 'operator')?.text ?? ''}${of.text}`, at }
        : otherwise(at, lower);
    }
    default:
      return otherwise(at, lower);
  }
}

function inside(at: SyntaxNode): Expr {
  const [found] = parts(at);
  return found ? lower(found) : { kind: 'other', pieces: [at.text], at };
}

function contentOf(at: SyntaxNode): string {
  return at.children
    .filter(({ type }) => type !== 'string_start' && type !== 'string_end')
    .map(({ text }) => text)
    .join('');
}

function stringAt(at: SyntaxNode): Expr {
  if (!at.children.some(({ type }) => type === 'interpolation'))
    return { kind: 'literal', of: 'string', text: contentOf(at), at };
  const pieces = at.children.flatMap((one): (string | Expr)[] =>
    one.type === 'interpolation' ? parts(one).slice(0, 1).map(lower) : [one.text],
  );
  return { kind: 'other', pieces, at };
}

function entryAt(at: SyntaxNode): readonly [string, Expr] {
  const [key, value] = [child(at, 'key'), child(at, 'value')];
  if (!key || !value) return [at.text, lower(at)];
  return [key.type === 'string' ? contentOf(key) : key.text, lower(value)];
}

/** `a < b < c` is two comparisons. */
function comparisonAt(at: SyntaxNode): Expr {
  const operands = parts(at)
    .filter(({ field }) => field !== 'operators')
    .map(lower);
  const operators = at.children
    .filter(({ field, type }) => field === 'operators' && type !== 'comment')
    .map(({ text }) => squeeze(text));
  const [first, second, third] = operands;
  const [op = '', next] = operators;
  if (!first || !second) return otherwise(at, lower);
  const left: Expr = { kind: 'binary', op, left: first, right: second, at };
  if (!third || next === undefined) return left;
  return {
    kind: 'binary',
    op: 'and',
    left,
    right: { kind: 'binary', op: next, left: second, right: third, at },
    at,
  };
}

function callAt(at: SyntaxNode): Expr {
  const fn = child(at, 'function');
  const list = child(at, 'arguments');
  const given = list ? (list.type === 'generator_expression' ? [list] : parts(list)) : [];
  const named = given.filter(({ type }) => type === 'keyword_argument');
  return {
    kind: 'call',
    fn: fn ? lower(fn) : { kind: 'other', pieces: [], at },
    args: given.filter(({ type }) => type !== 'keyword_argument').map(lower),
    named: Object.fromEntries(
      named.map((one) => [child(one, 'name')?.text ?? '', fieldAt(one, 'value', lower)]),
    ),
    at,
  };
}
