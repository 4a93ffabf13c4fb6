import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type VerifyOptions, verifyCommand } from '../../../src/cli/contract/verify.ts';
import type { Receipt } from '../../../src/engine/core/loop/receipt.ts';
import { ladderOf } from '../../../src/engine/core/proof/ladder.ts';
import { isStatement, treeOf, type VerificationPredicate } from '../../../src/engine/core/proof/statement.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { sha256 } from '../../../src/engine/files/digest.ts';
import { type Envelope, envelopeProblems, statementIn } from '../../../src/engine/home/envelope.ts';
import { ownPublicKey, signReceipt } from '../../../src/engine/home/receipts.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { openHome } from '../../support/cli/verified-loop.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { commit, expectedTree, git, write } from '../../support/project/project-scene.ts';
import { initRepository } from '../../support/repository.ts';

const CONTRACT = 'gates: { tests: { run: "test -f done" }, honest: { suppressions: true } }\n';

let world: ProjectPorts;
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  const home = openHome(folder);
  const project = join(folder, 'project');
  const env = { PATH: process.env.PATH, HOME: folder };
  world = { ...openPorts(home, env, async () => judgeBundle), home, project, env };
  write(project, 'untildone.yaml', CONTRACT);
  initRepository(project);
  commit(project, 'start');
  write(project, 'done', '');
  commit(project, 'work');
});

const at = (name: string) => join(folder, name);
const verify = (options: Partial<VerifyOptions> = {}) =>
  verifyCommand({ fresh: false, format: 'text', base: 'HEAD~1', ...options }, world, () => {});
const json = <T>(name: string) => JSON.parse(readFileSync(at(name), 'utf8')) as T;

/** The receipt of a loop that did this work on another machine. */
function receiptFrom(change: Partial<Receipt> = {}): string {
  const receipt = {
    v: 1,
    loop: 'l1',
    status: 'verified_done',
    statement: 's',
    allowed: [],
    verdicts: [],
    contract: { sha256: 'c', fileAtStart: sha256(CONTRACT), fileNow: null, fingerprint: 'f' },
    work: {
      commit: null,
      tree: expectedTree(world.project),
      baseCommit: git(world.project, 'rev-parse', 'HEAD~1'),
      baseTree: null,
    },
    ladder: ladderOf([]),
    journal: { lines: 1, lastLineSha256: 'l' },
    ...change,
  } as unknown as Receipt;
  writeFileSync(at('receipt.json'), JSON.stringify(signReceipt(receipt, openHome()), null, 2));
  return at('receipt.json');
}

describe('a second statement about the same tree', () => {
  test('is signed, and says what was judged, by which contract, on which tree', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    writeFileSync(at('ci.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    const files = { attest: at('a.json'), statement: at('s.json'), predicate: at('p.json') };
    expect(await verify({ ...files, receipt: receiptFrom(), signKey: at('ci.pem') })).toBe(0);
    const envelope = json<Envelope>('a.json');
    expect(envelopeProblems(envelope, publicKey)).toEqual([]);
    const statement = statementIn(envelope);
    expect(statement).toEqual(json('s.json'));
    expect(isStatement(statement) && treeOf(statement)).toBe(expectedTree(world.project));
    expect(statement?.predicate).toEqual(json('p.json'));
    expect(json<VerificationPredicate>('p.json')).toMatchObject({
      v: 1,
      result: 'verified',
      contract: { sha256: sha256(CONTRACT) },
      verdicts: [
        { gate: 'tests', outcome: 'pass', command: 'test -f done', exitCode: 0 },
        { gate: 'honest' },
      ],
      ladder: { rung: 'measured_in_place' },
      receipt: {
        loop: 'l1',
        tree: expectedTree(world.project),
        sha256: sha256(readFileSync(at('receipt.json'))),
      },
    });
  });
  test('without another key, the key of the home signs', async () => {
    expect(await verify({ attest: at('a.json') })).toBe(0);
    const key = ownPublicKey(world.home);
    expect(key && envelopeProblems(json<Envelope>('a.json'), key)).toEqual([]);
  });
  test('is not written when the work is not done, and an older one is gone', async () => {
    writeFileSync(at('a.json'), 'old');
    write(world.project, 'done.js', '/* eslint-disable */\n');
    expect(await verify({ attest: at('a.json') })).toBe(1);
    expect(existsSync(at('a.json'))).toBe(false);
    expect(await verify({ attest: at('a.json'), allow: ['eslint-disable:done.js'] })).toBe(0);
    const { predicate } = statementIn(json<Envelope>('a.json')) as { predicate: VerificationPredicate };
    expect(predicate.allowed).toEqual(['eslint-disable:done.js']);
    expect(predicate.ladder.weak.map(({ text }) => text)).toContain(
      'allowed by hand: eslint-disable:done.js',
    );
  });
});

describe('is refused before anything is judged', () => {
  test.each<[string, () => Partial<VerifyOptions>, string]>([
    [
      'another tree',
      () => ({
        receipt: receiptFrom({
          work: { commit: null, tree: 'f'.repeat(40), baseCommit: null, baseTree: null },
        }),
      }),
      `but the receipt is about ${'f'.repeat(40)}`,
    ],
    [
      'a file more than the tree',
      () => {
        const receipt = receiptFrom();
        write(world.project, 'left/over.txt', '');
        return { receipt };
      },
      'which is the last commit without these changes: left/over.txt',
    ],
    [
      'another contract',
      () => ({
        receipt: receiptFrom({
          contract: { sha256: 'c', fileAtStart: 'd', fileNow: null, fingerprint: 'f' },
        }),
      }),
      'another contract than the one here',
    ],
    [
      'a changed receipt',
      () => {
        const receipt = receiptFrom();
        writeFileSync(receipt, readFileSync(receipt, 'utf8').replace('"l1"', '"l2"'));
        return { receipt };
      },
      'was changed: "loop" was changed',
    ],
    [
      'a key that did not sign the receipt',
      () => {
        const { publicKey } = generateKeyPairSync('ed25519');
        writeFileSync(at('k.pub'), publicKey.export({ type: 'spki', format: 'pem' }).toString());
        return { receipt: receiptFrom(), key: at('k.pub') };
      },
      'signed with another key than the one given',
    ],
    [
      'a receipt that is none',
      () => ({ receipt: at('project/untildone.yaml') }),
      'is not a receipt of untildone',
    ],
    ['single gates', () => ({ gates: ['tests'] }), 'only the whole contract can be attested'],
    ['a folder that is not there', () => ({ attest: at('none/a.json') }), 'there is no folder'],
    [
      'a key that cannot sign',
      () => ({ signKey: at('project/untildone.yaml') }),
      'is no private Ed25519 key',
    ],
  ])('%s', async (_, options, words) => {
    const ran = verify({ attest: at('a.json'), ...options() });
    await expect(ran).rejects.toThrow(UsageError);
    await expect(ran).rejects.toThrow(words);
    expect(existsSync(at('a.json'))).toBe(false);
  });
  test('a receipt without a statement to write', async () => {
    await expect(verify({ receipt: receiptFrom() })).rejects.toThrow('--receipt goes with --attest FILE');
  });
});
