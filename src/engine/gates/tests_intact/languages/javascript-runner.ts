/** The names of test runners in JavaScript, and what else a file calls them. */
import type { SyntaxNode } from '../../../ports/source.ts';
import { child, type Expr, type Pattern, parts, type Statement } from '../reading/code.ts';
import type { MarkerKind } from '../reading/model.ts';

export const BASE =
  /^(?:Deno\.test|describe|context|suite|test|it|specify|fdescribe|fcontext|fit|ftest|xdescribe|xcontext|xit|xtest|xspecify|before|after|beforeEach|afterEach|beforeAll|afterAll|setup|teardown|suiteSetup|suiteTeardown)$/;

/** Words behind a name of a runner that change what becomes of a test. */
export const CHAIN_MARKERS: ReadonlyMap<string, MarkerKind> = new Map(
  Object.entries({
    skip: 'skip',
    skipIf: 'skip',
    todo: 'skip',
    fixme: 'skip',
    only: 'only',
    fails: 'fails',
    failing: 'fails',
    fail: 'fails',
  }),
);

const RUNNERS =
  /^(?:node:test|bun:test|vitest|ava|tape|tap|uvu|mocha|jasmine|@jest\/globals|@playwright\/test|@japa\/runner)$/;

/** The module of a runner, by `require` or `import()`: it is `test`, and has the other functions as its members. */
export function runnerModule(fn: Expr, args: readonly Expr[], at: SyntaxNode): Expr | undefined {
  const [first] = args;
  const isLoading = fn.kind === 'name' && /^(?:require|import)$/.test(fn.id);
  if (!isLoading || args.length !== 1 || first?.kind !== 'literal') return undefined;
  return RUNNERS.test(first.text) ? testAt(at) : undefined;
}

function testAt(at: SyntaxNode): Expr {
  return { kind: 'name', id: 'test', at };
}

/** Binds what a file calls the functions of a runner: `const { test: t, skip } = test`. */
export function runnerNames(pattern: Pattern, value: Expr, at: SyntaxNode): Statement[] | undefined {
  const of = value.kind === 'await' ? value.of : value;
  if (pattern.kind !== 'record' || of.kind !== 'name' || !BASE.test(of.id)) return undefined;
  return pattern.entries.flatMap(([key, local]) =>
    local.kind === 'name' ? renamed(local.id, key, of, at) : [],
  );
}

/** The same for imports: `{ test as t }`, a default, `* as t`, and the `t = require(...)` of TypeScript. */
export function runnerImports(at: SyntaxNode): Statement[] {
  const clauses = parts(at);
  const source = [at, ...clauses].map((one) => child(one, 'source')).find(Boolean);
  if (!RUNNERS.test(source?.text.slice(1, -1) ?? '')) return [];
  return clauses.flatMap(parts).flatMap((name): Statement[] => {
    if (name.type === 'identifier') return renamed(name.text, 'default', testAt(at), at);
    if (name.type === 'namespace_import')
      return parts(name).flatMap((one) => renamed(one.text, 'default', testAt(at), at));
    if (name.type !== 'named_imports') return [];
    return parts(name).flatMap((one) => {
      const key = child(one, 'name')?.text ?? '';
      return renamed(child(one, 'alias')?.text ?? key, key, testAt(at), at);
    });
  });
}

/** Nothing for a function that keeps its name: it stands for itself. */
function renamed(local: string, key: string, of: Expr, at: SyntaxNode): Statement[] {
  const bind = (value: Expr): Statement[] => [
    { kind: 'bind', pattern: { kind: 'name', id: local }, value, at },
  ];
  if (CHAIN_MARKERS.has(key)) return bind({ kind: 'member', of, name: key, at });
  const id = key === 'default' && of.kind === 'name' ? of.id : key;
  return id === local ? [] : bind({ kind: 'name', id, at });
}
