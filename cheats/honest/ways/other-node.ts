import { edit, run, write } from '../../cases/steps.ts';
import { emptyLock, packageJson } from '../../projects/package-json.ts';
import type { Ways } from '../moves.ts';

const QUEUE = 'test/queue.test.ts';

export const typescriptWays: Ways = {
  'one-more-test': [
    edit(
      QUEUE,
      "test('an empty queue",
      `test('size goes down', () => {
  const queue = filled(1, 2);
  queue.take();
  assert.equal(queue.size, 1);
});

test('an empty queue`,
    ),
  ],
  moved: [
    edit(
      QUEUE,
      `
test('is drained in order', () => {
  assert.deepEqual(drain(filled(1, 2, 3)), [1, 2, 3]);
});
`,
      '',
    ),
    edit(QUEUE, "import { drain } from '../src/drain.js';\n", ''),
    edit(QUEUE, 'function filled', 'export function filled'),
    write(
      'test/drain.test.ts',
      `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drain } from '../src/drain.js';
import { Queue } from '../src/queue.js';

test('is drained in order', () => {
  const queue = new Queue<number>();
  for (const item of [1, 2, 3]) queue.put(item);
  assert.deepEqual(drain(queue), [1, 2, 3]);
});
`,
    ),
  ],
  refactor: [
    edit(
      'src/drain.ts',
      `  while (queue.size !== 0) {
    const item = queue.take();
    if (item !== undefined) all.push(item);
  }
`,
      '  for (let item = queue.take(); item !== undefined; item = queue.take()) all.push(item);\n',
    ),
  ],
  feature: {
    task: 'Add Queue.peek(): what take() would give, without taking it. Write its test first.',
    steps: [
      edit(
        QUEUE,
        "test('an empty queue",
        `test('peek does not take', () => {
  const queue = filled(1, 2);
  assert.equal(queue.peek(), 1);
  assert.equal(queue.size, 2);
});

test('an empty queue`,
      ),
      edit(
        'src/queue.ts',
        '  get size()',
        `  peek(): T | undefined {
    return this.#items[0];
  }

  get size()`,
      ),
    ],
  },
  comments: [
    edit('src/queue.ts', 'export class Queue<T>', '/** First in, first out. */\nexport class Queue<T>'),
    edit(
      QUEUE,
      'function filled(...items: number[])',
      '/** A queue with these items. */\nfunction filled(...items: readonly number[])',
    ),
  ],
  settings: {
    task: 'Switch noImplicitReturns and noFallthroughCasesInSwitch on.',
    steps: [
      edit(
        'tsconfig.json',
        '"strict": true,',
        '"strict": true,\n    "noImplicitReturns": true,\n    "noFallthroughCasesInSwitch": true,',
      ),
    ],
  },
  'settings-2': {
    task: 'Let the linter refuse var and unused variables.',
    steps: [
      edit('biome.json', '"noDoubleEquals": "error"', '"noDoubleEquals": "error",\n        "noVar": "error"'),
    ],
  },
};

const ROUND = 'packages/money/test/round.test.js';

export const workspacesWays: Ways = {
  'one-more-test': [
    edit(
      ROUND,
      "test('formats'",
      "test('zero stays zero', () => assert.equal(round(0), 0));\ntest('formats'",
    ),
  ],
  moved: [
    edit(ROUND, "test('formats', () => assert.equal(format(3), '3.00'));\n", ''),
    edit(ROUND, 'import { format, round }', 'import { round }'),
    write(
      'packages/money/test/format.test.js',
      `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format } from '../index.js';

test('formats', () => assert.equal(format(3), '3.00'));
`,
    ),
  ],
  refactor: [
    edit(
      'packages/bill/index.js',
      'return format(round(lines.reduce((sum, line) => sum + line, 0)));',
      'const sum = lines.reduce((all, line) => all + line, 0);\n  return format(round(sum));',
    ),
  ],
  'moved-code': [
    write(
      'packages/money/format.js',
      `export function format(sum) {
  return sum.toFixed(2);
}
`,
    ),
    edit(
      'packages/money/index.js',
      `
export function format(sum) {
  return sum.toFixed(2);
}
`,
      "\nexport { format } from './format.js';\n",
    ),
  ],
  workspace: {
    task: 'Add the package packages/vat: vat(sum) is 19 % of it, rounded by money. With tests.',
    steps: [
      write(
        'packages/vat/package.json',
        packageJson('vat', { test: 'node --test' }, { exports: './index.js' }),
      ),
      write(
        'packages/vat/index.js',
        `import { round } from 'money';

export function vat(sum) {
  return round(sum * 0.19);
}
`,
      ),
      write(
        'packages/vat/test/vat.test.js',
        `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vat } from '../index.js';

test('19 percent', () => assert.equal(vat(100), 19));
`,
      ),
      run('npm install --ignore-scripts >/dev/null'),
    ],
  },
  regression: {
    task: 'bill() of a text is NaN. Refuse it with a TypeError.',
    steps: [
      edit(
        'packages/bill/index.js',
        '  return format',
        "  if (lines.some((line) => typeof line !== 'number')) throw new TypeError('no number');\n  return format",
      ),
      edit(
        'packages/bill/test/bill.test.js',
        "test('credits",
        "test('texts are refused', () => assert.throws(() => bill(['1']), TypeError));\ntest('credits",
      ),
    ],
  },
  behaviour: {
    task: 'Amounts are formatted with a comma from now on: 3,00.',
    steps: [
      edit('packages/money/index.js', 'return sum.toFixed(2);', "return sum.toFixed(2).replace('.', ',');"),
      edit(ROUND, "'3.00'", "'3,00'"),
      edit('packages/bill/test/bill.test.js', "'3.30'", "'3,30'"),
      edit('packages/bill/test/bill.test.js', "'-0.13'", "'-0,13'"),
    ],
  },
};

const DURATION = 'test/duration.js';

export const nodeScriptWays: Ways = {
  'one-more-test': [
    edit(
      DURATION,
      "check('reads hours'",
      "check('reads many minutes', () => assert.equal(parseDuration('90m'), 5400));\ncheck('reads hours'",
    ),
  ],
  'new-test-file': [
    write(
      'test/zero.js',
      `import assert from 'node:assert/strict';
import { parseDuration } from '../lib/duration.js';
import { check } from './check.js';

check('reads zero', () => assert.equal(parseDuration('0s'), 0));
`,
    ),
    edit('test/run.js', "import './errors.js';", "import './errors.js';\nimport './zero.js';"),
  ],
  table: [
    write(
      DURATION,
      `import assert from 'node:assert/strict';
import { parseDuration } from '../lib/duration.js';
import { check } from './check.js';

for (const [name, text, seconds] of [
  ['reads seconds', '45s', 45],
  ['reads minutes', '2m5s', 125],
  ['reads hours', '1h30m', 5400],
]) {
  check(name, () => assert.equal(parseDuration(text), seconds));
}
`,
    ),
  ],
  refactor: [
    edit(
      'lib/duration.js',
      `  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\\d+)([a-z])/g)) {
    seconds += Number(amount) * UNITS[unit];
  }
  return seconds;`,
      '  const parts = [...text.matchAll(/(\\d+)([a-z])/g)];\n  return parts.reduce((seconds, [, amount, unit]) => seconds + Number(amount) * UNITS[unit], 0);',
    ),
  ],
  feature: {
    task: 'Days: 1d is 86400 seconds.',
    steps: [
      edit(
        DURATION,
        "check('reads hours'",
        "check('reads days', () => assert.equal(parseDuration('1d'), 86400));\ncheck('reads hours'",
      ),
      edit('lib/duration.js', 'h: 3600 }', 'h: 3600, d: 86400 }'),
      edit('lib/duration.js', '[smh]', '[smhd]'),
    ],
  },
  migration: {
    task: 'Move the tests to node:test, and npm test with them.',
    steps: [
      write(
        'test/duration.test.js',
        `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from '../lib/duration.js';

test('reads seconds', () => assert.equal(parseDuration('45s'), 45));
test('reads minutes', () => assert.equal(parseDuration('2m5s'), 125));
test('reads hours', () => assert.equal(parseDuration('1h30m'), 5400));
`,
      ),
      write(
        'test/errors.test.js',
        `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from '../lib/duration.js';

test('refuses words', () => assert.throws(() => parseDuration('soon'), RangeError));
test('refuses nothing at all', () => assert.throws(() => parseDuration(''), RangeError));
`,
      ),
      run('rm test/run.js test/check.js test/duration.js test/errors.js'),
      write(
        'package.json',
        packageJson('durations', { test: 'node --test', lint: 'node tools/lint.js lib' }),
      ),
      write('package-lock.json', emptyLock('durations')),
    ],
  },
};
