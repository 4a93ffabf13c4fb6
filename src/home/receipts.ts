import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Receipt, receiptLines, renderReceipt } from '../core/loop/receipt.ts';
import { UsageError } from '../core/text/errors.ts';
import { sha256 } from '../files/digest.ts';
import { withLock } from '../files/lock.ts';
import { freeName, readSmall, writeWhole } from '../files/whole-file.ts';
import type { LoopRef } from '../ports/ports.ts';
import type { Home } from './layout.ts';

/** A receipt with a digest for each of its lines, and a signature over these digests. */
export interface SignedReceipt {
  receipt: Receipt;
  /** One digest a line, so that a changed line can be named. */
  digests: Record<string, string>;
  /** Ed25519, SPKI in PEM. The private key is in the untildone home of the user who made the receipt. */
  publicKey: string;
  signature: string;
}

export function signReceipt(receipt: Receipt, home: Home): SignedReceipt {
  return signWith(signingKey(home).key, receipt);
}

function signWith(key: KeyObject, receipt: Receipt): SignedReceipt {
  const digests = digestsOf(receipt);
  return {
    receipt,
    digests,
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
    signature: sign(null, Buffer.from(signed(digests)), key).toString('base64'),
  };
}

/** What is wrong with a signed receipt, line by line; empty when it is as it was signed. */
export function receiptProblems(value: SignedReceipt): string[] {
  const digests = value.digests ?? {};
  const now = digestsOf(value.receipt);
  const problems: string[] = [];
  for (const [line, digest] of Object.entries(now)) {
    if (!(line in digests)) problems.push(`"${line}" was added`);
    else if (digests[line] !== digest) problems.push(`"${line}" was changed`);
  }
  for (const line of Object.keys(digests)) if (!(line in now)) problems.push(`"${line}" was removed`);
  if (!signatureHolds(value))
    problems.push('the signature does not fit the digests: one of the two was changed, too');
  return problems;
}

function signatureHolds(value: SignedReceipt): boolean {
  try {
    const key = createPublicKey(value.publicKey);
    return verify(null, Buffer.from(signed(value.digests)), key, Buffer.from(value.signature, 'base64'));
  } catch {
    return false;
  }
}

/** Whether this home signed the receipt. One of another machine can be intact, too. */
export function isOwnKey(value: SignedReceipt, home: Home): boolean {
  try {
    const key = createPublicKey(createPrivateKey(readSmall(keyFile(home)) ?? ''));
    return key.export({ type: 'spki', format: 'pem' }).toString() === value.publicKey;
  } catch {
    // There is no key yet, or it cannot be read.
    return false;
  }
}

export function keyName(publicKey: string): string {
  return sha256(publicKey).slice(0, 16);
}

function digestsOf(receipt: Receipt): Record<string, string> {
  return Object.fromEntries(receiptLines(receipt).map(([line, value]) => [line, sha256(`${line} ${value}`)]));
}

function signed(digests: Record<string, string>): string {
  return JSON.stringify(Object.entries(digests).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The key of this home. All who sign at once use the one that was made first. `aside`: where a damaged one was put. */
function signingKey(home: Home): { key: KeyObject; aside?: string } {
  const file = keyFile(home);
  const known = readSigningKey(file);
  if (known) return { key: known };
  return withLock(`${file}.lock`, () => {
    const meanwhile = readSigningKey(file);
    if (meanwhile) return { key: meanwhile };
    const aside = existsSync(file) ? freeName(`${file}.damaged`) : undefined;
    if (aside !== undefined) renameSync(file, aside);
    const { privateKey } = generateKeyPairSync('ed25519');
    writeWhole(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    return { key: privateKey, aside };
  });
}

/** Undefined when there is no key, or a damaged one. Throws when that cannot be told. */
function readSigningKey(file: string): KeyObject | undefined {
  const pem = readSmall(file);
  if (pem === undefined) return undefined;
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

function keyFile(home: Home): string {
  return join(home.root, 'receipt-key.pem');
}

const RECEIPT_FILE = 'receipt.json';

/** Removes the receipt of an ending that could not be written. Never throws. */
export function discardReceipt(dir: string): void {
  try {
    rmSync(join(dir, RECEIPT_FILE), { force: true });
  } catch {
    // It counts for nothing as long as its loop is not done, and the next one replaces it.
  }
}

/** Signs the receipt of an ending that the journal does not have yet, and writes it. Returns what you should know. */
export function writeReceipt(dir: string, receipt: Receipt, home: Home): string | undefined {
  const { key, aside } = signingKey(home);
  writeWhole(join(dir, RECEIPT_FILE), `${JSON.stringify(signWith(key, receipt), null, 2)}\n`);
  if (aside === undefined) return undefined;
  return `the key that signs receipts was damaged. It was moved to ${aside}, and a new one was made; this machine no longer knows the key of older receipts`;
}

/** The receipt of a loop as Markdown; undefined when it has none. */
export function readRenderedReceipt(
  ref: LoopRef,
  store: { receiptFile(ref: LoopRef): string },
): string | undefined {
  const text = readSmall(store.receiptFile(ref));
  return text === undefined ? undefined : renderReceipt(parseReceipt(text, ref.loop).receipt, 'md');
}

export function parseReceipt(text: string, where: string): SignedReceipt {
  try {
    const value = JSON.parse(text) as Partial<SignedReceipt>;
    if (
      value.receipt?.v === 1 &&
      typeof value.receipt.journal?.lastLineSha256 === 'string' &&
      typeof value.digests === 'object' &&
      typeof value.signature === 'string'
    ) {
      return value as SignedReceipt;
    }
  } catch {
    // The error below says so.
  }
  throw new UsageError(`${where} is not a receipt of untildone`);
}
