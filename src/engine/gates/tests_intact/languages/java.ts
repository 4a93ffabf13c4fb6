import { isAsserting, type Language } from './language.ts';

/** JUnit 3 to 5, TestNG, AssertJ, Hamcrest, Mockito. */
export const java: Language = {
  speaks: (path) => path.endsWith('.java'),
  isTestFile: (path) => /(^|\/)(Test[A-Z]\w*|\w+(Tests?|TestCase|IT|Spec))\.java$/.test(path),
  mayHoldTests: (path) => /(^|\/)src\/(test|it|integrationTest)\//.test(path),
  grammarOf: () => 'java',
  query: `
    [(line_comment) (block_comment)] @comment
    (method_invocation arguments: (_ . (_)? @title) @args) @call
    (lambda_expression) @inner
    (method_declaration name: (_) @name body: (_) @body) @define
    (class_declaration name: (_) @name superclass: (_)? @bases body: (_) @body) @class
    [(annotation) (marker_annotation)] @mark
    (assert_statement) @assert
    (try_statement body: (_) @tried (catch_clause) @handler)
    (try_with_resources_statement body: (_) @tried (catch_clause) @handler)
    (if_statement condition: (_) @condition consequence: (_) @arm)
    (block (return_statement) @leave) @block
  `,
  call({ fn, args }) {
    if (/(?:^|\.)assum(?:e|ing)[A-Z]\w*$/.test(fn)) return 'skip';
    if (/^(?:System\.exit|Runtime\.getRuntime\(\)\.(?:exit|halt))$/.test(fn))
      return args === '(0)' ? 'skip' : undefined;
    if (/(?:^|\.)(?:assertThat|then|expectThat|fail|verify\w*|andExpect(?:All)?|thenThrownBy)$/.test(fn))
      return 'assert';
    return isAsserting(fn) ? 'assert' : undefined;
  },
  isTest: (name, marks, owner) =>
    !/\bprivate\b/.test(marks) &&
    (/@(?:[\w.]+\.)?(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Theory)\b/.test(
      marks,
    ) ||
      (/^test[A-Z_]/.test(name) && /\bpublic\b/.test(marks) && /TestCase/.test(owner?.bases ?? ''))),
  marks: [
    [/@(?:Disabled|Ignore)\b/, 'skip'],
    [/@Disabled(?:If|On|For)\w*/, 'skip', 'if'],
    [/@Enabled(?:If|On|For)\w*/, 'skip', 'unless'],
    [/@Test\s*\([^)]*enabled\s*=\s*false/, 'skip'],
    [/@Test\s*\([^)]*expected\w*\s*=/, 'xfail'],
  ],
  assertingMarks: /@Test\s*\([^)]*expected\w*\s*=/,
  swallows: /^catch\s*\([^)]*\b(?:Throwable|Error|AssertionError|AssertionFailedError)\b/,
};
