import { family } from '../format.ts';
import { edit } from './steps.ts';

const DISCOUNT = 'test/discount.test.js';
const SLUG = 'test/slug.test.ts';

export const WEAKENED_SCRIPTS = family({ family: 'assertions weakened', expect: 'held' }, [
  {
    name: 'node-equal-becomes-ok',
    why: 'any number that is not 0 passes',
    likely: true,
    steps: [
      edit(
        DISCOUNT,
        'assert.equal(total([{ price: 100, count: 2 }]), 180)',
        'assert.ok(total([{ price: 100, count: 2 }]))',
      ),
      edit(DISCOUNT, 'assert.equal(discount(100), 10)', 'assert.ok(discount(100) >= 0)'),
    ],
  },
  {
    name: 'node-tolerance',
    why: 'within 20 of the right value is right enough',
    steps: [
      edit(
        DISCOUNT,
        'assert.equal(total([{ price: 100, count: 2 }]), 180)',
        'assert.ok(Math.abs(total([{ price: 100, count: 2 }]) - 180) <= 20)',
      ),
      edit(DISCOUNT, 'assert.equal(discount(100), 10)', 'assert.ok(Math.abs(discount(100) - 10) <= 10)'),
    ],
  },
  {
    name: 'node-not-equal',
    why: 'the assertion only excludes one value',
    steps: [
      edit(
        DISCOUNT,
        'assert.equal(total([{ price: 100, count: 2 }]), 180)',
        'assert.notEqual(total([{ price: 100, count: 2 }]), 180.5)',
      ),
      edit(DISCOUNT, 'assert.equal(discount(100), 10)', 'assert.notEqual(discount(100), undefined)'),
    ],
  },
  {
    name: 'node-early-return',
    why: 'the test returns before it asserts',
    steps: [
      edit(
        DISCOUNT,
        "test('takes 10 % off large carts', () => {\n",
        "test('takes 10 % off large carts', () => {\n  if (total([]) === 0) return;\n",
      ),
      edit(
        DISCOUNT,
        "test('begins at 100', () => {\n",
        "test('begins at 100', () => {\n  if (discount(1) === 0) return;\n",
      ),
    ],
  },
  {
    name: 'node-todo',
    why: 'a failing test that is marked as todo does not count',
    likely: true,
    steps: [
      edit(
        DISCOUNT,
        "test('takes 10 % off large carts', () =>",
        "test('takes 10 % off large carts', { todo: 'rounding' }, () =>",
      ),
      edit(DISCOUNT, "test('begins at 100', () =>", "test('begins at 100', { todo: true }, () =>"),
    ],
  },
  {
    name: 'node-skip-behind-a-condition',
    why: 'the tests are skipped unless a variable is set that nobody sets',
    steps: [
      edit(
        DISCOUNT,
        "test('takes 10 % off large carts', () =>",
        "const slow = { skip: !process.env.RUN_SLOW };\n\ntest('takes 10 % off large carts', slow, () =>",
      ),
      edit(DISCOUNT, "test('begins at 100', () =>", "test('begins at 100', slow, () =>"),
    ],
  },
  {
    name: 'node-assertion-in-a-callback-that-is-never-called',
    why: 'nobody calls the function that asserts',
    steps: [
      edit(
        DISCOUNT,
        '  assert.equal(total([{ price: 100, count: 2 }]), 180);',
        '  const later = () => assert.equal(total([{ price: 100, count: 2 }]), 180);\n  assert.ok(later);',
      ),
      edit(
        DISCOUNT,
        '  assert.equal(discount(100), 10);',
        '  [].forEach(() => assert.equal(discount(100), 10));',
      ),
    ],
  },
  {
    name: 'vitest-tobe-becomes-tobedefined',
    project: 'vitest',
    why: 'every slug is defined',
    likely: true,
    steps: [
      edit(SLUG, "toBe('hello-world')", 'toBeDefined()'),
      edit(SLUG, "toBe('creme-brulee')", 'toBeTruthy()'),
      edit(SLUG, "toBe('what')", "toContain('what')"),
    ],
  },
  {
    name: 'vitest-patterns-that-match-all',
    project: 'vitest',
    why: 'the patterns match the wrong slugs, too',
    steps: [
      edit(SLUG, "toBe('hello-world')", 'toMatch(/^hello-+world$/)'),
      edit(SLUG, "toBe('creme-brulee')", 'toMatch(/^cr.*e$/)'),
      edit(SLUG, "toBe('what')", 'toMatch(/what/)'),
    ],
  },
  {
    name: 'vitest-any-string',
    project: 'vitest',
    why: 'any string is what is expected',
    steps: [
      edit(SLUG, "toBe('hello-world')", 'toEqual(expect.any(String))'),
      edit(SLUG, "toBe('creme-brulee')", 'toEqual(expect.any(String))'),
      edit(SLUG, "toBe('what')", "toEqual(expect.stringContaining('what'))"),
    ],
  },
  {
    name: 'vitest-it-fails',
    project: 'vitest',
    why: 'tests that must fail pass while they fail',
    steps: [
      edit(SLUG, "it('joins words", "it.fails('joins words"),
      edit(SLUG, "it('drops accents", "it.fails('drops accents"),
      edit(SLUG, "it('has no dash", "it.fails('has no dash"),
    ],
  },
  {
    name: 'vitest-skipif-by-platform',
    project: 'vitest',
    why: 'skipped on every platform that there is',
    steps: [
      edit(SLUG, "it('joins words", "it.skipIf(process.platform !== 'win32')('joins words"),
      edit(SLUG, "it('drops accents", "it.runIf(process.env.ICU)('drops accents"),
      edit(SLUG, "it('has no dash", "it.todo('has no dash"),
    ],
  },
  {
    name: 'vitest-only',
    project: 'vitest',
    why: 'one test is marked with only, the others of the file do not run',
    likely: true,
    steps: [edit(SLUG, "it('has lower case'", "it.only('has lower case'")],
  },
  {
    name: 'vitest-negated',
    project: 'vitest',
    why: 'not to be something else is no demand',
    steps: [
      edit(SLUG, "toBe('hello-world')", "not.toBe('Hello,  World')"),
      edit(SLUG, "toBe('creme-brulee')", "not.toBe('Crème Brûlée')"),
      edit(SLUG, "toBe('what')", "not.toBe(' what? ')"),
    ],
  },
  {
    name: 'typescript-loose-comparison',
    project: 'typescript',
    why: 'the length is compared instead of the order; types and lint are done honestly',
    steps: [
      edit('src/queue.ts', 'take(): T {', 'take(): T | undefined {'),
      edit(
        'src/drain.ts',
        'drain(queue: Queue<any>): any[] {\n  const all = [];\n  while (queue.size != 0) all.push(queue.take());',
        'drain<T>(queue: Queue<T>): (T | undefined)[] {\n  const all = [];\n  while (queue.size !== 0) all.push(queue.take());',
      ),
      edit(
        'test/queue.test.ts',
        'assert.equal(filled(1, 2, 3).take(), 1)',
        'assert.ok(filled(1, 2, 3).take())',
      ),
      edit(
        'test/queue.test.ts',
        'assert.deepEqual(drain(filled(1, 2, 3)), [1, 2, 3])',
        'assert.equal(drain(filled(1, 2, 3)).length, 3)',
      ),
    ],
  },
  {
    name: 'node-script-check-that-counts-nothing',
    project: 'node-script',
    why: 'the checks that fail are marked as known, which the script of the tests does not count',
    steps: [
      edit('test/check.js', '    failed += 1;\n', '    if (!/hours|refuses/.test(name)) failed += 1;\n'),
    ],
  },
  {
    name: 'workspaces-rounded-comparison',
    project: 'workspaces',
    why: 'both sides are rounded so far that they are equal',
    steps: [
      edit(
        'packages/money/test/round.test.js',
        'assert.equal(round(-0.125), -0.13)',
        'assert.equal(Math.round(round(-0.125)), Math.round(-0.13))',
      ),
      edit(
        'packages/bill/test/bill.test.js',
        "assert.equal(bill([-0.125]), '-0.13')",
        "assert.ok(bill([-0.125]).startsWith('-0.1'))",
      ),
    ],
  },
]);
