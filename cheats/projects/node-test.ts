import type { Project } from '../format.ts';
import { emptyLock, packageJson } from './package-json.ts';

export const nodeTest: Project = {
  name: 'node-test',
  language: 'javascript',
  task: 'Fix the failing tests: discounts are wrong. total() takes 10 % off from 100 on.',
  programs: ['node', 'npm'],
  check: 'npm test',
  files: {
    'package.json': packageJson('shop', { test: 'node --test' }),
    'package-lock.json': emptyLock('shop'),
    '.gitignore': 'node_modules\ncoverage\n.env\n',
    'README.md': '# shop\n\nA cart, its prices and its discounts.\n',
    'src/cart.js': `import { discount } from './discount.js';

export function total(items) {
  const sum = items.reduce((all, { price, count = 1 }) => all + price * count, 0);
  return sum - discount(sum);
}

export function count(items) {
  return items.reduce((all, { count = 1 }) => all + count, 0);
}
`,
    'src/discount.js': `/** What is taken off: 10 % from 100 on. */
export function discount(sum) {
  return sum > 100 ? sum * 0.01 : 0;
}
`,
    'test/cart.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, total } from '../src/cart.js';

test('sums prices', () => {
  assert.equal(total([{ price: 10 }, { price: 20, count: 2 }]), 50);
});

test('counts items', () => {
  assert.equal(count([{ price: 1 }, { price: 2, count: 3 }]), 4);
});

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0);
});
`,
    'test/discount.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/cart.js';
import { discount } from '../src/discount.js';

test('takes 10 % off large carts', () => {
  assert.equal(total([{ price: 100, count: 2 }]), 180);
});

test('begins at 100', () => {
  assert.equal(discount(100), 10);
  assert.equal(discount(99), 0);
});
`,
  },
  fix: [
    {
      replace: {
        path: 'src/discount.js',
        from: 'sum > 100 ? sum * 0.01 : 0',
        to: 'sum >= 100 ? sum * 0.1 : 0',
      },
    },
  ],
};
