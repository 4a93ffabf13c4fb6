/**
 * Follows the code of a test: tables, loops and helpers are written out, names stand for their values, and what is never
 * reached or is caught is told apart. So the same checks are the same, however they are written.
 */
import { checkFrom, type RawCheck, type Reach } from './check.ts';
import { type Call, calledName, type Expr, type Fn, type Pattern, pathOf, type Statement } from './code.ts';
import { checksOfCondition } from './condition.ts';
import {
  callbackFlow,
  EACH,
  type Findings,
  type Flow,
  isFailure,
  isLeft,
  onCondition,
  parameters,
  partsOf,
  remoteRunsOf,
  STRAIGHT,
  sometimes,
  type Way,
} from './flow.ts';
import type { Helpers, Language } from './model.ts';
import { rowsOf } from './rows.ts';
import { functionOf, Scope } from './scope.ts';

type OnCall = (call: Call, scope: Scope, reach: Reach, isOpen: boolean) => boolean;

const MOST_STEPS = 60_000;
const DEEPEST_HELPER = 5;
const SELF = /^(?:self|this|cls|\$this|@|t|s|suite)$/;

export class Interpreter {
  private steps = 0;
  /** Loops around the code at hand whose values are not written out. */
  private open = 0;
  private found: Findings = { checks: [], markers: [], rows: 0, openRows: false };

  private readonly language: Language;
  private readonly helpers: Helpers;
  private readonly onCall: OnCall;

  /** `onCall` gets calls that are no part of the code at hand, such as tests in a group; true: it was dealt with. */
  constructor(language: Language, helpers: Helpers, onCall: OnCall = () => false) {
    this.language = language;
    this.helpers = helpers;
    this.onCall = onCall;
  }

  /** What this code does, as one stretch. */
  read(body: readonly Statement[], scope: Scope, flow: Flow = STRAIGHT): Findings {
    return this.apart(() => this.walk(body, scope, flow));
  }

  private apart(work: () => Way): Findings & { way: Way } {
    const outer = this.found;
    this.found = { checks: [], markers: [], rows: 0, openRows: false };
    const way = work();
    const inner = this.found;
    this.found = outer;
    return { ...inner, way };
  }

  private add({ checks, markers, rows, openRows }: Findings): void {
    this.found.checks.push(...checks);
    this.found.markers.push(...markers);
    this.found.rows += rows;
    this.found.openRows ||= openRows;
  }

  private walk(body: readonly Statement[], scope: Scope, given: Flow): Way {
    for (const statement of body) {
      if (statement.kind === 'define') scope.set(statement.name, { expr: statement.fn, scope });
      const isFunction = statement.kind === 'bind' && statement.value.kind === 'function';
      if (isFunction && statement.pattern.kind === 'name')
        scope.set(statement.pattern.id, { expr: statement.value, scope });
    }
    let flow = given;
    let way: Way = 'on';
    for (const statement of body) {
      if (++this.steps > MOST_STEPS) return way;
      const next = this.step(statement, scope, flow);
      if (next === 'left' || next === 'fails') {
        if (way !== 'maybe left') way = next;
        flow = { ...flow, reach: 'never' };
      } else if (next === 'maybe left') {
        if (way === 'on') way = next;
        if (flow.reach === 'always') flow = { ...flow, reach: 'sometimes' };
      }
    }
    return way;
  }

  private step(statement: Statement, scope: Scope, flow: Flow): Way {
    switch (statement.kind) {
      case 'expression':
        return this.expression(statement.value, scope, flow, true);
      case 'assert':
        this.emit(
          checksOfCondition(statement.condition, statement.at, true, 'assert', this.language.bareRemoteRuns),
          scope,
          flow,
        );
        return 'on';
      case 'bind':
        this.expression(statement.value, scope, flow, false);
        this.bind(statement, scope);
        return 'on';
      case 'if':
        return this.branch(statement, scope, flow);
      case 'loop':
        return this.loop(statement, scope, flow);
      case 'try':
        return this.attempt(statement, scope, flow);
      case 'with':
        return this.within(statement, scope, flow);
      case 'return':
        if (statement.value) this.expression(statement.value, scope, flow, false);
        return 'left';
      case 'throw':
        return 'fails';
      case 'leave':
        return 'left';
      case 'block':
        return this.walk(statement.body, new Scope(scope), flow);
      default:
        return 'on';
    }
  }

  private bind({ pattern, value, at }: Statement & { kind: 'bind' }, scope: Scope): void {
    const target = this.language.replaces?.(pattern, value);
    if (target !== undefined && !scope.has(target))
      this.found.markers.push({
        kind: 'mock',
        word: `a function in place of ${target}`,
        name: '',
        line: at.line,
        target,
      });
    const owner = pattern.kind === 'name' ? (scope.ownerOf(pattern.id) ?? scope) : scope;
    owner.bind(pattern, { expr: value, scope });
  }

  private branch(statement: Statement & { kind: 'if' }, scope: Scope, flow: Flow): Way {
    const { condition, yes, no } = statement;
    this.expression(condition, scope, flow, false);
    const truth = remoteRunsOf(condition, scope);
    if (truth !== undefined) {
      this.walk(truth ? no : yes, new Scope(scope), { ...flow, reach: 'never' });
      return this.walk(truth ? yes : no, new Scope(scope), flow);
    }
    const first = this.apart(() => this.walk(yes, new Scope(scope), flow));
    const second = this.apart(() => this.walk(no, new Scope(scope), flow));
    const ways = [first.way, second.way];
    if (no.length === 0 && isFailure(first.way, first)) {
      this.emit(
        checksOfCondition(condition, condition.at, false, 'if', this.language.bareRemoteRuns),
        scope,
        flow,
      );
      this.found.markers.push(...first.markers);
      return 'on';
    }
    const both = first.checks.length > 0 && second.checks.length > 0;
    for (const side of [first, second]) this.add(both ? side : onCondition(side));
    if (ways.every((way) => way === 'on')) return 'on';
    if (ways.every(isLeft)) return first.way;
    return ways.includes('fails') ? 'on' : 'maybe left';
  }

  private loop(statement: Statement & { kind: 'loop' }, scope: Scope, flow: Flow): Way {
    const { over, condition, pattern, body } = statement;
    if (over) this.expression(over, scope, flow, false);
    if (condition && remoteRunsOf(condition, scope) === false) {
      this.walk(body, new Scope(scope), { ...flow, reach: 'never' });
      return 'on';
    }
    const rows = over && rowsOf({ expr: over, scope });
    this.rows(
      rows,
      (bind) => {
        const inner = new Scope(scope);
        bind(inner);
        this.walk(body, inner, flow);
      },
      pattern,
    );
    return 'on';
  }

  /** Runs code once for each row; once with unknown values when the rows are not written out. */
  private rows(
    rows: readonly { expr: Expr; scope: Scope }[] | undefined,
    run: (bind: (inner: Scope) => void) => void,
    pattern: Pattern,
  ): void {
    if (!rows) this.open++;
    const found = this.apart(() => {
      for (const row of rows ?? [undefined]) run((inner) => inner.bind(pattern, row));
      return 'on';
    });
    if (!rows) this.open--;
    if (rows && found.checks.length > 0 && found.rows === 0) found.rows = rows.length;
    if (!rows && found.checks.length > 0) found.openRows = true;
    this.add(found);
  }

  private attempt({ body, handlers, last }: Statement & { kind: 'try' }, scope: Scope, flow: Flow): Way {
    const caught = handlers.map((handler) => {
      const inner = new Scope(scope);
      if (handler.name !== undefined) inner.set(handler.name, undefined);
      const found = this.apart(() => this.walk(handler.body, inner, flow));
      return {
        handler,
        found,
        fails: found.way === 'fails' || found.checks.some(({ relation }) => relation === 'fails'),
      };
    });
    const tried = this.apart(() => this.walk(body, new Scope(scope), flow));
    // `try { f(); fail(); } catch (e) { expect(e)... }`: the failure is expected.
    const isExpected = tried.checks.at(-1)?.relation === 'fails' || tried.way === 'fails';
    const swallows =
      caught.some(
        ({ handler, fails, found }) =>
          !fails && found.checks.length === 0 && this.catchesFailures(handler.types),
      ) || isLeft(this.apart(() => this.walk(last, new Scope(scope), STRAIGHT)).way);
    if (isExpected) this.add(tried);
    else
      this.add(
        swallows ? { ...tried, checks: tried.checks.map((check) => ({ ...check, swallowed: true })) } : tried,
      );
    for (const { found } of caught) this.add(isExpected ? found : onCondition(found));
    this.walk(last, new Scope(scope), flow);
    return isExpected || handlers.length > 0 ? 'on' : tried.way;
  }

  private catchesFailures(types: readonly string[]): boolean {
    return types.length === 0 || types.some((type) => this.language.catchesFailures(type));
  }

  private within({ items, body }: Statement & { kind: 'with' }, scope: Scope, flow: Flow): Way {
    const inner = new Scope(scope);
    let flowInside = flow;
    for (const { value, name } of items) {
      const context = this.language.context?.(value, scope);
      if (context) this.emit(context.checks, scope, flow);
      else this.expression(value, scope, flow, false);
      if (context?.swallows) flowInside = { ...flowInside, swallowed: true };
      if (name !== undefined) inner.set(name, undefined);
    }
    return this.walk(body, inner, flowInside);
  }

  private emit(raws: readonly RawCheck[], scope: Scope, flow: Flow): void {
    for (const raw of raws) {
      const check = checkFrom(raw, scope);
      this.found.checks.push({
        ...check,
        reach: flow.reach,
        swallowed: flow.swallowed,
        floating: flow.floating,
        called: flow.called,
        via: flow.via[0],
      });
    }
  }

  /** Looks for checks and calls in an expression. `alone`: it is a statement, so that nobody waits for it. */
  private expression(expr: Expr, scope: Scope, flow: Flow, alone: boolean): Way {
    if (++this.steps > MOST_STEPS) return 'on';
    switch (expr.kind) {
      case 'call':
        return this.call(expr, scope, flow, alone);
      case 'await':
        return this.expression(expr.of, scope, flow, false);
      case 'function':
        return 'on';
      case 'binary': {
        const isGuard = /^(?:&&|\|\||and|or|\?\?)$/.test(expr.op);
        this.expression(expr.left, scope, flow, false);
        this.expression(expr.right, scope, isGuard ? sometimes(flow) : flow, alone);
        return 'on';
      }
      default:
        if (expr.kind === 'member' && this.member(expr, scope, flow)) return 'on';
        for (const part of partsOf(expr)) this.expression(part, scope, flow, false);
        return 'on';
    }
  }

  /** `expect(x).to.be.true`: some checks end without a call. */
  private member(expr: Expr, scope: Scope, flow: Flow): boolean {
    const checks = this.language.checks(expr, scope) ?? [];
    this.emit(checks, scope, flow);
    return checks.length > 0;
  }

  private call(call: Call, scope: Scope, flow: Flow, alone: boolean): Way {
    if (this.onCall(call, scope, flow.reach, this.open > 0)) return 'on';
    const leaves = this.language.leaves(call, scope);
    if (leaves && leaves.kind !== 'skip' && leaves.kind !== 'fails') {
      this.found.markers.push(leaves);
      if (leaves.kind !== 'mock') return 'on';
    } else if (leaves) {
      this.found.markers.push(
        flow.reach === 'sometimes' ? { ...leaves, word: `${leaves.word} on a condition` } : leaves,
      );
      return flow.reach === 'never' ? 'on' : 'left';
    }
    const helper = this.helperOf(call, scope);
    const checks = helper ? undefined : this.language.checks(call, scope);
    if (checks) {
      const floating = alone && checks.some(({ isPromise }) => isPromise);
      this.emit(checks, scope, floating ? { ...flow, floating: true } : flow);
      return checks.length > 0 && checks.every(({ relation, negated }) => relation === 'fails' && !negated)
        ? 'fails'
        : 'on';
    }
    if (helper && !flow.via.includes(helper.name) && flow.via.length < DEEPEST_HELPER) {
      this.helper(call, helper, scope, flow);
      return 'on';
    }
    this.inside(call, scope, flow, alone);
    return 'on';
  }

  private helperOf(call: Call, scope: Scope): { name: string; fn: Fn; scope: Scope } | undefined {
    const name = calledName(call).split('::').at(-1) ?? '';
    if (call.fn.kind === 'function') return { name: '', fn: call.fn, scope };
    if (name === '') return undefined;
    const base = call.fn.kind === 'member' ? pathOf(call.fn.of) : undefined;
    const own = call.fn.kind === 'name' || (base !== undefined && SELF.test(base));
    const local = own ? scope.get(name) : undefined;
    // `helpers.check(x)`: a function of a module that is not known otherwise.
    const isModule = base !== undefined && /^[a-z]\w*$/i.test(base) && !scope.has(base);
    const found = local ? functionOf(local) : own || isModule ? this.helpers.get(name) : undefined;
    return found && { name, ...found };
  }

  private helper(
    call: Call,
    { name, fn, scope: home }: { name: string; fn: Fn; scope: Scope },
    scope: Scope,
    flow: Flow,
  ): void {
    const inner = new Scope(home);
    for (const [i, param] of fn.params.entries()) {
      const given = call.args[i] ?? (param.kind === 'name' ? call.named[param.id] : undefined);
      inner.bind(param, given && { expr: given, scope });
    }
    for (const arg of call.args) if (arg.kind === 'call') this.expression(arg, scope, flow, false);
    const via = name === '' ? flow.via : [...flow.via, name];
    this.walk(fn.body, inner, { ...flow, via });
  }

  /** A call of something else: its arguments may hold functions, which it calls. */
  private inside(call: Call, scope: Scope, flow: Flow, alone: boolean): void {
    const name = calledName(call);
    const swallows = name === 'catch' && this.forgets(call.args[0], scope);
    if (call.fn.kind === 'member')
      this.expression(call.fn.of, scope, swallows ? { ...flow, swallowed: true } : flow, false);
    else if (call.fn.kind !== 'name') this.expression(call.fn, scope, flow, false);
    const flowInside = callbackFlow(name, flow, alone);
    for (const arg of [...call.args, ...Object.values(call.named)]) {
      const target = functionOf({ expr: arg, scope });
      if (!target || arg.kind === 'member') this.expression(arg, scope, flow, false);
      else if (call.fn.kind === 'member' && EACH.test(name))
        this.each(call.fn.of, target.fn, target.scope, scope, flow);
      else this.walk(target.fn.body, parameters(target.fn, target.scope), flowInside);
    }
  }

  /** `.catch(() => {})`: what went wrong is forgotten. */
  private forgets(handler: Expr | undefined, scope: Scope): boolean {
    const target = handler && functionOf({ expr: handler, scope });
    if (!target) return false;
    const { checks, way } = this.apart(() =>
      this.walk(target.fn.body, parameters(target.fn, target.scope), STRAIGHT),
    );
    return checks.length === 0 && way !== 'fails';
  }

  private each(list: Expr, fn: Fn, home: Scope, scope: Scope, flow: Flow): void {
    const rows = rowsOf({ expr: list, scope });
    const arePairs = fn.params.length > 1 && rows?.every(({ expr }) => expr.kind === 'list');
    const pattern = arePairs ? { kind: 'list' as const, items: fn.params } : fn.params[0];
    this.rows(
      rows,
      (bind) => {
        const inner = parameters(fn, home);
        bind(inner);
        this.walk(fn.body, inner, flow);
      },
      pattern ?? { kind: 'none' },
    );
  }
}
