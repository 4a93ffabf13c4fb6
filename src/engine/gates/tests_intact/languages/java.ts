import { checksOfCall } from '../reading/assertion.ts';
import type { RawCheck } from '../reading/check.ts';
import {
  type Attribute,
  type Call,
  type ClassStatement,
  calledName,
  type Definition,
  type Expr,
  type Pattern,
  pathOf,
  squeeze,
} from '../reading/code.ts';
import { numberIn } from '../reading/condition.ts';
import type { Found, Language, Marker, MarkerKind, Table } from '../reading/model.ts';
import type { Scope } from '../reading/scope.ts';
import { lowerJava } from './java-code.ts';

/** JUnit 3 to 5, TestNG, AssertJ, Hamcrest, Mockito. */
export const java: Language = {
  speaks: (path) => path.endsWith('.java'),
  isTestFile: (path) => /(^|\/)(Test[A-Z]\w*|\w+(Tests?|TestCase|IT|Spec))\.java$/.test(path),
  mayHoldTests: (path) => /(^|\/)src\/(test|it|integrationTest)\//.test(path),
  grammarOf: () => 'java',
  lower: lowerJava,
  testFunction,
  classMarkers: ({ attributes, name }) => attributes.flatMap((one) => markersOf(one, name)),
  checks,
  leaves,
  bareRemoteRuns: 'true',
  catchesFailures: (type) => /^(?:Throwable|Error|AssertionError|AssertionFailedError|Exception)$/.test(type),
};

const TEST = /^(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Theory)$/;

function testFunction(definition: Definition, owner: ClassStatement | undefined): Found | undefined {
  const { name, attributes, fn, at } = definition;
  if (attributes.some((one) => /^(?:Before|After)(?:Each|All|Class|Method)?$/.test(one.name)))
    return { kind: 'hook', name, fn, markers: [], tables: [] };
  if (/\bprivate\b/.test(at.text.slice(0, at.text.indexOf('(')))) return undefined;
  const isJunit3 =
    /^test[A-Z_]/.test(name) &&
    /^\s*(?:@\w+\s+)*public\s+void\b/.test(at.text) &&
    /TestCase/.test(owner?.bases[0] ?? 'TestCase');
  if (!attributes.some((one) => TEST.test(one.name)) && !isJunit3) return undefined;
  const expected = attributes.flatMap(({ named }) => named.expected ?? named.expectedExceptions ?? []);
  return {
    kind: 'test',
    name,
    fn: expected[0] ? expecting(fn, expected[0]) : fn,
    markers: attributes.flatMap((one) => markersOf(one, name)),
    tables: attributes.flatMap((one) => tablesOf(one, fn.params, owner)),
  };
}

/** `@Test(expected = X.class)` checks what is thrown. */
function expecting(fn: Definition['fn'], type: Expr): Definition['fn'] {
  const call: Expr = {
    kind: 'call',
    fn: { kind: 'name', id: 'assertThrows', at: type.at },
    args: [type],
    named: {},
    at: type.at,
  };
  return { ...fn, body: [{ kind: 'expression', value: call, at: type.at }, ...fn.body] };
}

/** `@ValueSource(ints = {1, 2})`, `@CsvSource({"a, b", "c, d"})`, `@MethodSource("rows")`. */
function tablesOf(
  { name, args, named, at }: Attribute,
  params: readonly Pattern[],
  owner: ClassStatement | undefined,
): Table[] {
  const pattern: Pattern = params.length === 1 && params[0] ? params[0] : { kind: 'list', items: params };
  const given = args[0] ?? Object.values(named)[0];
  if (name === 'ValueSource' && given) return [{ pattern, over: asList(given) }];
  if (name === 'CsvSource' && given)
    return [{ pattern: { kind: 'list', items: params }, over: csv(asList(given)) }];
  if (/^(?:EnumSource|CsvFileSource|ArgumentsSource)$/.test(name))
    return [{ pattern, over: { kind: 'other', pieces: [squeeze(at.text)], at } }];
  if (name !== 'MethodSource') return [];
  const wanted = given?.kind === 'literal' ? given.text : undefined;
  const source = owner?.body.find((one) => one.kind === 'define' && one.name === wanted);
  const last = source?.kind === 'define' ? source.fn.body.at(-1) : undefined;
  const over: Expr =
    last?.kind === 'return' && last.value ? last.value : { kind: 'other', pieces: [squeeze(at.text)], at };
  return [{ pattern, over }];
}

function asList(expr: Expr): Expr {
  return expr.kind === 'list' ? expr : { kind: 'list', items: [expr], at: expr.at };
}

/** Lines of values between commas. Numbers and words are what they are in code. */
function csv(list: Expr): Expr {
  if (list.kind !== 'list') return list;
  const items = list.items.map((line): Expr => {
    if (line.kind !== 'literal') return line;
    const values = line.text.split(',').map((text): Expr => {
      const value = text.trim().replace(/^'(.*)'$/, '$1');
      const of =
        value !== '' && !Number.isNaN(Number(value))
          ? 'number'
          : /^(?:true|false)$/.test(value)
            ? 'boolean'
            : 'string';
      return { kind: 'literal', of, text: value, at: line.at };
    });
    return { kind: 'list', items: values, at: line.at };
  });
  return { ...list, items };
}

function markersOf({ name, at, named, args }: Attribute, of: string): Marker[] {
  const marker = (kind: MarkerKind, word = `@${name}`): Marker[] => [{ kind, word, name: of, line: at.line }];
  if (/^(?:Disabled\w*|Ignore)$/.test(name) || /^Enabled(?:If|On)\w*$/.test(name)) return marker('skip');
  if (name === 'Test' && named.enabled && named.enabled.at.text === 'false')
    return marker('skip', '@Test(enabled = false)');
  if (name === 'Test' && named.expected) return marker('fails', squeeze(at.text));
  if (/^(?:RetryingTest|RepeatedIfExceptionsTest|Retry|Flaky)$/.test(name))
    return [{ ...marker('retry')[0], value: numberIn(args[0]) ?? 1 } as Marker];
  if (name === 'Timeout')
    return [{ ...marker('slow')[0], value: (numberIn(args[0] ?? named.value) ?? 0) * 1000 } as Marker];
  if (name === 'Test' && named.timeout)
    return [{ ...marker('slow', '@Test(timeout)')[0], value: numberIn(named.timeout) ?? 0 } as Marker];
  return [];
}

/** Assumptions skip a test; `System.exit(0)` ends the process. */
function leaves(call: Call): Marker | undefined {
  const name = calledName(call);
  const path = pathOf(call.fn) ?? '';
  const marker = (word: string): Marker => ({ kind: 'skip', word, name: '', line: call.at.line });
  if (/^assum(?:e|ing)[A-Z]\w*$/.test(name)) return marker(`${path}()`);
  if (/^Runtime\s*\.\s*getRuntime\(\)\s*\.\s*(?:halt|exit)\(\s*0\s*\)/.test(call.at.text))
    return marker('Runtime.halt(0)');
  const mocked = mockOf(call, name);
  if (mocked) return mocked;
  if (/^(?:System\.exit|Runtime\.getRuntime\(\)\.(?:exit|halt))$/.test(path) && numberIn(call.args[0]) === 0)
    return marker(`${path}(0)`);
  return undefined;
}

/** `mock(Calc.class)`, `when(calc.add(1)).thenReturn(2)`. */
function mockOf(call: Call, name: string): Marker | undefined {
  const [first] = call.args;
  const word = squeeze(call.at.text).slice(0, 60);
  const marker = (target: string): Marker => ({ kind: 'mock', word, name: '', line: call.at.line, target });
  if (/^(?:mock|spy)$/.test(name) && first) return marker(first.at.text.replace(/\.class$/, ''));
  return name === 'when' && first?.kind === 'call' ? marker(calledName(first)) : undefined;
}

interface Link {
  name: string;
  args: readonly Expr[];
}

function chainOf(expr: Expr): { root: Expr; links: Link[] } {
  if (expr.kind !== 'call' || expr.fn.kind !== 'member') return { root: expr, links: [] };
  const { root, links } = chainOf(expr.fn.of);
  return { root, links: [...links, { name: expr.fn.name, args: expr.args }] };
}

const THAT =
  /^(?:assertThat|then|expectThat|assertWithMessage|expect|assertThatThrownBy|assertThatCode|assertThatExceptionOfType|assertThatIllegalArgumentException|thenThrownBy)$/;

function checks(expr: Expr, scope: Scope): RawCheck[] | undefined {
  if (expr.kind !== 'call') return undefined;
  const { root, links } = chainOf(expr);
  if (root.kind === 'call' && root.fn.kind === 'name') {
    if (THAT.test(root.fn.id)) return ofThat(root, links, expr, scope);
    if (/^verify\w*$/.test(root.fn.id) && !/^verify(?:NoMore|No|Zero)/.test(root.fn.id))
      return ofVerify(root, links, expr);
  }
  if (root.kind === 'name' && links[0] && THAT.test(links[0].name)) {
    const first: Call = {
      kind: 'call',
      fn: { kind: 'name', id: links[0].name, at: expr.at },
      args: links[0].args,
      named: {},
      at: expr.at,
    };
    return ofThat(first, links.slice(1), expr, scope);
  }
  if (links.some(({ name }) => /^andExpect(?:All)?$/.test(name)))
    return links
      .filter(({ name }) => /^andExpect/.test(name))
      .map(
        ({ args }): RawCheck => ({
          relation: 'holds',
          negated: false,
          matcher: 'andExpect',
          subject: root,
          expected: args,
          at: expr.at,
        }),
      );
  return ofCall(expr, scope);
}

/** `assertThat(x).isEqualTo(1)` and `assertThat(x, is(1))`. */
function ofThat(root: Call, links: readonly Link[], expr: Expr, scope: Scope): RawCheck[] {
  const [subject, matcher] = root.args.length > 2 ? root.args.slice(1) : root.args;
  const name = calledName(root);
  if (matcher?.kind === 'call' && links.length === 0) return ofMatcher(subject, matcher, expr, scope);
  const isThrown = /Thrown|ExceptionOfType|IllegalArgument/.test(name);
  const checks = links.flatMap((link): RawCheck[] => {
    if (
      /^(?:as|describedAs|withFailMessage|overridingErrorMessage|extracting|filteredOn|usingRecursiveComparison|element|first|last|map|and|satisfies|isThrownBy|ignoringFields|ignoringCase)$/.test(
        link.name,
      )
    )
      return [];
    const thrown: RawCheck = {
      relation: 'throws',
      negated: false,
      matcher: link.name,
      subject,
      expected: link.args,
      at: expr.at,
    };
    if (isThrown) return [thrown];
    return (
      checksOfCall(link.name, subject ? [subject, ...link.args] : link.args, expr.at, scope) ?? [
        { ...thrown, relation: 'holds' },
      ]
    );
  });
  if (!isThrown) return checks;
  return [
    {
      relation: 'throws',
      negated: /NoException|doesNot/.test(links.map((one) => one.name).join()),
      matcher: name,
      subject: name.includes('ExceptionOfType') ? undefined : subject,
      expected: [
        ...(name.includes('ExceptionOfType') && subject ? [subject] : []),
        ...checks.flatMap((one) => one.expected),
      ],
      at: expr.at,
    },
  ];
}

/** Hamcrest: `is(not(1))`, `hasItems(1, 2)`. */
function ofMatcher(subject: Expr | undefined, matcher: Call, expr: Expr, scope: Scope): RawCheck[] {
  const name = calledName(matcher);
  const [inner] = matcher.args;
  if (
    /^(?:is|not)$/.test(name) &&
    inner?.kind === 'call' &&
    /^[a-z]/.test(calledName(inner)) &&
    inner.fn.kind === 'name'
  ) {
    const found = ofMatcher(subject, inner, expr, scope);
    return name === 'not' ? found.map((check) => ({ ...check, negated: !check.negated })) : found;
  }
  const negated = name === 'not';
  const found = checksOfCall(
    negated ? 'equal' : name,
    subject ? [subject, ...matcher.args] : matcher.args,
    expr.at,
    scope,
  );
  return (
    found ?? [
      {
        relation: 'holds' as const,
        negated: false,
        matcher: name,
        subject,
        expected: matcher.args,
        at: expr.at,
      },
    ]
  ).map((check) => ({ ...check, negated: check.negated !== negated }));
}

/** `verify(mock, times(2)).method(1)`. */
function ofVerify(root: Call, links: readonly Link[], expr: Expr): RawCheck[] {
  const [mock, times] = root.args;
  const subject: Expr = {
    kind: 'other',
    pieces: [squeeze(mock?.at.text ?? ''), ...links.map(({ name }) => name)],
    at: expr.at,
  };
  const isNever = /\bnever\b|times\(0\)/.test(times?.at.text ?? '');
  return [
    {
      relation: 'calledWith',
      negated: isNever,
      matcher: squeeze(times?.at.text ?? 'verify'),
      subject,
      expected: [...links.flatMap(({ args }) => args), ...(times && !isNever ? [times] : [])],
      at: expr.at,
    },
  ];
}

function ofCall(call: Call, scope: Scope): RawCheck[] | undefined {
  const name = calledName(call);
  const base = call.fn.kind === 'member' ? pathOf(call.fn.of) : undefined;
  const isOwn =
    base === undefined ||
    /^(?:Assert|Assertions|MatcherAssert|RemoteRuns|StepVerifier|TestCase|this|super|Assumptions)$/.test(
      base,
    );
  if (!isOwn) return undefined;
  if (name === 'fail')
    return [{ relation: 'fails', negated: false, matcher: name, expected: [], at: call.at }];
  if (/^verify(?:NoMore|No|Zero)\w*$/.test(name)) return whole(call, name);
  if (/^(?:assertThrows|assertThrowsExactly|expectThrows)$/.test(name))
    return [
      {
        relation: 'throws',
        negated: false,
        matcher: name,
        subject: call.args[1],
        expected: call.args.slice(0, 1),
        at: call.at,
      },
    ];
  if (!/^assert\w*$|^(?:check|expect|verify|ensure)[A-Z]\w*$/.test(name)) return undefined;
  if (!name.startsWith('assert')) return whole(call, name);
  if (/^assert(?:InstanceOf)$/.test(name))
    return [
      {
        relation: 'type',
        negated: false,
        matcher: name,
        subject: call.args[1],
        expected: call.args.slice(0, 1),
        at: call.at,
      },
    ];
  return checksOfCall(name, withoutMessage(call.args), call.at, scope) ?? whole(call, name);
}

/** JUnit 4 has the message first. */
function withoutMessage(args: readonly Expr[]): readonly Expr[] {
  const [first, second, third] = args;
  const isMessage = first?.kind === 'literal' && first.of === 'string';
  if (
    isMessage &&
    args.length === 2 &&
    second &&
    /^(?:binary|not|call)$/.test(second.kind) &&
    second.kind !== 'call'
  )
    return args.slice(1);
  return isMessage && third && !(third.kind === 'literal' && third.of === 'string') ? args.slice(1) : args;
}

function whole(call: Call, name: string): RawCheck[] {
  const subject: Expr = { kind: 'other', pieces: [name], at: call.at };
  return [{ relation: 'holds', negated: false, matcher: name, subject, expected: call.args, at: call.at }];
}
