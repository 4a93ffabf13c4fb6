import type { SyntaxNode } from '../../../ports/source.ts';
import { type Call, type Expr, type Fn, squeeze } from '../reading/code.ts';
import type { Found, Language, Marker, MarkerKind } from '../reading/model.ts';
import { functionOf, type Scope } from '../reading/scope.ts';
import { javascriptChecks } from './javascript-checks.ts';
import { lowerJavascript } from './javascript-code.ts';
import { BASE, CHAIN_MARKERS } from './javascript-runner.ts';

/** Jest, Vitest, Mocha, Jasmine, node:test, AVA, Playwright, Cypress: TypeScript and JavaScript. */
export const javascript: Language = {
  speaks: (path) => /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path),
  isTestFile: (path) => /[._-](test|spec|cy|e2e)\.[cm]?[jt]sx?$/.test(path) || /(^|\/)__tests__\//.test(path),
  mayHoldTests: (path) => /(^|\/)((tests?|specs?|e2e|cypress)\/|tests?\.[cm]?[jt]sx?$)/.test(path),
  isTestScript: (text) =>
    /^(?:await )?(?:assert(?:\.\w+)*|expect)\(/m.test(text) &&
    !/^export\b|\bmodule\.exports\b|^exports\./m.test(text),
  // Only files with this ending may hold type assertions in angle brackets, which look like tags elsewhere.
  grammarOf: (path) => (/\.[cm]?ts$/.test(path) ? 'typescript' : 'tsx'),
  lower: lowerJavascript,
  testCall,
  fileMarkers: moduleMocks,
  replaces: (pattern, value) =>
    pattern.kind === 'name' &&
    pattern.id.includes('.') &&
    (value.kind === 'function' || /^(?:jest|vi|sinon|mock)\.\w+\(/.test(value.at.text))
      ? pattern.id.split('.').at(-1)
      : undefined,
  checks: javascriptChecks,
  leaves,
  bareRemoteRuns: 'truthy',
  catchesFailures: () => true,
};

const GROUPS = /^[fx]?(?:describe|context|suite)$/;
const HOOKS = /^(?:before|after|setup|teardown|suiteSetup|suiteTeardown)(?:Each|All)?$/;
/** `test.use` and its like are no tests. */
const NO_TEST =
  /^(?:use|extend|configure|step|info|slow|setTimeout|mock|expect|abort|fixtures|snapshot|plan|assert)$/;

interface Chain {
  base: string;
  words: string[];
  /** The arguments of `.each`, `.skipIf` and their like. */
  given?: { word: string; args: readonly Expr[] };
}

/** Names that stand for names are followed so far. */
const DEEPEST = 8;

/** `it.concurrent.each(table)`: the base, and the words behind it. Other names of the file for them are followed. */
function chainOf(fn: Expr, scope: Scope, depth = 0): Chain | undefined {
  if (depth > DEEPEST) return undefined;
  if (fn.kind === 'name') {
    if (BASE.test(fn.id)) return { base: fn.id, words: [] };
    const value = scope.get(fn.id);
    return value && chainOf(value.expr, value.scope, depth + 1);
  }
  if (fn.kind === 'await') return chainOf(fn.of, scope, depth);
  if (fn.kind === 'call') {
    const inner = chainOf(fn.fn, scope, depth);
    const word = inner?.words.at(-1);
    if (inner && word === 'extend') return { ...inner, words: inner.words.slice(0, -1) };
    if (!inner || word === undefined || !/^(?:each|for|skipIf|runIf)$/.test(word)) return undefined;
    return { ...inner, given: { word, args: fn.args } };
  }
  if (fn.kind !== 'member') return undefined;
  if (squeeze(fn.at.text) === 'Deno.test') return { base: 'Deno.test', words: [] };
  const inner = chainOf(fn.of, scope, depth);
  // A runner's module is `test`, and has the other functions as its members: `require('mocha').xit`.
  if (inner?.base === 'test' && inner.words.length === 0 && BASE.test(fn.name))
    return { base: fn.name, words: [] };
  return inner && { ...inner, words: [...inner.words, fn.name] };
}

function testCall(call: Call, scope: Scope): Found | undefined {
  const chain = chainOf(call.fn, scope);
  if (!chain || chain.words.some((word) => NO_TEST.test(word))) return undefined;
  const { base, words, given } = chain;
  const last = words.at(-1);
  if (given === undefined && last !== undefined && /^(?:each|for|skipIf|runIf)$/.test(last)) return undefined;
  // A function of the file that has the name of one of the runner's.
  const own = scope.get(base);
  if (own && functionOf(own)) return undefined;
  const [title, ...rest] = call.args;
  const isHook = HOOKS.test(base) || words.some((word) => HOOKS.test(word));
  const fn = [...(isHook ? call.args : rest)].map((expr) => functionOf({ expr, scope })?.fn).find(Boolean);
  if (isHook) return { kind: 'hook', name: base, fn, markers: [], tables: [] };
  const entry = title?.kind === 'record' ? title.entries.find(([key]) => key === 'fn')?.[1] : undefined;
  const name = title ? nameOf(title) : '';
  const body = fn ?? (entry?.kind === 'function' ? entry : undefined);
  const isGroup = GROUPS.test(base) || words.includes('describe');
  return {
    kind: isGroup ? 'group' : 'test',
    name,
    fn: body,
    markers: markersOf(call, chain, name),
    tables: given?.word === 'each' || given?.word === 'for' ? tablesOf(given, body) : [],
  };
}

function tablesOf(given: NonNullable<Chain['given']>, fn: Fn | undefined): Found['tables'] {
  const [over] = given.args;
  if (!over) return [];
  const params = fn?.params ?? [];
  const isList = over.kind === 'list' && over.items.some(({ kind }) => kind === 'list');
  const spread = given.word === 'each' && (isList || params.length > 1);
  return [{ pattern: spread ? { kind: 'list', items: params } : (params[0] ?? { kind: 'none' }), over }];
}

function nameOf(title: Expr): string {
  if (title.kind === 'literal') return squeeze(title.text);
  if (title.kind === 'record') {
    const name = title.entries.find(([key]) => key === 'name')?.[1];
    return name ? nameOf(name) : '';
  }
  return squeeze(title.at.text.replace(/^`([\s\S]*)`$/, '$1'));
}

function markersOf(call: Call, { base, words, given }: Chain, name: string): Marker[] {
  const { line } = call.at;
  const marker = (kind: MarkerKind, word: string): Marker => ({ kind, word, name, line });
  const markers = words.flatMap((word) => {
    const kind = CHAIN_MARKERS.get(word);
    return kind ? [marker(kind, `.${word}`)] : [];
  });
  if (base.startsWith('x')) markers.push(marker('skip', base));
  if (/^f(?:describe|context|it|test)$/.test(base)) markers.push(marker('only', base));
  if (
    given?.word === 'runIf' &&
    /^(?:false|0|!1|!true|null|undefined|"")$/.test(squeeze(given.args[0]?.at.text ?? ''))
  )
    markers.push(marker('skip', `.runIf(${squeeze(given.args[0]?.at.text ?? '')})`));
  return [...markers, ...call.args.flatMap((arg) => optionMarkers(arg, marker))];
}

/** `{ skip: true, retry: 3, timeout: 1000 }` beside the name of a test; a number alone is its timeout. */
function optionMarkers(arg: Expr, marker: (kind: MarkerKind, word: string) => Marker): Marker[] {
  if (arg.kind === 'literal' && arg.of === 'number')
    return [{ ...marker('slow', 'a timeout'), value: Number(arg.text.replaceAll('_', '')) }];
  if (arg.kind !== 'record') return [];
  return arg.entries.flatMap(([key, value]) => {
    const text = squeeze(value.at.text);
    const kind = CHAIN_MARKERS.get(key);
    if (kind && text !== 'false') return [marker(kind, `{ ${key} }`)];
    const number = Number(text.replaceAll('_', ''));
    if ((key === 'retry' || key === 'retries') && number > 0)
      return [{ ...marker('retry', `{ ${key} }`), value: number }];
    return key === 'timeout' && number > 0 ? [{ ...marker('slow', `{ ${key} }`), value: number }] : [];
  });
}

/** `this.skip()`, `process.exit(0)`. */
function leaves(call: Call): Marker | undefined {
  const path = squeeze(call.fn.at.text);
  const marker = (word: string): Marker => ({ kind: 'skip', word, name: '', line: call.at.line });
  if (/^(?:this|t|ctx|context|testContext|task|testInfo)\.(?:skip|todo|fixme)$/.test(path))
    return marker(`${path}()`);
  if (/^test\.(?:skip|fixme)$/.test(path)) return marker(`${path}()`);
  const said = remark(call, path);
  if (said) return said;
  if (/^(?:Deno|process)\.(?:exit|reallyExit|exitCode)$/.test(path)) {
    const code = squeeze(call.args[0]?.at.text ?? '0');
    return code === '0' ? marker(`${path}(${call.args.length > 0 ? '0' : ''})`) : undefined;
  }
  return undefined;
}

/** `this.retries(3)`, `jest.retryTimes(3)`, `vi.spyOn(cart, 'total').mockReturnValue(3)`, `fc.assert(..., { numRuns: 1 })`. */
function remark(call: Call, path: string): Marker | undefined {
  const { line } = call.at;
  const [first] = call.args;
  const number = Number(squeeze(first?.at.text ?? '').replaceAll('_', ''));
  if (/^(?:this\.retries|jest\.retryTimes)$/.test(path) && number > 0)
    return { kind: 'retry', word: `${path}()`, name: '', line, value: number };
  if (/^(?:this\.timeout|jest\.setTimeout|vi\.setConfig)$/.test(path) && number > 0)
    return { kind: 'slow', word: `${path}()`, name: '', line, value: number };
  const replaced =
    /^(?:jest|vi|t\.mock|mock|sinon)\.(?:spyOn|stub|method|replace)\s*\(\s*[\w.]+\s*,\s*["'](\w+)["']/.exec(
      call.at.text,
    )?.[1];
  const isReplaced =
    /\.(?:mock(?:Return|Resolved|Rejected|Implementation)\w*|returns|resolves|callsFake|throws)\s*\(/.test(
      call.at.text,
    ) || /(?:\.method|\.replace|\.stub)\s*\([^,]*,[^,]*,/.test(call.at.text);
  if (replaced !== undefined && isReplaced)
    return { kind: 'mock', word: squeeze(call.at.text).slice(0, 60), name: '', line, target: replaced };
  const runs = /\bnumRuns\s*:\s*([\d_]+)/.exec(call.args.at(-1)?.at.text ?? '')?.[1];
  if (runs !== undefined && /^(?:fc|fastCheck|fastcheck)\.assert$/.test(path))
    return { kind: 'runs', word: `numRuns: ${runs}`, name: '', line, value: Number(runs) };
  return undefined;
}

/** `jest.mock('../src/cart')`: all that is imported from there is replaced. */
function moduleMocks(root: SyntaxNode): Marker[] {
  const imports = root.children.filter(({ type }) => type === 'import_statement').map(({ text }) => text);
  const required = root.children
    .filter(({ text }) => /^(?:const|let|var)\b[\s\S]*\brequire\(/.test(text))
    .map(({ text }) => text);
  return root.children.flatMap((node): Marker[] => {
    const path = /^(?:jest|vi|t\.mock|mock)\.(?:mock|doMock|module)\(\s*(["'][^"']+["'])/.exec(
      node.text,
    )?.[1];
    if (path === undefined) return [];
    const names = [...imports, ...required]
      .filter((text) => text.includes(path))
      .flatMap((text) => text.replace(path, '').match(/[A-Za-z_$][\w$]*/g) ?? []);
    return names
      .filter((name) => !/^(?:import|from|const|let|var|require|as|type)$/.test(name))
      .map(
        (target): Marker => ({ kind: 'mock', word: `a mock of ${path}`, name: '', line: node.line, target }),
      );
  });
}
