import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { showReceipt, verifyReceipt } from '../../../src/cli/contract/receipt.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { type SignedReceipt, signReceipt } from '../../../src/engine/home/receipts.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';
import { openHome, verifiedLoop } from '../../support/cli/verified-loop.ts';
import { contractWith, frozenWith, run } from '../../support/hook/judging.ts';

let world: ProjectPorts;
let ref: LoopRef;
let lines: string[];
const out = (line: string) => void lines.push(line);

beforeEach(async () => {
  ({ world, ref } = await verifiedLoop());
  lines = [];
});

const receiptFile = () => world.store.receiptFile(ref);
const read = () => JSON.parse(readFileSync(receiptFile(), 'utf8')) as SignedReceipt;
const verify = (options = { rerun: false }) => verifyReceipt(receiptFile(), options, world, out);
function edit(change: (signed: SignedReceipt) => void): void {
  const signed = read();
  change(signed);
  writeFileSync(receiptFile(), JSON.stringify(signed));
}
/** The same receipt, made on another machine. */
const elsewhere = (change: (signed: SignedReceipt) => void = () => {}) =>
  edit((signed) => {
    signed.receipt.loop = 'l-of-another-machine';
    change(signed);
    Object.assign(signed, signReceipt(signed.receipt, openHome()));
  });

describe('a receipt', () => {
  test('that is as it was signed is intact', async () => {
    expect(await verify()).toBe(0);
    expect(lines).toEqual([
      "Intact: nothing in this receipt was changed since it was signed with this machine's key.",
      'It rests on: measured in place (tests).',
      'A receipt shows tampering; it does not prove the work. To run its commands again in a clean copy: --rerun',
    ]);
  });
  test('that was edited is changed, and the place is named', async () => {
    edit((signed) => Object.assign(signed.receipt.verdicts[0] ?? {}, { summary: 'all 900 tests pass' }));
    expect(await verify()).toBe(1);
    expect(lines).toEqual(['CHANGED: "verdicts.0.summary" was changed']);
  });
  test('of another machine is intact, with a key that is not known here', async () => {
    elsewhere();
    expect(await verify()).toBe(0);
    expect(lines[0]).toMatch(/signed with a key that this machine does not know \([0-9a-f]{16}\)\.$/);
  });
  test.each([
    '',
    'null',
    '{}',
    '[]',
    '{"receipt":{"v":2}}',
    '{"receipt":{"v":1},"digests":{},"signature":""}',
    'text',
  ])('is not what %j is', async (text) => {
    writeFileSync(receiptFile(), text);
    await expect(verify()).rejects.toThrow(`${receiptFile()} is not a receipt of untildone`);
  });
  test('that is not there is said', async () => {
    rmSync(receiptFile());
    await expect(verify()).rejects.toThrow(`there is no file ${receiptFile()}`);
  });
});

describe('the journal behind it', () => {
  const journal = () => join(ref.dir, 'journal.jsonl');
  const rewrite = (change: (all: string[]) => string[]) =>
    writeFileSync(journal(), `${change(readFileSync(journal(), 'utf8').trimEnd().split('\n')).join('\n')}\n`);

  test('whose lines were changed is told by the line', async () => {
    rewrite(([first = '', ...rest]) => [first.replace('"loop":"l1"', '"loop":"l2"'), ...rest]);
    expect(await verify()).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/^CHANGED: line 1 of the journal: /)]);
  });
  test('from which a line was removed', async () => {
    rewrite(([, ...rest]) => rest);
    expect(await verify()).toBe(1);
    expect(lines).toEqual(['CHANGED: a line before #2 of the journal was removed']);
  });
  test('that no longer holds the line it rests on', async () => {
    rewrite((all) => all.slice(0, 1));
    expect(await verify()).toBe(1);
    expect(lines).toEqual([
      'CHANGED: the journal on this machine does not hold the line that this receipt rests on',
    ]);
  });
  test('to which something was added, or where a crash left half a line: noted, and no change of it', async () => {
    rewrite(([first = '', ...rest]) => [first, '{"forged":true}', ...rest]);
    appendFileSync(journal(), 'half a li\n');
    expect(await verify()).toBe(0);
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^Note: line 2 of the journal: .*; it counts for nothing$/),
      expect.stringMatching(/^Note: line 4 of the journal: .*; it counts for nothing$/),
    ]);
  });
  test('that goes on after it is no change', async () => {
    world.store.append(ref, () => ({ kind: 'event', event: 'SessionEnd' }));
    expect(await verify()).toBe(0);
  });
});

describe('commands of a stranger', () => {
  test('that this project does not know are shown and asked about; without anybody to ask they do not run', async () => {
    const ran = join(world.project, '..', 'ran');
    elsewhere(({ receipt }) =>
      Object.assign(receipt.verdicts[0] ?? {}, { command: `true\r\u001b[2Ktouch ${ran}` }),
    );
    await expect(verify({ rerun: true })).rejects.toThrow(UsageError);
    expect(lines.slice(1)).toEqual([
      'These commands are signed with an unknown key, are not in your contract, and would run on this machine, as you:',
      `  tests: true [2Ktouch ${ran}`,
    ]);
    expect(() => readFileSync(ran)).toThrow();
  });
});

describe('shown', () => {
  test('as text, as Markdown, and as the file itself', async () => {
    await showReceipt(ref, { format: 'text' }, world, out);
    expect(lines[0]).toContain('Receipt of loop l1: verified_done');
    lines.length = 0;
    await showReceipt(ref, { format: 'md' }, world, out);
    expect(lines[0]).toContain('### Verified: a task');
    lines.length = 0;
    await showReceipt(ref, { format: 'json' }, world, out);
    expect(JSON.parse(lines.join('\n'))).toEqual(read());
  });
  test('with what was changed in it', async () => {
    edit((signed) => Object.assign(signed.receipt, { status: 'claimed_done' }));
    await showReceipt(ref, { format: 'text' }, world, out);
    expect(lines[0]).toBe('CHANGED since it was signed: "status" was changed');
  });
  test('or why there is none', async () => {
    const other = world.store.create({
      loop: 'l2',
      session: 's2',
      project: world.project,
      dialect: 'native',
      task: 't',
      transcriptOffset: 0,
      contract: frozenWith(contractWith({ tests: run() }), { project: world.project }),
    });
    await expect(showReceipt(other, { format: 'text' }, world, out)).rejects.toThrow(
      'loop l2 has no receipt: it is active, and only a done loop gets one',
    );
  });
});
