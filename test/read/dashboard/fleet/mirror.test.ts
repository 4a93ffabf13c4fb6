import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JournalScan } from '../../../../src/engine/home/journal/scan.ts';
import { readKey } from '../../../../src/engine/home/layout.ts';
import { FileStore } from '../../../../src/engine/home/store.ts';
import type { LoopRef } from '../../../../src/engine/ports/ports.ts';
import type { Mirror } from '../../../../src/fleet/mirror/mirror.ts';
import { memoryFleet } from '../../../support/dashboard/fleet.ts';
import { ENDED, held } from '../../../support/dashboard/loops.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

async function mirrored(mirror: Mirror, run: string) {
  const path = join(mirror.runs.get(run)?.journal.dir ?? '', 'journal.jsonl');
  const lines: { seq: number; kind: string; chained: boolean }[] = [];
  if (existsSync(path))
    for await (const scanned of new JournalScan(path, readKey(mirror.home)).next())
      lines.push(
        scanned.ok
          ? { seq: scanned.line.seq, kind: scanned.line.entry.kind, chained: scanned.chained }
          : { seq: -1, kind: scanned.problem, chained: false },
      );
  return lines;
}

const kinds = (lines: readonly { seq: number; kind: string }[]) =>
  lines.map(({ seq, kind }) => `${seq} ${kind}`);
const store = (mirror: Mirror) => new FileStore(mirror.home, { now: () => Date.now() });
const refOf = (mirror: Mirror, run: string) => ({ loop: run, dir: mirror.runs.get(run)?.journal.dir ?? '' });

test('the journal of a run is mirrored line by line, sealed anew, and follows what is told', async () => {
  const { mirror, run } = memoryFleet(temporaryFolder());
  const one = run('r-1');
  await mirror.look();
  expect(await mirrored(mirror, 'r-1')).toEqual([]);
  one.begin();
  one.append(held(), held());
  one.tell();
  await mirror.look();
  expect((await mirrored(mirror, 'r-1')).map(({ seq, chained }) => [seq, chained])).toEqual([
    [1, true],
    [2, true],
    [3, true],
  ]);
  one.append(held());
  one.tell();
  await mirror.look();
  expect(store(mirror).read(refOf(mirror, 'r-1'))).toEqual(one.store.read(one.ref as LoopRef));
  expect(store(mirror).task(refOf(mirror, 'r-1'))).toBe('the task of r-1');
  const text = readFileSync(join(refOf(mirror, 'r-1').dir, 'journal.jsonl'), 'utf8');
  expect(text).not.toContain('secret-path');
  expect(text).toContain('https://git.example/shop.git');
});

test('lines of others, of other runs and with other seals count for nothing', async () => {
  const { mirror, run, engine } = memoryFleet(temporaryFolder());
  const [one, two] = [run('r-1'), run('r-2')];
  one.begin();
  two.begin();
  const changed = (one.lines()[0] ?? '').replace('"r-1"', '"r-9"');
  engine.told.set('r-1', [changed, 'no line', '', ...two.lines(), ...one.lines()]);
  await mirror.look();
  expect((await mirrored(mirror, 'r-1')).map(({ seq }) => seq)).toEqual([1]);
  expect(mirror.runs.get('r-1')?.journal.refused).toBe(3);
});

test('a run that was sealed with another secret is not shown, and said', async () => {
  const { mirror, run } = memoryFleet(temporaryFolder());
  run('r-1').job({ spec: 'nothing' });
  run('r-2');
  await mirror.look();
  expect([...mirror.runs.keys()]).toEqual(['r-2']);
  expect([...mirror.strangers]).toEqual(['r-1']);
});

test('lines that were told but never published are taken back when another worker goes on', async () => {
  const { mirror, run, engine } = memoryFleet(temporaryFolder());
  const one = run('r-1');
  one.begin();
  one.append(held());
  one.tell();
  one.append(held(), held());
  one.tell();
  await mirror.look();
  expect(await mirrored(mirror, 'r-1')).toHaveLength(4);
  // Its worker dies; the next one goes on from what was published.
  const lost = one.loseAfter(2);
  one.append({ kind: 'event', event: 'moved' });
  engine.told.set('r-1', one.lines());
  one.news();
  const { rebuilt } = await mirror.look();
  expect(rebuilt).toEqual(['r-1']);
  expect(kinds(await mirrored(mirror, 'r-1'))).toEqual(['1 started', '2 stop', '3 event']);
  // The first worker wakes up, and tells what counts for nothing.
  engine.told.set('r-1', [...one.lines().slice(0, 2), ...lost]);
  one.news();
  await mirror.look();
  expect(kinds(await mirrored(mirror, 'r-1'))).toEqual(['1 started', '2 stop', '3 event']);
  engine.told.set('r-1', one.lines());
  one.news();
  await mirror.look();
  const lines = await mirrored(mirror, 'r-1');
  expect(kinds(lines)).toEqual(['1 started', '2 stop', '3 event']);
  expect(lines.every(({ chained }) => chained)).toBe(true);
});

test('what the engine no longer keeps comes from git, once; what was told since follows it', async () => {
  const { mirror, run, engine, git, asked } = memoryFleet(temporaryFolder());
  const one = run('r-1');
  one.begin();
  one.append(held(), held(), held());
  git.set('r-1', one.published());
  one.append(held());
  engine.told.set('r-1', ['', '', '', ...one.lines().slice(3)]);
  one.news();
  await mirror.look();
  // What there is, is shown at once.
  expect((await mirrored(mirror, 'r-1')).map(({ seq }) => seq)).toEqual([4, 5]);
  expect(await mirror.fetchNext()).toBe('r-1');
  await mirror.look();
  expect((await mirrored(mirror, 'r-1')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect(existsSync(join(refOf(mirror, 'r-1').dir, 'contract.json'))).toBe(true);
  expect(await mirror.fetchNext()).toBeUndefined();
  expect(asked).toEqual(['r-1']);
});

test('an ended run whose end was never told is completed from git', async () => {
  const { mirror, run, git } = memoryFleet(temporaryFolder());
  const one = run('r-1');
  one.begin();
  one.append(held(), ENDED);
  git.set('r-1', one.published());
  one.job({ state: 'ended', endedAt: Date.now() });
  await mirror.look();
  expect(mirror.runs.get('r-1')?.journal.hasEnded).toBe(false);
  await mirror.fetchNext();
  await mirror.look();
  expect(mirror.runs.get('r-1')?.journal.hasEnded).toBe(true);
  expect(mirror.runs.get('r-1')?.isOver).toBe(true);
});

test('a thousand runs cost a few calls a look; only what has news is read, and what ended is read once', async () => {
  const { mirror, run, engine } = memoryFleet(temporaryFolder());
  const first = run('r-0');
  first.begin();
  for (let i = 1; i < 990; i++) run(`w-${i}`);
  for (let i = 1; i < 10; i++) {
    const one = run(`e-${i}`);
    one.begin();
    one.append(ENDED);
    one.tell();
    one.job({ state: 'ended', endedAt: Date.now() });
  }
  for (let i = 0; i < 10; i++) await mirror.look();
  expect(engine.calls.lines).toBe(10);
  const before = { ...engine.calls };
  first.append(held());
  first.tell();
  for (let i = 0; i < 3; i++) await mirror.look();
  expect((engine.calls.lines ?? 0) - (before.lines ?? 0)).toBe(1);
  const calls =
    Object.values(engine.calls).reduce((a, b) => a + b) - Object.values(before).reduce((a, b) => a + b);
  expect(calls).toBeLessThanOrEqual(20);
}, 60_000);
