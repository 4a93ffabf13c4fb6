import type { SyntaxNode } from '../../../ports/source.ts';
import { checksOfCall } from '../reading/assertion.ts';
import type { RawCheck } from '../reading/check.ts';
import {
  type Attribute,
  type Call,
  calledName,
  type Definition,
  type Expr,
  pathOf,
  squeeze,
} from '../reading/code.ts';
import { checksOfCondition, numberIn } from '../reading/condition.ts';
import type { Found, Language, Marker, MarkerKind, Table } from '../reading/model.ts';
import type { Scope } from '../reading/scope.ts';
import { lowerRust, prepareRust } from './rust-code.ts';

/** Rust. Tests may stand in any file, beside the code that they test. */
export const rust: Language = {
  speaks: (path) => path.endsWith('.rs'),
  isTestFile: (path) => /(^|\/)tests\/[^/]+\.rs$/.test(path),
  mayHoldTests: () => true,
  grammarOf: () => 'rust',
  prepare: prepareRust,
  lower: lowerRust,
  testFunction,
  classMarkers: ({ attributes, name, bases }) =>
    bases[0] === 'mod_item' ? attributes.flatMap((one) => moduleMarkers(one, name)) : [],
  checks,
  leaves,
  bareRemoteRuns: 'true',
  catchesFailures: () => true,
};

const TEST = /^(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest|wasm_bindgen_test)$/;

function testFunction({ name, fn, attributes }: Definition): Found | undefined {
  if (!attributes.some((one) => TEST.test(one.name))) return undefined;
  const panics = attributes.find((one) => one.name === 'should_panic');
  const rows = attributes.filter(
    (one) => /^(?:case|test_case)(?:::\w+)*$/.test(one.name) && one.args.length > 0,
  );
  return {
    kind: 'test',
    name,
    fn,
    markers: attributes.flatMap((one) => markersOf(one, name)),
    tables: tablesOf(rows, fn),
    expects: panics
      ? [
          {
            relation: 'throws',
            negated: false,
            matcher: 'should_panic',
            expected: panics.args,
            at: panics.at,
          },
        ]
      : [],
  };
}

/** `#[case(1, 2)]`: each is a row. */
function tablesOf(rows: readonly Attribute[], fn: Definition['fn']): Table[] {
  const [first] = rows;
  if (!first) return [];
  const items = rows.map(({ args, at }): Expr => ({ kind: 'list', items: args, at }));
  return [{ pattern: { kind: 'list', items: fn.params }, over: { kind: 'list', items, at: first.at } }];
}

function markersOf({ name, at }: Attribute, of: string): Marker[] {
  const word = squeeze(at.text);
  const marker = (kind: MarkerKind): Marker[] => [{ kind, word, name: of, line: at.line }];
  if (name === 'ignore') return marker('skip');
  if (name === 'cfg_attr' && /\bignore\b/.test(word)) return marker('skip');
  if (name === 'cfg' && !/^#\[\s*cfg\s*\(\s*test\s*\)\s*\]$/.test(word)) return marker('skip');
  return name === 'should_panic' ? marker('fails') : [];
}

/** `#[cfg(any())]` before a module: it is never built. */
function moduleMarkers({ name, at }: Attribute, of: string): Marker[] {
  const word = squeeze(at.text);
  if (name !== 'cfg' || /^#\[\s*cfg\s*\(\s*test\s*\)\s*\]$/.test(word)) return [];
  if (!/tests?$/i.test(of) && !/\btest\b/.test(word)) return [];
  return [{ kind: 'skip', word, name: of, line: at.line }];
}

function leaves(call: Call): Marker | undefined {
  const path = pathOf(call.fn) ?? '';
  if (!/(?:^|::)process::exit$/.test(path) || numberIn(call.args[0]) !== 0) return undefined;
  return { kind: 'skip', word: squeeze(call.at.text), name: '', line: call.at.line };
}

function checks(expr: Expr, scope: Scope): RawCheck[] | undefined {
  if (expr.kind !== 'call') return undefined;
  const path = pathOf(expr.fn) ?? '';
  const name = calledName(expr).split('::').at(-1) ?? '';
  if (!name.endsWith('_')) return ofFunction(expr, name, path);
  const macro = name.slice(0, -1).replace(/^(?:debug|prop)_/, '');
  const [first, second] = expr.args;
  const base = { matcher: macro, at: expr.at, negated: false };
  if (/^(?:panic|unreachable|todo|unimplemented|bail)$/.test(macro))
    return [{ ...base, relation: 'fails', expected: [] }];
  if (macro === 'assert' || macro === 'ensure')
    return first
      ? checksOfCondition(first, expr.at, true, 'assert', 'true').flatMap((check) =>
          ofMatches(check, expr.at),
        )
      : undefined;
  if (macro === 'assert_matches')
    return [{ ...base, relation: 'matches', subject: first, expected: second ? [second] : [] }];
  if (!macro.startsWith('assert')) return undefined;
  return (
    checksOfCall(
      macro,
      expr.args.slice(0, /delta|abs|rel|close|near|approx/.test(macro) ? 3 : 2),
      expr.at,
      scope,
    ) ?? whole(expr, macro)
  );
}

/** `assert!(matches!(x, Some(3)))`. */
function ofMatches(check: RawCheck, at: SyntaxNode): RawCheck[] {
  const { subject } = check;
  if (subject?.kind !== 'call' || calledName(subject) !== 'matches_') return [check];
  const [first, ...rest] = subject.args;
  return [{ ...check, relation: 'matches', subject: first, expected: rest, at }];
}

/** `result.expect("x")` fails without a result, as `unwrap` does. */
function ofFunction(call: Call, name: string, path: string): RawCheck[] | undefined {
  if (/^(?:assert|check|verify|expect)_\w+$/.test(name) && !path.includes('.')) return whole(call, name);
  if (call.fn.kind === 'member' && (name === 'unwrap_err' || name === 'expect_err'))
    return [
      { relation: 'throws', negated: false, matcher: name, subject: call.fn.of, expected: [], at: call.at },
    ];
  return undefined;
}

function whole(call: Call, name: string): RawCheck[] {
  const subject: Expr = { kind: 'other', pieces: [squeeze(call.fn.at.text)], at: call.at };
  return [{ relation: 'holds', negated: false, matcher: name, subject, expected: call.args, at: call.at }];
}
