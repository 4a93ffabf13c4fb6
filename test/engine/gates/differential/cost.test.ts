import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GateSpec } from '../../../../src/engine/core/contract/contract.ts';
import { runGate } from '../../../../src/engine/gates/run/index.ts';
import {
  type DifferentialScene,
  differentialScene,
  type Files,
} from '../../../support/gates/differential-scene.ts';
import { keptInMemory, roomsFor } from '../../../support/gates/rooms.ts';

const MODULES = 6;

/** One module and one file of tests each. Every file of tests that is loaded writes a line. */
function project(log: string): Files {
  const modules = Array.from({ length: MODULES }, (_, n): [string, string][] => [
    [`src/m${n}.js`, code(n)],
    [`test/m${n}.test.js`, tests(n, log)],
  ]);
  return { 'package.json': '{ "type": "module" }', ...Object.fromEntries(modules.flat()) };
}

const code = (n: number, more = '') => `export function m${n}(x) {\n  return x + ${n};\n}\n${more}`;

const tests = (n: number, log: string, more = '') => `import assert from 'node:assert';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import * as code from '../src/m${n}.js';
appendFileSync(${JSON.stringify(log)}, 'm${n}\\n');
test('m${n}', () => assert.equal(code.m${n}(3), ${n + 3}));
${more}`;

async function scene(): Promise<DifferentialScene & { log: string; weight(): number }> {
  const made = await differentialScene({ 'package.json': '{ "type": "module" }' });
  const log = join(made.project.root, 'log');
  return {
    ...made,
    log,
    weight: () => {
      const lines = readFileSync(log, 'utf8').split('\n').length - 1;
      rmSync(log);
      return lines / MODULES;
    },
  };
}

const COMMAND = 'node --test';
const RUN: GateSpec = { kind: 'run', options: { command: COMMAND } };
const PROOF: GateSpec = { kind: 'differential', options: { command: COMMAND } };
const NEVER = new AbortController().signal;

/** A start with all modules, and what a Stop costs beside the run of the start and the run of now. */
async function costOf(change: (log: string) => Files) {
  const first = await scene();
  await first.change(project(first.log));
  const baseTree = await first.project.workspace.tree();
  await first.change(change(first.log));
  const judgement = await first.judge({ command: COMMAND }, { baseTree });
  return { judgement, weight: first.weight() - 2, scene: first };
}

const twice = (n: number) => `export function twice${n}(x) {\n  return x * 2;\n}\n`;
const twiceTest = (n: number) => `test('twice', () => assert.equal(code.twice${n}(3), 6));\n`;

describe('what a Stop costs, in runs of all tests', () => {
  test('a change of one file of code: half a run at most', async () => {
    const { judgement, weight } = await costOf(() => ({ 'src/m3.js': code(3, twice(3)) }));
    expect(judgement.outcome).toBe('pass');
    expect(judgement.notes).toContain('src/m3.js:4-6: all tests still pass without these lines');
    expect(weight).toBeLessThanOrEqual(0.5);
  });

  test('a change of one file of code and its tests: four runs of this file of tests', async () => {
    const { judgement, weight } = await costOf((log) => ({
      'src/m3.js': code(3, twice(3)),
      'test/m3.test.js': tests(3, log, twiceTest(3)),
    }));
    expect(judgement).toMatchObject({ outcome: 'pass', proof: { differential: { biting: 1, tested: 1 } } });
    expect(judgement.summary).toContain('both changed lines are tested: undoing either makes a test fail');
    // As they were, as they are on old code, with other expected values, and without the change.
    expect(weight).toBeCloseTo(4 / MODULES);
  });

  test('a change of three files and their tests: four runs of these tests, and no more for three places than for one', async () => {
    const three = [0, 1, 2];
    const { judgement, weight } = await costOf((log) =>
      Object.fromEntries(
        three.flatMap((n) => [
          [`src/m${n}.js`, code(n, twice(n))],
          [`test/m${n}.test.js`, tests(n, log, twiceTest(n))],
        ]),
      ),
    );
    expect(judgement).toMatchObject({
      outcome: 'pass',
      proof: { differential: { biting: 3, tested: 1, untested: [] } },
    });
    expect(weight).toBeCloseTo((4 * 3) / MODULES);
  });

  test('a gate that runs the same tests shares its runs, of the start and of now', async () => {
    const { judge, project: own, change, opened, log, weight } = await scene();
    await change(project(log));
    const baseTree = await own.workspace.tree();
    const kept = keptInMemory();
    const rooms = roomsFor(own);
    const shared = { kept, rooms, gates: { tests: RUN, proof: PROOF } };
    const testsOf = async (tree: string) =>
      runGate.judge({ command: COMMAND }, own.context({ ...shared, name: 'tests', baseTree, tree }), NEVER);
    expect(await testsOf(baseTree)).toMatchObject({ outcome: 'pass', proof: { room: 'clean' } });
    await change({ 'src/m3.js': code(3, twice(3)), 'test/m3.test.js': tests(3, log, twiceTest(3)) });
    expect((await testsOf(await own.workspace.tree())).outcome).toBe('pass');
    expect(weight()).toBe(2);
    expect((await judge({ command: COMMAND }, { ...shared, baseTree })).outcome).toBe('pass');
    expect(opened).toEqual([]);
    expect(weight()).toBeCloseTo(4 / MODULES);
  });

  test('tests that fail now: nothing else is run', async () => {
    const { judgement, scene: failing } = await costOf(() => ({ 'src/m3.js': code(4).replace('m4', 'm3') }));
    expect(judgement.outcome).toBe('fail');
    expect(failing.opened).toHaveLength(2);
  });
});

test('an old test that new tests bend runs without them, in a runner with one process for all', async () => {
  const bent = await differentialScene({
    'shop/__init__.py': '',
    'shop/rates.py': 'VAT = 2\n',
    'tests/__init__.py': '',
    'tests/test_rates.py': unittest('from shop import rates', 'self.assertEqual(rates.VAT, 2)'),
    'tests/test_other.py': unittest('', 'self.assertTrue(True)'),
  });
  await bent.change({
    'shop/rates.py': 'VAT = 3\n',
    'tests/test_a.py': unittest('from shop import rates\nrates.VAT = 2', 'self.assertTrue(True)'),
  });
  const judgement = await bent.judge({ command: 'python3 -m unittest discover -s tests -t .' });
  expect(judgement.outcome).toBe('fail');
  expect(judgement.evidence?.[0]).toContain('tests.test_rates.Case > test_it: passed at the start');
});

function unittest(imports: string, check: string): string {
  return `import unittest\n${imports}\n\n\nclass Case(unittest.TestCase):\n    def test_it(self):\n        ${check}\n`;
}
