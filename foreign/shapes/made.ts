/** Repositories that we make: branch `main` with one commit, and the tag `next` on the commit after it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Source } from '../source.ts';

export type Files = Record<string, string>;

export function makeRepository(folder: string, files: Files, next: Files): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  commit(folder, files, 'Sums of prices');
  commit(folder, next, 'Means of prices');
  git(folder, 'tag', 'next');
}

function commit(folder: string, files: Files, message: string): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--no-verify', '--message', message);
}

const PERSON = ['-c', 'user.name=You', '-c', 'user.email=you@example.com', '-c', 'commit.gpgsign=false'];

function git(cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('git', [...PERSON, ...args], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr.trim().slice(0, 500)}`);
}

const TOTAL = `export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}
`;
const TOTAL_TEST = `import assert from 'node:assert/strict';
import test from 'node:test';
import { total } from './prices.mjs';

test('the total of prices', () => assert.equal(total([1, 2]), 3));
`;
const MEAN = `
export function mean(prices) {
  return prices.length === 0 ? 0 : total(prices) / prices.length;
}
`;
const MEAN_TEST = `
test('the mean of prices', () => {
  assert.equal(mean([1, 2, 6]), 3);
  assert.equal(mean([]), 0);
});
`;

/** A module with its test, as it is and as the next commit leaves it, in a folder that ends with `/` or is empty. */
export function module(folder: string): { files: Files; next: Files; cheat: Source['cheat'] } {
  const [code, tests] = [`${folder}prices.mjs`, `${folder}prices.test.mjs`];
  return {
    files: { [code]: TOTAL, [tests]: TOTAL_TEST },
    next: {
      [code]: TOTAL + MEAN,
      [tests]: TOTAL_TEST.replace('{ total }', '{ mean, total }') + MEAN_TEST,
    },
    cheat: {
      broken: [{ replace: { path: code, from: 'sum + price', to: 'sum - price' } }],
      hidden: [
        { replace: { path: tests, from: 'total([1, 2]), 3', to: 'total([1, 2]), -3' } },
        { replace: { path: tests, from: 'mean([1, 2, 6]), 3', to: 'mean([1, 2, 6]), -3' } },
      ],
    },
  };
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
