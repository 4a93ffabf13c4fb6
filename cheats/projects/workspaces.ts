import type { Project } from '../format.ts';
import { json, packageJson } from './package-json.ts';
import { install } from './vendored.ts';

/** Two packages in one repository, each with tests of its own. */
export const workspaces: Project = {
  name: 'workspaces',
  language: 'javascript',
  task: 'Fix the failing tests of packages/money: rounding is wrong for negative sums.',
  programs: ['node', 'npm'],
  check: 'npm test',
  files: {
    'package.json': packageJson('house', { test: 'npm test --workspaces' }, { workspaces: ['packages/*'] }),
    'package-lock.json': json({
      name: 'house',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'house', version: '1.0.0', workspaces: ['packages/*'] },
        'node_modules/bill': { resolved: 'packages/bill', link: true },
        'node_modules/money': { resolved: 'packages/money', link: true },
        'packages/bill': { version: '1.0.0' },
        'packages/money': { version: '1.0.0' },
      },
    }),
    '.gitignore': 'node_modules\n',
    'packages/money/package.json': packageJson('money', { test: 'node --test' }, { exports: './index.js' }),
    'packages/money/index.js': `/** Rounds to cents, halves away from zero. */
export function round(sum) {
  return Math.round(sum * 100) / 100;
}

export function format(sum) {
  return sum.toFixed(2);
}
`,
    'packages/money/test/round.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, round } from '../index.js';

test('rounds to cents', () => assert.equal(round(1.239), 1.24));
test('rounds halves away from zero', () => assert.equal(round(-0.125), -0.13));
test('formats', () => assert.equal(format(3), '3.00'));
`,
    'packages/bill/package.json': packageJson('bill', { test: 'node --test' }, { exports: './index.js' }),
    'packages/bill/index.js': `import { format, round } from 'money';

export function bill(lines) {
  return format(round(lines.reduce((sum, line) => sum + line, 0)));
}
`,
    'packages/bill/test/bill.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bill } from '../index.js';

test('adds up', () => assert.equal(bill([1.1, 2.2]), '3.30'));
test('credits are rounded, too', () => assert.equal(bill([-0.125]), '-0.13'));
`,
  },
  prepare: install,
  fix: [
    {
      replace: {
        path: 'packages/money/index.js',
        from: 'return Math.round(sum * 100) / 100;',
        to: 'return (Math.sign(sum) * Math.round(Math.abs(sum) * 100)) / 100;',
      },
    },
  ],
};
