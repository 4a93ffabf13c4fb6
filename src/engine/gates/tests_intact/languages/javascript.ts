import { isAsserting, type Language } from './language.ts';

/** Jest, Vitest, Mocha, Jasmine, node:test, AVA, tape, uvu, Playwright, Cypress: TypeScript and JavaScript. */
export const javascript: Language = {
  speaks: (path) => /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path),
  isTestFile: (path) => /[._-](test|spec|cy|e2e)\.[cm]?[jt]sx?$/.test(path) || /(^|\/)__tests__\//.test(path),
  mayHoldTests: (path) => /(^|\/)((tests?|specs?|e2e|cypress)\/|tests?\.[cm]?[jt]sx?$)/.test(path),
  // Only files with this ending may hold type assertions in angle brackets, which look like tags elsewhere.
  grammarOf: (path) => (/\.[cm]?ts$/.test(path) ? 'typescript' : 'tsx'),
  query: `
    (comment) @comment
    (call_expression arguments: (arguments . (_)? @title) @args) @call
    (call_expression arguments: (arguments [(arrow_function) (function_expression)] @body)) @callback
    [(arrow_function) (function_expression)] @inner
    (function_declaration name: (_) @name body: (_) @body) @define
    (method_definition name: (_) @name body: (_) @body) @define
    (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)] @body) @define
    (variable_declarator name: (identifier) @alias
      value: [(identifier) (member_expression) (call_expression) (await_expression) (ternary_expression)] @value)
    (variable_declarator name: (object_pattern (pair_pattern key: (_) @key value: (identifier) @alias)) value: (_) @value)
    (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @alias @key) value: (_) @value)
    (import_statement (import_clause (identifier) @alias) source: (string) @value)
    (import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @value)
    (import_statement (import_require_clause (identifier) @alias source: (string) @value))
    (import_statement (import_clause (named_imports (import_specifier name: (_) @key alias: (_) @alias))) source: (string) @value)
    (try_statement body: (_) @tried handler: (_) @handler)
    (if_statement condition: (_) @condition consequence: (_) @arm)
    (statement_block (return_statement) @leave) @block
  `,
  call({ fn: written, args, hasBody }) {
    const fn = written.replace(LOADED, 'test').replace(/^test\.default\b/, 'test');
    if (SKIPS.test(fn) || (EXITS.test(fn) && /^\( ?0? ?\)$/.test(args))) return 'skip';
    const path = fn.replace(/[(`][\s\S]*$/, '');
    if (RUNNER.test(path) && !NO_TEST.test(path)) {
      const isMade = /\.(?:each|for|skipIf|runIf|extend)$/.test(fn);
      const isGroup = /(?:^|\.)[fx]?(?:describe|context|suite|module)\b/.test(path);
      // Anything may have a method `test` that takes a text.
      const isBare = /^[fx]?(?:describe|context|suite|test|it|specify)\b/.test(path);
      if (!isMade && (hasBody || (isBare && /^\(\s*["'`]/.test(args)))) return isGroup ? 'group' : 'test';
    }
    return ASSERTS.test(fn) || (!/^(?:page|app|service|api|client)\./.test(fn) && isAsserting(fn))
      ? 'assert'
      : undefined;
  },
  isTest: () => false,
  marks: [
    [/(?:^|\.)x(?:describe|context|it|test|specify)\b/, 'skip'],
    [/\.(?:skip|todo|fixme)\b/, 'skip'],
    [/\.skipIf\b/, 'skip', 'if'],
    [/\.runIf\b/, 'skip', 'unless'],
    [/(?:^|\.)f(?:describe|context|it|test)\b|\.only\b/, 'only'],
    [/\.(?:fails|failing|fail)\b/, 'xfail'],
    [/[{,]\s*(?:skip|todo|ignore|fixme)\s*:\s*(?!false\b)/, 'skip', 'if'],
    [/[{,]\s*only\s*:\s*(?!false\b)/, 'only'],
    [/[{,]\s*(?:fails|expectFailure)\s*:\s*(?!false\b)/, 'xfail'],
  ],
  swallows: /^catch\b/,
  alias(value, key) {
    const [, condition, yes = '', no = ''] =
      /^([^?]{1,300}?) ?\? ?([\w.]{1,60}) ?: ?([\w.]{1,60})$/.exec(value) ?? [];
    if (RUNNER.test(yes) && RUNNER.test(no)) {
      if (/\.skip$/.test(yes)) return `${no}.skipIf(${condition})`;
      return /\.skip$/.test(no) ? `${yes}.runIf(${condition})` : no;
    }
    const loaded = value.replace(LOADED, 'test');
    const base = RUNNERS.test(value)
      ? 'test'
      : loaded
          .replace(/^await\s+/, '')
          .replace(/\(.*$/s, '')
          .replace(/\.(?:extend|default|each|for)$/, '');
    if (!RUNNER.test(base)) return undefined;
    if (key === undefined || key === 'default') return /^suite$/.test(base) ? 'test' : base;
    return RUNNER.test(key) ? key : `${base}.${key}`;
  },
};

const RUNNERS =
  /^(?:(?:await\s+)?(?:require|import)\(\s*)?["'](?:node:test|bun:test|vitest|ava|tape|tap|uvu|mocha|jasmine|@jest\/globals|@playwright\/test|@japa\/runner)["']\s*\)?$/;
const LOADED =
  /^\(?(?:await\s+)?(?:require|import)\(\s*["'](?:node:test|bun:test|vitest|ava|tape|tap|uvu|mocha|jasmine|@jest\/globals|@playwright\/test|@japa\/runner)["']\s*\)\)?(?=\W|$)/;
const RUNNER =
  /^(?:[\w$]+\.)?[fx]?(?:describe|context|suite|module|test|it|specify)(?:\.[\w$]+)*$|^(?:test|it)(?:\.[\w$]+)*$/;
/** `test.use` and its like are no tests. */
const NO_TEST =
  /\.(?:use|extend|configure|step|info|slow|setTimeout|mock|expect|abort|fixtures|snapshot|plan|assert|log|comment|before|after|beforeEach|afterEach|beforeAll|afterAll)$|\b(?:it|test)\.(?:is|not|deepEqual|like|true|false|throws|equal)$/;
const SKIPS = /^(?:this|t|ctx|context|testContext|task|testInfo)\.(?:skip|todo|fixme)$/;
const EXITS = /^(?:Deno|process)\.(?:exit|reallyExit)$/;
/** `t.log` is a function of a test that asserts nothing. */
const ASSERTS =
  /^(?:expect|expectTypeOf|assertThat|assert|ok|equal|fail|invariant|(?:not)?(?:deep|strict|deepStrict)Equal)$|^(?:assert|chai\.assert|sinon\.assert|td|QUnit|Assert)\.[\w$.]+$|^(?:t|tt|tap|is|assert|qunit)\.(?:assert\.)?(?:is|not|notDeepEqual|like|true|false|truthy|falsy|throws|throwsAsync|notThrows|notThrowsAsync|regex|notRegex|assert|equals?|same|ok|notOk|strictSame|(?:not)?(?:deep|strict|deepStrict)Equals?|match|doesNotMatch|rejects|snapshot|fail|doesNotThrow|error|ifError)$|\.should\b|\.expect$|^expect\.(?:soft|poll|assertions|hasAssertions|unreachable)$/;
