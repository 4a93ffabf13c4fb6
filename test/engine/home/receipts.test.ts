import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, promiseContract } from '../../../src/engine/core/contract/contract.ts';
import { makeReceipt, type Receipt } from '../../../src/engine/core/loop/receipt.ts';
import { end } from '../../../src/engine/core/loop/state.ts';
import { receiptStatement } from '../../../src/engine/core/proof/statement.ts';
import { traitsOf } from '../../../src/engine/gates/traits.ts';
import { sealStatement } from '../../../src/engine/home/envelope.ts';
import { createHome, type Home, homeAt } from '../../../src/engine/home/layout.ts';
import {
  isOwnKey,
  keyName,
  receiptProblems,
  type SignedReceipt,
  signReceipt,
  spellingProblems,
  writeReceipt,
} from '../../../src/engine/home/receipts.ts';
import { freshLoop, T0, verdict } from '../../support/core/samples.ts';
import { runWorker, temporaryFolder } from '../../support/files/workers.ts';
import { isLong } from '../../support/long.ts';

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
      Object.assign(s, sealStatement(receiptStatement(s.receipt), privateKey));
      const text = JSON.stringify(Object.entries(s.digests).sort(([a], [b]) => (a < b ? -1 : 1)));
      s.signature = sign(null, Buffer.from(text), privateKey).toString('base64');
      s.publicKey = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    });
    expect(receiptProblems(forged)).toEqual([]);
    expect(isOwnKey(forged, home)).toBe(false);
  });
});

describe('as a statement for others', () => {
  test('few lines by the specification check it, with the public key alone', () => {
    const { payloadType = '', payload = '', signatures = [], publicKey } = signReceipt(receipt(), home);
    const body = Buffer.from(payload, 'base64');
    const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${body.length} `;
    const signed = Buffer.concat([Buffer.from(head), body]);
    const sig = Buffer.from(signatures[0]?.sig ?? '', 'base64');
    expect(verify(null, signed, createPublicKey(publicKey), sig)).toBe(true);
    expect(JSON.parse(body.toString())).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'work', digest: { gitTree: 't' } }],
      predicateType: 'https://untildone.dev/receipt/v1',
      predicate: { loop: 'l1', status: 'verified_done', verdicts: [{ command: 'npm test' }, {}] },
    });
  });
  test('without a tree it is about the journal', () => {
    const bare = { ...receipt(), work: { ...receipt().work, tree: null } };
    expect(receiptStatement(bare).subject).toEqual([{ name: 'journal', digest: { sha256: 'l' } }]);
  });
  test.each<[string, (signed: SignedReceipt) => void, string]>([
    ['no payload', (s) => delete s.payload, '"payload" was removed'],
    ['no signatures', (s) => delete s.signatures, '"signatures" was removed'],
    ['a key more', (s) => Object.assign(s, { note: 'trust me' }), '"note" was added'],
    ['another type', (s) => Object.assign(s, { payloadType: 'text/plain' }), '"payloadType" was changed'],
    [
      'another payload',
      (s) => Object.assign(s, { payload: 'e30=' }),
      'the signature does not fit the payload',
    ],
    ['an older payload', (s) => Object.assign(s, older()), '"payload" says something else than "receipt"'],
    [
      'another name',
      (s) => Object.assign(s.signatures?.[0] ?? {}, { keyid: 'k' }),
      '"signatures" was changed',
    ],
  ])('%s is named', (_, change, problem) => {
    expect(receiptProblems(edited(change)).join()).toContain(problem);
  });
  /** The statement of another receipt, signed with the same key. */
  function older() {
    const { payload, signatures } = signReceipt({ ...receipt(), loop: 'l0' }, home);
    return { payload, signatures };
  }

  test('every byte of the file counts', () => {
    const text = `${JSON.stringify(signReceipt(receipt(), home), null, 2)}\n`;
    const problemsIn = (changed: string) => {
      try {
        const value = JSON.parse(changed) as SignedReceipt;
        return [...receiptProblems(value), ...spellingProblems(changed, value)];
      } catch (error) {
        return [(error as Error).message];
      }
    };
    expect(problemsIn(text)).toEqual([]);
    const step = isLong ? 1 : 7;
    for (let at = 0; at < text.length - 1; at += step) {
      const other = String.fromCharCode(text.charCodeAt(at) ^ 1);
      const changed = `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
      expect([at, problemsIn(changed).length > 0]).toEqual([at, true]);
    }
    const doubled = text.replace('{', '{ "payload": "e30=",');
    expect(problemsIn(doubled)).toEqual([expect.stringContaining('a key that is there twice')]);
  });
  test('one of an older version, which has none, is intact', () => {
    const old = JSON.parse(readFileSync('test/fixtures/receipts/0.1.0.json', 'utf8')) as SignedReceipt;
    expect(old.payload).toBeUndefined();
    expect(receiptProblems(old)).toEqual([]);
    expect(spellingProblems(JSON.stringify(old, null, 7), old)).toEqual([]);
    Object.assign(old.receipt, { status: 'claimed_done' });
    expect(receiptProblems(old)).toEqual(['"status" was changed']);
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
