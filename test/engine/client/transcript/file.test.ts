import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSignals, readUsage } from '../../../../src/engine/client/transcript/file.ts';
import { rounds } from '../../../support/long.ts';
import {
  calls,
  FIXTURES,
  feedback,
  file,
  folder,
  prompt,
  result,
  says,
  spied,
  useTranscript,
} from '../../../support/project/transcript-scene.ts';

useTranscript();

const KIB = 1024;
const MIB = 1024 * KIB;

/** How many bytes are read from files while `work` runs. */
function bytesRead(work: () => void): number {
  const read = spied('readSync');
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
    fs.writeFileSync(file(), content);
    expect(readSignals(file())).toEqual({});
    expect(readUsage(file(), 0).tokens).toBe(0);
  });

  it('a torn last line is passed over', () => {
    fs.writeFileSync(file(), prompt + says('a', 'whole') + says('b', 'torn').slice(0, -9));
    expect(readSignals(file()).lastText).toBe('whole');
  });

  it('a whole last line without its line end counts', () => {
    fs.writeFileSync(file(), prompt + says('a', 'whole').trimEnd());
    expect(readSignals(file()).lastText).toBe('whole');
  });

  it('lines may end with CRLF', () => {
    fs.writeFileSync(
      file(),
      (prompt + calls('a', 't') + result('t') + says('b', 'end')).replaceAll('\n', '\r\n'),
    );
    expect(readSignals(file())).toMatchObject({ lastText: 'end', toolSinceBlock: true, answered: true });
    expect(readUsage(file(), 0).tokens).toBe(30);
  });

  it('NULs before a line, left by a crash of the machine, are passed over', () => {
    fs.writeFileSync(file(), `${prompt}${'\0'.repeat(4096)}${says('a', 'after the crash')}`);
    expect(readSignals(file()).lastText).toBe('after the crash');
    expect(readUsage(file(), 0).tokens).toBe(15);
  });

  it('characters may lie across the border of two chunks', () => {
    const tail = prompt + says('b', 'x');
    for (let shift = 0; shift < 4; shift += 1) {
      const text = '🎉'.repeat(70 * KIB) + 'y'.repeat(shift);
      fs.writeFileSync(file(), prompt + says('a', text));
      expect(readSignals(file()).lastText).toBe(text);
      fs.writeFileSync(file(), says('a', text) + tail);
      expect(readSignals(file()).lastText).toBe('x');
    }
  });

  it('is read the same wherever lines meet the border of two chunks', () => {
    const filler = fc
      .integer({ min: 0, max: 3 * 64 * KIB })
      .map((length) => result('other', 'ä'.repeat(length / 2)));
    fc.assert(
      fc.property(fc.array(filler, { maxLength: 4 }), fc.boolean(), (between, ended) => {
        fs.writeFileSync(
          file(),
          [feedback, calls('a', 't'), ...between, says('b', 'end')].join('').slice(0, ended ? undefined : -1),
        );
        expect(readSignals(file())).toEqual({
          lastText: 'end',
          answered: true,
          toolSinceBlock: true,
          contextTokens: 11,
          model: 'claude-opus-5-5',
        });
      }),
      { numRuns: rounds(30, 15) },
    );
  });
});

describe('what is no readable file', () => {
  const nothing = { offset: 7, tokens: 0, skippedBytes: 0 };

  it.each([
    ['a missing file', () => file()],
    ['a folder', () => folder()],
    ['a path through a file', () => join(fileURLToPath(import.meta.url), 'x')],
    ['a path with a NUL', () => `${file()}\0`],
    ['an empty path', () => ''],
  ])('%s has no signals and leaves the offset', (_what, path) => {
    expect(readSignals(path())).toEqual({});
    expect(readUsage(path(), 7)).toEqual(nothing);
  });

  it('a FIFO is not opened, so nobody waits for a writer', () => {
    execFileSync('mkfifo', [file()]);
    const open = spied('openSync');
    expect(readSignals(file())).toEqual({});
    expect(readUsage(file(), 7)).toEqual(nothing);
    expect(open).not.toHaveBeenCalled();
  });

  it('a device is not opened', () => {
    const open = spied('openSync');
    expect(readSignals('/dev/zero')).toEqual({});
    expect(open).not.toHaveBeenCalled();
  });

  it('a file that may not be opened has no signals', () => {
    fs.writeFileSync(file(), prompt + says('a', 'x'));
    spied('openSync').mockImplementation(() => {
      throw new Error('EACCES');
    });
    expect(readSignals(file())).toEqual({});
    expect(readUsage(file(), 7)).toEqual(nothing);
  });

  it('a file that fails while it is read is closed and tells what was known', () => {
    fs.writeFileSync(file(), says('a', 'x'.repeat(80 * KIB)) + says('b', 'end'));
    const read = fs.readSync;
    const failing = spied('readSync').mockImplementationOnce((...args) => Reflect.apply(read, fs, args));
    failing.mockImplementation(() => {
      throw new Error('EIO');
    });
    const close = spied('closeSync');
    expect(readSignals(file())).toMatchObject({ lastText: 'end', answered: true });
    expect(close).toHaveBeenCalledOnce();
  });

  it('a file that becomes shorter while it is read ends the reading', () => {
    fs.writeFileSync(file(), prompt + says('a', 'x'));
    spied('readSync').mockReturnValue(0);
    expect(readSignals(file())).toEqual({});
    expect(readUsage(file(), 0)).toEqual({ offset: 0, tokens: 0, skippedBytes: 0 });
  });
});

describe('how much is read', () => {
  /** A sparse file: `size` bytes of NULs, then `tail`. */
  function writeLarge(size: number, tail: string): void {
    const fd = fs.openSync(file(), 'w');
    fs.writeSync(fd, Buffer.from(`\n${tail}`), 0, undefined, size);
    fs.closeSync(fd);
  }

  it('one chunk of a transcript of 200 MB that ends as usual', () => {
    writeLarge(200 * MIB, feedback + calls('a', 't') + result('t') + says('b', 'end'));
    const read = bytesRead(() => {
      expect(readSignals(file())).toMatchObject({ lastText: 'end', toolSinceBlock: true, contextTokens: 11 });
    });
    expect(read).toBe(64 * KIB);
  });

  it('one chunk of a long turn: the last answers tell all there is to know', () => {
    const turns = Array.from(
      { length: 5000 },
      (_, n) => says(`m${n}`, 'x') + calls(`m${n}`, `t${n}`) + result(`t${n}`),
    );
    fs.writeFileSync(file(), `${turns.join('')}${says('end', 'end')}`);
    expect(bytesRead(() => readSignals(file()))).toBe(64 * KIB);
  });

  it('8 MiB at most of a file of 200 MB that has nothing to say', () => {
    writeLarge(200 * MIB, '');
    expect(bytesRead(() => expect(readSignals(file())).toEqual({}))).toBe(8 * MIB);
    expect(bytesRead(() => expect(readUsage(file(), 0)).toMatchObject({ tokens: 0 }))).toBeLessThanOrEqual(
      8 * MIB + 1,
    );
  });

  it('no more than allowed, and what was found until then counts', () => {
    fs.writeFileSync(
      file(),
      prompt + says('a', 'far') + result('t', 'x'.repeat(300 * KIB)) + calls('b', 'u'),
    );
    const read = bytesRead(() => {
      const signals = readSignals(file(), { maxBytes: 100 * KIB });
      expect(signals).toMatchObject({ openToolUse: 'u', toolSinceBlock: true });
      expect(signals).not.toHaveProperty('lastText');
    });
    expect(read).toBe(100 * KIB);
  });

  it('a line larger than allowed tells nothing', () => {
    fs.writeFileSync(file(), says('a', 'x'.repeat(64 * KIB)));
    expect(readSignals(file(), { maxBytes: 32 * KIB })).toEqual({});
  });

  it('a line that fills exactly what is allowed is read', () => {
    const content = says('a', 'x');
    fs.writeFileSync(file(), content);
    expect(readSignals(file(), { maxBytes: content.length }).lastText).toBe('x');
    expect(readSignals(file(), { maxBytes: content.length - 1 })).toEqual({});
  });

  it('the end of a line whose beginning may not be read tells nothing', () => {
    const content = says('a', 'x');
    fs.writeFileSync(file(), `garbage${content}`);
    expect(readSignals(file(), { maxBytes: content.length })).toEqual({});
  });

  it('in few steps, for the chunks grow', () => {
    writeLarge(200 * MIB, '');
    const read = spied('readSync');
    readSignals(file());
    expect(read.mock.calls.length).toBeLessThan(20);
  });

  it('only what was added since the last read, and a byte before it, for the usage', () => {
    writeLarge(200 * MIB, '');
    const { size } = fs.statSync(file());
    fs.appendFileSync(file(), says('a', 'x'));
    const added = fs.statSync(file()).size - size;
    expect(bytesRead(() => expect(readUsage(file(), size).tokens).toBe(15))).toBe(added + 1);
  });
});
