/** A journal that has lost its end: lines that somebody removed, and what a power cut leaves. */
import fs, {
  appendFileSync,
  copyFileSync,
  cpSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  DEFAULT_JUDGE_MS,
  DEFAULT_LIMITS,
  promiseContract,
} from '../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import { JournalScan } from '../../../src/engine/home/journal/scan.ts';
import { createHome, type Home, homeAt, readKey } from '../../../src/engine/home/layout.ts';
import { FileStore } from '../../../src/engine/home/store.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';
import { seenStop, T0, verdict } from '../../support/core/samples.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

let home: Home;
let ref: LoopRef;
const open = () => new FileStore(home, { now: () => T0 });
const held: Entry = {
  kind: 'stop',
  seen: seenStop(),
  verdicts: [verdict('fail')],
  decision: { kind: 'block', instruction: 'continue' },
};
const hold = () => open().append(ref, () => held);
const journal = () => open().journalFile(ref);
const lines = () => readFileSync(journal(), 'utf8').split('\n').filter(Boolean);
const copy = () => join(home.root, 'ends', 'l1');

beforeEach(() => {
  home = homeAt(join(temporaryFolder(), 'home'));
  createHome(home);
  const project = join(home.root, '..');
  ref = open().create({
    loop: 'l1',
    session: 's1',
    project,
    dialect: 'native',
    task: 'task',
    contract: {
      contract: promiseContract('X', DEFAULT_LIMITS),
      frozen: { project, fingerprint: '', parts: {}, gates: {}, judgeMs: DEFAULT_JUDGE_MS },
    },
    transcriptOffset: 0,
  });
  for (let i = 0; i < 3; i++) hold();
});

async function scanned() {
  const found = [];
  for await (const line of new JournalScan(journal(), readKey(home)).next()) found.push(line);
  return found;
}

/** Keeps the first lines only. */
function cutTo(count: number): void {
  const kept = lines().slice(0, count);
  writeFileSync(journal(), kept.map((line) => `${line}\n`).join(''));
}

describe('lines that were removed', () => {
  test.each([3, 2, 1])('do not turn the count back, and are reported, when %i are left', async (left) => {
    cutTo(left);
    expect(open().read(ref).iteration).toBe(4);
    const after = open().noticeForeignLines(ref);
    expect(after).toMatchObject({ iteration: 4, foreignLines: 4 - left });
    expect(hold()).toMatchObject({ iteration: 5, foreignLines: 4 - left });
    const valid = (await scanned()).filter((line) => line.ok);
    expect(valid.map(({ line }) => line.seq)).toEqual(
      [...Array(left).keys()].map((i) => i + 1).concat(4, 5, 6),
    );
    expect(valid.map(({ chained }) => chained).filter((each) => !each)).toHaveLength(left === 3 ? 0 : 1);
  });
  test('are noticed in half a line, in an empty file and in a file that is gone, too', () => {
    const whole = readFileSync(journal());
    for (const damage of [
      () => truncateSync(journal(), Math.floor(whole.length / 2)),
      () => truncateSync(journal(), 0),
      () => rmSync(journal()),
      () => writeFileSync(journal(), 'anything\n'),
    ]) {
      const { iteration, foreignLines } = open().read(ref);
      damage();
      expect(open().read(ref).iteration).toBe(iteration);
      const after = hold();
      expect(after.iteration).toBe(iteration + 1);
      expect(after.foreignLines).toBeGreaterThan(foreignLines);
    }
  });
  test('are noticed when the whole folder of the loop is put back as it was', () => {
    const before = join(home.root, '..', 'before');
    cpSync(ref.dir, before, { recursive: true });
    hold();
    hold();
    rmSync(ref.dir, { recursive: true });
    cpSync(before, ref.dir, { recursive: true });
    expect(open().noticeForeignLines(ref)).toMatchObject({ iteration: 6, foreignLines: 2 });
  });
  test('of a loop whose folder is gone bring nothing back', () => {
    rmSync(ref.dir, { recursive: true });
    expect(() => open().read(ref)).toThrow('journal.jsonl');
  });
});

describe('nobody is blamed', () => {
  test('for a crash between the journal and the copy of its end', () => {
    const behind = join(home.root, 'behind');
    copyFileSync(copy(), behind);
    hold();
    copyFileSync(behind, copy());
    expect(hold()).toMatchObject({ iteration: 6, foreignLines: 0 });
  });
  test.each([
    ['empty', () => writeFileSync(copy(), '')],
    ['torn', () => truncateSync(copy(), 50)],
    ['never written', () => writeFileSync(copy(), '\0'.repeat(statSync(copy()).size))],
    ['gone', () => rmSync(copy())],
    [
      'that of another loop',
      () => writeFileSync(copy(), readFileSync(copy(), 'utf8').replace('"l1"', '"l2"')),
    ],
  ])('for a copy that is %s', (_, damage) => {
    damage();
    expect(hold()).toMatchObject({ iteration: 5, foreignLines: 0 });
    cutTo(2);
    expect(open().noticeForeignLines(ref).iteration).toBe(5);
  });
  test('for lines that a power cut took: they are put back, and the journal says so', async () => {
    cutTo(2);
    utimesSync(copy(), 1, 1);
    expect(hold()).toMatchObject({ iteration: 5, foreignLines: 0 });
    const said = (await scanned()).flatMap((line) => (line.ok ? [line.line.entry] : []));
    expect(said).toContainEqual({ kind: 'error', message: expect.stringContaining('2 lines at the end') });
  });
  test.each([
    ['alone', 4096, ''],
    ['many', 100_000, ''],
    ['after half a line', 512, '{"v":1,"seq":5,"at":"20'],
    ['before the rest of a line', 512, ''],
  ])('for bytes that never reached the disk: %s', async (name, count, begun) => {
    appendFileSync(
      journal(),
      `${begun}${'\0'.repeat(count)}${name.startsWith('before') ? '"mac":"00"}\n' : ''}`,
    );
    expect(open().tail(ref)).toMatchObject({ bad: 0, unwritten: true });
    const after = hold();
    expect(after).toMatchObject({ iteration: 5, foreignLines: 0 });
    const found = await scanned();
    expect(found.flatMap((line) => (line.ok ? [line.chained] : []))).not.toContain(false);
    expect(found.flatMap((line) => (line.ok ? [line.line.entry.kind] : []))).toContain('error');
    expect(hold().iteration).toBe(6);
  });
});

describe('a line that cannot be written', () => {
  /** Lets a function of node:fs fail for the journal, as often as wanted. */
  function failing(name: 'fsyncSync' | 'ftruncateSync' | 'writeSync'): void {
    const real = fs[name];
    const broken = () => {
      throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    };
    Object.assign(fs, { [name]: broken });
    syncBuiltinESMExports();
    onTestFinished(() => {
      Object.assign(fs, { [name]: real });
      syncBuiltinESMExports();
    });
  }
  test('is taken back when it may not survive', () => {
    const before = readFileSync(journal(), 'utf8');
    failing('fsyncSync');
    expect(() => hold()).toThrow('EIO');
    expect(readFileSync(journal(), 'utf8')).toBe(before);
  });
  test('counts when it cannot be taken back: everybody else reads it', () => {
    failing('fsyncSync');
    failing('ftruncateSync');
    expect(hold().iteration).toBe(5);
    expect(open().read(ref).iteration).toBe(5);
  });
});
