import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pollSignals, readSignals, readUsage, transcriptFiles } from '../../src/adapters/transcript-file.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const FIXTURES = fileURLToPath(new URL('../fixtures/transcripts/', import.meta.url));

let folder: string;
let file: string;

beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'untildone-transcript-'));
  file = join(folder, 'session.jsonl');
});

afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(folder, { recursive: true });
});

const line = (entry: object): string => `${JSON.stringify(entry)}\n`;
const prompt = line({ type: 'user', message: { content: 'go' } });
const feedback = line({ type: 'user', isMeta: true, message: { content: 'Stop hook feedback:\nno' } });

function answer(id: string, blocks: object[], input = 10): string {
  const stop_reason = blocks.some((block) => 'id' in block) ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: input, cache_read_input_tokens: 1, output_tokens: 5 };
  return line({
    type: 'assistant',
    message: { id, model: 'claude-opus-5-5', content: blocks, stop_reason, usage },
  });
}

const says = (id: string, text: string, input?: number) => answer(id, [{ type: 'text', text }], input);
const calls = (id: string, tool: string) =>
  answer(id, [{ type: 'tool_use', id: tool, name: 'Bash', input: {} }]);
const result = (tool: string, content = 'ok') =>
  line({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: tool, content }] } });

/** How many bytes are read from files while `work` runs. */
function bytesRead(work: () => void): number {
  const read = vi.spyOn(fs, 'readSync');
  work();
  const total = read.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
  read.mockRestore();
  return total;
}

describe('signals of recorded transcripts', () => {
  it.each([
    [
      '2.1.325-tools-and-blocks',
      { lastText: '<promise>DONE</promise>', answered: true, toolSinceBlock: true, contextTokens: 1000 },
    ],
    [
      '2.1.325-compaction',
      { lastText: 'turn 8: done.', answered: true, toolSinceBlock: true, contextTokens: 1000 },
    ],
    ['2.1.325-open-tool', { lastText: 'Now I run it.', answered: false, openToolUse: 'toolu_o_2_0' }],
    ['2.1.325-background-agent', { lastText: 'main two', answered: true, toolSinceBlock: false }],
    ['2.1.325-exit-2-and-context', { lastText: 'turn 3: done.', toolSinceBlock: false }],
    ['2.1.325-api-error', { lastText: 'ok', answered: false, contextTokens: 5000, model: 'claude-opus-5-5' }],
    ['2.1.325-large-window', { model: 'claude-sonnet-4-5[1m]', contextTokens: 5000 }],
  ])('%s', (name, signals) => {
    expect(readSignals(join(FIXTURES, `${name}.jsonl`))).toMatchObject(signals);
  });

  it('the one of a subagent has none for the main agent', () => {
    const path = join(FIXTURES, '2.1.325-subagent.jsonl');
    expect(readSignals(path)).toEqual({});
    expect(readSignals(path, { sidechain: true })).toMatchObject({
      lastText: 'sub done again',
      toolSinceBlock: false,
    });
  });
});

describe('what stands in a file', () => {
  it.each([
    ['an empty file', ''],
    ['only line ends', '\n\n\r\n'],
    ['only NULs', '\0'.repeat(5000)],
    ['no JSON', 'hello\nworld'],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a, 0xf0, 0x9f])],
  ])('%s has no signals and no usage', (_what, content) => {
    fs.writeFileSync(file, content);
    expect(readSignals(file)).toEqual({});
    expect(readUsage(file, 0).tokens).toBe(0);
  });

  it('a torn last line is passed over', () => {
    fs.writeFileSync(file, prompt + says('a', 'whole') + says('b', 'torn').slice(0, -9));
    expect(readSignals(file).lastText).toBe('whole');
  });

  it('a whole last line without its line end counts', () => {
    fs.writeFileSync(file, prompt + says('a', 'whole').trimEnd());
    expect(readSignals(file).lastText).toBe('whole');
  });

  it('lines may end with CRLF', () => {
    fs.writeFileSync(
      file,
      (prompt + calls('a', 't') + result('t') + says('b', 'end')).replaceAll('\n', '\r\n'),
    );
    expect(readSignals(file)).toMatchObject({ lastText: 'end', toolSinceBlock: true, answered: true });
    expect(readUsage(file, 0).tokens).toBe(30);
  });

  it('NULs before a line, left by a crash of the machine, are passed over', () => {
    fs.writeFileSync(file, `${prompt}${'\0'.repeat(4096)}${says('a', 'after the crash')}`);
    expect(readSignals(file).lastText).toBe('after the crash');
    expect(readUsage(file, 0).tokens).toBe(15);
  });

  it('characters may lie across the border of two chunks', () => {
    const tail = prompt + says('b', 'x');
    for (let shift = 0; shift < 4; shift += 1) {
      const text = '🎉'.repeat(70 * KIB) + 'y'.repeat(shift);
      fs.writeFileSync(file, prompt + says('a', text));
      expect(readSignals(file).lastText).toBe(text);
      fs.writeFileSync(file, says('a', text) + tail);
      expect(readSignals(file).lastText).toBe('x');
    }
  });

  it('is read the same wherever lines meet the border of two chunks', () => {
    const filler = fc
      .integer({ min: 0, max: 3 * 64 * KIB })
      .map((length) => result('other', 'ä'.repeat(length / 2)));
    fc.assert(
      fc.property(fc.array(filler, { maxLength: 4 }), fc.boolean(), (between, ended) => {
        fs.writeFileSync(
          file,
          [feedback, calls('a', 't'), ...between, says('b', 'end')].join('').slice(0, ended ? undefined : -1),
        );
        expect(readSignals(file)).toEqual({
          lastText: 'end',
          answered: true,
          toolSinceBlock: true,
          contextTokens: 11,
          model: 'claude-opus-5-5',
        });
      }),
      { numRuns: 30 },
    );
  });
});

describe('what is no readable file', () => {
  const nothing = { offset: 7, tokens: 0, skippedBytes: 0 };

  it.each([
    ['a missing file', () => file],
    ['a folder', () => folder],
    ['a path through a file', () => join(fileURLToPath(import.meta.url), 'x')],
    ['a path with a NUL', () => `${file}\0`],
    ['an empty path', () => ''],
  ])('%s has no signals and leaves the offset', (_what, path) => {
    expect(readSignals(path())).toEqual({});
    expect(readUsage(path(), 7)).toEqual(nothing);
  });

  it('a FIFO is not opened, so nobody waits for a writer', () => {
    execFileSync('mkfifo', [file]);
    const open = vi.spyOn(fs, 'openSync');
    expect(readSignals(file)).toEqual({});
    expect(readUsage(file, 7)).toEqual(nothing);
    expect(open).not.toHaveBeenCalled();
  });

  it('a device is not opened', () => {
    const open = vi.spyOn(fs, 'openSync');
    expect(readSignals('/dev/zero')).toEqual({});
    expect(open).not.toHaveBeenCalled();
  });

  it('a file that may not be opened has no signals', () => {
    fs.writeFileSync(file, prompt + says('a', 'x'));
    vi.spyOn(fs, 'openSync').mockImplementation(() => {
      throw new Error('EACCES');
    });
    expect(readSignals(file)).toEqual({});
    expect(readUsage(file, 7)).toEqual(nothing);
  });

  it('a file that fails while it is read is closed and tells what was known', () => {
    fs.writeFileSync(file, says('a', 'x'.repeat(80 * KIB)) + says('b', 'end'));
    const read = fs.readSync;
    const failing = vi
      .spyOn(fs, 'readSync')
      .mockImplementationOnce((...args) => Reflect.apply(read, fs, args));
    failing.mockImplementation(() => {
      throw new Error('EIO');
    });
    const close = vi.spyOn(fs, 'closeSync');
    expect(readSignals(file)).toMatchObject({ lastText: 'end', answered: true });
    expect(close).toHaveBeenCalledOnce();
  });

  it('a file that becomes shorter while it is read ends the reading', () => {
    fs.writeFileSync(file, prompt + says('a', 'x'));
    vi.spyOn(fs, 'readSync').mockReturnValue(0);
    expect(readSignals(file)).toEqual({});
    expect(readUsage(file, 0)).toEqual({ offset: 0, tokens: 0, skippedBytes: 0 });
  });
});

describe('how much is read', () => {
  /** A sparse file: `size` bytes of NULs, then `tail`. */
  function writeLarge(size: number, tail: string): void {
    const fd = fs.openSync(file, 'w');
    fs.writeSync(fd, Buffer.from(`\n${tail}`), 0, undefined, size);
    fs.closeSync(fd);
  }

  it('one chunk of a transcript of 200 MB that ends as usual', () => {
    writeLarge(200 * MIB, feedback + calls('a', 't') + result('t') + says('b', 'end'));
    const read = bytesRead(() => {
      expect(readSignals(file)).toMatchObject({ lastText: 'end', toolSinceBlock: true, contextTokens: 11 });
    });
    expect(read).toBe(64 * KIB);
  });

  it('one chunk of a long turn: the last answers tell all there is to know', () => {
    const turns = Array.from(
      { length: 5000 },
      (_, n) => says(`m${n}`, 'x') + calls(`m${n}`, `t${n}`) + result(`t${n}`),
    );
    fs.writeFileSync(file, `${turns.join('')}${says('end', 'end')}`);
    expect(bytesRead(() => readSignals(file))).toBe(64 * KIB);
  });

  it('8 MiB at most of a file of 200 MB that has nothing to say', () => {
    writeLarge(200 * MIB, '');
    expect(bytesRead(() => expect(readSignals(file)).toEqual({}))).toBe(8 * MIB);
    expect(bytesRead(() => expect(readUsage(file, 0)).toMatchObject({ tokens: 0 }))).toBeLessThanOrEqual(
      8 * MIB + 1,
    );
  });

  it('no more than allowed, and what was found until then counts', () => {
    fs.writeFileSync(file, prompt + says('a', 'far') + result('t', 'x'.repeat(300 * KIB)) + calls('b', 'u'));
    const read = bytesRead(() => {
      const signals = readSignals(file, { maxBytes: 100 * KIB });
      expect(signals).toMatchObject({ openToolUse: 'u', toolSinceBlock: true });
      expect(signals).not.toHaveProperty('lastText');
    });
    expect(read).toBe(100 * KIB);
  });

  it('a line larger than allowed tells nothing', () => {
    fs.writeFileSync(file, says('a', 'x'.repeat(64 * KIB)));
    expect(readSignals(file, { maxBytes: 32 * KIB })).toEqual({});
  });

  it('a line that fills exactly what is allowed is read', () => {
    const content = says('a', 'x');
    fs.writeFileSync(file, content);
    expect(readSignals(file, { maxBytes: content.length }).lastText).toBe('x');
    expect(readSignals(file, { maxBytes: content.length - 1 })).toEqual({});
  });

  it('the end of a line whose beginning may not be read tells nothing', () => {
    const content = says('a', 'x');
    fs.writeFileSync(file, `garbage${content}`);
    expect(readSignals(file, { maxBytes: content.length })).toEqual({});
  });

  it('in few steps, for the chunks grow', () => {
    writeLarge(200 * MIB, '');
    const read = vi.spyOn(fs, 'readSync');
    readSignals(file);
    expect(read.mock.calls.length).toBeLessThan(20);
  });

  it('only what was added since the last read, and a byte before it, for the usage', () => {
    writeLarge(200 * MIB, '');
    const { size } = fs.statSync(file);
    fs.appendFileSync(file, says('a', 'x'));
    const added = fs.statSync(file).size - size;
    expect(bytesRead(() => expect(readUsage(file, size).tokens).toBe(15))).toBe(added + 1);
  });
});

describe('polling', () => {
  const FAR = 60_000;

  it('returns at once when the condition holds', async () => {
    fs.writeFileSync(file, prompt + says('a', 'x'));
    expect((await pollSignals(file, (s) => s.answered === true, FAR)).lastText).toBe('x');
  });

  it('waits for the file and for its last line', async () => {
    const polled = pollSignals(file, (s) => s.answered === true, FAR);
    fs.writeFileSync(file, prompt + calls('a', 't'));
    fs.appendFileSync(file, result('t') + says('b', 'late'));
    expect(await polled).toMatchObject({ lastText: 'late', toolSinceBlock: true });
  });

  it('sees a line that is written in two halves', async () => {
    const late = says('a', 'late');
    fs.writeFileSync(file, prompt + late.slice(0, 20));
    const seen: unknown[] = [];
    const polled = pollSignals(
      file,
      (s) => {
        seen.push(s.lastText);
        if (seen.length === 1) fs.appendFileSync(file, late.slice(20));
        return s.answered === true;
      },
      FAR,
    );
    expect((await polled).lastText).toBe('late');
    expect(seen).toEqual([undefined, 'late']);
  });

  it('gives up after its limit and returns what it saw, reading an unchanged file only once', async () => {
    fs.writeFileSync(file, prompt);
    const read = vi.spyOn(fs, 'readSync');
    const signals = await pollSignals(file, () => false, 100);
    expect(signals).toEqual({ answered: false, toolSinceBlock: false });
    expect(read).toHaveBeenCalledOnce();
  });
});

describe('usage', () => {
  it.each([
    [
      '2.1.325-tools-and-blocks',
      { tokens: 4100 + 20 + 70, totalCostUsd: 0.0185, lastMessageId: 'msg_fake_a_5' },
    ],
    ['2.1.325-compact-command', { tokens: 198_020, totalCostUsd: 0.5973750000000002 }],
    ['2.1.325-subagent', { tokens: 3015 }],
  ])('%s', (name, usage) => {
    const path = join(FIXTURES, `${name}.jsonl`);
    expect(readUsage(path, 0)).toMatchObject({ ...usage, offset: fs.statSync(path).size, skippedBytes: 0 });
  });

  it('is counted from the offset on', () => {
    fs.writeFileSync(file, says('a', 'x', 1000));
    const first = readUsage(file, 0);
    fs.appendFileSync(file, says('b', 'y', 20));
    expect(first.tokens).toBe(1005);
    expect(readUsage(file, first.offset)).toMatchObject({ tokens: 25, offset: fs.statSync(file).size });
  });

  it('of an answer whose lines lie on both sides of the offset is counted once', () => {
    fs.writeFileSync(file, says('a', 'x', 1000));
    const first = transcriptFiles.usage(file, { offset: 0 });
    fs.appendFileSync(file, says('a', 'y', 1000) + says('b', 'z', 20));
    expect(transcriptFiles.usage(file, first)).toMatchObject({ tokens: 25, lastMessageId: 'b' });
  });

  it('of a torn last line is left for the next read', () => {
    const whole = says('a', 'x');
    const torn = says('b', 'y');
    fs.writeFileSync(file, whole + torn.slice(0, -5));
    const first = readUsage(file, 0);
    expect(first).toMatchObject({ tokens: 15, offset: whole.length });
    fs.appendFileSync(file, torn.slice(-5));
    expect(readUsage(file, first.offset)).toMatchObject({ tokens: 15, offset: whole.length + torn.length });
  });

  it('from the middle of a line begins at the next line and says what was skipped', () => {
    const first = says('a', 'x', 1000);
    fs.writeFileSync(file, first + says('b', 'y', 20));
    expect(readUsage(file, 10)).toMatchObject({ tokens: 25, skippedBytes: first.length - 10 });
  });

  it('of more than is allowed is that of the last part, and says what was skipped', () => {
    const lines = Array.from({ length: 100 }, (_, n) => says(`m${n}`, 'x'));
    fs.writeFileSync(file, lines.join(''));
    const size = fs.statSync(file).size;
    const last = lines.slice(-3).join('').length;
    const expected = { tokens: 45, offset: size, skippedBytes: size - last };
    expect(readUsage(file, 0, { maxBytes: last })).toMatchObject(expected);
    expect(readUsage(file, 0, { maxBytes: last + 10 })).toMatchObject(expected);
    expect(readUsage(file, 0, { maxBytes: size })).toMatchObject({ tokens: 1500, skippedBytes: 0 });
  });

  it('of a line that is larger than allowed and not yet ended waits at the same offset', () => {
    const before = says('a', 'x');
    fs.writeFileSync(file, before + 'x'.repeat(5000));
    expect(readUsage(file, before.length, { maxBytes: 100 })).toEqual({
      offset: before.length,
      tokens: 0,
      skippedBytes: 0,
    });
  });

  it('of a file shorter than the offset is counted from its beginning, for it is another file', () => {
    const content = says('a', 'x');
    fs.writeFileSync(file, content);
    expect(readUsage(file, 5000)).toMatchObject({ tokens: 15, offset: content.length, skippedBytes: 0 });
  });

  it.each([-1, Number.NaN, 1.5, Number.POSITIVE_INFINITY])('from offset %s begins at 0', (from) => {
    fs.writeFileSync(file, says('a', 'x'));
    expect(readUsage(file, from).tokens).toBe(15);
  });

  it('is the same however often and wherever a growing file is read', () => {
    const answers = fc.array(fc.record({ lines: fc.integer({ min: 1, max: 3 }), input: fc.nat(9999) }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(answers, fc.array(fc.nat(), { maxLength: 8 }), (list, cuts) => {
        const content = Buffer.from(
          list.map(({ lines, input }, n) => says(`m${n}`, 'ä🎉', input).repeat(lines) + prompt).join(''),
        );
        const ends = [...cuts.map((cut) => cut % (content.length + 1)).sort((a, b) => a - b), content.length];
        let read: { offset: number; lastMessageId?: string } = { offset: 0 };
        let tokens = 0;
        for (const end of ends) {
          fs.writeFileSync(file, content.subarray(0, end));
          const usage = transcriptFiles.usage(file, read);
          expect(usage.skippedBytes).toBe(0);
          expect(usage.offset === 0 || content[usage.offset - 1] === 0x0a).toBe(true);
          tokens += usage.tokens;
          read = usage;
        }
        expect(read.offset).toBe(content.length);
        expect(tokens).toBe(list.reduce((sum, { input }) => sum + input + 5, 0));
      }),
    );
  });
});
