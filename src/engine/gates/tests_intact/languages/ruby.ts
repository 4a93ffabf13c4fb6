import { isAsserting, type Language } from './language.ts';

/** RSpec, Minitest, test-unit and the tests of Rails. */
export const ruby: Language = {
  speaks: (path) => path.endsWith('.rb'),
  isTestFile: (path) => /(_|^|\/)(spec|test)(_[^/]+)?\.rb$/.test(path),
  mayHoldTests: (path) => /(^|\/)(spec|test)\//.test(path),
  grammarOf: () => 'ruby',
  query: `
    (comment) @comment
    (call !block arguments: (argument_list . (_)? @title) @args) @call
    (call arguments: (argument_list . (_)? @title)? @args block: (_) @body) @call
    (body_statement (call !arguments !block) @call)
    ((identifier) @call (#match? @call "^(skip|pending|omit|flunk)$"))
    [(block) (do_block)] @inner
    (method name: (_) @name body: (_) @body) @define
    (class name: (_) @name superclass: (_)? @bases body: (_) @body) @class
    (begin (rescue) @handler) @tried
    (body_statement (rescue) @handler) @tried
    (if condition: (_) @condition consequence: (_) @arm)
    (unless condition: (_) @condition consequence: (_) @arm)
    (if_modifier body: (_) @arm condition: (_) @condition)
    (unless_modifier body: (_) @arm condition: (_) @condition)
    (body_statement [(return) (next)] @leave) @block
    (block_body [(return) (next)] @leave) @block
  `,
  call({ fn, args, hasBody }) {
    if (/^[xf]?(?:it|specify|example|scenario|its)$/.test(fn) && (hasBody || args !== '')) return 'test';
    if (/^(?:pending|test|skip|focus)$/.test(fn) && hasBody) return 'test';
    if (
      /^(?:RSpec\.)?(?:[xf]?(?:describe|context|feature)|shared_examples(?:_for)?|shared_context)$/.test(fn)
    )
      return 'group';
    if (
      /^(?:skip|omit)$/.test(fn) ||
      (/^(?:Kernel\.|Process\.)?exit!?$/.test(fn) && /^(?:\(?(?:0|true)\)?)?$/.test(args))
    )
      return 'skip';
    if (fn === 'pending') return 'xfail';
    const asserts =
      /(?:^|\.)(?:assert|refute|must|wont|should|flunk|is_expected|it_behaves_like|include_examples|it_should_behave_like)/.test(
        fn,
      );
    return asserts || isAsserting(fn) ? 'assert' : undefined;
  },
  isTest: (name, _marks, owner) => /^test_/.test(name) && owner !== undefined,
  marks: [
    [/^x(?:it|describe|context|specify|example|scenario|feature)\b|^(?:pending|skip)\b/, 'skip'],
    [/^f(?:it|describe|context|specify|example|scenario|feature)\b|^focus\b/, 'only'],
    [/:(?:skip|pending)\b(?!\s*=>)/, 'skip'],
    [/(?:\b(?:skip|pending|if):|:(?:skip|pending|if)\s*=>)\s*(?!false|nil)/, 'skip', 'if'],
    [/\bunless:\s*/, 'skip', 'unless'],
    [/\bfocus:\s*(?!false|nil)|:focus\b/, 'only'],
  ],
  swallows: /^rescue[^\n]*\b(?:Exception|Minitest::Assertion|RSpec::Expectations)/,
};
