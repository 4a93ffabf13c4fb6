import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import type { HookScene } from './hook-scene.ts';
import { type JudgedLoop, judgedLoop } from './judged-loop.ts';
import { compareMedians, type Row } from './report.ts';

const MODULES = 20;
const TIMES = 3;
const COMMAND = 'node --test';
/** Of each file of tests: a suite that ends at once would measure how programs begin. */
const TEST_MS = 150;

/** What a Stop may cost after a change of one file, in runs of the tests. */
const ONE_FILE = 1.5;

interface Round {
  test: number;
  first: number;
  second: number;
  failing: number;
}

/**
 * Measures a Stop with the contract that is proposed, the tests and their proof, in runs of the tests: after a change of
 * 1, 5 and 20 files of code and their tests, after one more such change in another loop, and when the tests fail.
 */
export function measureDifferential(scene: HookScene): Row[] {
  return [1, 5, MODULES].flatMap((files) => {
    const rounds = Array.from({ length: TIMES }, (_, n) => judged(scene, files, n));
    const what = `${files} changed ${files === 1 ? 'file' : 'files'} and their tests`;
    const row = (name: string, of: 'first' | 'second' | 'failing', target?: number): Row =>
      compareMedians(
        rounds.map((round) => round[of]),
        rounds.map(({ test }) => test),
        { name, against: 'one run of the tests', ...(target === undefined ? {} : { target }) },
      );
    return [
      row(`Stop with differential, ${what}`, 'first', files === 1 ? ONE_FILE : undefined),
      row(`the second one, ${what} again`, 'second', files === 1 ? ONE_FILE : undefined),
      ...(files === 1 ? [row('a Stop with differential whose tests fail', 'failing')] : []),
    ];
  });
}

function judged(scene: HookScene, changed: number, time: number): Round {
  const loop = judgedLoop(scene, `files-${changed}-${time}`, {
    contract: `room: clean\ngates:\n  tests: { run: "${COMMAND}" }\n  proof: { differential: "${COMMAND}" }\ndone: [tests, proof]\n`,
    files: { ...project(0, 0), 'package.json': '{ "type": "module", "private": true }\n' },
    git: true,
    mayEnd: true,
  });
  const stop = (round: number) => {
    loop.write(project(changed, round));
    return loop.stop('done, and verified');
  };
  const first = stop(1);
  const test = testsOf(loop);
  loop.restart();
  const second = stop(2);
  loop.restart();
  loop.write({ 'src/m0.js': 'export const m0 = () => 0;\n' });
  return { test, first, second, failing: loop.stop('not measured yet') };
}

function testsOf({ project: cwd }: JudgedLoop): number {
  const began = performance.now();
  const { status, stdout } = spawnSync('sh', ['-c', COMMAND], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the tests fail: ${stdout}`);
  return performance.now() - began;
}

/** One module and one file of tests each; the first so many have as many more functions as there were rounds. */
function project(changed: number, rounds: number): Record<string, string> {
  const texts = Array.from({ length: MODULES }, (_, n) => {
    const more = Array.from({ length: n < changed ? rounds : 0 }, (_, round) => round);
    return {
      [`src/m${n}.js`]: `export function m${n}(x) {\n  return x + ${n};\n}\n${more
        .map((round) => `\nexport function more${round}(x) {\n  return x * ${round + 2};\n}\n`)
        .join('')}`,
      [`test/m${n}.test.js`]: `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport * as code from '../src/m${n}.js';\n\ntest('m${n}', async () => {\n  await new Promise((done) => setTimeout(done, ${TEST_MS}));\n  assert.equal(code.m${n}(3), ${n + 3});\n});\n${more
        .map(
          (round) => `test('more${round}', () => assert.equal(code.more${round}(3), ${3 * (round + 2)}));\n`,
        )
        .join('')}`,
    };
  });
  return Object.assign({}, ...texts);
}
