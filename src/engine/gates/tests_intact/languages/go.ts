import { isAsserting, type Language } from './language.ts';

/** The testing package, testify and gomega. */
export const go: Language = {
  speaks: (path) => path.endsWith('.go'),
  isTestFile: (path) => path.endsWith('_test.go'),
  mayHoldTests: () => false,
  grammarOf: () => 'go',
  query: `
    ((comment) @file (#match? @file "^//(go:build| *[+]build) "))
    ((comment) @mark (#match? @mark "^// *([Uu]nordered )?[Oo]utput:"))
    (comment) @comment
    (call_expression arguments: (argument_list . (_)? @title) @args) @call
    (call_expression arguments: (argument_list (func_literal) @body)) @callback
    (func_literal) @inner
    (function_declaration name: (_) @name body: (_) @body) @define
    (method_declaration name: (_) @name body: (_) @body) @define
    (short_var_declaration left: (expression_list . (identifier) @name) right: (expression_list . (func_literal) @body)) @define
    (if_statement condition: (_) @condition consequence: (_) @arm)
    (statement_list (return_statement) @leave) @block
  `,
  call({ fn, args, hasBody }) {
    if (/\.Skip(?:Now|f)?$/.test(fn)) return 'skip';
    if (fn === 'runtime.Goexit' || (/^(?:os|syscall)\.Exit$/.test(fn) && args === '(0)')) return 'skip';
    if (/\.Run$/.test(fn) && hasBody && /^\(\s*["`]/.test(args)) return 'test';
    const asserts =
      /^[\w.]+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/.test(fn) ||
      /(?:^|\.)(?:assert|require|is|qt|td|c|check|must|should)\.\w+$/.test(fn) ||
      fn === 'panic';
    return asserts || /^Ω$|\.(?:Should|ShouldNot|To|NotTo|ToNot)$/.test(fn) || isAsserting(fn)
      ? 'assert'
      : undefined;
  },
  // `Testing` and `Testimony` are no tests: a small letter follows.
  isTest: (name, _marks, _owner, text) =>
    /^(?:Test|Fuzz|Example)(?![a-z])/.test(name) && name !== 'TestMain' && !/\bsuite\.Run\(/.test(text),
  marks: [[/^\/\/(?:go:build|\s*\+build)\s/, 'skip', 'if']],
  assertingMarks: /[Oo]utput:/,
  swallows: /(?!)/,
};
