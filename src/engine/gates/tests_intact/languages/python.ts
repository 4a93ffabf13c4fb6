import type { SyntaxNode } from '../../../ports/source.ts';
import { checksOfCall } from '../reading/assertion.ts';
import type { RawCheck } from '../reading/check.ts';
import {
  type Attribute,
  type Call,
  type ClassStatement,
  calledName,
  type Definition,
  type Expr,
  NO_PATTERN,
  type Pattern,
  pathOf,
  squeeze,
} from '../reading/code.ts';
import { checksOfCondition, numberIn } from '../reading/condition.ts';
import type { Found, Language, Marker, MarkerKind, Table } from '../reading/model.ts';
import type { Scope } from '../reading/scope.ts';
import { lowerPython } from './python-code.ts';

/** pytest and unittest. */
export const python: Language = {
  speaks: (path) => path.endsWith('.py'),
  isTestFile: (path) => /(^|\/)(test_[^/]*|[^/]*_test|tests?)\.py$/.test(path),
  mayHoldTests: (path) => /(^|\/)(tests?|conftest\.py)(\/|$)/.test(path),
  isTestScript: (text) => /^assert\b/m.test(text),
  grammarOf: () => 'python',
  lower: lowerPython,
  testFunction,
  classMarkers: ({ attributes, name, at, body, bases }) => [
    // pytest does not collect a class with a constructor.
    ...body.flatMap((one): Marker[] =>
      one.kind === 'define' && one.name === '__init__' && /^Test/.test(name) && bases.length === 0
        ? [{ kind: 'skip', word: '__init__', name, line: at.line }]
        : [],
    ),
    ...attributes.flatMap((one) => markerOf(one, name)),
    ...body.flatMap((one): Marker[] =>
      /^__test__\s*=\s*False/.test(one.at.text) ||
      /^pytestmark\s*=.*\bmark\.(?:skip|xfail)/s.test(one.at.text)
        ? [{ kind: 'skip', word: squeeze(one.at.text).slice(0, 60), name, line: at.line }]
        : [],
    ),
  ],
  fileMarkers,
  checks,
  context,
  leaves,
  replaces: (pattern, value) =>
    pattern.kind === 'name' &&
    pattern.id.includes('.') &&
    (value.kind === 'function' || /\bMock\(/.test(value.at.text))
      ? pattern.id.split('.').at(-1)
      : undefined,
  bareRemoteRuns: 'truthy',
  catchesFailures: (type) =>
    /^(?:AssertionError|Exception|BaseException|unittest\.\w+|self\.failureException)$/.test(type),
};

function testFunction(definition: Definition, owner: ClassStatement | undefined): Found | undefined {
  const { name, attributes } = definition;
  if (/^(?:setUp|tearDown|setup|teardown)(?:_method|_class|_module|Class|Module)?$/.test(name))
    return { kind: 'hook', name, markers: [], tables: [] };
  if (!/^test/.test(name) || attributes.some((one) => /\bfixture$/.test(one.name))) return undefined;
  if (owner && !isTestClass(owner)) return undefined;
  return {
    kind: 'test',
    name,
    markers: [
      ...attributes.flatMap((one) => markerOf(one, name)),
      ...patched(attributes, name),
      ...unawaited(definition),
    ],
    tables: [...attributes, ...(owner?.attributes ?? [])].flatMap(tableOf),
  };
}

/** `@patch('shop.cart.total')`. */
function patched(attributes: readonly Attribute[], of: string): Marker[] {
  return attributes.flatMap(({ name, args, at }): Marker[] => {
    const target = /(?:^|\.)patch(?:\.object)?$/.test(name)
      ? args.findLast((one) => one.kind === 'literal' && one.of === 'string')
      : undefined;
    if (target?.kind !== 'literal') return [];
    return [
      { kind: 'mock', word: `@${name}`, name: of, line: at.line, target: target.text.split('.').at(-1) },
    ];
  });
}

/** pytest does not run a coroutine without a plugin that is asked for by a mark. */
function unawaited({ name, attributes, at }: Definition): Marker[] {
  const isAsync = /^async\b/.test(at.text);
  const isMarked = attributes.some((one) => /asyncio|anyio|trio|coroutine/.test(one.name));
  return isAsync && !isMarked ? [{ kind: 'skip', word: 'async without a mark', name, line: at.line }] : [];
}

/** Classes that pytest or unittest collects: by name, or by what they are. */
function isTestClass({ name, bases, at }: ClassStatement): boolean {
  if (/^Test/.test(name) || bases.some((base) => /Test|Case|Mixin|Base/.test(base))) return true;
  // Another class has its tests by descent.
  const text = rootOf(at).text;
  return [`(${name})`, `(${name},`, `, ${name})`].some((words) => text.includes(words));
}

function rootOf(node: SyntaxNode): SyntaxNode {
  let root = node;
  while (root.parent) root = root.parent;
  return root;
}

/** `@pytest.mark.parametrize("a,b", [(1, 2)])`. */
function tableOf({ name, args, named }: Attribute): Table[] {
  if (!/\bparametrize$|^(?:parameterized\.expand|parameterized|ddt\.data|data)$/.test(name)) return [];
  if (!/\bparametrize$/.test(name)) {
    const over: Expr | undefined =
      /data$/.test(name) && args[0] ? { kind: 'list', items: args, at: args[0].at } : args[0];
    return over ? [{ pattern: NO_PATTERN, over }] : [];
  }
  const [names, values] = [args[0] ?? named.argnames, args[1] ?? named.argvalues];
  if (!names || !values) return [];
  const ids =
    names.kind === 'literal'
      ? names.text.split(',').map((id) => id.trim())
      : names.kind === 'list'
        ? names.items.flatMap((one) => (one.kind === 'literal' ? [one.text] : []))
        : [];
  const items = ids.filter((id) => id !== '').map((id): Pattern => ({ kind: 'name', id }));
  return [
    {
      pattern:
        items.length === 1 && names.kind === 'literal' ? (items[0] ?? NO_PATTERN) : { kind: 'list', items },
      over: values,
    },
  ];
}

const MARKERS: readonly (readonly [expression: RegExp, kind: MarkerKind])[] = [
  [/^(?:pytest\.)?mark\.(?:skip|skipif)$/, 'skip'],
  [/^(?:unittest\.)?skip(?:If|Unless|If\w*|Test)?$/, 'skip'],
  [/^(?:pytest\.)?mark\.xfail$/, 'fails'],
  [/^(?:unittest\.)?expectedFailure$/, 'fails'],
  [/^(?:pytest\.)?mark\.flaky$|^flaky$|^retry$|\.retry$/, 'retry'],
];

function markerOf({ name, at, args, named }: Attribute, of: string): Marker[] {
  const found = MARKERS.find(([expression]) => expression.test(name));
  const inRow = /parametrize$/.test(name)
    ? /marks\s*=\s*[^,)]*\bmark\.(skip|skipif|xfail)/.exec(at.text)?.[1]
    : undefined;
  if (inRow !== undefined)
    return [
      { kind: inRow === 'xfail' ? 'fails' : 'skip', word: `mark.${inRow} in a row`, name: of, line: at.line },
    ];
  const runs = /^(?:hypothesis\.)?settings$/.test(name) ? numberIn(named.max_examples) : undefined;
  if (runs !== undefined)
    return [{ kind: 'runs', word: `@${name}(max_examples=${runs})`, name: of, line: at.line, value: runs }];
  if (/^(?:pytest\.)?mark\.timeout$/.test(name))
    return [
      {
        kind: 'slow',
        word: `@${name}`,
        name: of,
        line: at.line,
        value: (numberIn(args[0] ?? named.timeout) ?? 0) * 1000,
      },
    ];
  if (!found) return [];
  return [
    {
      kind: found[1],
      word: `@${name}`,
      name: of,
      line: at.line,
      value: numberIn(named.reruns ?? args[0]) ?? 1,
    },
  ];
}

/** What is said of a whole file, and tests that are taken back or replaced. */
function fileMarkers(root: SyntaxNode): Marker[] {
  const markers: Marker[] = [];
  const seen = new Set<string>();
  for (const node of root.children) {
    const text = squeeze(node.text);
    const mark = (word: string, name = '') =>
      markers.push({ kind: 'skip', word: word.slice(0, 60), name, line: node.line });
    if (
      /^(?:pytestmark\s*=.*\bmark\.(?:skip|skipif|xfail)\b|__test__\s*=\s*False|collect_ignore(?:_glob)?\b)/.test(
        text,
      )
    )
      mark(text);
    if (/^del\s+[Tt]est\w*/.test(text)) mark(text);
    if (/^def load_tests\b/.test(text)) mark('load_tests');
    const name = /^(?:@.*)?(?:async )?def (test\w*)/.exec(text)?.[1];
    if (name === undefined) continue;
    if (seen.has(name)) mark('a second function of its name', name);
    seen.add(name);
  }
  return markers;
}

function leaves(call: Call): Marker | undefined {
  const path = pathOf(call.fn) ?? '';
  const marker = (kind: MarkerKind, word = `${path}()`): Marker => ({
    kind,
    word,
    name: '',
    line: call.at.line,
  });
  if (/^(?:pytest\.(?:skip|importorskip|exit)|self\.skipTest|SkipTest|unittest\.SkipTest)$/.test(path))
    return marker('skip');
  if (path === 'pytest.xfail') return marker('fails');
  const mocked = mockOf(call, path);
  if (mocked !== undefined) return { ...marker('mock', squeeze(call.at.text).slice(0, 60)), target: mocked };
  const [code] = call.args;
  if (
    path === 'os._exit' ||
    (/^(?:sys\.exit|exit|quit)$/.test(path) && (!code || /^(?:0|None)$/.test(code.at.text))) ||
    path === 'os.abort'
  )
    return isExpected(call.at) ? undefined : marker('skip', squeeze(call.at.text));
  return undefined;
}

/** `patch('shop.cart.total')`, `monkeypatch.setattr(cart, 'total', ...)`. */
function mockOf({ args }: Call, path: string): string | undefined {
  if (!/(?:^|\.)(?:patch(?:\.object)?|setattr)$/.test(path)) return undefined;
  const [first, second] = args;
  const named = first?.kind === 'literal' ? first : second?.kind === 'literal' ? second : undefined;
  return named?.text.split('.').at(-1);
}

/** A test that expects a program to end is a real test. */
function isExpected(at: SyntaxNode): boolean {
  for (let node = at.parent; node; node = node.parent) {
    if (node.type === 'with_statement' && /\b(?:raises|assertRaises)\s*\(\s*SystemExit/.test(node.text))
      return true;
  }
  return false;
}

const RAISES =
  /^(?:pytest\.)?(?:raises|warns|deprecated_call)$|^self\.assert(?:Raises|Warns)(?:Regex)?$|^self\.assert(?:No)?Logs$|\braises$/;

function context(value: Expr, scope: Scope): { checks: RawCheck[]; swallows: boolean } | undefined {
  if (value.kind !== 'call') return undefined;
  const path = pathOf(value.fn) ?? '';
  if (/\bsuppress$/.test(path))
    return { checks: [], swallows: value.args.some((one) => python.catchesFailures(one.at.text)) };
  if (!RAISES.test(path)) return undefined;
  return { checks: checks(value, scope) ?? [], swallows: false };
}

function checks(expr: Expr, scope: Scope): RawCheck[] | undefined {
  if (expr.kind !== 'call') return undefined;
  const path = pathOf(expr.fn) ?? '';
  const name = calledName(expr);
  if (RAISES.test(path)) return raises(expr, name);
  if (path === 'pytest.fail')
    return [{ relation: 'fails', negated: false, matcher: name, expected: [], at: expr.at }];
  if (/^self\.(?:assert|fail)/.test(path)) return unittestChecks(expr, name, scope);
  if (expr.fn.kind === 'member' && /^assert_/.test(name)) return mockOrLibrary(expr, name, scope);
  if (
    /^(?:assert|check|verify|expect|ensure|validate)_\w+$/.test(name) ||
    /^self\.(?:check|verify|expect|ensure|_assert)\w*$/.test(path)
  ) {
    const tolerance = toleranceOf(expr);
    return (
      (/^assert_/.test(name) ? checksOfCall(name, expr.args, expr.at, scope, tolerance) : undefined) ??
      whole(expr, name)
    );
  }
  return undefined;
}

/** What is raised; a pattern for its message says more. */
function raises(call: Call, name: string): RawCheck[] {
  const [type, second] = call.args;
  const pattern = call.named.match ?? call.named.expected_regex ?? (/Regex$/.test(name) ? second : undefined);
  const expected = [type, pattern].filter((one): one is Expr => one !== undefined);
  const subject = /Regex$/.test(name) ? call.args[2] : second;
  return [{ relation: 'throws', negated: false, matcher: name, subject, expected, at: call.at }];
}

function unittestChecks(call: Call, name: string, scope: Scope): RawCheck[] {
  if (/AlmostEquals?$/.test(name)) {
    const places = numberIn(call.named.places ?? call.args[2]);
    const tolerance = numberIn(call.named.delta) ?? 10 ** -(places ?? 7) / 2;
    return checksOfCall(name, call.args.slice(0, 2), call.at, scope, { tolerance }) ?? whole(call, name);
  }
  if (/^assert(?:True|False)_?$/.test(name) && call.args[0])
    return checksOfCondition(call.args[0], call.at, name.startsWith('assertTrue'), name, 'truthy');
  const found = /^assertIsInstance$/.test(name) ? undefined : checksOfCall(name, call.args, call.at, scope);
  if (/^assertIsInstance$/.test(name))
    return [
      {
        relation: 'type',
        negated: false,
        matcher: name,
        subject: call.args[0],
        expected: call.args.slice(1, 2),
        at: call.at,
      },
    ];
  if (/^assert(?:Not)?In$/.test(name) && call.args[1])
    return [
      {
        relation: 'contains',
        negated: name === 'assertNotIn',
        matcher: name,
        subject: call.args[1],
        expected: call.args.slice(0, 1),
        at: call.at,
      },
    ];
  return found ?? whole(call, name);
}

function toleranceOf({ named }: Call): Partial<RawCheck> {
  const tolerance = numberIn(named.rtol ?? named.atol ?? named.abs ?? named.rel ?? named.decimal);
  if (tolerance === undefined) return {};
  return { tolerance: named.decimal ? 10 ** -tolerance : tolerance };
}

/** `mock.assert_called_with(1)`, `np.testing.assert_allclose(a, b)`. */
function mockOrLibrary(call: Call, name: string, scope: Scope): RawCheck[] {
  const subject = call.fn.kind === 'member' ? call.fn.of : undefined;
  const awaited = name.replace('awaited', 'called');
  if (/^assert_(?:not_)?(?:called|any_call|has_calls)/.test(awaited)) {
    const isWith = /with|any_call|has_calls/.test(awaited);
    const expected = isWith ? [...call.args, ...Object.values(call.named)] : [];
    return [
      {
        relation: isWith ? 'calledWith' : 'called',
        negated: awaited === 'assert_not_called',
        matcher: awaited,
        subject,
        expected,
        at: call.at,
      },
    ];
  }
  return checksOfCall(name, call.args, call.at, scope, toleranceOf(call)) ?? whole(call, name);
}

/** A helper that is not at hand: all of it is one check. */
function whole(call: Call, name: string): RawCheck[] {
  const subject: Expr = { kind: 'other', pieces: [squeeze(call.fn.at.text)], at: call.at };
  return [{ relation: 'holds', negated: false, matcher: name, subject, expected: call.args, at: call.at }];
}
