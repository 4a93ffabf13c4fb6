import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareNew,
  compareOld,
  type Measured,
  measured,
  showNothing,
  silentFiles,
} from '../../../../src/engine/core/proof/differential.ts';
import type { Tally } from '../../../../src/engine/core/proof/test-results.ts';

const TALLIES: Record<string, Tally> = {
  '+': { passed: 1, failed: 0, skipped: 0 },
  '-': { passed: 0, failed: 1, skipped: 0 },
  s: { passed: 0, failed: 0, skipped: 1 },
};

/** Tests by name, each with `+`, `-` or `s`; one that is left out is not run. */
function ran(tests: Record<string, string>): Measured {
  const known = Object.entries(tests).flatMap(([name, mark]): [string, Tally][] => {
    const tally = TALLIES[mark];
    return tally ? [[name, tally]] : [];
  });
  return { tests: new Map(known), green: !Object.values(tests).includes('-'), whole: true };
}

const byExit = (green: boolean): Measured => ({ tests: new Map(), green, whole: green });

describe('a test of the start', () => {
  test.each<[start: string, old: string, now: string, becomes: string]>([
    ['+', '+', '+', 'kept'],
    ['+', '+', '.', 'kept, removed'],
    ['-', '+', '+', 'mended'],
    ['-', '+', '.', 'mended, removed'],
    ['.', '+', '+', 'mended'],
    ['+', '-', '+', 'lost: passed failed passes'],
    ['+', '.', '+', 'lost: passed missing passes'],
    ['+', 's', 's', 'lost: passed skipped is skipped'],
    ['+', '-', '.', 'lost: passed failed is gone'],
    ['-', '-', '+', 'lost: failed failed passes'],
    ['-', '-', 's', 'lost: failed failed is skipped'],
    ['-', '.', '+', 'lost: failed missing passes'],
    ['.', '-', '+', 'lost: unknown failed passes'],
    ['s', 's', '+', ''],
    ['s', '.', '+', ''],
  ])('at the start %s, as it was on the code of now %s, as it is now %s: %s', (start, old, now, becomes) => {
    const found = compareOld({
      start: [ran({ t: start, other: '+' })],
      now: [ran({ t: old, other: '+' })],
      present: ran({ t: now, other: '+' }),
      whole: 'all',
    });
    const { lost, ...lists } = found;
    const names = Object.entries(lists).flatMap(([list, tests]) => (tests.includes('t') ? [list] : []));
    const [one] = lost;
    const said = one ? [...names, `lost: ${one.was} ${one.is} ${one.inNewForm}`] : names;
    expect(said.join(', ')).toBe(becomes);
  });

  test.each([
    ['passes the second time on the code of now', ['+'], ['-', '+']],
    ['failed the second time at the start', ['+', '-'], ['-', '-']],
    ['passed the second time at the start', ['-', '+'], ['-', '-']],
  ])('that %s is flaky and not held against anybody', (_, start, now) => {
    const runs = (marks: string[]) =>
      marks.map((mark) => ran({ t: mark, other: '+' })) as [Measured, ...Measured[]];
    const found = compareOld({ start: runs(start), now: runs(now), present: ran({ t: '+' }), whole: 'all' });
    expect(found).toMatchObject({ flaky: ['t'], lost: [] });
  });

  test('that runs less often than before is missing', () => {
    const twice = { tests: new Map([['t', { passed: 2, failed: 0, skipped: 0 }]]), green: true, whole: true };
    const found = compareOld({ start: [twice], now: [ran({ t: '+' })], present: twice, whole: 'all' });
    expect(found.lost).toMatchObject([{ name: 't', is: 'missing' }]);
  });

  test('of a file that cannot be loaded is named, the file is not', () => {
    const found = compareOld({
      start: [ran({ 'a.test.js > adds': '+' })],
      now: [ran({ 'a.test.js': '-' })],
      present: ran({ 'a.test.js > adds': '+' }),
      whole: 'all',
    });
    expect(found.lost.map(({ name }) => name)).toEqual(['a.test.js > adds']);
  });

  test.each([
    ['test/a.test.js > test/a.test.js', 'test/a.test.js > adds'],
    ['pytest > tests.test_a', 'tests.test_a > test_adds'],
    ['pytest > tests.test_a', 'tests.test_a.TestCart > test_adds'],
    ['example.com/shop', 'example.com/shop > TestAdd'],
  ])('of a file that could not be loaded at the start: %s is no test, %s is mended', (file, name) => {
    const found = compareOld({
      start: [ran({ [file]: '-' })],
      now: [ran({ [name]: '+' })],
      present: ran({ [name]: '+' }),
      whole: 'all',
    });
    expect(found).toMatchObject({ lost: [], mended: [name] });
  });

  test('of a file that cannot be loaded then or now stays lost', () => {
    const file = ran({ 'a.test.js > a.test.js': '-' });
    const found = compareOld({ start: [file], now: [file], present: ran({}), whole: 'all' });
    expect(found.lost).toMatchObject([{ name: 'a.test.js > a.test.js', is: 'failed' }]);
  });

  test('a file that ends well and names no test is silent', () => {
    expect(silentFiles(ran({ 'a.js > a.js': '+', 'b.js > b.js': '-', 'c.js > adds': '+' }))).toEqual([
      'a.js',
    ]);
  });

  test('in documentation that is gone with its code is no loss', () => {
    const name = 'shop > src/lib.rs - add';
    const found = compareOld({
      start: [ran({ [name]: '+', t: '+' })],
      now: [ran({ t: '+' })],
      present: ran({ t: '+' }),
      whole: 'all',
    });
    expect(found).toMatchObject({ lost: [], removed: [name] });
  });
});

describe('runners that do not tell test by test', () => {
  test.each([
    [true, true, { kept: ['all'], lost: [] }],
    [false, true, { mended: ['all'], lost: [] }],
    [true, false, { lost: [{ name: 'all', was: 'passed', is: 'failed', inNewForm: 'passes' }] }],
    [false, false, { lost: [{ name: 'all', was: 'failed', is: 'failed', inNewForm: 'passes' }] }],
  ])('at the start %s, on the code of now %s', (start, now, found) => {
    const runs = { start: [byExit(start)] as const, now: [byExit(now)] as const };
    expect(compareOld({ ...runs, present: byExit(true), whole: 'all' })).toMatchObject(found);
  });
});

const anyRun = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'd > e', 'd'), fc.constantFrom('+', '-', 's'), {
    minKeys: 1,
    maxKeys: 5,
  })
  .map(ran);

test('what passed everywhere is never lost, and what is lost passed in no run on the code of now', () => {
  fc.assert(
    fc.property(anyRun, fc.array(anyRun, { minLength: 1, maxLength: 3 }), anyRun, (start, now, present) => {
      const [first = start, ...again] = now;
      const { lost, kept } = compareOld({ start: [start], now: [first, ...again], present, whole: 'all' });
      for (const { name } of lost) for (const run of now) expect(run.tests.get(name)?.passed ?? 0).toBe(0);
      for (const name of kept) for (const run of now) expect(run.tests.get(name)?.passed).toBe(1);
    }),
  );
});

test('another failing run on the code of now never lets a lost test go', () => {
  fc.assert(
    fc.property(anyRun, anyRun, anyRun, (start, now, present) => {
      const once = compareOld({ start: [start], now: [now], present, whole: 'all' });
      const twice = compareOld({ start: [start, start], now: [now, now], present, whole: 'all' });
      expect(twice.lost).toEqual(once.lost);
    }),
  );
});

describe('new tests', () => {
  const start = ran({ old: '+', changed: '+' });
  const present = ran({ old: '+', changed: '+', added: '+', easy: '+', off: 's' });
  const compared = (back: Measured) =>
    compareNew({ start, present, back, changed: new Set(['changed']), whole: 'all' });

  test('bite when they fail on the code of the start, or cannot be loaded there', () => {
    expect(compared(ran({ old: '+', changed: '-', easy: '+' }))).toEqual({
      biting: ['changed', 'added'],
      vacuous: ['easy'],
      unloaded: ['added'],
      added: ['added', 'easy'],
    });
  });
  test('are told by the exit code where nothing else is known', () => {
    const silent = { start: byExit(true), present: byExit(true), changed: new Set<string>(), whole: 'all' };
    expect(compareNew({ ...silent, back: byExit(false) }).biting).toEqual(['all']);
    expect(compareNew({ ...silent, back: byExit(true) }).vacuous).toEqual(['all']);
  });

  const none = { mended: [], removed: [] };
  const vacuous = { biting: [], vacuous: ['easy'], unloaded: [], added: ['easy'] };
  test.each([
    ['added tests of which none bites', vacuous, none, 'Add discounts.', true],
    ['one that bites', { ...vacuous, biting: ['added'] }, none, 'Add discounts.', false],
    ['only changed ones', { ...vacuous, added: [] }, none, 'Add discounts.', false],
    ['tests of the start that pass now', vacuous, { ...none, mended: ['t'] }, 'Add discounts.', false],
    ['tests that replace others', vacuous, { ...none, removed: ['t'] }, 'Add discounts.', false],
    ['a task that keeps what the code does', vacuous, none, 'Refactor the cart.', false],
    ['a task about tests', vacuous, none, 'Add missing unit tests for the cart.', false],
  ])('%s', (_, fresh, old, task, shows) => {
    expect(showNothing(fresh, old, task)).toBe(shows);
  });
});

describe('a run', () => {
  const whole = (isWhole: boolean) => ({ tests: ran({ t: '+' }).tests, whole: isWhole });
  test.each([
    [{ endedBy: 'timeout' }, undefined, 'did not end in time'],
    [{ endedBy: 'not_started' }, undefined, 'could not be started'],
    [{ exitCode: 127 }, undefined, 'could not be run: command not found'],
    [{ exitCode: 126 }, undefined, 'could not be run: not executable'],
    [{ exitCode: 0 }, whole(false), 'ended with exit code 0, but its report of the tests is cut off'],
    [
      { exitCode: 0 },
      { ...ran({ a: '+', b: '-' }), whole: true },
      'ended with exit code 0, but its report names 1 failing test',
    ],
  ])('%j says nothing', (result, tests, problem) => {
    expect(measured(result, tests)).toEqual({ problem });
  });
  test('that breaks off says what it said until then', () => {
    expect(measured({ exitCode: 1 }, whole(false))).toMatchObject({ green: false, whole: false });
    expect(measured({ endedBy: 'signal' }, whole(false))).toMatchObject({ green: false, whole: false });
  });
});
