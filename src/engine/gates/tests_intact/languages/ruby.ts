import { checksOfCall } from '../reading/assertion.ts';
import type { RawCheck } from '../reading/check.ts';
import {
  type Call,
  type ClassStatement,
  calledName,
  type Definition,
  type Expr,
  type Fn,
  pathOf,
  squeeze,
} from '../reading/code.ts';
import { numberIn } from '../reading/condition.ts';
import type { Found, Language, Marker, MarkerKind } from '../reading/model.ts';
import type { Scope } from '../reading/scope.ts';
import { lowerRuby } from './ruby-code.ts';

/** RSpec, Minitest, test-unit and the tests of Rails. */
export const ruby: Language = {
  speaks: (path) => path.endsWith('.rb'),
  isTestFile: (path) => /_(spec|test)\.rb$|(^|\/)test_[^/]+\.rb$/.test(path),
  mayHoldTests: (path) => /(^|\/)(spec|test)\//.test(path),
  grammarOf: () => 'ruby',
  lower: lowerRuby,
  testCall,
  testFunction,
  checks,
  leaves,
  bareRemoteRuns: 'truthy',
  catchesFailures: (type) =>
    /^(?:Exception|Minitest::Assertion|RSpec::Expectations::\w+|StandardError)$/.test(type),
};

const EXAMPLES = /^[xf]?(?:it|specify|example|scenario|its)$|^(?:pending|test|skip|focus)$/;
const GROUPS =
  /^[xf]?(?:describe|context|feature)$|^(?:shared_examples|shared_examples_for|shared_context|RSpec\.[xf]?describe|RSpec\.shared_examples)$/;
const HOOKS = /^(?:before|after|around|setup|teardown|let!?|subject!?)$/;

function testCall(call: Call): Found | undefined {
  const path = pathOf(call.fn) ?? '';
  const name = calledName(call);
  const fn = call.args.find((one): one is Fn => one.kind === 'function');
  if (call.fn.kind === 'name' && HOOKS.test(name) && fn)
    return { kind: 'hook', name, fn, markers: [], tables: [] };
  const isGroup = GROUPS.test(path);
  if (!isGroup && (call.fn.kind !== 'name' || !EXAMPLES.test(name))) return undefined;
  const [title] = call.args;
  // `skip` and `pending` inside a test are words of their own.
  if (/^(?:pending|skip|test|focus)$/.test(name) && !fn) return undefined;
  const title_ = title && title.kind !== 'function' ? title : undefined;
  const text = title_?.kind === 'literal' ? title_.text : squeeze(title_?.at.text ?? fn?.at.text ?? '');
  return {
    kind: isGroup ? 'group' : 'test',
    name: text,
    fn,
    markers: markersOf(call, name, text),
    tables: [],
  };
}

function markersOf(call: Call, name: string, of: string): Marker[] {
  const { line } = call.at;
  const marker = (kind: MarkerKind, word: string): Marker => ({ kind, word, name: of, line });
  const markers: Marker[] = [];
  if (/^x/.test(name) || /^(?:pending|skip)$/.test(name)) markers.push(marker('skip', name));
  if (/^f(?:it|describe|context|specify|example|scenario|feature)$/.test(name) || name === 'focus')
    markers.push(marker('only', name));
  for (const [key, value] of Object.entries(call.named)) {
    const isOff = /^(?:false|nil)$/.test(value.at.text);
    if (/^(?:skip|pending|if|unless)$/.test(key) && !isOff) markers.push(marker('skip', `${key}:`));
    if (key === 'focus' && !isOff) markers.push(marker('only', 'focus:'));
    if (key === 'retry') markers.push({ ...marker('retry', 'retry:'), value: numberIn(value) ?? 1 });
  }
  const words = call.args.slice(1).map(({ at }) => at.text);
  if (words.some((word) => /^:(?:skip|pending)$/.test(word))) markers.push(marker('skip', ':skip'));
  if (words.includes(':focus')) markers.push(marker('only', ':focus'));
  return markers;
}

function testFunction({ name, fn }: Definition, owner: ClassStatement | undefined): Found | undefined {
  if (/^(?:setup|teardown|before_setup|after_teardown)$/.test(name))
    return { kind: 'hook', name, fn, markers: [], tables: [] };
  if (!/^test_/.test(name) || !owner) return undefined;
  return { kind: 'test', name, fn, markers: [], tables: [] };
}

function leaves(call: Call): Marker | undefined {
  const path = pathOf(call.fn) ?? '';
  const marker = (kind: MarkerKind, word: string): Marker => ({ kind, word, name: '', line: call.at.line });
  if (/^(?:skip|omit)$/.test(path)) return marker('skip', path);
  if (path === 'pending') return marker('fails', path);
  const mocked = /^allow(?:_any_instance_of)?\b[\s\S]*?\breceive\(:(\w+)/.exec(call.at.text)?.[1];
  if (mocked !== undefined && call.fn.kind === 'member')
    return { ...marker('mock', squeeze(call.at.text).slice(0, 60)), target: mocked };
  if (!/^(?:exit!?|Kernel\.exit!?|Process\.exit!?|abort)$/.test(path)) return undefined;
  const code = call.args[0]?.at.text ?? '0';
  return /^(?:0|true)$/.test(code) && path !== 'abort' ? marker('skip', squeeze(call.at.text)) : undefined;
}

function checks(expr: Expr, scope: Scope): RawCheck[] | undefined {
  if (expr.kind !== 'call') return undefined;
  const name = calledName(expr);
  if (expr.fn.kind === 'member') return ofExpect(expr, name, scope);
  if (name === 'flunk' || name === 'fail')
    return [{ relation: 'fails', negated: false, matcher: name, expected: [], at: expr.at }];
  if (/^assert_raises?$|^assert_throws$/.test(name)) return raises(expr, name);
  if (/^(?:assert|refute)_(?:in_delta|in_epsilon)$/.test(name)) {
    const tolerance = numberIn(expr.args[2]) ?? 0.001;
    return checksOfCall(name, expr.args.slice(0, 2), expr.at, scope, { tolerance });
  }
  if (/^(?:assert|refute)_includes?$/.test(name))
    return [
      {
        relation: 'contains',
        negated: name.startsWith('refute'),
        matcher: name,
        subject: expr.args[0],
        expected: expr.args.slice(1, 2),
        at: expr.at,
      },
    ];
  if (/^(?:assert|refute)(?:_\w+)?[?!]?$/.test(name) && expr.args.length > 0)
    return (
      checksOfCall(
        name === 'assert' || name === 'refute' ? `${name}_truthy` : name,
        withoutBlock(expr.args),
        expr.at,
        scope,
      ) ?? whole(expr, name)
    );
  return /^(?:check|verify|expect|ensure)_\w+$/.test(name) ||
    /^(?:it_behaves_like|include_examples|it_should_behave_like)$/.test(name)
    ? whole(expr, name)
    : undefined;
}

function withoutBlock(args: readonly Expr[]): readonly Expr[] {
  return args.filter(({ kind }) => kind !== 'function');
}

function raises(call: Call, name: string): RawCheck[] {
  const subject = call.args.find(({ kind }) => kind === 'function');
  return [
    {
      relation: 'throws',
      negated: false,
      matcher: name,
      subject,
      expected: withoutBlock(call.args),
      at: call.at,
    },
  ];
}

/** `expect(x).to eq(1)`, `expect { f }.to raise_error(E)`, `x.must_equal 1`. */
function ofExpect(call: Call, name: string, scope: Scope): RawCheck[] | undefined {
  if (call.fn.kind !== 'member') return undefined;
  const inner = call.fn.of;
  const isExpect = inner.kind === 'call' && /^(?:expect|is_expected|allow)$/.test(calledName(inner));
  const isOne = inner.kind === 'name' && inner.id === 'is_expected';
  if ((isExpect || isOne) && /^(?:to|not_to|to_not)$/.test(name)) {
    if (inner.kind === 'call' && calledName(inner) === 'allow') return undefined;
    const subject = inner.kind === 'call' ? inner.args[0] : inner;
    return ofMatcher(subject, call.args[0], name !== 'to', call, scope);
  }
  if (/^(?:must|wont)_\w+$/.test(name)) {
    const found = checksOfCall(
      name.replace(/^wont_/, 'not_').replace(/^must_/, ''),
      [inner, ...call.args],
      call.at,
      scope,
    );
    return found ?? whole(call, name);
  }
  return undefined;
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one line for each shape of a matcher.
function ofMatcher(
  subject: Expr | undefined,
  matcher: Expr | undefined,
  negated: boolean,
  call: Call,
  scope: Scope,
): RawCheck[] {
  const base = { matcher: squeeze(matcher?.at.text ?? ''), subject, at: call.at };
  if (!matcher || !subject) return [];
  // `be_within(0.1).of(3)`, `receive(:x).with(1)`, `eq(1).and be_odd`.
  if (matcher.kind === 'call' && matcher.fn.kind === 'member') {
    const first = matcher.fn.of;
    const head = first.kind === 'call' ? calledName(first) : '';
    if (head === 'be_within')
      return [
        {
          ...base,
          relation: 'near',
          negated,
          expected: matcher.args,
          tolerance: first.kind === 'call' ? numberIn(first.args[0]) : undefined,
        },
      ];
    if (head === 'receive' || head === 'have_received')
      return [{ ...base, relation: 'calledWith', negated, expected: matcher.args }];
    return [
      ...ofMatcher(subject, first, negated, call, scope),
      ...matcher.args.flatMap((one) =>
        one.kind === 'call' || one.kind === 'name' ? ofMatcher(subject, one, negated, call, scope) : [],
      ),
    ];
  }
  if (matcher.kind === 'binary')
    return [
      {
        ...base,
        relation: matcher.op.startsWith('<') ? 'less' : matcher.op.startsWith('>') ? 'greater' : 'equal',
        negated,
        expected: [matcher.right],
      },
    ];
  const name = matcher.kind === 'call' ? calledName(matcher) : matcher.kind === 'name' ? matcher.id : '';
  const args = matcher.kind === 'call' ? matcher.args : [];
  if (/^raise_(?:error|exception)$/.test(name))
    return [{ ...base, relation: 'throws', negated, expected: withoutBlock(args) }];
  if (name === 'be' && args[0]?.kind === 'literal' && args[0].of === 'boolean')
    return [{ ...base, relation: 'equal', negated, expected: args }];
  const found = checksOfCall(name, [subject, ...args], call.at, scope) ?? [
    { ...base, relation: 'holds' as const, negated: false, expected: args, matcher: name },
  ];
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
      expected: withoutBlock(call.args),
      at: call.at,
    },
  ];
}
