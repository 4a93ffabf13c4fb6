/** Java in the shape of all languages. */
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
} from '../reading/code.ts';

export function lowerJava(root: SyntaxNode): Statement[] {
  return parts(root).flatMap(statement);
}

function bodyOf(node: SyntaxNode | undefined): Statement[] {
  if (!node) return [];
  return /^(?:block|constructor_body)$/.test(node.type) ? parts(node).flatMap(statement) : statement(node);
}

function attributesOf(at: SyntaxNode): Attribute[] {
  const modifiers = parts(at).find(({ type }) => type === 'modifiers');
  return (modifiers ? parts(modifiers) : []).map((one) => {
    const list = child(one, 'arguments');
    const given = list ? parts(list) : [];
    const named = given.filter(({ type }) => type === 'element_value_pair');
    return {
      name: child(one, 'name')?.text ?? '',
      args: given.filter(({ type }) => type !== 'element_value_pair').map(lower),
      named: Object.fromEntries(
        named.map((pair) => [child(pair, 'key')?.text ?? '', fieldAt(pair, 'value', lower)]),
      ),
      at: one,
    };
  });
}

function statement(at: SyntaxNode): Statement[] {
  switch (at.type) {
    case 'class_declaration':
    case 'interface_declaration':
    case 'record_declaration':
    case 'enum_declaration':
      return [
        {
          kind: 'class',
          name: child(at, 'name')?.text ?? '',
          bases: [child(at, 'superclass')?.text ?? ''],
          attributes: attributesOf(at),
          body: parts(child(at, 'body') ?? at).flatMap(statement),
          at,
        },
      ];
    case 'method_declaration':
    case 'constructor_declaration':
      return [
        {
          kind: 'define',
          name: child(at, 'name')?.text ?? '',
          fn: functionAt(at),
          attributes: attributesOf(at),
          at,
        },
      ];
    case 'local_variable_declaration':
    case 'field_declaration':
      return parts(at)
        .filter(({ type }) => type === 'variable_declarator')
        .flatMap(declaration);
    case 'expression_statement':
      return parts(at).flatMap(expressionStatement);
    case 'assert_statement': {
      const [condition] = parts(at);
      return condition ? [{ kind: 'assert', condition: lower(condition), at }] : [];
    }
    case 'if_statement': {
      const condition = child(at, 'condition') ?? at;
      return [
        {
          kind: 'if',
          condition: lower(condition),
          yes: bodyOf(child(at, 'consequence')),
          no: bodyOf(child(at, 'alternative')),
          at,
        },
      ];
    }
    case 'enhanced_for_statement': {
      const over = child(at, 'value');
      return [
        {
          kind: 'loop',
          pattern: { kind: 'name', id: child(at, 'name')?.text ?? '' },
          over: over && lower(over),
          body: bodyOf(child(at, 'body')),
          at,
        },
      ];
    }
    case 'for_statement':
      return [{ kind: 'loop', pattern: NO_PATTERN, body: bodyOf(child(at, 'body')), at }];
    case 'while_statement':
    case 'do_statement': {
      const condition = child(at, 'condition');
      return [
        {
          kind: 'loop',
          pattern: NO_PATTERN,
          condition: condition && lower(condition),
          body: bodyOf(child(at, 'body')),
          at,
        },
      ];
    }
    case 'try_statement':
    case 'try_with_resources_statement':
      return [tryAt(at)];
    case 'return_statement': {
      const [value] = parts(at);
      return [{ kind: 'return', value: value && lower(value), at }];
    }
    case 'throw_statement':
      return [{ kind: 'throw', at }];
    case 'break_statement':
    case 'continue_statement':
      return [{ kind: 'leave', at }];
    case 'block':
    case 'synchronized_statement':
      return [
        {
          kind: 'block',
          body: parts(at).flatMap((one) => (one.type === 'block' ? bodyOf(one) : statement(one))),
          at,
        },
      ];
    case 'switch_expression':
      return [
        {
          kind: 'if',
          condition: lower(child(at, 'condition') ?? at),
          yes: parts(child(at, 'body') ?? at).flatMap((group) =>
            parts(group)
              .filter(({ type }) => /statement|block/.test(type))
              .flatMap(bodyOf),
          ),
          no: [],
          at,
        },
      ];
    default:
      return /comment|import|package|modifiers|identifier|type_|annotation/.test(at.type)
        ? []
        : [{ kind: 'expression', value: lower(at), at }];
  }
}

function declaration(at: SyntaxNode): Statement[] {
  const [name, value] = [child(at, 'name'), child(at, 'value')];
  return name && value
    ? [{ kind: 'bind', pattern: { kind: 'name', id: name.text }, value: lower(value), at }]
    : [];
}

function expressionStatement(at: SyntaxNode): Statement[] {
  const [left, right] = [child(at, 'left'), child(at, 'right')];
  if (at.type === 'assignment_expression' && left && right)
    return [
      {
        kind: 'bind',
        pattern: { kind: 'name', id: left.text.replace(/^this\./, '') },
        value: lower(right),
        at,
      },
    ];
  return [{ kind: 'expression', value: lower(at), at }];
}

function tryAt(at: SyntaxNode): Statement {
  const last = parts(at).find(({ type }) => type === 'finally_clause');
  const resources = child(at, 'resources');
  const opened = resources ? parts(resources).flatMap(declaration) : [];
  return {
    kind: 'try',
    body: [...opened, ...bodyOf(child(at, 'body'))],
    handlers: parts(at)
      .filter(({ type }) => type === 'catch_clause')
      .map(handlerAt),
    last: last ? parts(last).flatMap(bodyOf) : [],
    at,
  };
}

function handlerAt(at: SyntaxNode): Handler {
  const parameter = parts(at).find(({ type }) => type === 'catch_formal_parameter');
  const types = parameter && parts(parameter).find(({ type }) => type === 'catch_type');
  return {
    types: types ? parts(types).map(({ text }) => text) : [],
    name: parameter && child(parameter, 'name')?.text,
    body: bodyOf(child(at, 'body')),
  };
}

function functionAt(at: SyntaxNode): Fn {
  const list = child(at, 'parameters');
  const named = (one: SyntaxNode): Pattern => ({ kind: 'name', id: (child(one, 'name') ?? one).text });
  const params = !list ? [] : list.type === 'identifier' ? [named(list)] : parts(list).map(named);
  const body = child(at, 'body');
  const isBlock = body && /^(?:block|constructor_body)$/.test(body.type);
  return {
    kind: 'function',
    params,
    body: !body ? [] : isBlock ? bodyOf(body) : [{ kind: 'return', value: lower(body), at: body }],
    at,
  };
}

function lower(at: SyntaxNode): Expr {
  switch (at.type) {
    case 'identifier':
    case 'this':
    case 'type_identifier':
      return { kind: 'name', id: at.text, at };
    case 'decimal_integer_literal':
    case 'hex_integer_literal':
    case 'decimal_floating_point_literal':
      return {
        kind: 'literal',
        of: 'number',
        text: at.text.replaceAll('_', '').replace(/(?<!x[\da-f]*)[lLfFdD]$/, ''),
        at,
      };
    case 'string_literal':
    case 'character_literal':
      return { kind: 'literal', of: 'string', text: at.text.replace(/^"""\n?|"""$|^["']|["']$/g, ''), at };
    case 'true':
    case 'false':
      return { kind: 'literal', of: 'boolean', text: at.text, at };
    case 'null_literal':
      return { kind: 'literal', of: 'nothing', text: at.text, at };
    case 'parenthesized_expression': {
      const [found] = parts(at);
      return found ? lower(found) : otherwise(at, lower);
    }
    case 'cast_expression':
      return fieldAt(at, 'value', lower);
    case 'field_access':
      return { kind: 'member', of: fieldAt(at, 'object', lower), name: child(at, 'field')?.text ?? '', at };
    case 'class_literal':
      return { kind: 'member', of: { kind: 'name', id: parts(at)[0]?.text ?? '', at }, name: 'class', at };
    case 'array_access':
      return { kind: 'index', of: fieldAt(at, 'array', lower), key: fieldAt(at, 'index', lower), at };
    case 'method_invocation':
      return callAt(at);
    case 'object_creation_expression':
      return {
        kind: 'call',
        fn: { kind: 'name', id: child(at, 'type')?.text ?? '', at },
        args: parts(child(at, 'arguments') ?? at).map(lower),
        named: {},
        at,
      };
    case 'array_creation_expression': {
      const value = child(at, 'value');
      return value ? lower(value) : otherwise(at, lower);
    }
    case 'array_initializer':
    case 'element_value_array_initializer':
      return { kind: 'list', items: parts(at).map(lower), at };
    case 'lambda_expression':
      return functionAt(at);
    case 'binary_expression':
      return binaryAt(at, lower);
    case 'instanceof_expression':
      return {
        kind: 'binary',
        op: 'instanceof',
        left: fieldAt(at, 'left', lower),
        right: fieldAt(at, 'right', lower),
        at,
      };
    case 'unary_expression': {
      const op = child(at, 'operator')?.text;
      const of = fieldAt(at, 'operand', lower);
      if (op === '!') return { kind: 'not', of, at };
      return op === '-' && of.kind === 'literal' ? { ...of, text: `-${of.text}`, at } : otherwise(at, lower);
    }
    default:
      return otherwise(at, lower);
  }
}

function callAt(at: SyntaxNode): Expr {
  const object = child(at, 'object');
  const name = child(at, 'name')?.text ?? '';
  const list = child(at, 'arguments');
  const fn: Expr = object ? { kind: 'member', of: lower(object), name, at } : { kind: 'name', id: name, at };
  return { kind: 'call', fn, args: list ? parts(list).map(lower) : [], named: {}, at };
}
