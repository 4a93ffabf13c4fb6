import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import type { Entry } from '../../src/engine/core/loop/entry.ts';
import { replay } from '../../src/engine/core/loop/journal.ts';
import { readTail } from '../../src/engine/home/journal/file.ts';
import type { JournalLine } from '../../src/engine/home/journal/line.ts';
import { JournalScan } from '../../src/engine/home/journal/scan.ts';
import { EVERYTHING, PIECES, REPORTS, type Report } from '../support/chaos/played-agent.ts';
import { seededRandom } from '../support/chaos/random.ts';
import {
  newRunWorld,
  type RunnerEnd,
  runFolder,
  someMoment,
  startRunner,
  strokesMade,
  untildone,
  untilMoment,
} from '../support/chaos/run-world.ts';
import type { World } from '../support/chaos/world.ts';
import { isLong } from '../support/long.ts';

const KILLS = isLong ? 100 : 6;
/** Strokes that are left when the last one is killed. */
const SPARED = 15;
/** Hands over and comes back often: the runner is killed between its sessions as much as inside them. */
const FIRST = [
  ...['Make all pieces', '--fresh-every', '3', '--max-turns', '3', '--allow', 'Bash'],
  ...['--max-iterations', 'unlimited', '--max-cost', 'unlimited'],
];

let world: World;
const random = seededRandom();

beforeAll(() => {
  world = newRunWorld();
});
afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

function sayOnFailure(): void {
  onTestFailed(() => {
    process.stderr.write(`repeat with UNTILDONE_SEED=${random.seed}\n`);
  });
}

/** Starts the runner, sometimes two at once, and kills what drives; says how many were killed. */
async function oneLife(strokes: number, lifeMs: number): Promise<number> {
  const args = runFolder(world) === undefined ? FIRST : ['--resume'];
  // Two that begin at once would be two runs: only what goes on is taken by one of them alone.
  const count = args !== FIRST && random.chance(0.1) ? 2 : 1;
  const runners = Array.from({ length: count }, () => startRunner(world, args));
  await untilMoment(someMoment(random, lifeMs), { world, strokes, runners });
  for (const runner of runners) runner.kill(random.chance(0.5));
  const ends = await Promise.all(runners.map((runner) => runner.ended));
  const others = ends.filter((end) => end.signal !== 'SIGKILL');
  for (const end of others) expectRefused(end);
  if (others.length === count) expect(hasNamelessLock()).toBe(true);
  return count - others.length;
}

async function letAlone(): Promise<RunnerEnd> {
  for (;;) {
    const end = await startRunner(world, ['--resume']).ended;
    if (end.code !== 2 || !hasNamelessLock()) return end;
  }
}

/** A lock whose owner was killed before its name was in it is given up after 2 s, and not before. */
function hasNamelessLock(): boolean {
  const folder = runFolder(world) ?? '';
  return readdirSync(folder).some((name) => name.startsWith('run.lock') && isEmpty(join(folder, name)));
}

const isEmpty = (file: string) => statSync(file).size === 0;

function expectRefused({ code, stdout, stderr }: RunnerEnd): void {
  expect({ code, stdout, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('another process drives run'),
  });
}

/** All valid lines; what is damaged can only be a line that was cut short. */
async function lines(): Promise<JournalLine[]> {
  const found: JournalLine[] = [];
  for await (const scanned of new JournalScan(journal(), key()).next()) {
    if (!scanned.ok) expect(scanned.problem).toBe('not JSON');
    else {
      expect(scanned.chained).toBe(true);
      found.push(scanned.line);
    }
  }
  return found;
}

const journal = () => join(runFolder(world) ?? '', 'journal.jsonl');
const key = () => readFileSync(join(world.home, 'key'), 'utf8').trim();

function reports(): Report[] {
  const text = readFileSync(join(world.folder, REPORTS), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Report);
}

type Result = Extract<Entry, { kind: 'result' }>;
type Intent = Extract<Entry, { kind: 'intent' }>;

/** Every session that was begun, with how it came back: an intent is followed by its result before the next one. */
function sessionsOf(entries: readonly Entry[]): { intent: Intent; result: Result }[] {
  const steps = entries.filter((e): e is Intent | Result => e.kind === 'intent' || e.kind === 'result');
  expect(steps.map((e) => e.kind)).toEqual(steps.map((_, i) => (i % 2 === 0 ? 'intent' : 'result')));
  expect(steps.length % 2).toBe(0);
  return steps.flatMap((intent, i) => {
    const result = steps[i + 1];
    return intent.kind === 'intent' && result?.kind === 'result' ? [{ intent, result }] : [];
  });
}

test(`a runner that is killed ${KILLS} times goes on each time, and every piece is made once`, async () => {
  sayOnFailure();
  const before = performance.now();
  untildone(world, '--version');
  const lifeMs = (performance.now() - before) * 2.5;
  for (let killed = 0, lives = 0; killed < KILLS; lives++) {
    expect(lives).toBeLessThan(3 * KILLS + 20);
    killed += await oneLife(((EVERYTHING.length - SPARED) * killed) / KILLS, lifeMs);
  }
  const last = await letAlone();
  expect({ code: last.code, stderr: last.stderr }).toEqual({ code: 0, stderr: '' });
  expect(strokesMade(world)).toEqual(EVERYTHING);
  const { loops } = JSON.parse(untildone(world, 'status', '--json', '--all'));
  expect(loops[0]).toMatchObject({ id: basename(runFolder(world) ?? ''), status: 'verified_done' });
  const files = readdirSync(runFolder(world) ?? '');
  expect(files).toContain('receipt.json');
  expect(files).not.toContain('run.lock');
});

test('its journal is whole: replayed, it gives the last state, and nothing in it goes backwards', async () => {
  sayOnFailure();
  const all = await lines();
  expect(all.map((line) => line.seq)).toEqual(all.map((_, i) => i + 1));
  const { line: last } = readTail(journal(), key());
  expect(replay(all.map(({ entry, at }) => ({ entry, at: Date.parse(at) })))).toEqual(last.state);
  const iterations = all.map((line) => line.state.iteration);
  expect(iterations).toEqual(iterations.toSorted((a, b) => a - b));
  const missing = all.flatMap(({ entry }) =>
    entry.kind === 'stop'
      ? entry.verdicts.map((v) => Number(/piece (\d+) is missing/.exec(JSON.stringify(v))?.[1] ?? PIECES + 1))
      : [],
  );
  expect(missing).toEqual(missing.toSorted((a, b) => a - b));
  expect(missing.at(-1)).toBe(PIECES + 1);
});

test('every session that was begun has come back or is lost, before the next one begins', async () => {
  sayOnFailure();
  const all = await lines();
  const sessions = sessionsOf(all.map((line) => line.entry));
  const fresh = sessions.filter(({ intent }) => !intent.resume).map(({ intent }) => intent.session);
  expect(new Set(fresh).size).toBe(fresh.length);
  expect(all.at(-1)?.state.run?.sessions).toBe(fresh.length);
  const lost = sessions.filter(({ result }) => result.end.kind === 'lost').length;
  expect(lost).toBeLessThanOrEqual(KILLS);
  // Else the kills did not hit what this is about.
  expect(lost).toBeGreaterThan(KILLS / 10);
  expect(sessions.filter(({ intent }) => intent.resume).length).toBeGreaterThan(KILLS / 10);
  expect(sessions.length - lost).toBeGreaterThan(5);
});

test('what was decided before a kill holds after it', async () => {
  sayOnFailure();
  const entries = (await lines()).map((line) => line.entry);
  entries.forEach((entry, i) => {
    if (entry.kind !== 'stop') return;
    const { decision } = entry;
    // What was judged and found wanting is not judged again before anything was done about it.
    if (decision.kind === 'block' && decision.instruction === 'continue')
      expect(entries[i + 1]?.kind).not.toBe('stop');
    // A session that has left its note is not gone on with.
    if (decision.kind === 'allow' && decision.cause === 'hand_over')
      expect(entries.slice(i).find((e) => e.kind === 'intent')).toMatchObject({ resume: false });
  });
});

test('what was spent is what the sessions reported that came back', async () => {
  sayOnFailure();
  const all = await lines();
  const entries = all.map((line) => line.entry);
  const said = reports();
  const totals = new Map<string, { costUsd: number; tokens: number }>();
  for (const { intent, result } of sessionsOf(entries)) {
    const { costTotalUsd, tokensTotal } = result;
    if (costTotalUsd === undefined || tokensTotal === undefined) continue;
    expect(said).toContainEqual({ session: intent.session, costTotalUsd, tokensTotal });
    totals.set(intent.session, { costUsd: costTotalUsd, tokens: tokensTotal });
  }
  const read = tokensRead(entries);
  const sessions = [...new Set([...totals.keys(), ...read.keys()])];
  const tokens = sessions.map((s) => Math.max(totals.get(s)?.tokens ?? 0, read.get(s) ?? 0));
  const costs = [...totals.values()].map(({ costUsd }) => costUsd);
  const { spent } = all.at(-1)?.state ?? {};
  expect(spent?.tokens).toBe(sum(tokens));
  // The rest is what those have cost that never came back: named as an estimate, and all together no more than the price.
  const estimated = spent?.estimatedUsd ?? 0;
  expect((spent?.costUsd ?? 0) - estimated).toBeCloseTo(sum(costs), 6);
  const each = Math.max(...said.map(({ costTotalUsd, tokensTotal }) => costTotalUsd / tokensTotal));
  expect(spent?.costUsd).toBeLessThanOrEqual(sum(tokens) * each + 1e-6);
});

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** What was read in the transcripts, by session: of one that never came back, it is all that is known. */
function tokensRead(entries: readonly Entry[]): Map<string, number> {
  const read = new Map<string, number>();
  let session = '';
  for (const entry of entries) {
    if (entry.kind === 'intent') session = entry.session;
    const here = entry.kind === 'stop' ? entry.seen.usage : entry.kind === 'result' ? entry.read : undefined;
    read.set(session, (read.get(session) ?? 0) + (here?.tokens ?? 0));
  }
  return read;
}
