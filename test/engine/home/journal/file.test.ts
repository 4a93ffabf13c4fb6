import { createHmac } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { replay } from '../../../../src/engine/core/loop/journal.ts';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import { sha256 } from '../../../../src/engine/files/digest.ts';
import { appendAfter, JournalError, readTail, type Tail } from '../../../../src/engine/home/journal/file.ts';
import { JOURNAL_VERSION, sealLine } from '../../../../src/engine/home/journal/line.ts';
import { JournalScan, type Scanned } from '../../../../src/engine/home/journal/scan.ts';
import { anyJournal } from '../../../support/core/any-entry.ts';
import { STARTED, seenStop, T0, verdict } from '../../../support/core/samples.ts';
import { makeFifo, temporaryFolder } from '../../../support/files/workers.ts';
import { isLong, rounds } from '../../../support/long.ts';

const KEY = 'k'.repeat(64);
let path: string;
beforeEach(() => {
  path = newJournal();
});

/** A journal lies in a folder named after its loop. */
function newJournal(folder = temporaryFolder()): string {
  mkdirSync(join(folder, STARTED.loop), { recursive: true });
  return join(folder, STARTED.loop, 'journal.jsonl');
}

const block = (message: string): Entry => ({
  kind: 'stop',
  seen: seenStop({ message }),
  verdicts: [verdict('fail', { summary: `Ünïcödé 😀 ${message}` })],
  decision: { kind: 'block', instruction: 'continue' },
});

function append(entry: Entry, at = T0): LoopState {
  const tail = entry.kind === 'started' ? undefined : readTail(path, KEY);
  return appendAfter(path, KEY, tail, entry, at, false);
}

function write(blocks: number): void {
  append(STARTED);
  for (let i = 0; i < blocks; i++) append(block(`m${i}`), T0 + i);
}

async function scan(key = KEY): Promise<Scanned[]> {
  const found: Scanned[] = [];
  for await (const scanned of new JournalScan(path, key).next()) found.push(scanned);
  return found;
}

const iteration = () => readTail(path, KEY).line.state.iteration;
const facts = ({ line, torn, bad }: Tail) => ({ seq: line.seq, torn, bad });

describe('a whole journal', () => {
  test('numbers and chains its lines, and its last line is the state', async () => {
    write(3);
    const lines = await scan();
    expect(lines.map((l) => l.ok && l.chained && l.line.seq)).toEqual([1, 2, 3, 4]);
    expect(facts(readTail(path, KEY))).toEqual({ seq: 4, torn: false, bad: 0 });
    expect(iteration()).toBe(4);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
  test('replayed from its first line gives the state of its last', async () => {
    const folder = dirname(dirname(path));
    await fc.assert(
      fc.asyncProperty(anyJournal(), async (entries) => {
        path = newJournal(folder);
        rmSync(path, { force: true });
        for (const { entry, at } of entries)
          expect(isDeepStrictEqual(append(entry, at), readTail(path, KEY).line.state)).toBe(true);
        const lines = (await scan()).flatMap((l) => (l.ok && l.chained ? [l.line] : []));
        const replayed = replay(lines.map(({ entry, at }) => ({ entry, at: Date.parse(at) })));
        expect(lines).toHaveLength(entries.length);
        expect(JSON.parse(JSON.stringify(replayed))).toEqual(readTail(path, KEY).line.state);
      }),
      { numRuns: rounds(60, 15) },
    );
  });
  test('of many megabytes is read from its end only', () => {
    write(1);
    const first = readFileSync(path);
    writeFileSync(path, Buffer.concat([Buffer.alloc(64 * 1024 * 1024, 0x0a), first]));
    const before = process.memoryUsage().arrayBuffers;
    expect(iteration()).toBe(2);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  });
  test('with a line longer than the first look is read too', () => {
    write(1);
    append({ kind: 'error', message: 'x'.repeat(700_000) });
    expect(facts(readTail(path, KEY))).toEqual({ seq: 3, torn: false, bad: 0 });
    expect(iteration()).toBe(2);
  });
});

describe('a last line that was cut short', () => {
  test('at any byte is passed over, reported, and closed by the next append', async () => {
    write(2);
    const whole = readFileSync(path);
    const lastStart = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    // The first and the last bytes in any case.
    const step = (cut: number) => (isLong || cut < lastStart + 20 || cut > whole.length - 40 ? 1 : 17);
    for (let cut = lastStart; cut < whole.length; cut += step(cut)) {
      writeFileSync(path, whole.subarray(0, cut));
      const complete = cut === whole.length - 1;
      const expected = { seq: complete ? 3 : 2, torn: !complete && cut > lastStart, bad: 0 };
      expect(facts(readTail(path, KEY))).toEqual(expected);
      append(block('after'));
      expect(readTail(path, KEY)).toMatchObject({ line: { seq: expected.seq + 1 }, torn: false, bad: 0 });
      const lines = await scan();
      const valid = lines.filter((l) => l.ok);
      expect(valid.map((l) => l.chained && l.line.seq)).toEqual(complete ? [1, 2, 3, 4] : [1, 2, 3]);
      expect(lines.length - valid.length).toBe(expected.torn ? 1 : 0);
    }
  });
  test('in the very first line leaves nothing to go on from', () => {
    append(STARTED);
    const whole = readFileSync(path);
    for (const cut of [0, 1, 100, whole.length - 3]) {
      writeFileSync(path, whole.subarray(0, cut));
      expect(() => readTail(path, KEY)).toThrow(JournalError);
    }
  });
  test('that lost only its line break is shown by a scan, once', async () => {
    write(1);
    truncateSync(path, statSync(path).size - 1);
    const following = new JournalScan(path, KEY);
    const found: Scanned[] = [];
    for await (const line of following.next()) found.push(line);
    append(block('later'));
    for await (const line of following.next()) found.push(line);
    expect(found.map((l) => l.ok && l.chained && l.line.seq)).toEqual([1, 2, 3]);
  });
  test('is left for the next time by a scan that follows', async () => {
    write(1);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length - 40));
    const following = new JournalScan(path, KEY);
    const seen: Scanned[] = [];
    for await (const line of following.next()) seen.push(line);
    expect(seen).toHaveLength(1);
    writeFileSync(path, whole);
    for await (const line of following.next()) seen.push(line);
    expect(seen.map((l) => l.ok && l.chained)).toEqual([true, true]);
  });
});

describe('damage', () => {
  test('in the middle is reported by its line, and the end still is the state', async () => {
    write(3);
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, lines.with(1, `${lines[1]?.replace('"iteration":2', '"iteration":9')}`).join('\n'));
    expect(iteration()).toBe(4);
    append(block('after'));
    const found = await scan();
    expect(found[1]).toMatchObject({ ok: false, number: 2, problem: expect.stringContaining('seal') });
    expect(found[2]).toMatchObject({ ok: true, chained: false });
    expect(found.slice(3).every((l) => l.ok && l.chained)).toBe(true);
  });
  test('a removed line breaks the chain where it was', async () => {
    write(3);
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, lines.toSpliced(1, 1).join('\n'));
    expect((await scan()).map((l) => l.ok && l.chained)).toEqual([true, false, true]);
  });
  test('of any byte of the last line makes it count no longer', () => {
    write(2);
    const whole = readFileSync(path);
    const start = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    fc.assert(
      fc.property(
        fc.integer({ min: start, max: whole.length - 2 }),
        fc.integer({ min: 1, max: 255 }),
        (at, flip) => {
          const damaged = Buffer.from(whole);
          damaged[at] = (damaged[at] ?? 0) ^ flip;
          writeFileSync(path, damaged);
          expect(readTail(path, KEY).line.seq).toBe(2);
        },
      ),
    );
  });
  test('of everything is said, not guessed', () => {
    for (const bytes of [
      '',
      '\n\n\n',
      'not a journal\n',
      '{}\n',
      '\0'.repeat(5000),
      '\xff\xfe\n'.repeat(9),
    ]) {
      writeFileSync(path, bytes);
      expect(() => readTail(path, KEY)).toThrow('has no valid line');
    }
  });
});

describe('lines that we did not write', () => {
  const forge = (change: (line: Record<string, unknown>) => unknown) => {
    const { text } = readTail(path, KEY);
    appendFileSync(path, `${JSON.stringify(change(JSON.parse(text)))}\n`);
  };
  test('without a proper seal are passed over, and the next line goes on from the last proper one', async () => {
    write(1);
    forge((line) => ({ ...line, seq: 3, state: { ...(line.state as object), status: 'verified_done' } }));
    forge(({ mac: _, ...line }) => ({ ...line, seq: 4 }));
    appendFileSync(path, 'something else\n');
    expect(facts(readTail(path, KEY))).toEqual({ seq: 2, torn: false, bad: 3 });
    expect(readTail(path, KEY).line.state.status).toBe('active');
    append(block('after'));
    expect((await scan()).map((l) => l.ok)).toEqual([true, true, false, false, false, true]);
    expect((await scan()).at(-1)).toMatchObject({ chained: true, line: { seq: 3 } });
  });
  test('sealed with another key count as little', async () => {
    write(1);
    expect(() => readTail(path, 'another key')).toThrow('another installation wrote it');
    expect((await scan('another key')).every((l) => !l.ok && l.problem.includes('seal'))).toBe(true);
  });
  test('taken from another loop say nothing about this one', () => {
    write(1);
    const own = path;
    path = join(dirname(path), '..', 'l0', 'journal.jsonl');
    mkdirSync(dirname(path));
    appendAfter(path, KEY, undefined, { ...STARTED, loop: 'l0' }, T0, false);
    append({ kind: 'command', command: 'release' });
    const { text } = readTail(path, KEY);
    path = own;
    appendFileSync(path, `${text}\n`);
    expect(facts(readTail(path, KEY))).toEqual({ seq: 2, torn: false, bad: 1 });
  });
  test('of a later version stop the reader: going on from an earlier line would fork the journal', () => {
    write(1);
    const { line } = readTail(path, KEY);
    const later = JSON.stringify({ ...line, v: JOURNAL_VERSION + 1 });
    appendFileSync(path, `${sealLine(later, sealOf(later))}\n`);
    expect(() => readTail(path, KEY)).toThrow(`version ${JOURNAL_VERSION + 1}`);
  });
});

/** The seal as the grammar of the journal describes it. */
function sealOf(body: string): string {
  return createHmac('sha256', KEY).update(body).digest('hex').slice(0, 32);
}

describe('what is no journal at all', () => {
  test('a pipe is refused, not waited for', async () => {
    makeFifo(path);
    expect(() => readTail(path, KEY)).toThrow('not a regular file');
    expect(() => appendAfter(path, KEY, undefined, STARTED, T0, false)).toThrow('not a regular file');
    await expect(scan()).rejects.toThrow('not a regular file');
  });
  test('a folder is refused', async () => {
    mkdirSync(path);
    expect(() => readTail(path, KEY)).toThrow('not a regular file');
    await expect(scan()).rejects.toThrow('not a regular file');
  });
  test('a missing one is said by its path', () => {
    expect(() => readTail(path, KEY)).toThrow(path);
  });
});

test('the hash of a text is the SHA-256 that everybody computes', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
