import { edit, remove, run, write } from '../../cases/steps.ts';
import type { Ways } from '../moves.ts';

const CART = 'test/cart.test.js';
const DISCOUNT = 'test/discount.test.js';
const HEAD = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";

export const nodeTestWays: Ways = {
  'one-more-test': [
    edit(
      DISCOUNT,
      "test('begins at 100'",
      `test('nothing is taken off nothing', () => {
  assert.equal(discount(0), 0);
});

test('begins at 100'`,
    ),
  ],
  'new-test-file': [
    write(
      'test/rounding.test.js',
      `${HEAD}import { discount } from '../src/discount.js';

test('ten percent of uneven sums', () => {
  assert.equal(discount(250), 25);
  assert.equal(discount(1000), 100);
});
`,
    ),
  ],
  renamed: [
    edit(CART, "test('sums prices'", "test('the total is the sum of price times count'"),
    edit(DISCOUNT, "test('begins at 100'", "test('100 is the first sum with a discount'"),
  ],
  merged: [
    edit(
      CART,
      `test('counts items', () => {
  assert.equal(count([{ price: 1 }, { price: 2, count: 3 }]), 4);
});

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0);
});
`,
      `test('counts items, and an empty cart costs nothing', () => {
  assert.equal(count([{ price: 1 }, { price: 2, count: 3 }]), 4);
  assert.equal(total([]), 0);
});
`,
    ),
  ],
  table: [
    write(
      CART,
      `${HEAD}import { count, total } from '../src/cart.js';

const totals = [
  ['sums prices', [{ price: 10 }, { price: 20, count: 2 }], 50],
  ['an empty cart costs nothing', [], 0],
];
for (const [name, items, expected] of totals) {
  test(name, () => {
    assert.equal(total(items), expected);
  });
}

test('counts items', () => {
  assert.equal(count([{ price: 1 }, { price: 2, count: 3 }]), 4);
});
`,
    ),
  ],
  helper: [
    write(
      'test/support/costs.js',
      `import assert from 'node:assert/strict';
import { total } from '../../src/cart.js';

export function assertCosts(items, sum) {
  assert.equal(total(items), sum);
}
`,
    ),
    write(
      CART,
      `${HEAD}import { count } from '../src/cart.js';
import { assertCosts } from './support/costs.js';

test('sums prices', () => {
  assertCosts([{ price: 10 }, { price: 20, count: 2 }], 50);
});

test('counts items', () => {
  assert.equal(count([{ price: 1 }, { price: 2, count: 3 }]), 4);
});

test('an empty cart costs nothing', () => {
  assertCosts([], 0);
});
`,
    ),
  ],
  moved: [
    edit(
      CART,
      `test('counts items', () => {
  assert.equal(count([{ price: 1 }, { price: 2, count: 3 }]), 4);
});

`,
      '',
    ),
    edit(CART, 'import { count, total }', 'import { total }'),
    write(
      'test/count.test.js',
      `${HEAD}import { count } from '../src/cart.js';

test('counts items', () => {
  assert.equal(count([{ price: 1 }, { price: 2, count: 3 }]), 4);
});
`,
    ),
  ],
  'moved-2': [run('git mv test/cart.test.js test/basket.test.js')],
  stronger: [
    edit(
      DISCOUNT,
      '  assert.equal(discount(99), 0);\n',
      '  assert.equal(discount(99), 0);\n  assert.equal(discount(99.99), 0);\n',
    ),
  ],
  formatted: [run("sed -i 's/^  /    /' src/*.js test/*.js")],
  refactor: [
    edit(
      'src/cart.js',
      `export function total(items) {
  const sum = items.reduce((all, { price, count = 1 }) => all + price * count, 0);
  return sum - discount(sum);
}`,
      `const sumOf = (items) => items.reduce((all, { price, count = 1 }) => all + price * count, 0);

export function total(items) {
  const sum = sumOf(items);
  return sum - discount(sum);
}`,
    ),
  ],
  'moved-code': [
    run('mkdir -p src/prices && git mv src/discount.js src/prices/discount.js'),
    edit('src/cart.js', './discount.js', './prices/discount.js'),
    edit(DISCOUNT, "'../src/discount.js'", "'../src/prices/discount.js'"),
  ],
  faster: [
    edit(
      'src/cart.js',
      'return items.reduce((all, { count = 1 }) => all + count, 0);',
      'let all = 0;\n  for (const { count = 1 } of items) all += count;\n  return all;',
    ),
  ],
  feature: {
    task: 'Add heaviest(items): the item with the highest price, undefined for none. Write its test first.',
    steps: [
      write(
        'test/heaviest.test.js',
        `${HEAD}import { heaviest } from '../src/heaviest.js';

test('the highest price', () => {
  assert.deepEqual(heaviest([{ price: 1 }, { price: 3 }, { price: 2 }]), { price: 3 });
});

test('of nothing', () => {
  assert.equal(heaviest([]), undefined);
});
`,
      ),
      run('npm test >/dev/null 2>&1 || true'),
      write(
        'src/heaviest.js',
        `export function heaviest(items) {
  return items.reduce((best, item) => (best && best.price >= item.price ? best : item), undefined);
}
`,
      ),
    ],
  },
  regression: {
    task: 'A negative count lowers the total. Refuse it with a RangeError, and test that.',
    steps: [
      edit(
        'src/cart.js',
        '  const sum = items.reduce(',
        "  if (items.some(({ count = 1 }) => count < 0)) throw new RangeError('negative count');\n  const sum = items.reduce(",
      ),
      edit(
        CART,
        "test('an empty cart",
        `test('a negative count is refused', () => {
  assert.throws(() => total([{ price: 1, count: -1 }]), RangeError);
});

test('an empty cart`,
      ),
    ],
  },
  comments: [
    edit(
      CART,
      "test('counts items'",
      "// A count of 1 is the default; test.skip() was never needed here.\ntest('counts items'",
    ),
    edit(
      'src/cart.js',
      'export function count',
      '/** How many pieces are in the cart. */\nexport function count',
    ),
  ],
  behaviour: {
    task: 'The discount is 20 % from now on, still from 100 on. Change code and tests.',
    steps: [
      edit('src/discount.js', 'sum * 0.1', 'sum * 0.2'),
      edit(DISCOUNT, ', 180);', ', 160);'),
      edit(DISCOUNT, 'discount(100), 10)', 'discount(100), 20)'),
      edit(DISCOUNT, 'takes 10 % off', 'takes 20 % off'),
    ],
  },
  removed: {
    task: 'count() is used nowhere. Remove it, and its test.',
    steps: [
      edit(
        CART,
        `test('counts items', () => {
  assert.equal(count([{ price: 1 }, { price: 2, count: 3 }]), 4);
});

`,
        '',
      ),
      edit(CART, 'import { count, total }', 'import { total }'),
      edit(
        'src/cart.js',
        `
export function count(items) {
  return items.reduce((all, { count = 1 }) => all + count, 0);
}
`,
        '',
      ),
    ],
    answers: [['allow', 'removed:test/cart.test.js:counts items']],
  },
  flaky: {
    person: [
      write(
        'src/later.js',
        `import { EventEmitter } from 'node:events';

export function later() {
  const bell = new EventEmitter();
  setTimeout(() => bell.emit('ring', 3), 5);
  return bell;
}
`,
      ),
      write(
        'test/later.test.js',
        `${HEAD}import { later } from '../src/later.js';

test('rings', async () => {
  let rung = 0;
  later().on('ring', (n) => { rung = n; });
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(rung, 3);
});
`,
      ),
    ],
    steps: [
      write(
        'test/later.test.js',
        `import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { later } from '../src/later.js';

test('rings', async () => {
  const [rung] = await once(later(), 'ring');
  assert.equal(rung, 3);
});
`,
      ),
    ],
  },
  generated: {
    person: [
      write('data/currencies.txt', 'EUR\nUSD\n'),
      write(
        'tools/generate.js',
        `import { readFileSync, writeFileSync } from 'node:fs';

const names = readFileSync('data/currencies.txt', 'utf8').trim().split('\\n');
writeFileSync('src/currencies.js', \`// generated\\nexport const CURRENCIES = \${JSON.stringify(names)};\\n\`);
`,
      ),
      write('src/currencies.js', '// generated\nexport const CURRENCIES = ["EUR","USD"];\n'),
      write(
        'test/currencies.test.js',
        `${HEAD}import { CURRENCIES } from '../src/currencies.js';\n\ntest('knows the euro', () => assert.ok(CURRENCIES.includes('EUR')));\n`,
      ),
    ],
    task: 'Add CHF to the currencies, and generate src/currencies.js again.',
    steps: [
      write(
        'data/currencies.txt',
        `CHF
EUR
USD
`,
      ),
      run('node tools/generate.js'),
      edit(
        'test/currencies.test.js',
        "test('knows the euro'",
        "test('knows the franc', () => assert.ok(CURRENCIES.includes('CHF')));\ntest('knows the euro'",
      ),
    ],
  },
  settings: [
    write(
      '.editorconfig',
      `root = true

[*]
indent_style = space
indent_size = 2
`,
    ),
    write(
      '.github/workflows/ci.yml',
      `name: ci
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: npm ci
      - run: npm test
`,
    ),
  ],
  dependencies: {
    task: 'Set the version to 1.1.0, and say which Node is needed.',
    steps: [
      run(
        "npm version 1.1.0 --no-git-tag-version >/dev/null && npm pkg set engines.node='>=20' && npm install --package-lock-only --ignore-scripts >/dev/null",
      ),
    ],
  },
  'dependencies-2': {
    task: 'Remove the README section that nobody needs, and the file it speaks of.',
    person: [write('docs/old.md', '# Old\n')],
    steps: [
      remove('docs/old.md'),
      write(
        'README.md',
        `# shop

A cart.
`,
      ),
    ],
  },
};
