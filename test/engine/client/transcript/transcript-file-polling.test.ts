import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pollSignals } from '../../../../src/engine/client/transcript/file.ts';
import {
  calls,
  file,
  prompt,
  result,
  says,
  spied,
  useTranscript,
} from '../../../support/project/transcript-scene.ts';

useTranscript();

describe('polling', () => {
  const FAR = 60_000;

  it('returns at once when the condition holds', async () => {
    fs.writeFileSync(file(), prompt + says('a', 'x'));
    expect((await pollSignals(file(), (s) => s.answered === true, FAR)).lastText).toBe('x');
  });

  it('waits for the file and for its last line', async () => {
    const polled = pollSignals(file(), (s) => s.answered === true, FAR);
    fs.writeFileSync(file(), prompt + calls('a', 't'));
    fs.appendFileSync(file(), result('t') + says('b', 'late'));
    expect(await polled).toMatchObject({ lastText: 'late', toolSinceBlock: true });
  });

  it('sees a line that is written in two halves', async () => {
    const late = says('a', 'late');
    fs.writeFileSync(file(), prompt + late.slice(0, 20));
    const seen: unknown[] = [];
    const polled = pollSignals(
      file(),
      (s) => {
        seen.push(s.lastText);
        if (seen.length === 1) fs.appendFileSync(file(), late.slice(20));
        return s.answered === true;
      },
      FAR,
    );
    expect((await polled).lastText).toBe('late');
    expect(seen).toEqual([undefined, 'late']);
  });

  it('gives up after its limit and returns what it saw, reading an unchanged file only once', async () => {
    fs.writeFileSync(file(), prompt);
    const read = spied('readSync');
    const signals = await pollSignals(file(), () => false, 100);
    expect(signals).toEqual({ answered: false, toolSinceBlock: false });
    expect(read).toHaveBeenCalledOnce();
  });
});
