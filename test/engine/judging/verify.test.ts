import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeReceipt, type Receipt } from '../../../src/engine/core/loop/receipt.ts';
import { end } from '../../../src/engine/core/loop/state.ts';
import { combine, type Verdict } from '../../../src/engine/core/loop/verdict.ts';
import type { Judges } from '../../../src/engine/gates/gate.ts';
import { traitsOf } from '../../../src/engine/gates/traits.ts';
import { rerun } from '../../../src/engine/judging/verify.ts';
import { systemShell } from '../../../src/engine/project/shell/shell.ts';
import { scratchAt } from '../../../src/engine/project/trees/scratch.ts';
import { freshLoop, T0, verdict } from '../../support/core/samples.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { contractWith, fakeJudges, frozenWith, run } from '../../support/hook/judging.ts';
import { type Scene, scene, write } from '../../support/project/project-scene.ts';

let place: Scene;
let copies: string;
let judges: Judges;
beforeEach(() => {
  place = scene();
  copies = temporaryFolder();
  judges = {
    ...fakeJudges(),
    shell: systemShell({ PATH: process.env.PATH }),
    scratch: () => scratchAt({ shadowDir: place.shadowDir, folder: copies }),
  };
});

const ran = (gate: string, command: string, exitCode = 0): Verdict =>
  verdict('pass', { gate, proof: { command, exitCode } });

async function receiptOf(
  verdicts: Verdict[],
  changes: { commit?: string; tree?: string | null } = {},
): Promise<Receipt> {
  const gates = Object.fromEntries(verdicts.map((v) => [v.gate, run(v.proof?.command)]));
  return makeReceipt(
    {
      state: end(freshLoop(), 'verified_done', 'gates_passed', 'x', T0),
      verdicts,
      frozen: frozenWith(contractWith(gates)),
      contractSha256: '',
      contractFileNow: null,
      task: { sha256: '', preview: '' },
      commit: null,
      tree: await place.workspace.tree(),
      journal: { lines: 1, lastLineSha256: '' },
      ...changes,
    },
    traitsOf,
  );
}

describe('the commands of a receipt, run again', () => {
  test('in a copy of the tree it speaks of, whatever the project is like by now', async () => {
    write(place.project, 'answer.txt', '42');
    const receipt = await receiptOf([ran('same', 'grep -q 42 answer.txt'), ran('other', 'exit 3')]);
    write(place.project, 'answer.txt', 'gone wrong');
    expect(await rerun(receipt, place.project, undefined, judges)).toEqual([
      { gate: 'same', command: 'grep -q 42 answer.txt', before: 0, now: 0, output: '' },
      { gate: 'other', command: 'exit 3', before: 0, now: 3, output: '' },
    ]);
  });
  test('leave nothing in the project and no copy behind', async () => {
    const receipt = await receiptOf([ran('writes', 'echo x > written; echo said')]);
    const results = await rerun(receipt, place.project, undefined, judges);
    expect(results).toMatchObject([{ now: 0, output: 'said\n' }]);
    expect(existsSync(join(place.project, 'written'))).toBe(false);
    expect(readdirSync(copies)).toEqual([]);
  });
  test('those of combined gates too, and none of what cannot be run by itself', async () => {
    const child = ran('tests', 'true');
    const custom = verdict('pass', {
      gate: 'mine',
      kind: 'custom',
      proof: { command: './mine.sh', exitCode: 0 },
    });
    const checks = verdict('pass', {
      gate: 'ci',
      kind: 'ci',
      proof: { command: 'gh pr checks', exitCode: 0 },
    });
    const receipt = await receiptOf([
      combine('all', 'ready', [child, custom]),
      checks,
      verdict('pass', { gate: 'x' }),
    ]);
    const results = await rerun(receipt, place.project, undefined, judges);
    expect(results).toMatchObject([{ gate: 'tests', now: 0 }]);
  });
  test('end by themselves or have no exit code', async () => {
    const receipt = await receiptOf([ran('killed', 'kill -KILL $$')]);
    const [killed] = (await rerun(receipt, place.project, undefined, judges)) as object[];
    expect(killed).toMatchObject({ gate: 'killed', before: 0 });
    expect(killed).not.toHaveProperty('now');
  });
});

describe('what comes before them', () => {
  test('a preparation that succeeds is there for all of them', async () => {
    const receipt = await receiptOf([ran('a', 'test -e made')]);
    expect(await rerun(receipt, place.project, 'touch made', judges)).toMatchObject([{ now: 0 }]);
  });
  test('a preparation that fails is a problem, and nothing else is run', async () => {
    const receipt = await receiptOf([ran('a', `touch ${place.folder}/ran`)]);
    expect(await rerun(receipt, place.project, 'echo no; exit 1', judges)).toEqual({
      problem: 'the preparation "echo no; exit 1" failed:\nno\n',
    });
    expect(existsSync(join(place.folder, 'ran'))).toBe(false);
    expect(readdirSync(copies)).toEqual([]);
  });
});

describe('a tree that cannot be had', () => {
  test('because the receipt names none', async () => {
    const receipt = await receiptOf([], { tree: null });
    expect(await rerun(receipt, place.project, undefined, judges)).toEqual({
      problem: 'this receipt names no tree',
    });
  });
  test('because it is not here: with what to do instead', async () => {
    const receipt = await receiptOf([ran('a', 'true')], { tree: 'f'.repeat(40), commit: 'c0ffee' });
    expect(await rerun(receipt, place.project, undefined, judges)).toEqual({
      problem: expect.stringMatching(
        /^the tree f+ cannot be found here \(.*\); check out commit c0ffee and run: untildone verify --fresh$/s,
      ),
    });
  });
  test('because it is no tree at all', async () => {
    const receipt = await receiptOf([ran('a', 'true')], { tree: '--help' });
    expect(await rerun(receipt, place.project, undefined, judges)).toMatchObject({
      problem: expect.stringContaining('does not name a tree'),
    });
  });
});
