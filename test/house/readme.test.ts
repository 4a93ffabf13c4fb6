import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

test('the first two commands of the README run the main job and all tests', () => {
  const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');
  const commands = readme.match(/^npm .*$/gm)?.slice(0, 2);
  expect(commands?.map((line) => line.replace(/ +#.*$/, ''))).toEqual([
    'npm ci && npm run demo',
    'npm ci && npm test',
  ]);
});
