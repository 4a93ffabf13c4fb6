import { isAsserting, type Language } from './language.ts';

/** Rust. Tests may stand in any file, beside the code that they test. */
export const rust: Language = {
  speaks: (path) => path.endsWith('.rs'),
  isTestFile: (path) => /(^|\/)tests\/[^/]+\.rs$/.test(path),
  mayHoldTests: () => true,
  grammarOf: () => 'rust',
  query: `
    [(line_comment) (block_comment)] @comment
    (macro_invocation (token_tree) @args) @call
    (call_expression arguments: (_) @args) @call
    (closure_expression) @inner
    (function_item name: (_) @name body: (_) @body) @define
    (mod_item name: (_) @name body: (_) @body) @class
    (attribute_item) @mark
    (if_expression condition: (_) @condition consequence: (_) @arm)
    (block (expression_statement (return_expression)) @leave) @block
  `,
  call({ fn, args }) {
    if (/(?:^|::)process::exit$/.test(fn)) return args === '(0)' ? 'skip' : undefined;
    if (/(?:^|::)(?:(?:debug_|prop_)?assert\w*|panic|unreachable|ensure|bail)!$/.test(fn)) return 'assert';
    return /\.(?:unwrap_err|expect_err)$/.test(fn) || (!fn.includes('.') && isAsserting(fn))
      ? 'assert'
      : undefined;
  },
  isTest: (_name, marks) =>
    /#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest|wasm_bindgen_test)\b/.test(marks),
  marks: [
    [/#\[\s*ignore\b[^\]]*/, 'skip'],
    [/#\[\s*cfg_attr\s*\((?=[^\]]*\bignore\b)/, 'skip', 'if'],
    [/#\[\s*cfg\s*\((?!\s*test\s*\))/, 'skip', 'if'],
    [/#\[\s*should_panic\b/, 'xfail'],
  ],
  assertingMarks: /#\[\s*should_panic\b/,
  swallows: /(?!)/,
};
