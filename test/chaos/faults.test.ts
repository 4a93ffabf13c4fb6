/** Every file operation of a Stop, of an ending, of `start` and of `install` fails: once, and from then on. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LoopState } from '../../src/engine/core/loop/state.ts';
import { JournalScan } from '../../src/engine/home/journal/scan.ts';
import { parseReceipt, receiptProblems } from '../../src/engine/home/receipts.ts';
import {
  call,
  type Ended,
  type Fault,
  type FaultWorld,
  faultWorld,
  finish,
  type Operation,
  operationsOf,
  removeWorld,
  stop,
  stopOperations,
} from '../support/chaos/faults.ts';
import { loopFolder } from '../support/chaos/world.ts';
import { isLong } from '../support/long.ts';

const LANES = isLong ? 2 : 1;
const LONG_MS = 7_200_000;
const worlds: FaultWorld[] = [];

beforeAll(async () => {
  worlds.push(...(await Promise.all(Array.from({ length: LANES }, faultWorld))));
});
afterAll(() => worlds.forEach(removeWorld));

/** Failing writes and reads, in turn, so that every code meets every kind of operation. */
const OF_WRITES = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE'];
const OF_READS = ['EIO', 'EMFILE', 'EACCES'];

/** The faults at these operations: all of them in a long run, else at a few of the distinct ones. */
function faultsAt(operations: readonly Operation[]): Fault[] {
  const seen = new Map<string, number>();
  return operations.flatMap(({ name, writes, path }, i) => {
    const codes = writes ? OF_WRITES : OF_READS;
    const code = codes[i % codes.length] ?? 'EIO';
    const all = [{ code }, { code, on: true }, { code: 'KILL' }].map((fault) => ({ ...fault, at: i + 1 }));
    if (isLong) return all;
    const kind = `${name} ${path.replace(/[0-9a-f]{4,}|\.\w{6}\.tmp|\d+/g, '#')}`;
    const times = seen.get(kind) ?? 0;
    seen.set(kind, times + 1);
    if (times > 0 || seen.size % (writes ? 24 : 90) !== 0) return [];
    return all.slice(seen.size % 3, (seen.size % 3) + 1);
  });
}

interface Case {
  fault: Fault;
  operation: Operation;
}

/** Runs a case after another in each lane, in a world that is as it was. Gathers what went wrong, to show it together. */
async function inLanes(
  operations: readonly Operation[],
  check: (world: FaultWorld, fault: Fault) => Promise<void>,
): Promise<void> {
  const cases: Case[] = faultsAt(operations).flatMap((fault) => {
    const operation = operations[fault.at - 1];
    return operation ? [{ fault, operation }] : [];
  });
  expect(cases).not.toEqual([]);
  const wrong: string[] = [];
  await Promise.all(
    worlds.map(async (world) => {
      for (let next = cases.shift(); next; next = cases.shift()) {
        const { fault, operation } = next;
        world.restore();
        try {
          await check(world, fault);
        } catch (error) {
          const where = operation.path.replace(/^.*untildone-chaos-\w+/, '');
          const how = `${fault.code}${fault.on ? ' for good' : ''}`;
          wrong.push(`${fault.at} ${how} at ${operation.name} ${where}: ${(error as Error).message}`);
        }
      }
    }),
  );
  expect(wrong.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).join('\n\n')).toBe('');
}

/** What the client makes of it: a hold, words for the user, or nothing. */
function heard({ code, signal, stdout, stderr }: Ended): { held?: string; told?: string } {
  expect(stderr).not.toMatch(/^\s+at /m);
  if (signal === 'SIGKILL') return {};
  if (code === 2) return { held: stderr };
  expect({ code, stderr }).toMatchObject({ code: 0 });
  if (stdout === '') return {};
  const answer = JSON.parse(stdout) as { decision?: string; reason?: string; systemMessage?: string };
  return { held: answer.decision === 'block' ? answer.reason : undefined, told: answer.systemMessage };
}

/** Reads the journal line by line. A line may be cut short; nothing else may be wrong. */
async function journalOf(world: FaultWorld, session = 's1') {
  const path = join(loopFolder(world, session), 'journal.jsonl');
  const key = readFileSync(join(world.home, 'key'), 'utf8').trim();
  const states: LoopState[] = [];
  let last = '';
  for await (const found of new JournalScan(path, key).next()) {
    if (!found.ok) {
      expect(found.problem).toMatch(/not JSON|cut short/);
      continue;
    }
    expect(found.chained).toBe(true);
    states.push(found.line.state);
    last = found.sha256;
  }
  const state = states.at(-1);
  expect(state?.foreignLines).toBe(0);
  return { state, last, iterations: states.map(({ iteration }) => iteration) };
}

async function expectReceipt(world: FaultWorld, last: string): Promise<void> {
  const file = join(loopFolder(world, 's1'), 'receipt.json');
  expect(existsSync(file)).toBe(true);
  const signed = parseReceipt(readFileSync(file, 'utf8'), file);
  expect(receiptProblems(signed)).toEqual([]);
  const own = await call(world, ['receipt', 'verify', file]);
  expect(own).toMatchObject({ code: 0 });
  expect(last).not.toBe('');
}

test(
  'a Stop of work that is not done is held, counted at most once, and the next one is counted on',
  async () => {
    const [first] = worlds;
    if (!first) return;
    const operations = await stopOperations(first, 'count');
    await inLanes(operations, async (world, fault) => {
      const { held, told } = heard(await stop(world, 'not yet', fault));
      if (fault.code !== 'KILL') expect(held ?? `let go: ${told}`).toMatch(/^(?!let go)/);
      const before = (await journalOf(world)).state?.iteration ?? 0;
      expect([2, 3]).toContain(before);
      expect(heard(await stop(world, 'not yet either')).held).toContain(`iteration ${before + 1}`);
      expect((await journalOf(world)).state?.iteration).toBe(before + 1);
    });
  },
  LONG_MS,
);

test(
  'a Stop of work that is done ends with a receipt, or is held until it can',
  async () => {
    const [first] = worlds;
    if (!first) return;
    finish(first);
    const operations = await stopOperations(first, 'count');
    await inLanes(operations, async (world, fault) => {
      finish(world);
      const { held, told } = heard(await stop(world, 'all done', fault));
      const after = await journalOf(world);
      if (held === undefined && fault.code !== 'KILL') {
        expect(told).toContain('done, and verified');
        expect(after.state?.status).toBe('verified_done');
      }
      if (after.state?.status === 'verified_done') {
        await expectReceipt(world, after.last);
        return;
      }
      expect(after.state?.status).toBe('active');
      expect(heard(await stop(world, 'still done')).told).toContain('done, and verified');
      const end = await journalOf(world);
      expect(end.state?.status).toBe('verified_done');
      await expectReceipt(world, end.last);
    });
  },
  LONG_MS,
);

function expectPlain(ended: Ended): void {
  expect(`${ended.stdout}${ended.stderr}`).not.toMatch(/^\s+at /m);
  if (ended.signal !== 'SIGKILL' && ended.code !== 0) expect(`${ended.stdout}${ended.stderr}`).not.toBe('');
}

const START = ['start', 'another task', '--session', 's2'];

test(
  'a start fails with a word, or starts; the next one works',
  async () => {
    const [first] = worlds;
    if (!first) return;
    await inLanes(await operationsOf(first, START), async (world, fault) => {
      const ended = await call(world, START, '', fault);
      expectPlain(ended);
      if (ended.code === 0) expect(existsSync(join(world.home, 'active', 's2'))).toBe(true);
      else {
        const again = await call(world, START);
        if (!/already has a loop/.test(again.stderr)) expect(again).toMatchObject({ code: 0, stderr: '' });
      }
      expect((await journalOf(world, 's2')).state?.status).toBe('active');
      expect((await journalOf(world)).state?.iteration).toBe(2);
      expect(heard(await stop(world, 'not yet')).held).toContain('iteration 3');
    });
  },
  LONG_MS,
);

test(
  'an install fails with a word, or installs; the next one works',
  async () => {
    const [first] = worlds;
    if (!first) return;
    const settings = ({ project }: FaultWorld) => join(project, '.claude', 'settings.json');
    const args = ['install'];
    await inLanes(await operationsOf(first, args), async (world, fault) => {
      const ended = await call(world, args, '', fault);
      expectPlain(ended);
      if (existsSync(settings(world))) JSON.parse(readFileSync(settings(world), 'utf8'));
      expect(await call(world, args)).toMatchObject({ code: 0 });
      expect(readFileSync(settings(world), 'utf8')).toContain('hook.sh');
      expect(heard(await stop(world, 'not yet')).held).toContain('iteration 3');
    });
  },
  LONG_MS,
);
