import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ShowOptions, showKey, showReceipt, verifyReceipt } from '../../../src/cli/contract/receipt.ts';
import { ladderOf } from '../../../src/engine/core/proof/ladder.ts';
import {
  type VerificationPredicate,
  verificationStatement,
} from '../../../src/engine/core/proof/statement.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import type { Home } from '../../../src/engine/home/layout.ts';
import {
  ownPublicKey,
  type SignedReceipt,
  signReceipt,
  signStatement,
} from '../../../src/engine/home/receipts.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { openHome, verifiedLoop } from '../../support/cli/verified-loop.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

let world: ProjectPorts;
let ref: LoopRef;
let folder: string;
/** The home of the machine that judges again. */
let ci: Home;
let lines: string[];
const out = (line: string) => void lines.push(line);
beforeEach(async () => {
  ({ world, ref } = await verifiedLoop());
  folder = temporaryFolder();
  ci = openHome();
  lines = [];
});

const inFolder = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const receipt = () => JSON.parse(readFileSync(world.store.receiptFile(ref), 'utf8')) as SignedReceipt;
/** The public key of a home, as a file. */
function keyOf(home: Home): string {
  signReceipt(receipt().receipt, home);
  const pem = ownPublicKey(home)?.export({ type: 'spki', format: 'pem' }).toString();
  return inFolder(`${home === ci ? 'ci' : 'own'}.pub`, pem ?? '');
}
function verification(result = 'verified'): VerificationPredicate {
  return {
    v: 1,
    result,
    summary: `it is ${result}`,
    judgedAt: '2026-01-01T00:00:00.000Z',
    contract: { sha256: 'c' },
    verdicts: [],
    notJudged: [],
    allowed: [],
    receipt: null,
    work: { commit: null, tree: 'tree 1', baseCommit: null, baseTree: null },
    ladder: ladderOf([]),
  };
}
const statement = (tree = 'tree 1', result = 'verified', home = ci) =>
  inFolder(
    'ci.json',
    `${JSON.stringify(signStatement(verificationStatement(verification(result), tree), home), null, 2)}\n`,
  );
const show = (options: Partial<ShowOptions>) => showReceipt(ref, { format: 'text', ...options }, world, out);

describe('a receipt that others countersigned', () => {
  test('shows the rung, and who signed', async () => {
    await show({ countersigned: statement(), key: keyOf(ci) });
    expect(lines.join('\n')).toContain('[x] countersigned      by the key ');
    lines = [];
    await show({});
    expect(lines.join('\n')).toContain('[ ] countersigned');
  });
  test.each<[string, () => Partial<ShowOptions>, string]>([
    [
      'about another tree',
      () => ({ countersigned: statement('tree 2'), key: keyOf(ci) }),
      'is about another tree',
    ],
    [
      'that says it failed',
      () => ({ countersigned: statement('tree 1', 'failing'), key: keyOf(ci) }),
      'does not say that the work is verified',
    ],
    [
      'signed with the key of the receipt itself',
      () => ({ countersigned: statement('tree 1', 'verified', world.home), key: keyOf(world.home) }),
      'the very key that signed the receipt',
    ],
    [
      'signed with another key',
      () => ({ countersigned: statement('tree 1', 'verified', openHome()), key: keyOf(ci) }),
      'it is not signed with this key',
    ],
    ['without a key', () => ({ countersigned: statement() }), 'say whose signature counts'],
    [
      'that is none',
      () => ({ countersigned: inFolder('x', '{}'), key: keyOf(ci) }),
      'is no statement of untildone verify --attest',
    ],
    [
      'that is a receipt',
      () => ({ countersigned: world.store.receiptFile(ref), key: keyOf(ci) }),
      'is no statement of untildone verify',
    ],
    [
      'that is not there',
      () => ({ countersigned: join(folder, 'none'), key: keyOf(ci) }),
      'there is no file',
    ],
    [
      'with a key that is none',
      () => ({ countersigned: statement(), key: inFolder('k', 'key') }),
      'is no public key in PEM form',
    ],
    [
      'as JSON',
      () => ({ countersigned: statement(), key: keyOf(ci), format: 'json' }),
      '--format text or md',
    ],
  ])('a statement %s is refused', async (_, options, words) => {
    const shown = show(options());
    await expect(shown).rejects.toThrow(UsageError);
    await expect(shown).rejects.toThrow(words);
  });
  test('a statement that was changed is refused', async () => {
    const file = statement();
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"payloadType"', ' "payloadType"'));
    await expect(show({ countersigned: file, key: keyOf(ci) })).rejects.toThrow(
      'was changed: the text is not',
    );
  });
  test('by a workflow on GitHub, when gh says so', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const gh = (answer: string) => {
      writeFileSync(join(bin, 'gh'), `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/asked"\n${answer}\n`);
      chmodSync(join(bin, 'gh'), 0o755);
    };
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    gh('exit 0');
    const file = statement();
    await show({ countersigned: file, repo: 'me/it' });
    expect(lines.join('\n')).toContain('by a workflow of me/it on GitHub');
    expect(readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')).toEqual([
      ...['attestation', 'verify', file, '--repo', 'me/it'],
      ...['--predicate-type', 'https://untildone.dev/verification/v1'],
    ]);
    await show({ countersigned: file, repo: 'me/it', workflow: '.github/workflows/a.yml' });
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toContain(
      '--signer-workflow\nme/it/.github/workflows/a.yml',
    );
    gh('echo no attestations found; exit 1');
    await expect(show({ countersigned: file, repo: 'me/it' })).rejects.toThrow('no attestations found');
    await expect(show({ countersigned: file, repo: '; rm' })).rejects.toThrow('OWNER/NAME');
  });
});

describe('a statement alone', () => {
  const dsse = async () => {
    await show({ format: 'dsse' });
    const file = inFolder('receipt.dsse.json', lines.join('\n'));
    lines = [];
    return file;
  };
  const elsewhere = () => {
    const home = openHome();
    return { ...world, ...openPorts(home, world.env, async () => judgeBundle), home };
  };
  test('of a receipt is checked with the public key alone, on any machine', async () => {
    const file = await dsse();
    const options = { rerun: false, key: keyOf(world.home) };
    expect(await verifyReceipt(file, options, elsewhere(), out)).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(
        /^Intact: nothing in this statement was changed since it was signed with the key /,
      ),
      'It is about the tree tree 1 (https://untildone.dev/receipt/v1).',
      'It rests on: measured in place (tests).',
      expect.stringContaining('A receipt shows tampering'),
    ]);
    await expect(verifyReceipt(file, { rerun: false }, elsewhere(), out)).rejects.toThrow('--key');
    expect(await verifyReceipt(file, { rerun: false }, world, out)).toBe(0);
  });
  test('with another key, or with a changed payload, is told apart', async () => {
    const file = await dsse();
    const key = keyOf(world.home);
    expect(await verifyReceipt(file, { rerun: false, key: keyOf(ci) }, elsewhere(), out)).toBe(1);
    expect(lines.join()).toContain('it is not signed with this key');
    lines = [];
    const envelope = JSON.parse(readFileSync(file, 'utf8')) as { payload: string };
    const body = Buffer.from(envelope.payload, 'base64').toString().replace('verified_done', 'verified_dome');
    writeFileSync(file, JSON.stringify({ ...envelope, payload: Buffer.from(body).toString('base64') }));
    expect(await verifyReceipt(file, { rerun: false, key }, elsewhere(), out)).toBe(1);
    expect(lines.join()).toContain('CHANGED: the signature does not fit the payload');
  });
  test('of another judging says what it found', async () => {
    expect(await verifyReceipt(statement(), { rerun: false, key: keyOf(ci) }, world, out)).toBe(0);
    expect(lines.at(-1)).toBe('It says: it is verified');
  });
  test('the whole receipt is checked against a given key, too', async () => {
    const file = world.store.receiptFile(ref);
    expect(await verifyReceipt(file, { rerun: false, key: keyOf(world.home) }, world, out)).toBe(0);
    expect(lines[0]).toContain('since it was signed with the key in ');
    lines = [];
    expect(await verifyReceipt(file, { rerun: false, key: keyOf(ci) }, world, out)).toBe(1);
    expect(lines[0]).toContain('CHANGED: it is signed with another key');
  });
  test('the key of this machine is printed for others', () => {
    showKey(world, out);
    expect(`${lines.join('\n')}\n`).toBe(receipt().publicKey);
    expect(() => showKey({ ...world, home: openHome() }, out)).toThrow('no key yet');
  });
});
