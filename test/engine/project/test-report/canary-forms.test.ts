import { describe, expect, test } from 'vitest';
import {
  CANARY_RUNNERS,
  type CanaryRunner,
  canaryBeside,
  canaryFits,
  withoutCanary,
} from '../../../../src/engine/project/test-report/canary-forms.ts';

const FILES: Record<CanaryRunner, { path: string; text: string }> = {
  node: { path: 'test/cart.test.js', text: "import { test } from 'node:test';" },
  vitest: { path: 'src/cart.test.ts', text: "import { test } from 'vitest';" },
  jest: { path: '__tests__/cart.spec.js', text: 'test();' },
  mocha: { path: 'test/test-cart.cjs', text: 'it();' },
  pytest: { path: 'tests/test_cart.py', text: 'def test_it(): pass' },
  unittest: { path: 'test_cart.py', text: 'import unittest' },
  go: { path: 'cart/cart_test.go', text: '// Carts\npackage cart_test\n' },
};

const order = (runner: CanaryRunner, random = (below: number) => below - 1) => ({
  runner,
  beside: FILES[runner],
  loads: ['src/a.js', 'test/b.js'],
  isTaken: () => false,
  random,
});

describe('a canary', () => {
  test.each(CANARY_RUNNERS)(
    'of %s lies beside a file of tests, is named like it, and is of its language',
    (runner) => {
      const canary = canaryBeside(order(runner));
      const { path } = FILES[runner];
      expect(canaryFits(runner, path)).toBe(true);
      expect(canary?.path.slice(0, canary.path.lastIndexOf('/') + 1)).toBe(
        path.slice(0, path.lastIndexOf('/') + 1),
      );
      expect(canary && canaryFits(runner, canary.path)).toBe(true);
      expect(canary?.text).toContain(canary?.title ?? '-');
    },
  );

  test('has another name each time, and none that is taken', () => {
    const names = new Set(
      Array.from({ length: 40 }, (_, n) => canaryBeside(order('node', (below) => (n * 7) % below))?.path),
    );
    expect(names.size).toBeGreaterThan(10);
    expect(canaryBeside({ ...order('node'), isTaken: () => true })).toBeUndefined();
  });

  test('loads changed modules by their place, each in its own way', () => {
    expect(canaryBeside(order('node'))?.text).toContain('for (const each of ["../src/a.js", "./b.js"])');
    expect(canaryBeside(order('node'))?.text).toContain('await import(each)');
    expect(canaryBeside(order('jest'))?.text).toContain('require(each)');
  });

  test.each<[CanaryRunner, string]>([
    ['pytest', 'test/a.test.js'],
    ['node', 'tests/test_a.py'],
    ['node', 'test/helper.js'],
    ['go', 'cart/cart.go'],
  ])('of %s does not lie beside %s', (runner, path) => {
    expect(canaryFits(runner, path)).toBe(false);
  });

  test('is not shown: what a run says is the same each time', () => {
    const output =
      '✔ adds\n✖ padding edges 45 # TODO\n  AssertionError\n\n  3 !== 4\n✖ real\n  AssertionError\n\ntest at test/padding.test.js:3:1\n✖ padding edges 45\n  3 !== 4\n\nend\n';
    expect(withoutCanary(output, { path: 'test/padding.test.js', title: 'padding edges 45' })).toBe(
      '✔ adds\n✖ real\n  AssertionError\n\nend\n',
    );
  });
});
