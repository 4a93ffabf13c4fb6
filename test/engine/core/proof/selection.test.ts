import { describe, expect, test } from 'vitest';
import type { LoadedFiles } from '../../../../src/engine/core/proof/reach.ts';
import {
  failingUnits,
  mergedTests,
  narrowedTo,
  type Units,
  unitsOf,
  unitsToRepeat,
} from '../../../../src/engine/core/proof/selection.ts';
import type { Tally } from '../../../../src/engine/core/proof/test-results.ts';

const PASSED: Tally = { passed: 1, failed: 0, skipped: 0 };
const FAILED: Tally = { passed: 0, failed: 1, skipped: 0 };
const ran = (...names: string[]) => new Map(names.map((name) => [name, PASSED]));
const isTest = (path: string) => /test/.test(path);

function known(names: string[], paths: string[]): Units {
  const units = unitsOf([ran(...names)], paths, isTest);
  if (!units) throw new Error('the tests can only run together');
  return units;
}

const alone = { isLoaded: () => false, isNamed: () => false };

describe('tests that run by themselves', () => {
  test('are files of scripts and of Python, and packages of Go', () => {
    const script = known(['test/a.test.js > adds'], ['test/a.test.js', 'src/a.js']);
    expect(script.ofTest('test/a.test.js > adds')).toBe('test/a.test.js');
    const python = known(['tests.test_a.TestA > test_x'], ['tests/test_a.py', 'lib/tests/test_b.py']);
    expect(python.ofTest('tests.test_a.TestA > test_x')).toBe('tests/test_a.py');
    const go = known(
      ['shop.dev/shop > TestA', 'shop.dev/shop/in > TestB'],
      ['a_test.go', 'in/b_test.go', 'in/c_test.go'],
    );
    expect(go.all).toEqual([
      { name: './', files: ['a_test.go'] },
      { name: 'in/', files: ['in/b_test.go', 'in/c_test.go'] },
    ]);
    expect(go.ofFile('in/c_test.go')).toBe('in/');
  });

  test.each([
    ['of a file that no name tells', ['shop.CartTest > adds'], ['src/test/java/shop/CartTest.java']],
    ['of two files with one name', ['test_a.A > x'], ['tests/one/test_a.py', 'tests/two/test_a.py']],
    ['in files of code', ['src/lib.rs > tests::adds'], ['src/lib.rs']],
  ])('not those %s', (_, names, paths) => {
    expect(unitsOf([ran(...names)], paths, isTest)).toBeUndefined();
  });

  test('count by their tests', () => {
    const units = known(
      ['test/a.js > 1', 'test/a.js > 2', 'test/b.js > 1', 'test/c.js > 1'],
      ['test/a.js', 'test/b.js', 'test/c.js'],
    );
    expect(units.shareOf(new Set(['test/a.js']))).toBe(0.5);
  });
});

describe('a tree with some tests alone', () => {
  const paths = [
    'test/a.test.js',
    'test/b.test.js',
    'test/sub/c.test.js',
    'test/d.spec.js',
    'test/helper.js',
  ];
  const units = known(
    paths.slice(0, 4).map((path) => `${path} > t`),
    paths,
  );

  test('leaves out the others, and an empty file for each pattern that would find none', () => {
    expect(narrowedTo(new Set(['test/a.test.js']), units, alone)).toEqual({
      units: new Set(['test/a.test.js']),
      without: new Set(['test/b.test.js']),
      emptied: { 'test/sub/c.test.js': '\n', 'test/d.spec.js': '\n' },
    });
  });

  test('keeps what something loads, and empties what a command names', () => {
    const around = {
      isLoaded: (path: string) => path.includes('c.'),
      isNamed: (path: string) => path.includes('b.'),
    };
    const narrowed = narrowedTo(new Set(['test/a.test.js', 'test/d.spec.js']), units, around);
    expect(narrowed?.without).toEqual(new Set());
    expect(narrowed?.emptied).toEqual({ 'test/b.test.js': '\n' });
  });

  test('is none when everything is wanted, or nothing', () => {
    expect(narrowedTo(new Set(units.all.map(({ name }) => name)), units, alone)).toBeUndefined();
    expect(narrowedTo(new Set(), units, alone)).toBeUndefined();
  });
});

describe('tests of the start that have to run again', () => {
  const paths = ['test/a.test.js', 'test/b.test.js', 'test/c.test.js'];
  const units = known(
    paths.map((path) => `${path} > t`),
    paths,
  );
  const reach = (pairs: Record<string, string>): LoadedFiles => ({
    reaches: (own, files) => files.has(pairs[own] ?? ''),
  });

  test('are those that changed, and those that reach changed code', () => {
    const changed = { tests: ['test/a.test.js'], code: new Set(['src/b.js']) };
    expect(unitsToRepeat(units, changed, reach({ 'test/b.test.js': 'src/b.js' }))).toEqual(
      new Set(['test/a.test.js', 'test/b.test.js']),
    );
  });

  test('are those, too, that load a test that changed', () => {
    const changed = { tests: ['test/a.test.js'], code: new Set<string>() };
    expect(unitsToRepeat(units, changed, reach({ 'test/c.test.js': 'test/a.test.js' }))).toEqual(
      new Set(['test/a.test.js', 'test/c.test.js']),
    );
  });

  test('are all when a helper or a fixture changed, or code that nobody can follow', () => {
    expect(unitsToRepeat(units, { tests: ['test/helper.json'], code: new Set() }, reach({}))).toBeUndefined();
    expect(unitsToRepeat(units, { tests: [], code: 'unknown' }, reach({}))).toBeUndefined();
  });
});

test('what ran again counts in place of what ran with everything', () => {
  const isB = (name: string) => name.startsWith('b');
  const merged = mergedTests(
    ran('a > 1', 'b > 1'),
    new Map([
      ['b > 2', FAILED],
      ['c > stub', FAILED],
    ]),
    isB,
  );
  expect([...merged.keys()]).toEqual(['a > 1', 'b > 2']);
});

test('files whose tests no longer pass are failing: failed, or not run', () => {
  const paths = ['test/a.js', 'test/b.js', 'test/c.js'];
  const whole = ran(...paths.map((path) => `${path} > t`));
  const part = new Map([
    ['test/a.js > t', FAILED],
    ['test/b.js > t', PASSED],
  ]);
  expect(failingUnits(whole, part, known([...whole.keys()], paths))).toEqual(
    new Set(['test/a.js', 'test/c.js']),
  );
});
