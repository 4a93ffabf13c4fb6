import { expect, onTestFinished, test } from 'vitest';
import { hookScene } from '../../support/hook/hook-scene.ts';
import { contractWith, PASS, run } from '../../support/hook/judging.ts';

test('between "judge this Stop" and a gate lie five calls, each named for what it adds', async () => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  let stack = '';
  const scene = hookScene({
    tests: () => {
      stack = new Error('here').stack ?? '';
      return PASS;
    },
  });
  scene.begin(contractWith({ tests: run('npm test') }));
  await scene.stop();
  const calls = [...stack.matchAll(/at (?:async )?(\w+) \(.*\/src\/engine\/judging\//g)].map(
    ([, name]) => name,
  );
  // `judgeStop` calls `judgeEvent`, which is the fifth: they hand the promise of `judge` on, so they are on no stack.
  expect(calls).toEqual(['judgeGate', 'evaluateGates', 'judgeTree', 'judge']);
});
