import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, promiseContract } from '../../src/core/contract/contract.ts';
import { makeReceipt, type Receipt } from '../../src/core/loop/receipt.ts';
import { end } from '../../src/core/loop/state.ts';
import { traitsOf } from '../../src/gates/traits.ts';
import { createHome, type Home, homeAt } from '../../src/home/layout.ts';
import {
  isOwnKey,
  keyName,
  receiptProblems,
  type SignedReceipt,
  signReceipt,
  writeReceipt,
} from '../../src/home/receipts.ts';
import { freshLoop, T0, verdict } from '../support/core/samples.ts';
import { runWorker, temporaryFolder } from '../support/files/workers.ts';

let home: Home;
beforeEach(() => {
  home = homeAt(join(temporaryFolder(), 'home'));
  createHome(home);
});

function receipt(): Receipt {
  return makeReceipt(
    {
      state: end(freshLoop(), 'verified_done', 'gates_passed', 'tests', T0),
      verdicts: [
        verdict('pass', { proof: { command: 'npm test', exitCode: 0 } }),
        verdict('pass', { gate: 'b' }),
      ],
      frozen: {
        contract: promiseContract('DONE', DEFAULT_LIMITS),
        frozen: { project: '/p', fingerprint: 'f', parts: {}, gates: {}, judgeMs: 1 },
      },
      contractSha256: 'c',
      contractFileNow: null,
      task: { sha256: 's', preview: 'task' },
      commit: null,
      tree: 't',
      journal: { lines: 3, lastLineSha256: 'l' },
    },
    traitsOf,
  );
}

/** A receipt as read from a file, with a change. */
function edited(change: (signed: SignedReceipt) => void): SignedReceipt {
  const signed = JSON.parse(JSON.stringify(signReceipt(receipt(), home))) as SignedReceipt;
  change(signed);
  return signed;
}
const NOT_SIGNED = 'the signature does not fit the digests: one of the two was changed, too';

test('what is as it was signed has no problems, however its keys are ordered', () => {
  expect(receiptProblems(edited(() => {}))).toEqual([]);
  expect(
    receiptProblems(
      edited((s) => {
        s.digests = Object.fromEntries(Object.entries(s.digests).reverse());
        s.receipt = Object.fromEntries(Object.entries(s.receipt).reverse()) as unknown as Receipt;
      }),
    ),
  ).toEqual([]);
});

describe('an edit is told by its place', () => {
  const first = (s: SignedReceipt) => s.receipt.verdicts[0] as Receipt['verdicts'][number];
  test.each<[string, (signed: SignedReceipt) => void, string[]]>([
    ['the status', (s) => Object.assign(s.receipt, { status: 'claimed_done' }), ['"status" was changed']],
    ['an exit code', (s) => Object.assign(first(s), { exitCode: 1 }), ['"verdicts.0.exitCode" was changed']],
    [
      'a number as text',
      (s) => Object.assign(first(s), { exitCode: '0' }),
      ['"verdicts.0.exitCode" was changed'],
    ],
    ['the tree', (s) => Object.assign(s.receipt.work, { tree: 'u' }), ['"work.tree" was changed']],
    [
      'an exception more',
      (s) => s.receipt.allowed.push('x'),
      ['"allowed.0" was added', '"allowed" was removed'],
    ],
    ['a field more', (s) => Object.assign(s.receipt, { note: 'trust me' }), ['"note" was added']],
    ['a verdict less', (s) => void s.receipt.verdicts.pop(), ['"verdicts.1.children" was removed']],
  ])('%s', (_, change, expected) => {
    expect(receiptProblems(edited(change))).toEqual(expect.arrayContaining(expected));
  });
  test('two verdicts in the place of each other', () => {
    expect(receiptProblems(edited((s) => s.receipt.verdicts.reverse()))).toEqual(
      expect.arrayContaining(['"verdicts.0.gate" was changed', '"verdicts.1.gate" was changed']),
    );
  });
});

describe('an edit of what protects it', () => {
  test('digests that were made to fit no longer fit the signature', () => {
    const other = signReceipt({ ...receipt(), status: 'claimed_done' }, home);
    const mixed = edited((s) => Object.assign(s, { receipt: other.receipt, digests: other.digests }));
    expect(receiptProblems(mixed)).toEqual([NOT_SIGNED]);
  });
  test.each<[string, (signed: SignedReceipt) => void]>([
    ['no signature', (s) => Object.assign(s, { signature: '' })],
    ['another signature', (s) => Object.assign(s, { signature: Buffer.alloc(64).toString('base64') })],
    ['no key', (s) => Object.assign(s, { publicKey: undefined })],
    ['no such key', (s) => Object.assign(s, { publicKey: 'a key' })],
  ])('%s', (_, change) => expect(receiptProblems(edited(change))).toEqual([NOT_SIGNED]));
  test('no digests at all', () => {
    const problems = receiptProblems(edited((s) => Object.assign(s, { digests: null })));
    expect(problems).toContain('"status" was added');
    expect(problems).toContain(NOT_SIGNED);
  });
  test('signed anew with a key of its own it is intact, but a stranger’s', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const forged = edited((s) => {
      s.receipt.status = 'claimed_done';
      Object.assign(s, { digests: signReceipt(s.receipt, home).digests });
      const text = JSON.stringify(Object.entries(s.digests).sort(([a], [b]) => (a < b ? -1 : 1)));
      s.signature = sign(null, Buffer.from(text), privateKey).toString('base64');
      s.publicKey = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    });
    expect(receiptProblems(forged)).toEqual([]);
    expect(isOwnKey(forged, home)).toBe(false);
  });
});

describe('the key', () => {
  test('is made once, for its owner alone, and kept', () => {
    const [one, two] = [signReceipt(receipt(), home), signReceipt(receipt(), home)];
    expect(one.publicKey).toBe(two.publicKey);
    expect(isOwnKey(one, home)).toBe(true);
    expect(statSync(join(home.root, 'receipt-key.pem')).mode & 0o777).toBe(0o600);
    expect(keyName(one.publicKey)).toMatch(/^[0-9a-f]{16}$/);
  });
  test('of another home is another one', () => {
    const elsewhere = homeAt(join(temporaryFolder(), 'home'));
    createHome(elsewhere);
    const signed = signReceipt(receipt(), elsewhere);
    expect(isOwnKey(signed, home)).toBe(false);
    expect(receiptProblems(signed)).toEqual([]);
  });
  test('that is damaged is nobody’s', () => {
    const signed = signReceipt(receipt(), home);
    writeFileSync(join(home.root, 'receipt-key.pem'), 'damaged');
    expect(isOwnKey(signed, home)).toBe(false);
  });
});

describe('the key that signs', () => {
  const keyFile = () => join(home.root, 'receipt-key.pem');
  test('is the same for all who sign first at once', async () => {
    const signed = await Promise.all(
      Array.from({ length: 6 }, () => runWorker({ do: 'sign', root: home.root })),
    );
    expect(new Set(signed.map(({ stdout }) => stdout)).size).toBe(1);
    expect(signed[0]?.stdout).toContain('PUBLIC KEY');
  });
  test.each(['', 'garbage', '\0'.repeat(119)])(
    'that is damaged (%j) is kept aside, and another is made',
    (text) => {
      signReceipt(receipt(), home);
      writeFileSync(keyFile(), text);
      mkdirSync(join(home.root, 'loop'));
      expect(writeReceipt(join(home.root, 'loop'), receipt(), home)).toContain('receipt-key.pem.damaged');
      expect(readFileSync(`${keyFile()}.damaged`, 'utf8')).toBe(text);
      expect(isOwnKey(signReceipt(receipt(), home), home)).toBe(true);
      expect(writeReceipt(join(home.root, 'loop'), receipt(), home)).toBeUndefined();
    },
  );
});
