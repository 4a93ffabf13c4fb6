/** Reads the tests of one file. */
import type { SyntaxNode } from '../../../ports/source.ts';
import { type Check, checkFrom, type Reach } from './check.ts';
import {
  type Call,
  type ClassStatement,
  type Definition,
  type Fn,
  isComment,
  type Statement,
} from './code.ts';
import { doesNothing, type Findings, parameters, remoteRunsOf, STRAIGHT } from './flow.ts';
import { Interpreter } from './interpret.ts';
import type { Found, Helpers, Language, Marker, Table, TestCase, TestFacts } from './model.ts';
import { rowsOf } from './rows.ts';
import { Scope } from './scope.ts';

/** The functions of a file that are no tests, by name, so that tests of other files may call them. */
export function functionsIn(statements: readonly Statement[], language: Language): Helpers {
  const found = new Map<string, { fn: Fn; scope: Scope }>();
  const visit = (list: readonly Statement[], scope: Scope, owner?: ClassStatement) => {
    for (const statement of list) {
      if (statement.kind === 'class') visit(statement.body, new Scope(scope), statement);
      if (statement.kind === 'bind' && statement.pattern.kind === 'name') {
        scope.set(statement.pattern.id, { expr: statement.value, scope });
        if (statement.value.kind === 'function')
          found.set(statement.pattern.id, { fn: statement.value, scope });
      }
      if (statement.kind !== 'define') continue;
      scope.set(statement.name, { expr: statement.fn, scope });
      if (!language.testFunction?.(statement, owner, scope))
        found.set(statement.name, { fn: statement.fn, scope });
    }
  };
  visit(statements, new Scope());
  return found;
}

export function readFacts(
  root: SyntaxNode,
  statements: readonly Statement[],
  language: Language,
  helpers: Helpers,
): TestFacts {
  return new FileReader(language, helpers).read(root, statements);
}

const NEVER = 'a condition that never holds';

class FileReader {
  private readonly tests = new Map<SyntaxNode, TestCase>();
  private readonly markers: Marker[] = [];
  private readonly shared: Check[] = [];
  private readonly helperChecks = new Map<string, Check[]>();
  private suites: readonly string[] = [];
  private marked = new Set<SyntaxNode>();

  private readonly language: Language;
  private readonly helpers: Helpers;

  constructor(language: Language, helpers: Helpers) {
    this.language = language;
    this.helpers = helpers;
  }

  read(root: SyntaxNode, statements: readonly Statement[]): TestFacts {
    const scope = new Scope();
    const outside = this.interpreter().read(statements, scope);
    this.shared.push(...outside.checks);
    const own = this.language.fileMarkers?.(root, statements) ?? [];
    this.markers.push(...outside.markers, ...own);
    this.definitions(statements, scope);
    // A file that is left before its tests says so once.
    const isLeft = outside.markers.length > 0;
    return {
      tests: [...this.tests.values()],
      markers: isLeft ? this.markers.filter(({ word }) => word !== NEVER) : this.markers,
      shared: this.shared,
      helpers: this.helperChecks,
      configures: own.length > 0,
    };
  }

  private interpreter(): Interpreter {
    return new Interpreter(this.language, this.helpers, (call, scope, reach, isOpen) =>
      this.testCall(call, scope, reach, isOpen),
    );
  }

  private testCall(call: Call, scope: Scope, reach: Reach, isOpen: boolean): boolean {
    const found = this.language.testCall?.(call, scope);
    if (!found) return false;
    if (!this.marked.has(call.at)) {
      this.markers.push(...found.markers);
      if (found.kind !== 'hook') this.condition(found.name, call.at, reach);
    }
    this.marked.add(call.at);
    if (found.kind === 'test') this.test(found, call.at, scope, isOpen);
    if (found.kind === 'hook' && found.fn) this.outside(found.fn, scope);
    if (found.kind === 'group' && found.fn) this.group(found, found.fn, scope);
    return true;
  }

  /** A test that is defined only on a condition is skipped without it. */
  private condition(name: string, { line }: SyntaxNode, reach: Reach): void {
    if (reach === 'always') return;
    const word = reach === 'never' ? NEVER : 'a condition';
    this.markers.push({ kind: 'skip', word, name, line });
  }

  private outside(fn: Fn, scope: Scope): void {
    const { checks, markers } = this.interpreter().read(fn.body, parameters(fn, scope));
    this.shared.push(...checks);
    this.markers.push(...markers);
  }

  private group(found: Found, fn: Fn, scope: Scope): void {
    const before = this.suites;
    this.suites = [...before, found.name];
    withTables(found.tables, scope, (inner) => {
      for (const param of fn.params) if (found.tables.length === 0) inner.bind(param, undefined);
      const { checks, markers } = this.interpreter().read(fn.body, inner);
      this.shared.push(...checks);
      this.markers.push(...markers);
    });
    this.suites = before;
  }

  private test(found: Found, at: SyntaxNode, scope: Scope, isOpen = false): void {
    const { fn, name } = found;
    const test: TestCase = this.tests.get(at) ?? {
      name,
      suites: this.suites,
      line: at.line,
      body: fn ? wordsOf(fn.at) : '',
      empty: !fn || doesNothing(fn.body),
      checks: [],
      rows: 0,
      openRows: false,
    };
    const isAgain = this.tests.has(at);
    this.tests.set(at, test);
    if (!fn) return;
    // What stands inside a test is part of it, tests of a test as well.
    const interpreter = new Interpreter(this.language, this.helpers, () => false);
    const known = withTables(found.tables, scope, (inner) => {
      if (found.tables.length === 0) for (const param of fn.params) inner.bind(param, undefined);
      this.keep(test, interpreter.read(fn.body, inner, STRAIGHT), found.tables.length > 0 || isAgain);
    });
    if (!known || isOpen) test.openRows = true;
    test.checks.push(...(found.expects ?? []).map((raw) => checkFrom(raw, scope)));
    if (isAgain && test.rows === 0) test.rows = 1;
  }

  private keep(test: TestCase, { checks, markers, rows, openRows }: Findings, isRow: boolean): void {
    test.checks.push(...checks);
    test.rows += isRow ? Math.max(1, rows) : rows;
    test.openRows ||= openRows;
    for (const marker of markers) {
      const isKnown = this.markers.some(
        ({ word, line, name }) => word === marker.word && line === marker.line && name === test.name,
      );
      if (!isKnown) this.markers.push({ ...marker, name: test.name });
    }
  }

  /** Tests that are functions by their names or attributes, in classes and modules. */
  private definitions(
    statements: readonly Statement[],
    scope: Scope,
    owner?: ClassStatement,
    reach: Reach = 'always',
  ): void {
    for (const statement of statements) {
      switch (statement.kind) {
        case 'define':
          this.definition(statement, scope, owner, reach);
          break;
        case 'class':
          this.members(statement, scope, reach);
          break;
        case 'if': {
          const truth = remoteRunsOf(statement.condition, scope);
          const [yes, no]: Reach[] =
            truth === undefined ? ['sometimes', 'sometimes'] : truth ? [reach, 'never'] : ['never', reach];
          this.definitions(statement.yes, scope, owner, yes);
          this.definitions(statement.no, scope, owner, no);
          break;
        }
        case 'try':
        case 'block':
          this.definitions(statement.body, scope, owner, reach);
      }
    }
  }

  private members(statement: ClassStatement, scope: Scope, reach: Reach): void {
    const inner = new Scope(scope);
    for (const member of statement.body) {
      if (member.kind === 'define') inner.set(member.name, { expr: member.fn, scope: inner });
      if (member.kind === 'bind') inner.bind(member.pattern, { expr: member.value, scope: inner });
    }
    const before = this.suites;
    this.suites = [...before, statement.name];
    this.markers.push(...(this.language.classMarkers?.(statement) ?? []));
    this.definitions(statement.body, inner, statement, reach);
    this.suites = before;
  }

  private definition(
    definition: Definition,
    scope: Scope,
    owner: ClassStatement | undefined,
    reach: Reach,
  ): void {
    const found = this.language.testFunction?.(definition, owner, scope);
    if (found?.kind === 'test') {
      this.markers.push(...found.markers);
      this.condition(found.name, definition.at, reach);
      this.test({ ...found, fn: found.fn ?? definition.fn }, definition.at, scope);
    } else if (found?.kind === 'hook') this.outside(definition.fn, scope);
    else this.helper(definition.name, definition.fn, scope);
  }

  private helper(name: string, fn: Fn, scope: Scope): void {
    const { checks, markers } = new Interpreter(this.language, this.helpers).read(
      fn.body,
      parameters(fn, scope),
    );
    if (checks.length > 0) this.helperChecks.set(name, checks);
    const own = this.language.grammarOf('') === 'rust' ? [] : markers.filter(({ kind }) => kind === 'skip');
    this.markers.push(...own.map((marker) => ({ ...marker, name })));
  }
}

/** Runs code for each row of each table; once when there is none. False: a table is not written out. */
function withTables(tables: readonly Table[], scope: Scope, run: (inner: Scope) => void): boolean {
  const [first, ...rest] = tables;
  if (!first) {
    run(new Scope(scope));
    return true;
  }
  const rows = rowsOf({ expr: first.over, scope });
  let known = rows !== undefined;
  for (const row of rows ?? [undefined]) {
    const inner = new Scope(scope);
    inner.bind(first.pattern, row);
    known = withTables(rest, inner, run) && known;
  }
  return known;
}

/** The words of a piece of code, without comments. */
function wordsOf(node: SyntaxNode): string {
  const words: string[] = [];
  const visit = (one: SyntaxNode) => {
    if (isComment(one)) return;
    if (one.children.length === 0) words.push(one.text);
    else one.children.forEach(visit);
  };
  visit(node);
  return words.join(' ');
}
