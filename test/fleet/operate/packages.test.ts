import { expect, test } from 'vitest';
import { programs } from '../../support/cli/programs.ts';

test('a program without the packages of the engine says what to install', () => {
  const { installed, run } = programs();
  const { code, stdout, stderr } = run(
    installed('9.9.9'),
    'fleet',
    'status',
    '--queue',
    'redis://127.0.0.1:1',
  );
  expect(stderr).toMatch(/bullmq is not installed.*npm install -g bullmq@\d/);
  expect([code, stdout]).toEqual([2, '']);
});
