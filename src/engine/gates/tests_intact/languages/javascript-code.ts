/** TypeScript and JavaScript in the shape of all languages. */
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
import { runnerImports, runnerModule, runnerNames } from './javascript-runner.ts';

export function lowerJavascript(root: SyntaxNode): Statement[] {
  return statements(root);
}

function statements(node: SyntaxNode): Statement[] {
  return parts(node).flatMap(statement);
}

function bodyOf(node: SyntaxNode | undefined): Statement[] {
  if (!node) return [];
  return node.type === 'statement_block' ? statements(node) : statement(node);
}

function statement(at: SyntaxNode): Statement[] {
  switch (at.type) {
    case 'expression_statement':
      return parts(at).flatMap((one) => expressionStatement(one));
    case 'lexical_declaration':
    case 'variable_declaration':
      return parts(at).flatMap(declaration);
    case 'function_declaration':
    case 'generator_function_declaration':
      return [
        { kind: 'define', name: child(at, 'name')?.text ?? '', fn: functionAt(at), attributes: [], at },
      ];
    case 'class_declaration':
    case 'class':
      return [classAt(at)];
    case 'if_statement':
      return [ifAt(at)];
    case 'for_in_statement':
      return [forAt(at)];
    case 'for_statement':
      return [
        {
          kind: 'block',
          at,
          body: [
            ...bodyOf(child(at, 'initializer')),
            { kind: 'loop', pattern: NO_PATTERN, body: bodyOf(child(at, 'body')), at },
          ],
        },
      ];
    case 'while_statement':
    case 'do_statement':
      return [
        {
          kind: 'loop',
          pattern: NO_PATTERN,
          condition: inner(child(at, 'condition')),
          body: bodyOf(child(at, 'body')),
          at,
        },
      ];
    case 'try_statement':
      return [tryAt(at)];
    case 'return_statement':
      return [{ kind: 'return', value: parts(at)[0] && lower(parts(at)[0] as SyntaxNode), at }];
    case 'throw_statement':
      return [{ kind: 'throw', at }];
    case 'break_statement':
    case 'continue_statement':
      return [{ kind: 'leave', at }];
    case 'statement_block':
      return [{ kind: 'block', body: statements(at), at }];
    case 'export_statement':
    case 'labeled_statement':
      return parts(at).flatMap(statement);
    case 'switch_statement':
      return [switchAt(at)];
    case 'import_statement':
      return runnerImports(at);
    default:
      return /import|comment|type_alias|interface|empty|statement_identifier|identifier|ambient/.test(at.type)
        ? []
        : [{ kind: 'expression', value: lower(at), at }];
  }
}

function inner(node: SyntaxNode | undefined): Expr | undefined {
  return node && lower(node);
}

function expressionStatement(at: SyntaxNode): Statement[] {
  if (at.type === 'assignment_expression') {
    const left = child(at, 'left');
    const right = child(at, 'right');
    // Sets the exit code of the process, as leaving it would.
    if (left?.text === 'process.exitCode' && right)
      return [
        {
          kind: 'expression',
          value: { kind: 'call', fn: lower(left), args: [lower(right)], named: {}, at },
          at,
        },
      ];
    if (left && right) return [{ kind: 'bind', pattern: patternOf(left), value: lower(right), at }];
  }
  if (at.type === 'sequence_expression') return parts(at).flatMap(expressionStatement);
  if (at.type === 'ternary_expression') {
    const branch = (field: string) => {
      const node = child(at, field);
      return node ? expressionStatement(node) : [];
    };
    const condition = child(at, 'condition');
    if (condition)
      return [
        {
          kind: 'if',
          condition: lower(condition),
          yes: branch('consequence'),
          no: branch('alternative'),
          at,
        },
      ];
  }
  return [{ kind: 'expression', value: lower(at), at }];
}

function declaration(at: SyntaxNode): Statement[] {
  const name = child(at, 'name');
  const value = child(at, 'value');
  if (at.type !== 'variable_declarator' || !name || !value) return [];
  const bind = { pattern: patternOf(name), value: lower(value) };
  return runnerNames(bind.pattern, bind.value, at) ?? [{ kind: 'bind', ...bind, at }];
}

function classAt(at: SyntaxNode): Statement {
  const body = child(at, 'body');
  const members = body ? parts(body) : [];
  return {
    kind: 'class',
    name: child(at, 'name')?.text ?? '',
    bases: [],
    attributes: [],
    at,
    body: members.flatMap((member): Statement[] =>
      member.type === 'method_definition'
        ? [
            {
              kind: 'define',
              name: child(member, 'name')?.text ?? '',
              fn: functionAt(member),
              attributes: [],
              at: member,
            },
          ]
        : [],
    ),
  };
}

function ifAt(at: SyntaxNode): Statement {
  const condition = child(at, 'condition') ?? at;
  const alternative = child(at, 'alternative');
  return {
    kind: 'if',
    condition: lower(condition),
    yes: bodyOf(child(at, 'consequence')),
    no: alternative ? parts(alternative).flatMap(bodyOf) : [],
    at,
  };
}

function switchAt(at: SyntaxNode): Statement {
  const body = child(at, 'body');
  return {
    kind: 'if',
    condition: lower(child(at, 'value') ?? at),
    yes: body
      ? parts(body).flatMap((one) =>
          parts(one)
            .filter(({ field }) => field === 'body')
            .flatMap(statement),
        )
      : [],
    no: [],
    at,
  };
}

function forAt(at: SyntaxNode): Statement {
  const left = child(at, 'left');
  const right = child(at, 'right');
  return {
    kind: 'loop',
    pattern: left ? patternOf(left) : NO_PATTERN,
    over: child(at, 'operator')?.type === 'in' ? undefined : right && lower(right),
    body: bodyOf(child(at, 'body')),
    at,
  };
}

function tryAt(at: SyntaxNode): Statement {
  const handler = child(at, 'handler');
  const last = child(at, 'finalizer');
  return {
    kind: 'try',
    body: bodyOf(child(at, 'body')),
    handlers: handler
      ? [{ types: [], name: child(handler, 'parameter')?.text, body: bodyOf(child(handler, 'body')) }]
      : [],
    last: last ? bodyOf(child(last, 'body')) : [],
    at,
  };
}

function functionAt(at: SyntaxNode): Fn {
  const list = child(at, 'parameters');
  const single = child(at, 'parameter');
  const params = list
    ? parts(list).map((one) => patternOf(child(one, 'pattern') ?? one))
    : single
      ? [patternOf(single)]
      : [];
  const body = child(at, 'body');
  const isBlock = body?.type === 'statement_block';
  return {
    kind: 'function',
    params,
    body: body ? (isBlock ? statements(body) : [{ kind: 'return', value: lower(body), at: body }]) : [],
    at,
  };
}

function patternOf(node: SyntaxNode): Pattern {
  switch (node.type) {
    case 'identifier':
    case 'shorthand_property_identifier_pattern':
      return { kind: 'name', id: node.text };
    case 'member_expression':
    case 'subscript_expression':
      return { kind: 'name', id: node.text };
    case 'array_pattern':
      return { kind: 'list', items: parts(node).map(patternOf) };
    case 'object_pattern':
      return { kind: 'record', entries: parts(node).map(entryPattern) };
    case 'assignment_pattern':
    case 'object_assignment_pattern':
    case 'rest_pattern': {
      const target = child(node, 'left') ?? parts(node)[0];
      return target ? patternOf(target) : NO_PATTERN;
    }
    default:
      return NO_PATTERN;
  }
}

function entryPattern(node: SyntaxNode): readonly [string, Pattern] {
  const key = child(node, 'key');
  const value = child(node, 'value');
  if (key && value) return [key.text, patternOf(value)];
  const pattern = patternOf(node);
  return [pattern.kind === 'name' ? pattern.id : '', pattern];
}

function lower(at: SyntaxNode): Expr {
  switch (at.type) {
    case 'identifier':
    case 'this':
    case 'super':
    case 'shorthand_property_identifier':
    case 'property_identifier':
    case 'import':
      return { kind: 'name', id: at.text, at };
    case 'number':
      return { kind: 'literal', of: 'number', text: at.text.replaceAll('_', ''), at };
    case 'string':
      return { kind: 'literal', of: 'string', text: at.text.slice(1, -1), at };
    case 'regex':
      return { kind: 'other', pieces: [at.text], at };
    case 'template_string':
      return templateAt(at);
    case 'true':
    case 'false':
      return { kind: 'literal', of: 'boolean', text: at.text, at };
    case 'null':
    case 'undefined':
      return { kind: 'literal', of: 'nothing', text: at.text, at };
    case 'parenthesized_expression':
    case 'as_expression':
    case 'satisfies_expression':
    case 'non_null_expression':
    case 'type_assertion':
      return wrapped(at);
    case 'await_expression':
      return { kind: 'await', of: wrapped(at), at };
    case 'member_expression':
      return {
        kind: 'member',
        of: fieldAt(at, 'object', lower),
        name: child(at, 'property')?.text ?? '',
        at,
      };
    case 'subscript_expression':
      return { kind: 'index', of: fieldAt(at, 'object', lower), key: fieldAt(at, 'index', lower), at };
    case 'call_expression':
    case 'new_expression':
      return callAt(at);
    case 'array':
      return { kind: 'list', items: parts(at).map(lower), at };
    case 'object':
      return { kind: 'record', entries: parts(at).map(entryAt), at };
    case 'arrow_function':
    case 'function_expression':
    case 'generator_function':
      return functionAt(at);
    case 'binary_expression':
      return binaryAt(at, lower);
    case 'unary_expression':
      return unaryAt(at);
    default:
      return otherwise(at, lower);
  }
}

/** The expression inside brackets or beside a type. */
function wrapped(at: SyntaxNode): Expr {
  const list = parts(at);
  const found = at.type === 'type_assertion' ? list.at(-1) : list[0];
  return found ? lower(found) : { kind: 'other', pieces: [at.text], at };
}

function unaryAt(at: SyntaxNode): Expr {
  const op = child(at, 'operator')?.text;
  const of = fieldAt(at, 'argument', lower);
  if (op === '!') return { kind: 'not', of, at };
  if (op === '-' && of.kind === 'literal') return { ...of, text: `-${of.text}`, at };
  if (op === 'void') return { kind: 'literal', of: 'nothing', text: 'undefined', at };
  return otherwise(at, lower);
}

function templateAt(at: SyntaxNode): Expr {
  if (!at.children.some(({ type }) => type === 'template_substitution'))
    return { kind: 'literal', of: 'string', text: at.text.slice(1, -1), at };
  const pieces = at.children.flatMap((one): (string | Expr)[] =>
    one.type === 'template_substitution' ? parts(one).map(lower) : [one.text],
  );
  return { kind: 'other', pieces, at };
}

function entryAt(at: SyntaxNode): readonly [string, Expr] {
  const key = child(at, 'key')?.text.replace(/^(["'])(.*)\1$/, '$2');
  const value = child(at, 'value');
  if (key !== undefined && value) return [key, lower(value)];
  if (at.type === 'method_definition') return [child(at, 'name')?.text ?? '', functionAt(at)];
  return [at.text, lower(at)];
}

function callAt(at: SyntaxNode): Expr {
  const fn = child(at, 'function') ?? child(at, 'constructor');
  const list = child(at, 'arguments');
  const isTagged = list?.type === 'template_string';
  const args = !list ? [] : isTagged ? [taggedTable(list)] : parts(list).map(lower);
  const called: Expr = fn ? lower(fn) : { kind: 'other', pieces: [], at };
  return runnerModule(called, args, at) ?? { kind: 'call', fn: called, args, named: {}, at };
}

/** The rows of a table in a template: `a | b` on its first line, then values in `${}`. */
function taggedTable(at: SyntaxNode): Expr {
  const heads = (at.children.find(({ type }) => type === 'string_fragment')?.text ?? '')
    .split('\n')
    .find((line) => line.trim() !== '');
  const names = (heads ?? '').split('|').map((name) => name.trim());
  const values = at.children
    .filter(({ type }) => type === 'template_substitution')
    .flatMap((one) => parts(one).slice(0, 1).map(lower));
  const items: Expr[] = [];
  for (let from = 0; from < values.length; from += names.length) {
    const entries = names
      .map((name, i) => [name, values[from + i]] as const)
      .filter((entry): entry is [string, Expr] => entry[1] !== undefined);
    items.push({ kind: 'record', entries, at });
  }
  return { kind: 'list', items, at };
}
