import fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readUsage, transcriptFiles } from '../../../../src/engine/client/transcript/file.ts';
import { FIXTURES, file, prompt, says, useTranscript } from '../../../support/project/transcript-scene.ts';

useTranscript();

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
    fs.writeFileSync(file(), says('a', 'x', 1000));
    const first = readUsage(file(), 0);
    fs.appendFileSync(file(), says('b', 'y', 20));
    expect(first.tokens).toBe(1005);
    expect(readUsage(file(), first.offset)).toMatchObject({ tokens: 25, offset: fs.statSync(file()).size });
  });

  it('of an answer whose lines lie on both sides of the offset is counted once', () => {
    fs.writeFileSync(file(), says('a', 'x', 1000));
    const first = transcriptFiles.usage(file(), { offset: 0 });
    fs.appendFileSync(file(), says('a', 'y', 1000) + says('b', 'z', 20));
    expect(transcriptFiles.usage(file(), first)).toMatchObject({ tokens: 25, lastMessageId: 'b' });
  });

  it('of a torn last line is left for the next read', () => {
    const whole = says('a', 'x');
    const torn = says('b', 'y');
    fs.writeFileSync(file(), whole + torn.slice(0, -5));
    const first = readUsage(file(), 0);
    expect(first).toMatchObject({ tokens: 15, offset: whole.length });
    fs.appendFileSync(file(), torn.slice(-5));
    expect(readUsage(file(), first.offset)).toMatchObject({ tokens: 15, offset: whole.length + torn.length });
  });

  it('from the middle of a line begins at the next line and says what was skipped', () => {
    const first = says('a', 'x', 1000);
    fs.writeFileSync(file(), first + says('b', 'y', 20));
    expect(readUsage(file(), 10)).toMatchObject({ tokens: 25, skippedBytes: first.length - 10 });
  });

  it('of more than is allowed is that of the last part, and says what was skipped', () => {
    const lines = Array.from({ length: 100 }, (_, n) => says(`m${n}`, 'x'));
    fs.writeFileSync(file(), lines.join(''));
    const size = fs.statSync(file()).size;
    const last = lines.slice(-3).join('').length;
    const expected = { tokens: 45, offset: size, skippedBytes: size - last };
    expect(readUsage(file(), 0, { maxBytes: last })).toMatchObject(expected);
    expect(readUsage(file(), 0, { maxBytes: last + 10 })).toMatchObject(expected);
    expect(readUsage(file(), 0, { maxBytes: size })).toMatchObject({ tokens: 1500, skippedBytes: 0 });
  });

  it('of a line that is larger than allowed and not yet ended waits at the same offset', () => {
    const before = says('a', 'x');
    fs.writeFileSync(file(), before + 'x'.repeat(5000));
    expect(readUsage(file(), before.length, { maxBytes: 100 })).toEqual({
      offset: before.length,
      tokens: 0,
      skippedBytes: 0,
    });
  });

  it('of a file shorter than the offset is counted from its beginning, for it is another file', () => {
    const content = says('a', 'x');
    fs.writeFileSync(file(), content);
    expect(readUsage(file(), 5000)).toMatchObject({ tokens: 15, offset: content.length, skippedBytes: 0 });
  });

  it.each([-1, Number.NaN, 1.5, Number.POSITIVE_INFINITY])('from offset %s begins at 0', (from) => {
    fs.writeFileSync(file(), says('a', 'x'));
    expect(readUsage(file(), from).tokens).toBe(15);
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
          fs.writeFileSync(file(), content.subarray(0, end));
          const usage = transcriptFiles.usage(file(), read);
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
