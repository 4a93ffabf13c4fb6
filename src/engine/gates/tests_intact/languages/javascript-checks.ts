/** What the assertions of JavaScript's libraries check. */
import { checksOfCall } from '../reading/assertion.ts';
import type { RawCheck } from '../reading/check.ts';
import { type Call, calledName, type Expr, pathOf, squeeze } from '../reading/code.ts';
import { checksOfCondition, numberIn } from '../reading/condition.ts';
import { relationNamed } from '../reading/relations.ts';
import type { Scope } from '../reading/scope.ts';

/** One link of `expect(x).not.toBe(1)`. */
interface Link {
  name: string;
  args?: readonly Expr[];
}

/** The innermost call of a chain, and the links behind it. */
function chainOf(expr: Expr): { root: Expr; links: Link[] } {
  if (expr.kind === 'member') {
    const { root, links } = chainOf(expr.of);
    return { root, links: [...links, { name: expr.name }] };
  }
  if (expr.kind === 'call' && expr.fn.kind === 'member') {
    const { root, links } = chainOf(expr.fn.of);
    return { root, links: [...links, { name: expr.fn.name, args: expr.args }] };
  }
  return { root: expr, links: [] };
}

const EXPECT = /^(?:expect|expectTypeOf|assertThat|cy)$/;
const ASSERTING = /^(?:assert|chai\.assert|t|sinon\.assert|td|is|tap|qunit|QUnit|Assert)$/;
/** `t.context`, `t.log`: functions of a test context that check nothing. */
const TEST_CONTEXT =
  /^(?:is|not|deepEqual|notDeepEqual|like|true|false|truthy|falsy|throws|throwsAsync|notThrows|notThrowsAsync|regex|notRegex|assert|equal|equals|same|ok|notOk|strictSame|strictEqual|match|rejects|snapshot|fail|deepEquals|doesNotThrow|error|ifError)$/;
const HELPER = /^(?:assert|expect|check|verify|ensure|should|validate)(?:[A-Z]\w*|That)$/;

export function javascriptChecks(expr: Expr, scope: Scope): RawCheck[] | undefined {
  const { root, links } = chainOf(expr);
  if (root.kind === 'call' && root.fn.kind === 'name' && EXPECT.test(root.fn.id))
    return ofExpect(root, links, expr, scope);
  if (root.kind === 'name' && root.id === 'expect') return ofExpectItself(links, expr, scope);
  const should = links.findIndex(({ name }) => name === 'should');
  if (should !== -1) return ofShould(expr, links.slice(should + 1), scope);
  return expr.kind === 'call' ? ofCall(expr, scope) : undefined;
}

/** `expect.soft(x).toBe(1)`, `expect.assertions(2)`. */
function ofExpectItself(links: readonly Link[], expr: Expr, _scope: Scope): RawCheck[] | undefined {
  const [first, ...rest] = links;
  if (!first?.args) return undefined;
  if (/^(?:soft|poll|element)$/.test(first.name))
    return ofLinks(first.args[0], rest, expr, first.name === 'poll');
  if (first.name === 'unreachable')
    return [{ relation: 'fails', negated: false, matcher: first.name, expected: [], at: expr.at }];
  if (!/^(?:assertions|hasAssertions)$/.test(first.name)) return undefined;
  const subject: Expr = { kind: 'other', pieces: ['expect.assertions'], at: expr.at };
  const isZero = first.name === 'assertions' && numberIn(first.args[0]) === 0;
  return [
    {
      relation: 'finishes',
      negated: false,
      matcher: 'assertions',
      subject,
      expected: first.args,
      at: expr.at,
      vacuous: isZero,
    },
  ];
}

function ofExpect(root: Call, links: readonly Link[], expr: Expr, _scope: Scope): RawCheck[] {
  return ofLinks(root.args[0], links, expr, false);
}

function ofShould(expr: Expr, links: readonly Link[], _scope: Scope): RawCheck[] | undefined {
  const { root } = chainOf(expr);
  return ofLinks(root, links, expr, false);
}

function ofLinks(
  subject: Expr | undefined,
  links: readonly Link[],
  expr: Expr,
  isPolled: boolean,
): RawCheck[] {
  let negated = false;
  let isPromise = isPolled;
  const checks: RawCheck[] = [];
  for (const link of links) {
    if (link.name === 'not') negated = !negated;
    else if (link.name === 'resolves' || link.name === 'rejects' || link.name === 'eventually') {
      isPromise = true;
      if (link.name === 'rejects')
        checks.push({
          relation: 'throws',
          negated: false,
          matcher: 'rejects',
          subject,
          expected: [],
          at: expr.at,
          isPromise,
        });
    } else {
      const found = ofLink(subject, link, expr);
      checks.push(...found.map((check) => ({ ...check, negated: check.negated !== negated, isPromise })));
    }
  }
  // `rejects.toThrow('x')` is one check.
  const [first, second] = checks;
  if (first?.matcher === 'rejects' && second?.relation === 'throws') return checks.slice(1);
  return checks;
}

function ofLink(subject: Expr | undefined, { name, args }: Link, expr: Expr): RawCheck[] {
  const said = relationNamed(name);
  if (!said)
    return args && /^to[A-Z]|^[a-z]+By$/.test(name)
      ? [{ relation: 'holds', negated: false, matcher: name, subject, expected: args, at: expr.at }]
      : [];
  // `to.be.a('string')`: a word alone is no matcher, unless it says something.
  if (!args && !/^(?:true|false|null|undefined|ok|exist|exists|empty|called|calledOnce|NaN)$/.test(name))
    return [];
  const [first] = args ?? [];
  const base = { ...said, matcher: name, subject, at: expr.at };
  if (said.relation === 'equal' && first?.kind === 'literal' && first.of === 'boolean' && subject) {
    return checksOfCondition(subject, expr.at, (first.text === 'true') !== said.negated, name, 'true');
  }
  if (said.relation === 'equal' && first?.kind === 'literal' && first.of === 'nothing')
    return [{ ...base, relation: 'null', expected: [] }];
  if ((said.relation === 'true' || said.relation === 'truthy') && subject)
    return checksOfCondition(subject, expr.at, !said.negated, name, said.relation);
  if (said.relation === 'near') {
    const isDistance = /^(?:closeTo|approximately)$/.test(name);
    const second = numberIn(args?.[1]);
    return [
      { ...base, expected: first ? [first] : [], tolerance: isDistance ? second : 10 ** -(second ?? 2) / 2 },
    ];
  }
  return [{ ...base, expected: args ?? [] }];
}

function ofCall(call: Call, scope: Scope): RawCheck[] | undefined {
  const name = calledName(call);
  const base = call.fn.kind === 'member' ? pathOf(call.fn.of) : undefined;
  if (call.fn.kind === 'name') {
    if (name === 'assert' || name === 'ok' || name === 'invariant')
      return call.args[0] ? checksOfCall('ok', call.args, call.at, scope) : undefined;
    if (!HELPER.test(name) && !/^(?:fail|deepEqual|strictEqual|deepStrictEqual)$/.test(name))
      return undefined;
    return checksOfCall(name, call.args, call.at, scope) ?? whole(call, name);
  }
  if (base === undefined) return undefined;
  const last = base.split('.').at(-1) ?? '';
  const isAssert = ASSERTING.test(base) || last === 'assert' || base.startsWith('assert.');
  if (isAssert) {
    if (/^(?:t|is|tap)$/.test(base) && !TEST_CONTEXT.test(name)) return undefined;
    const promise = /^(?:rejects|doesNotReject|throwsAsync|notThrowsAsync)$/.test(name)
      ? { isPromise: true }
      : {};
    return checksOfCall(name, call.args, call.at, scope, promise) ?? whole(call, name);
  }
  return HELPER.test(name) && !/^(?:page|app|service|api|client)$/.test(base) ? whole(call, name) : undefined;
}

/** A helper that is not at hand: all of it is one check. */
function whole(call: Call, name: string): RawCheck[] {
  const isPlan = name === 'plan';
  const subject: Expr = { kind: 'other', pieces: [squeeze(call.fn.at.text)], at: call.at };
  return [
    {
      relation: isPlan ? 'finishes' : 'holds',
      negated: false,
      matcher: name,
      subject,
      expected: call.args,
      at: call.at,
    },
  ];
}
