import type { SyntaxNode } from '../../../ports/source.ts';
import { checksOfCall } from '../reading/assertion.ts';
import type { RawCheck } from '../reading/check.ts';
import {
  type Call,
  calledName,
  type Definition,
  type Expr,
  pathOf,
  type Statement,
  squeeze,
} from '../reading/code.ts';
import { numberIn } from '../reading/condition.ts';
import type { Found, Language, Marker } from '../reading/model.ts';
import type { Scope } from '../reading/scope.ts';
import { lowerGo } from './go-code.ts';

/** The testing package, testify and gomega. */
export const go: Language = {
  speaks: (path) => path.endsWith('.go'),
  isTestFile: (path) => path.endsWith('_test.go'),
  mayHoldTests: () => false,
  grammarOf: () => 'go',
  lower: lowerGo,
  testFunction,
  fileMarkers,
  checks,
  leaves,
  replaces: (pattern, value) =>
    pattern.kind === 'name' && value.kind === 'function' ? pattern.id : undefined,
  bareRemoteRuns: 'true',
  catchesFailures: () => true,
};

function testFunction({ name, fn }: Definition): Found | undefined {
  // `Testing` and `Testimony` are no tests: a small letter follows.
  if (!/^(?:Test|Fuzz|Example|Benchmark)(?![a-z])/.test(name) || name === 'TestMain') return undefined;
  if (name.startsWith('Benchmark') || /\bsuite\.Run\(/.test(fn.at.text)) return undefined;
  const output = name.startsWith('Example')
    ? /\/\/\s*(?:Unordered )?[Oo]utput:[\s\S]*/.exec(fn.at.text)?.[0]
    : undefined;
  const subject: Expr = { kind: 'name', id: 'output', at: fn.at };
  const wanted: Expr = { kind: 'literal', of: 'string', text: squeeze(output ?? ''), at: fn.at };
  const expects: RawCheck[] = output
    ? [{ relation: 'equal', negated: false, matcher: 'Output', subject, expected: [wanted], at: fn.at }]
    : [];
  return {
    expects,
    kind: 'test',
    name,
    fn,
    markers: [],
    tables: [],
  };
}

function fileMarkers(root: SyntaxNode, statements: readonly Statement[]): Marker[] {
  const tags = root.children.filter(
    ({ type, text }) => type === 'comment' && /^\/\/(?:go:build|\s*\+build)\s/.test(text),
  );
  const main = statements.find((one) => one.kind === 'define' && one.name === 'TestMain');
  return [
    ...tags.map(({ text, line }): Marker => ({ kind: 'skip', word: squeeze(text), name: '', line })),
    ...(main ? mainBypasses(main.at) : []),
  ];
}

/** A `TestMain` that runs no tests, or that ends with success whatever they say. */
function mainBypasses(at: SyntaxNode): Marker[] {
  const body = at.text;
  const heeded =
    /(?:=|return|os\.Exit\s*\()\s*\w{1,100}\.Run\s*\(/.test(body) &&
    !/\b_\s*=\s*\w{1,100}\.Run\s*\(/.test(body);
  const ends = /os\.Exit\s*\(\s*0\s*\)/.test(body);
  const bypasses = !/\.Run\s*\(|VerifyTestMain/.test(body) || (!heeded && ends);
  return bypasses
    ? [{ kind: 'skip', word: 'a TestMain that does not heed its tests', name: 'TestMain', line: at.line }]
    : [];
}

/** `t.Skip()`. `if testing.Short()` does not count: it skips only on demand. */
function leaves(call: Call): Marker | undefined {
  const name = calledName(call);
  const path = pathOf(call.fn) ?? '';
  const marker = (word: string): Marker => ({ kind: 'skip', word, name: '', line: call.at.line });
  if (/\.Skip(?:Now|f)?$/.test(path)) return isOnDemand(call.at) ? undefined : marker(`${path}()`);
  if (
    /^(?:os\.Exit|runtime\.Goexit|syscall\.Exit)$/.test(path) &&
    (name === 'Goexit' || numberIn(call.args[0]) === 0)
  )
    return isInMain(call.at) ? undefined : marker(`${path}()`);
  if (name === 'recover' && call.fn.kind === 'name')
    return { kind: 'fails', word: 'a recover() that forgets failures', name: '', line: call.at.line };
  return undefined;
}

function isOnDemand(at: SyntaxNode): boolean {
  for (let node = at.parent; node; node = node.parent)
    if (node.type === 'if_statement' && /testing\.Short\(\)/.test(node.text.slice(0, 200))) return true;
  return false;
}

function isInMain(at: SyntaxNode): boolean {
  for (let node = at.parent; node; node = node.parent)
    if (node.type === 'function_declaration') return /^func\s+(?:TestMain|main)\b/.test(node.text);
  return false;
}

const LIBRARIES = /^(?:assert|require|is|qt|td|c|check|must|should)$/;
const SUITE = /^(?:s|suite|ts)(?:\.(?:Require|Assert)\(\))?$/;

function checks(expr: Expr, scope: Scope): RawCheck[] | undefined {
  if (expr.kind !== 'call') return undefined;
  const name = calledName(expr);
  const base = expr.fn.kind === 'member' ? squeeze(expr.fn.of.at.text) : undefined;
  if (
    base !== undefined &&
    /^(?:t|b|tb|tt|f|T|c|self|h|tc\.t)$/.test(base) &&
    /^(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/.test(name)
  )
    return [{ relation: 'fails', negated: false, matcher: name, expected: [], at: expr.at }];
  if (name === 'panic' && base === undefined)
    return [{ relation: 'fails', negated: false, matcher: name, expected: [], at: expr.at }];
  if (base !== undefined && LIBRARIES.test(base))
    return ofLibrary(expr, name, withoutContext(expr.args), scope);
  if (base !== undefined && SUITE.test(base))
    return /^(?:Run|SetT|T|Require|Assert)$/.test(name)
      ? undefined
      : checksOfCall(name, expr.args, expr.at, scope);
  if (base !== undefined && name === 'On' && expr.args.length > 1) {
    const [subject, ...expected] = expr.args;
    return [{ relation: 'calledWith', negated: false, matcher: 'On', subject, expected, at: expr.at }];
  }
  return (
    ofGomega(expr, scope) ??
    (base === undefined && /^(?:assert|check|verify|expect|must|require)[A-Z]\w*$/.test(name)
      ? whole(expr, name)
      : undefined)
  );
}

/** The first argument is the test: `assert.Equal(t, 1, x)`. */
function withoutContext(args: readonly Expr[]): readonly Expr[] {
  const [first, ...rest] = args;
  return first && /^(?:t|tt|b|tb|T|s\.T\(\)|suite\.T\(\)|tc\.t|GinkgoT\(\))$/.test(squeeze(first.at.text))
    ? rest
    : args;
}

function ofLibrary(call: Call, written: string, args: readonly Expr[], scope: Scope): RawCheck[] {
  // `Equalf` has a format behind it.
  const name = written.replace(/(?<=[a-z])f$/, '');
  const [first, second] = args;
  const base = { matcher: name, at: call.at, negated: false };
  if (name === 'NoError' || name === 'NoErr')
    return [{ ...base, relation: 'null', subject: first, expected: [] }];
  if (name === 'Error' || name === 'Err')
    return [{ ...base, relation: 'throws', subject: first, expected: [] }];
  if (/^(?:ErrorIs|ErrorAs|ErrorContains|EqualError)$/.test(name))
    return [{ ...base, relation: 'throws', subject: first, expected: second ? [second] : [] }];
  if (name === 'Len')
    return [
      {
        ...base,
        relation: 'equal',
        subject: first && { kind: 'member', of: first, name: 'length', at: first.at },
        expected: second ? [second] : [],
      },
    ];
  if (name === 'Contains' || name === 'NotContains')
    return [
      {
        ...base,
        relation: 'contains',
        negated: name === 'NotContains',
        subject: first,
        expected: second ? [second] : [],
      },
    ];
  if (name === 'Regexp')
    return [{ ...base, relation: 'matches', subject: second, expected: first ? [first] : [] }];
  if (name === 'IsType' || name === 'Implements')
    return [{ ...base, relation: 'type', subject: second, expected: first ? [first] : [] }];
  return checksOfCall(name, args.slice(0, 3), call.at, scope) ?? whole(call, name);
}

/** `Expect(x).To(Equal(1))`. */
function ofGomega(call: Call, scope: Scope): RawCheck[] | undefined {
  const [matcher] = call.args;
  const inner = call.fn.kind === 'member' && call.fn.of.kind === 'call' ? call.fn.of : undefined;
  if (!inner || !/^(?:Expect|Ω|Eventually|Consistently)$/.test(calledName(inner)) || matcher?.kind !== 'call')
    return undefined;
  const [subject] = inner.args;
  const negated = /^(?:ToNot|NotTo|ShouldNot)$/.test(calledName(call));
  const name = calledName(matcher);
  const found =
    checksOfCall(name, subject ? [subject, ...matcher.args] : matcher.args, call.at, scope) ??
    whole(call, name);
  return found.map((check) => ({ ...check, negated: check.negated !== negated }));
}

function whole(call: Call, name: string): RawCheck[] {
  const subject: Expr = { kind: 'other', pieces: [squeeze(call.fn.at.text)], at: call.at };
  return [
    {
      relation: 'holds',
      negated: false,
      matcher: name,
      subject,
      expected: withoutContext(call.args),
      at: call.at,
    },
  ];
}
