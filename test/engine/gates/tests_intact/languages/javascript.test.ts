import { describe, expect, test } from 'vitest';
import { idsOf, type SourceRow } from '../../../../support/gates/weakenings.ts';

const JS = `import { test, expect, describe } from 'vitest';
describe('math', () => {
  test('adds', () => {
    expect(add(1, 2)).toBe(3);
    expect(add(0, 0)).toBe(0);
  });
  it('divides', async () => {
    await expect(divide(1, 0)).rejects.toThrow('zero');
  });
});
`;

/** What a file calls the functions of its runner. Each row: what stands before, and the call with and without a mark. */
const CALLED: Record<string, [before: string, good: string, bad: string]> = {
  'a module that is called': ['', `require('node:test')`, `require('node:test').skip`],
  'a member of a module': ['', `require('node:test').test`, `require('node:test').test.skip`],
  'a member with another name': ['', `require("mocha").it`, `require("mocha").xit`],
  'a module that is waited for': [
    '',
    `(await import('node:test')).test`,
    `(await import('node:test')).test.skip`,
  ],
  'a default that is waited for': [
    '',
    `(await import('node:test')).default`,
    `(await import('node:test')).default.skip`,
  ],
  'import =': [`import check = require('node:test');`, 'check', 'check.skip'],
  'a constant': [`const check = require('node:test');`, 'check', 'check.skip'],
  'a constant of a member': [`const check = require('node:test').test;`, 'check', 'check.skip'],
  'destructuring with another name': [`const { test: check } = require('node:test');`, 'check', 'check.skip'],
  'destructuring of a mark': [`const { test, skip } = require('node:test');`, 'test', 'skip'],
  'destructuring of a mark with another name': [
    `const { test: check, only: later } = test;`,
    'test',
    'later',
  ],
  'destructuring of what is waited for': [
    `const { it: check } = await import('vitest');`,
    'check',
    'check.skip',
  ],
  'import as': [`import { test as check } from 'vitest';`, 'check', 'check.skip'],
  'import of a default': [`import check from 'ava';`, 'check', 'check.skip'],
  'import of a default by name': [`import { default as check } from 'node:test';`, 'check', 'check.skip'],
  'import of all': [`import * as runner from 'node:test';`, 'runner.test', 'runner.test.skip'],
  'a name for a name': [
    `import { it as a } from 'vitest';\nconst b = a;\nconst check = b;`,
    'check',
    'check.skip',
  ],
  'a name for a mark': ['const check = it;\nconst later = it.skip;', 'check', 'later'],
  fixtures: ['const check = test.extend({ page: 1 });', 'check', 'check.skip'],
  'a table': ['const check = test.each([1]);\nconst later = test.skip.each([1]);', 'check', 'later'],
};

test.each(Object.entries(CALLED))(
  'a test is seen by %s, and what becomes of it',
  async (_, [before, good, bad]) => {
    const file = (called: string, second = good) =>
      `${before}\n${called}('adds', () => { expect(add(1, 2)).toBe(3); });\n${second}('stays', () => { expect(1 + x).toBe(2); });\n`;
    const kind = bad.endsWith('later') && before.includes('only:') ? 'only' : 'skip';
    expect(await idsOf('a.test.ts', file(good), file(bad))).toEqual([`${kind}:*:adds`]);
    expect(await idsOf('a.test.ts', file(good), file(good).replace(/^.*'adds'.*$/m, ''))).toEqual([
      'removed:*:adds',
    ]);
    expect(await idsOf('a.test.ts', file(good), file(good))).toEqual([]);
  },
);

test('a parameter, and a function of the file, are not the runner', async () => {
  const file = (skip: string) => `import { test as t } from 'node:test';
test('adds', (t) => { t.plan(1); expect(add(1, 2)).toBe(3); });
const later = (name, fn) => fn();
later${skip}('x', () => {});
`;
  expect(await idsOf('a.test.ts', file(''), file('.skip'))).toEqual([]);
});

describe('JavaScript and TypeScript', () => {
  const edit = (...changes: [from: string, to: string][]) =>
    changes.reduce((text, [from, to]) => {
      expect(text).toContain(from);
      return text.replace(from, to);
    }, JS);

  test.each<[what: string, after: () => string, ids: string[]]>([
    ['nothing changed', () => JS, []],
    ['.skip', () => edit(["test('adds'", "test.skip('adds'"]), ['skip:*:adds']],
    ['.only', () => edit(["it('divides'", "it.only('divides'"]), ['only:*:divides']],
    [
      '.todo instead of a body',
      () => edit([/test\('adds'[\s\S]*?\}\);/.exec(JS)?.[0] ?? '', "test.todo('adds');"]),
      ['skip:*:adds', 'emptied:*:adds'],
    ],
    ['.fails', () => edit(["it('divides'", "it.fails('divides'"]), ['xfail:*:divides']],
    ['xit', () => edit(["it('divides'", "xit('divides'"]), ['skip:*:divides']],
    ['a chain', () => edit(["it('divides'", "it.concurrent.skip('divides'"]), ['skip:*:divides']],
    ['skipIf', () => edit(["it('divides'", "it.skipIf(true)('divides'"]), ['skip:*:divides']],
    ['an option', () => edit(["'divides', async", "'divides', { skip: true }, async"]), ['skip:*:divides']],
    ['describe.skip', () => edit(["describe('math'", "describe.skip('math'"]), ['skip:*:math']],
    ['a skip inside', () => edit(['async () => {', 'async (t) => { t.skip();']), ['skip:*:divides']],
    [
      'an emptied test',
      () => edit([`\n    expect(add(1, 2)).toBe(3);\n    expect(add(0, 0)).toBe(0);\n  `, '']),
      ['emptied:*:adds'],
    ],
    [
      'a test that returns at once',
      () => edit(['expect(add(1', 'return;\n    expect(add(1']),
      ['assertions:*:adds'],
    ],
    [
      'a removed test',
      () => edit([/ {2}it\('divides'[\s\S]*?\}\);\n/.exec(JS)?.[0] ?? '', '']),
      ['removed:*:divides'],
    ],
    [
      'a test in a comment',
      () => edit(["it('divides'", "/* it('divides'"], ["'zero');\n  });", "'zero');\n  }); */"]),
      ['removed:*:divides'],
    ],
    ['a lost assertion', () => edit(['    expect(add(0, 0)).toBe(0);\n', '']), ['(assertions:*:adds)']],
    ['an assertion in a comment', () => edit(['expect(add(0', '// expect(add(0']), ['(assertions:*:adds)']],
    [
      'an assertion that says nothing',
      () => edit(['expect(add(1, 2)).toBe(3)', 'expect(true).toBe(true)']),
      ['(assertions:*:adds)'],
    ],
    [
      'a condition that is always true',
      () => edit(['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2) === 3 || true).toBe(true)']),
      ['(assertions:*:adds)'],
    ],
    ['another expected value', () => edit(['toBe(3)', 'toBe(4)']), []],
    ['a stricter matcher', () => edit(['toBe(3)', 'toStrictEqual(3)']), []],
    ['a renamed test', () => edit(["'adds'", "'adds two numbers'"]), []],
    ['renamed identifiers', () => edit(['add(1, 2)', 'sum(1, 2)'], ['add(0, 0)', 'sum(0, 0)']), []],
    [
      'a test split in two',
      () =>
        edit([
          '    expect(add(0, 0)).toBe(0);\n  });',
          "  });\n  test('adds nothing', () => {\n    expect(add(0, 0)).toBe(0);\n  });",
        ]),
      [],
    ],
    [
      'an assertion moved into a helper',
      () =>
        edit(
          ["describe('math'", "function checkZero() {\n  expect(add(0, 0)).toBe(0);\n}\ndescribe('math'"],
          ['    expect(add(0, 0)).toBe(0);\n  });', '    checkZero();\n  });'],
        ),
      [],
    ],
    [
      'an added test',
      () =>
        edit(["  it('divides'", "  it('subtracts', () => { expect(1).toBe(sub(2, 1)); });\n  it('divides'"]),
      [],
    ],
    [
      'comments and layout',
      () => edit(["  test('adds', () => {", "  // about it.skip('adds')\n  test(\n    'adds',\n    () => {"]),
      [],
    ],
    ['words in strings', () => edit(["'zero'", '"it.skip(\'x\') and debugger"']), []],
    ['a timeout', () => edit(["'zero');\n  });", "'zero');\n  }, 10_000);"]), []],
  ])('%s', async (_what, after, ids) => {
    expect(await idsOf('test/math.test.ts', JS, after())).toEqual(ids);
  });

  const table = (rows: string) => `test.each([${rows}])('%s', (a, b) => { expect(f(a)).toBe(b); });\n`;

  test.each<SourceRow>([
    ['more rows', table('[1, 2]'), table('[1, 2], [3, 4]'), []],
    [
      'assert',
      "it('a', () => { assert.equal(f(), 1); assert(g()); });",
      "it('a', () => { assert.equal(f(), 1); });",
      ['(assertions:*:a)'],
    ],
    [
      'assert that says nothing',
      "it('a', () => { assert.equal(f(), 1); });",
      "it('a', () => { assert.ok(true); });",
      ['emptied:*:a'],
    ],
    ['chai', "it('a', () => { f().should.equal(1); });", "it('a', () => { f(); });", ['assertions:*:a']],
    [
      'AVA',
      "test('a', (t) => { t.is(f(), 1); });",
      "test('a', (t) => { t.pass(); f(); });",
      ['(assertions:*:a)'],
    ],
    [
      'JSX and regular expressions',
      `it('a', () => { render(<p>Don't</p>); expect(x).toMatch(/it\\('b'/); });`,
      `it('a', () => { render(<p>Don't</p>); expect(x).toMatch(/it\\('c'/); });`,
      [],
    ],
    [
      'hooks are no tests',
      "test.beforeEach(() => { expect(1).toBe(f()); });\nit('a', () => { expect(f()).toBe(1); });",
      "it('a', () => { expect(f()).toBe(1); });",
      ['(assertions:*)'],
    ],
    [
      'a skip that was there',
      "it.skip('a', () => { expect(f()).toBe(1); });",
      "it.skip('a', () => { expect(f()).toBe(2); });",
      [],
    ],
    [
      'a skip that was taken away',
      "it.skip('a', () => { expect(f()).toBe(1); });",
      "it('a', () => { expect(f()).toBe(1); });",
      [],
    ],
    [
      'a name with quotes',
      `it("it's", () => { expect(f()).toBe(1); });`,
      `it.skip("it's", () => { expect(f()).toBe(1); });`,
      ["skip:*:it's"],
    ],
  ])('%s', async (_what, before, after, ids) => {
    expect(await idsOf('src/a.spec.tsx', before, after)).toEqual(ids);
  });
});
