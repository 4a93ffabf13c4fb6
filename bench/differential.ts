import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import type { HookScene } from './hook-scene.ts';
import { judgedLoop } from './judged-loop.ts';
import { compareMedians, type Row } from './report.ts';

const MODULES = 20;
const TIMES = 3;
const COMMAND = 'node --test';

/** Measures a Stop with the gate `differential`, in runs of the tests: for a change of 1, 5 and 20 hunks. */
export function measureDifferential(scene: HookScene): Row[] {
  return [1, 5, MODULES].map((hunks) => {
    const rounds = Array.from({ length: TIMES }, (_, n) => judgedOnce(scene, hunks, n));
    return compareMedians(
      rounds.map(({ stop }) => stop),
      rounds.map(({ test }) => test),
      {
        name: `Stop with differential, ${hunks} changed ${hunks === 1 ? 'hunk' : 'hunks'}`,
        against: 'one run of the tests',
      },
    );
  });
}

/** Every change is tested, so that each hunk has to be looked at. */
function judgedOnce(scene: HookScene, hunks: number, time: number): { stop: number; test: number } {
  const loop = judgedLoop(scene, `hunks-${hunks}-${time}`, {
    contract: `room: clean\ngates: { proof: { differential: "${COMMAND}" } }\n`,
    files: { ...files(hunks), 'package.json': '{ "type": "module", "private": true }\n' },
    git: true,
    mayEnd: true,
  });
  loop.write(files(0));
  const began = performance.now();
  const { status, stdout } = spawnSync('sh', ['-c', COMMAND], { cwd: loop.project, encoding: 'utf8' });
  const test = performance.now() - began;
  if (status !== 0) throw new Error(`the tests fail: ${stdout}`);
  return { stop: loop.stop('done, and verified'), test };
}

/** One module and one test each; the first so many modules return something else than their tests expect. */
function files(wrong: number): Record<string, string> {
  const texts = Array.from({ length: MODULES }, (_, n) => ({
    [`src/m${n}.js`]: `export function m${n}(x) {\n  return x * ${n + 2} + ${n < wrong ? 0 : 1};\n}\n`,
    [`test/m${n}.test.js`]: `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { m${n} } from '../src/m${n}.js';\n\ntest('m${n}', () => assert.equal(m${n}(3), ${(n + 2) * 3 + 1}));\n`,
  }));
  return Object.assign({}, ...texts);
}
