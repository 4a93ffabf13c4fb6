import { existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { promiseContract } from '../../../../src/engine/core/contract/contract.ts';
import { describeEntry } from '../../../../src/engine/core/words/entries.ts';
import { renderProcessId } from '../../../../src/engine/files/process-id.ts';
import { judgingWatch } from '../../../../src/engine/home/interrupted-judging.ts';
import { type HookScene, hookScene, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, PASS, run } from '../../../support/hook/judging.ts';

const TESTS = contractWith({ tests: run('npm test') });
const file = (scene: HookScene, kind = '') => join(scene.home.active, `s1${kind}`);

/** A scene in which it is seen, while the gate is judged, whether the session would be held. */
function watched(outcome = FAIL): HookScene & { seen: boolean[] } {
  const seen: boolean[] = [];
  const scene = hookScene({
    tests: () => {
      seen.push(existsSync(file(scene, '.judging')));
      return outcome;
    },
  });
  scene.ports.judging = judgingWatch(scene.home);
  return Object.assign(scene, { seen });
}

/** No process has this number. */
const DEAD = renderProcessId({ pid: 2 ** 30, started: '1', host: hostname() });

function cutOff(scene: HookScene, count?: string): void {
  writeFileSync(file(scene, '.judging'), `1\n${DEAD}{"loop":"l1","gates":["tests"]}\n`);
  if (count) writeFileSync(file(scene, '.cut'), `${count}\n`);
}

test.each([
  ['held', FAIL],
  ['let go', PASS],
])('a Stop that is %s is watched while it is judged, and leaves no sign', async (_, outcome) => {
  const scene = watched(outcome);
  scene.begin(TESTS);
  writeFileSync(file(scene, '.cut'), 'x\n');
  await scene.stop();
  expect(scene.seen).toEqual([true]);
  expect([existsSync(file(scene, '.judging')), existsSync(file(scene, '.cut'))]).toEqual([false, false]);
});

test('a Stop that cannot be answered leaves no sign either', async () => {
  const scene = watched();
  scene.begin(TESTS);
  scene.ports.store.append = () => {
    throw new Error('disk full');
  };
  await expect(scene.stop()).rejects.toThrow('disk full');
  expect(scene.seen).toEqual([true]);
  expect(existsSync(file(scene, '.judging'))).toBe(false);
});

test('a promise, and what nobody approved, is not watched', async () => {
  const asked: string[] = [];
  const scene = hookScene();
  const judging = judgingWatch(scene.home);
  scene.ports.judging = {
    ...judging,
    watch: (session) => asked.push(session),
    begin: (session) => {
      asked.push(session);
      return () => {};
    },
    takeInterrupted: (session) => void asked.push(session),
  };
  scene.begin(promiseContract('DONE', TESTS.limits), { fingerprint: '' });
  await scene.stop();
  expect(asked).toEqual([]);
  const other = watched();
  other.begin(TESTS, { fingerprint: 'another' });
  await other.stop();
  expect(other.seen).toEqual([]);
});

test.each([
  ['Stop', 'x', 'held: 1 in a row'],
  ['PreToolUse', 'xx', 'held: 2 in a row'],
  ['SessionEnd', 'xxx', 'letGo: 3 in a row'],
  ['UserPromptSubmit', undefined, undefined],
] as const)('%s writes down that a judging was cut off (%s)', async (name, count, then) => {
  const scene = watched();
  const ref = scene.begin(TESTS);
  cutOff(scene, count);
  const entries: string[] = [];
  const append = scene.store.append.bind(scene.store);
  scene.store.append = (at, build, options) =>
    append(
      at,
      (state) => {
        const entry = build(state);
        if (entry) entries.push(describeEntry(entry, state));
        return entry;
      },
      options,
    );
  if (name === 'Stop') await scene.stop();
  else await scene.hook({ name, tool: 'Read', input: {}, reason: 'other', prompt: 'go on' });
  const words = `cut off: something ended the hook while it judged tests${then ? `, ${then}` : ''}`;
  expect(entries[0]).toBe(`Stop (${words})`);
  expect(entries.filter((entry) => entry.includes('cut off'))).toHaveLength(1);
  expect(scene.store.read(ref)).toMatchObject({ status: 'active' });
});

test('a Stop that was held unjudged counts as one of the blocks that the client counts, and as no iteration', async () => {
  const scene = watched();
  scene.begin(TESTS);
  cutOff(scene, 'x');
  expect(reasonOf(await scene.stop())).toContain('Fails: tests');
  expect(scene.state()).toMatchObject({ blocksInARow: 2, iteration: 2 });
});
