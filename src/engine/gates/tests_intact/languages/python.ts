import { isAsserting, type Language } from './language.ts';

/** pytest and unittest. */
export const python: Language = {
  speaks: (path) => path.endsWith('.py'),
  isTestFile: (path) => /(^|\/)(test_[^/]*|[^/]*_test|tests?)\.py$/.test(path),
  mayHoldTests: (path) => /(^|\/)(tests?|conftest\.py)(\/|$)/.test(path),
  grammarOf: () => 'python',
  query: `
    [(comment) (expression_statement (string))] @comment
    (call arguments: (_ . (_)? @title) @args) @call
    (function_definition name: (_) @name body: (_) @body) @define
    (class_definition name: (_) @name superclasses: (_)? @bases body: (_) @body) @class
    (decorator) @mark
    (assert_statement) @assert
    (try_statement body: (_) @tried (except_clause) @handler)
    (with_statement (with_clause) @handler body: (_) @tried)
    (if_statement condition: (_) @condition consequence: (_) @arm)
    (block (return_statement) @leave) @block
    (assignment left: (identifier) @name (#match? @name "^(pytestmark|__test__)$")) @file
    (function_definition name: (identifier) @hook (#eq? @hook "load_tests")) @file
    (delete_statement) @file
  `,
  call({ fn, args }) {
    if (/^(?:pytest\.(?:skip|importorskip|exit)|self\.skipTest|(?:unittest\.)?SkipTest)$/.test(fn))
      return 'skip';
    if (fn === 'pytest.xfail') return 'xfail';
    if (/^(?:os\._exit|os\.abort|sys\.exit|exit|quit)$/.test(fn))
      return /^\((?:0|None)?\)$/.test(args) ? 'skip' : undefined;
    const asserts =
      /^self\.(?:assert|fail)|^(?:pytest\.)?(?:raises|warns|deprecated_call|fail)$|\braises$/.test(fn);
    return asserts || fn === 'AssertionError' || isAsserting(fn) ? 'assert' : undefined;
  },
  isTest(name, marks, owner, text) {
    if (!/^test/.test(name) || /\bfixture\b/.test(marks)) return false;
    if (!owner || /^Test/.test(owner.name) || /Test|Case|Mixin|Base/.test(owner.bases)) return true;
    // Another class has its tests by descent.
    return [`(${owner.name})`, `(${owner.name},`, `, ${owner.name})`].some((words) => text.includes(words));
  },
  marks: [
    [/\bmark\.skip\b|\bskip\b(?=\s*(?:\(|$))/, 'skip'],
    [/\bmark\.skipif\b|\bskip(?:If|Unless)\b/, 'skip', 'if'],
    [/\bmark\.xfail\b/, 'xfail', 'if'],
    [/\bexpectedFailure\b/, 'xfail'],
    [/__test__\s*=\s*False|^del\s+[Tt]est|^def load_tests\b/, 'skip'],
  ],
  swallows:
    /^except\s*:|^except\b[^:]*\b(?:Exception|BaseException|AssertionError)\b|\bsuppress\([^)]*(?:Exception|AssertionError)/,
};
