/** Ruby in the shape of all languages. */
import type { SyntaxNode } from '../../../ports/source.ts';
import {
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
} from '../reading/code.ts';

export function lowerRuby(root: SyntaxNode): Statement[] {
  return statements(root);
}

/** The statements of a body, with the failures that it rescues. */
function statements(node: SyntaxNode | undefined): Statement[] {
  if (!node) return [];
  const all = parts(node);
  const handlers = all.filter(({ type }) => type === 'rescue');
  const last = all.find(({ type }) => type === 'ensure');
  const body = all.filter(({ type }) => !/^(?:rescue|ensure|else)$/.test(type)).flatMap(statement);
  if (handlers.length === 0 && !last) return body;
  return [
    { kind: 'try', body, handlers: handlers.map(handlerAt), last: last ? statements(last) : [], at: node },
  ];
}

function handlerAt(at: SyntaxNode): Handler {
  const types = child(at, 'exceptions');
  const name = child(at, 'variable');
  return {
    types: types ? parts(types).map(({ text }) => text) : [],
    name: name && parts(name)[0]?.text,
    body: statements(child(at, 'body')),
  };
}

function statement(at: SyntaxNode): Statement[] {
  switch (at.type) {
    case 'method':
    case 'singleton_method':
      return [
        { kind: 'define', name: child(at, 'name')?.text ?? '', fn: functionAt(at), attributes: [], at },
      ];
    case 'class':
    case 'module': {
      const base = child(at, 'superclass');
      const bases = base ? parts(base).map(({ text }) => text) : [];
      const name = child(at, 'name')?.text ?? '';
      return [{ kind: 'class', name, bases, attributes: [], body: statements(child(at, 'body')), at }];
    }
    case 'assignment':
      return assignmentAt(at);
    case 'operator_assignment': {
      const left = child(at, 'left');
      const value: Expr = { kind: 'other', pieces: [at.text], at };
      return left ? [{ kind: 'bind', pattern: patternOf(left), value, at }] : [];
    }
    case 'if':
    case 'elsif':
    case 'unless':
    case 'if_modifier':
    case 'unless_modifier':
      return [ifAt(at)];
    case 'rescue_modifier': {
      const body = child(at, 'body');
      return [
        {
          kind: 'try',
          body: body ? statement(body) : [],
          handlers: [{ types: ['StandardError'], body: [] }],
          last: [],
          at,
        },
      ];
    }
    case 'begin':
      return statements(at);
    case 'for':
    case 'while':
    case 'until': {
      const condition = child(at, 'condition');
      const body = statements(child(at, 'body'));
      return [{ kind: 'loop', pattern: NO_PATTERN, condition: condition && lower(condition), body, at }];
    }
    case 'case':
      return [{ kind: 'if', condition: lower(at), yes: [], no: [], at }];
    case 'return': {
      const [value] = parts(at);
      return [{ kind: 'return', value: value && lower(value), at }];
    }
    case 'next':
    case 'break':
      return [{ kind: 'leave', at }];
    default:
      return expressionAt(at);
  }
}

/** `raise` fails; a bare word may be a call. */
function expressionAt(at: SyntaxNode): Statement[] {
  if (/^raise\b/.test(at.text) && (at.type === 'identifier' || at.type === 'call'))
    return [{ kind: 'throw', at }];
  if (at.type === 'identifier')
    return [{ kind: 'expression', value: { kind: 'call', fn: lower(at), args: [], named: {}, at }, at }];
  return [{ kind: 'expression', value: lower(at), at }];
}

function assignmentAt(at: SyntaxNode): Statement[] {
  const [left, right] = [child(at, 'left'), child(at, 'right')];
  return left && right ? [{ kind: 'bind', pattern: patternOf(left), value: lower(right), at }] : [];
}

function ifAt(at: SyntaxNode): Statement {
  const condition = child(at, 'condition') ?? at;
  const body = child(at, 'body');
  const yes = at.type.endsWith('_modifier')
    ? body
      ? statement(body)
      : []
    : statements(child(at, 'consequence'));
  const alternative = child(at, 'alternative');
  const no = !alternative ? [] : alternative.type === 'elsif' ? [ifAt(alternative)] : statements(alternative);
  const lowered = lower(condition);
  const isNot = at.type.startsWith('unless');
  return {
    kind: 'if',
    condition: isNot ? { kind: 'not', of: lowered, at: condition } : lowered,
    yes,
    no,
    at,
  };
}

function functionAt(at: SyntaxNode): Fn {
  const list = child(at, 'parameters');
  const params = (list ? parts(list) : []).map((one) => patternOf(child(one, 'name') ?? one));
  const body = child(at, 'body');
  const isBody = body && /^(?:body_statement|block_body)$/.test(body.type);
  return { kind: 'function', params, body: !body ? [] : isBody ? statements(body) : statement(body), at };
}

function patternOf(node: SyntaxNode): Pattern {
  switch (node.type) {
    case 'identifier':
    case 'instance_variable':
    case 'constant':
    case 'call':
      return { kind: 'name', id: node.text };
    case 'left_assignment_list':
    case 'destructured_parameter':
    case 'destructured_left_assignment':
      return { kind: 'list', items: parts(node).map(patternOf) };
    default:
      return NO_PATTERN;
  }
}

function lower(at: SyntaxNode): Expr {
  switch (at.type) {
    case 'identifier':
    case 'constant':
    case 'instance_variable':
    case 'self':
      return { kind: 'name', id: at.text, at };
    case 'scope_resolution':
      return { kind: 'name', id: at.text, at };
    case 'integer':
    case 'float':
      return { kind: 'literal', of: 'number', text: at.text.replaceAll('_', ''), at };
    case 'string':
    case 'simple_symbol':
    case 'bare_string':
    case 'bare_symbol':
      return stringAt(at);
    case 'true':
    case 'false':
      return { kind: 'literal', of: 'boolean', text: at.text, at };
    case 'nil':
      return { kind: 'literal', of: 'nothing', text: at.text, at };
    case 'parenthesized_statements':
    case 'then': {
      const [found] = parts(at);
      return found ? lower(found) : { kind: 'other', pieces: [at.text], at };
    }
    case 'call':
      return callAt(at);
    case 'element_reference': {
      const [of, key] = parts(at);
      return of && key ? { kind: 'index', of: lower(of), key: lower(key), at } : otherwise(at, lower);
    }
    case 'array':
    case 'right_assignment_list':
    case 'string_array':
    case 'symbol_array':
      return { kind: 'list', items: parts(at).map(lower), at };
    case 'hash':
      return { kind: 'record', entries: parts(at).map(entryAt), at };
    case 'lambda':
    case 'block':
    case 'do_block':
      return functionAt(at);
    case 'binary':
      return binaryAt(at, lower);
    case 'unary':
      return unaryAt(at);
    default:
      return otherwise(at, lower);
  }
}

function unaryAt(at: SyntaxNode): Expr {
  const op = child(at, 'operator')?.text;
  const of = fieldAt(at, 'operand', lower);
  if (op === '!' || op === 'not') return { kind: 'not', of, at };
  return op === '-' && of.kind === 'literal' ? { ...of, text: `-${of.text}`, at } : otherwise(at, lower);
}

function stringAt(at: SyntaxNode): Expr {
  const isPlain = !at.children.some(({ type }) => type === 'interpolation');
  if (isPlain) return { kind: 'literal', of: 'string', text: at.text.replace(/^:?["']?|["']$/g, ''), at };
  const pieces = at.children.flatMap((one): (string | Expr)[] =>
    one.type === 'interpolation' ? parts(one).map(lower) : [one.text],
  );
  return { kind: 'other', pieces, at };
}

function entryAt(at: SyntaxNode): readonly [string, Expr] {
  const [key, value] = [child(at, 'key'), child(at, 'value')];
  return key && value ? [key.text.replace(/^:?["']?|["']$/g, ''), lower(value)] : [at.text, lower(at)];
}

/** The block of a call is its last argument. */
function callAt(at: SyntaxNode): Expr {
  const receiver = child(at, 'receiver');
  const name = child(at, 'method')?.text ?? '';
  const list = child(at, 'arguments');
  const block = child(at, 'block');
  const given = list ? parts(list) : [];
  const pairs = given.filter(({ type }) => type === 'pair');
  // A property that is asked for looks like a call without arguments.
  if (receiver && !list && !block) return { kind: 'member', of: lower(receiver), name, at };
  const fn: Expr = receiver
    ? { kind: 'member', of: lower(receiver), name, at }
    : { kind: 'name', id: name, at };
  const args = given.filter(({ type }) => type !== 'pair').map(lower);
  return {
    kind: 'call',
    fn,
    args: block ? [...args, functionAt(block)] : args,
    named: Object.fromEntries(pairs.map(entryAt)),
    at,
  };
}
