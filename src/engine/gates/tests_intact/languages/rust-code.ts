/** Rust in the shape of all languages. */
import type { SyntaxNode } from '../../../ports/source.ts';
import {
  type Attribute,
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

/**
 * Macros take any tokens, so that a parser does not look into them. Those of tests take expressions like functions do: `!`
 * becomes a letter of the name. Lines and columns stay.
 */
export function prepareRust(text: string): string {
  return text
    .replace(/\bvec!(?=\s*\[)/g, '    ')
    .replace(
      /\b((?:\w+::)*(?:debug_|prop_)?(?:assert\w*|panic|unreachable|todo|unimplemented|matches|format|println|eprintln|bail|ensure))!(?=\s*\()/g,
      '$1_',
    );
}

export function lowerRust(root: SyntaxNode): Statement[] {
  return statements(root);
}

/** Attributes stand before what they belong to. */
function statements(node: SyntaxNode | undefined): Statement[] {
  const list: Statement[] = [];
  let attributes: Attribute[] = [];
  const all = node ? parts(node) : [];
  for (const [i, one] of all.entries()) {
    if (one.type === 'attribute_item' || one.type === 'inner_attribute_item') {
      if (one.type === 'attribute_item') attributes.push(attributeAt(one));
      continue;
    }
    list.push(...statement(one, attributes, i === all.length - 1));
    attributes = [];
  }
  return list;
}

function attributeAt(at: SyntaxNode): Attribute {
  const [inner] = parts(at);
  const [name] = inner ? parts(inner) : [];
  const tree = inner && child(inner, 'arguments');
  return { name: name?.text ?? '', args: tree ? tokenList(tree) : [], named: {}, at };
}

/** The values between commas in the brackets of an attribute. */
function tokenList(tree: SyntaxNode): Expr[] {
  const groups: SyntaxNode[][] = [[]];
  for (const one of tree.children.slice(1, -1)) {
    if (one.text === ',') groups.push([]);
    else groups.at(-1)?.push(one);
  }
  return groups
    .filter((group) => group.length > 0)
    .map((group): Expr => {
      const [only] = group;
      if (only && group.length === 1 && only.type !== 'token_tree') return lower(only);
      return {
        kind: 'other',
        pieces: group.map((one) =>
          one.children.length === 0 || one.type === 'token_tree' ? one.text : lower(one),
        ),
        at: only ?? tree,
      };
    });
}

function statement(at: SyntaxNode, attributes: readonly Attribute[], isLast: boolean): Statement[] {
  switch (at.type) {
    case 'function_item':
      return [{ kind: 'define', name: child(at, 'name')?.text ?? '', fn: functionAt(at), attributes, at }];
    case 'mod_item':
    case 'impl_item':
      return [
        {
          kind: 'class',
          name: child(at, 'name')?.text ?? child(at, 'type')?.text ?? '',
          bases: [at.type],
          attributes,
          body: statements(child(at, 'body')),
          at,
        },
      ];
    case 'let_declaration': {
      const [pattern, value] = [child(at, 'pattern'), child(at, 'value')];
      if (!pattern || !value) return [];
      const otherwiseLeft = child(at, 'alternative');
      const bind: Statement = { kind: 'bind', pattern: patternOf(pattern), value: lower(value), at };
      return otherwiseLeft
        ? [{ kind: 'if', condition: lower(value), yes: statements(otherwiseLeft), no: [], at }, bind]
        : [bind];
    }
    case 'expression_statement':
      return parts(at).flatMap((one) => expressionStatement(one, false));
    case 'const_item':
    case 'static_item': {
      const value = child(at, 'value');
      return value
        ? [
            {
              kind: 'bind',
              pattern: { kind: 'name', id: child(at, 'name')?.text ?? '' },
              value: lower(value),
              at,
            },
          ]
        : [];
    }
    default:
      return /comment|use_declaration|_item$|label|macro_definition|extern/.test(at.type)
        ? []
        : expressionStatement(at, isLast);
  }
}

function expressionStatement(at: SyntaxNode, isLast: boolean): Statement[] {
  switch (at.type) {
    case 'if_expression':
      return [ifAt(at)];
    case 'match_expression':
      return [matchAt(at)];
    case 'for_expression': {
      const [pattern, over] = [child(at, 'pattern'), child(at, 'value')];
      return [
        {
          kind: 'loop',
          pattern: pattern ? patternOf(pattern) : NO_PATTERN,
          over: over && lower(over),
          body: statements(child(at, 'body')),
          at,
        },
      ];
    }
    case 'while_expression': {
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
    case 'loop_expression':
      return [{ kind: 'loop', pattern: NO_PATTERN, body: statements(child(at, 'body')), at }];
    case 'block':
    case 'unsafe_block':
    case 'async_block':
      return [{ kind: 'block', body: statements(at), at }];
    case 'return_expression': {
      const [value] = parts(at);
      return [{ kind: 'return', value: value && lower(value), at }];
    }
    case 'break_expression':
    case 'continue_expression':
      return [{ kind: 'leave', at }];
    case 'assignment_expression': {
      const [left, right] = [child(at, 'left'), child(at, 'right')];
      return left && right ? [{ kind: 'bind', pattern: patternOf(left), value: lower(right), at }] : [];
    }
    default:
      return isLast
        ? [{ kind: 'expression', value: lower(at), at }]
        : [{ kind: 'expression', value: lower(at), at }];
  }
}

function ifAt(at: SyntaxNode): Statement {
  const condition = child(at, 'condition') ?? at;
  const alternative = child(at, 'alternative');
  return {
    kind: 'if',
    condition: lower(condition),
    yes: statements(child(at, 'consequence')),
    no: alternative
      ? parts(alternative).flatMap((one) =>
          one.type === 'block' ? statements(one) : expressionStatement(one, false),
        )
      : [],
    at,
  };
}

/** The arms of a match: the first is the condition, the others are what happens otherwise. */
function matchAt(at: SyntaxNode): Statement {
  const body = child(at, 'body');
  const arms = (body ? parts(body) : []).map((arm) => {
    const value = child(arm, 'value');
    return value ? (value.type === 'block' ? statements(value) : expressionStatement(value, false)) : [];
  });
  const [first = [], ...rest] = arms;
  return { kind: 'if', condition: lower(child(at, 'value') ?? at), yes: first, no: rest.flat(), at };
}

function functionAt(at: SyntaxNode): Fn {
  const list = child(at, 'parameters');
  const params = (list ? parts(list) : [])
    .filter(({ type }) => type !== 'self_parameter' && type !== 'attribute_item')
    .map((one) => patternOf(child(one, 'pattern') ?? one));
  const body = child(at, 'body');
  const isBlock = body?.type === 'block';
  return {
    kind: 'function',
    params,
    body: !body ? [] : isBlock ? statements(body) : [{ kind: 'return', value: lower(body), at: body }],
    at,
  };
}

function patternOf(node: SyntaxNode): Pattern {
  switch (node.type) {
    case 'identifier':
    case 'field_expression':
      return { kind: 'name', id: node.text };
    case 'mut_pattern':
    case 'ref_pattern':
    case 'reference_pattern':
    case 'captured_pattern': {
      const inner = parts(node).at(-1);
      return inner ? patternOf(inner) : NO_PATTERN;
    }
    case 'tuple_pattern':
    case 'slice_pattern':
      return { kind: 'list', items: parts(node).map(patternOf) };
    default:
      return NO_PATTERN;
  }
}

function lower(at: SyntaxNode): Expr {
  switch (at.type) {
    case 'identifier':
    case 'self':
    case 'field_identifier':
      return { kind: 'name', id: at.text, at };
    case 'scoped_identifier':
      return { kind: 'name', id: at.text, at };
    case 'integer_literal':
    case 'float_literal':
      return {
        kind: 'literal',
        of: 'number',
        text: at.text.replace(/_?(?:[iu](?:8|16|32|64|128|size)|f32|f64)$/, '').replaceAll('_', ''),
        at,
      };
    case 'string_literal':
    case 'raw_string_literal':
    case 'char_literal':
      return { kind: 'literal', of: 'string', text: at.text.replace(/^b?r?#*["']|["']#*$/g, ''), at };
    case 'boolean_literal':
      return { kind: 'literal', of: 'boolean', text: at.text, at };
    case 'parenthesized_expression':
    case 'reference_expression':
    case 'try_expression':
      return inside(at);
    case 'await_expression':
      return { kind: 'await', of: inside(at), at };
    case 'field_expression':
      return { kind: 'member', of: fieldAt(at, 'value', lower), name: child(at, 'field')?.text ?? '', at };
    case 'index_expression': {
      const [of, key] = parts(at);
      return of && key ? { kind: 'index', of: lower(of), key: lower(key), at } : otherwise(at, lower);
    }
    case 'call_expression':
      return callAt(at);
    case 'array_expression':
    case 'tuple_expression':
      return {
        kind: 'list',
        items: parts(at)
          .filter(({ type }) => type !== 'attribute_item')
          .map(lower),
        at,
      };
    case 'struct_expression':
      return structAt(at);
    case 'closure_expression':
      return functionAt(at);
    case 'binary_expression':
      return binaryAt(at, lower);
    case 'unary_expression':
      return unaryAt(at);
    default:
      return otherwise(at, lower);
  }
}

function inside(at: SyntaxNode): Expr {
  const found = parts(at).at(-1);
  return found ? lower(found) : { kind: 'other', pieces: [at.text], at };
}

/** Calls that only make a value of another type say nothing of their own. */
const PLAIN = /^(?:to_string|to_owned|into|clone|as_str|as_ref|iter|unwrap|to_vec|as_slice)$/;

function callAt(at: SyntaxNode): Expr {
  const fn = child(at, 'function');
  const list = child(at, 'arguments');
  const args = list ? parts(list).map(lower) : [];
  const lowered = fn ? lower(fn) : ({ kind: 'other', pieces: [], at } as const);
  if (lowered.kind === 'member' && PLAIN.test(lowered.name) && args.length === 0) return lowered.of;
  if (
    lowered.kind === 'name' &&
    /^(?:String::from|Some|Ok|Box::new|Vec::from|Rc::new|Arc::new)$/.test(lowered.id) &&
    args.length === 1 &&
    args[0] &&
    /^String::from$|^Vec::from$/.test(lowered.id)
  )
    return args[0];
  return { kind: 'call', fn: lowered, args, named: {}, at };
}

function structAt(at: SyntaxNode): Expr {
  const body = child(at, 'body');
  const entries = (body ? parts(body) : []).map((one): readonly [string, Expr] => {
    const [name, value] = [child(one, 'field') ?? child(one, 'name'), child(one, 'value')];
    return [name?.text ?? one.text, value ? lower(value) : lower(parts(one)[0] ?? one)];
  });
  return { kind: 'record', entries, at };
}

function unaryAt(at: SyntaxNode): Expr {
  const op = at.children[0]?.text;
  const of = inside(at);
  if (op === '!') return { kind: 'not', of, at };
  if (op === '*') return of;
  if (op === '-' && of.kind === 'literal') return { ...of, text: `-${of.text}`, at };
  return otherwise(at, lower);
}
