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
import { receiptStatement, type Statement } from '../core/proof/statement.ts';
import { UsageError } from '../core/text/errors.ts';
import { sha256 } from '../files/digest.ts';
import { withLock } from '../files/lock.ts';
import { freeName, readSmall, writeWhole } from '../files/whole-file.ts';
import type { LoopRef } from '../ports/ports.ts';
import {
  bytesOf,
  type Envelope,
  envelopeProblems,
  isEnvelope,
  keyId,
  sealStatement,
  statementIn,
} from './envelope.ts';
import type { Home } from './layout.ts';

/**
 * A receipt as `receipt.json` holds it. It is an envelope of DSSE with more keys, which readers of envelopes ignore: the
 * statement in it is the receipt for others. The keys besides are those that every version of untildone reads.
 */
export interface SignedReceipt extends Partial<Envelope> {
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
    ...sealStatement(receiptStatement(receipt), key),
    receipt,
    digests,
    publicKey: pemOf(createPublicKey(key)),
    signature: sign(null, Buffer.from(signed(digests)), key).toString('base64'),
  };
}

/** Signs a statement with the key of this home, or with another private key. */
export function signStatement(statement: Statement, home: Home, key?: KeyObject): Envelope {
  return sealStatement(statement, key ?? signingKey(home).key);
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
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
  return problems.length > 0 ? problems : statementProblems(value);
}

const KEYS: readonly string[] = [
  ...['payloadType', 'payload', 'signatures'],
  ...['receipt', 'digests', 'publicKey', 'signature'],
];

/** What is wrong with the statement of a receipt. One of an older version has none, and no ladder. */
function statementProblems(value: SignedReceipt): string[] {
  const { receipt, publicKey, signature } = value;
  const keys = Object.keys(value);
  if (receipt.ladder === undefined && !keys.includes('payload')) return [];
  const lost = KEYS.filter((key) => !keys.includes(key)).map((key) => `"${key}" was removed`);
  const more = keys.filter((key) => !KEYS.includes(key)).map((key) => `"${key}" was added`);
  if (lost.length + more.length > 0) return [...lost, ...more];
  const key = createPublicKey(publicKey);
  if (pemOf(key) !== publicKey) return ['"publicKey" was changed'];
  if (bytesOf(signature) === undefined) return ['"signature" was changed'];
  if (!isEnvelope(value)) return ['"payload" and "signatures" were changed: they are no envelope'];
  if (value.signatures.length !== 1 || value.signatures[0]?.keyid !== keyId(key))
    return ['"signatures" was changed: it names other keys than the one that signed'];
  const problems = envelopeProblems(value, key);
  if (problems.length > 0) return problems;
  const lines = (statement: Statement | undefined) => JSON.stringify(receiptLines(statement ?? {}));
  return lines(statementIn(value)) === lines(receiptStatement(receipt))
    ? []
    : ['"payload" says something else than "receipt"'];
}

/**
 * What is wrong with the text of a receipt, although it says what was signed: a key that stands there twice, or other
 * white space. Readers may differ about such a text. Of older versions everything is taken that can be read.
 */
export function spellingProblems(text: string, value: object): string[] {
  const isOld = 'receipt' in value && (value as SignedReceipt).receipt.ladder === undefined;
  const usual = [JSON.stringify(value), JSON.stringify(value, null, 2)];
  if (isOld || usual.some((written) => text === written || text === `${written}\n`)) return [];
  return ['the text is not as it was written: white space, or a key that is there twice'];
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
  const key = ownPublicKey(home);
  return key !== undefined && pemOf(key) === value.publicKey;
}

/** The public part of the key of this home; undefined when there is no key yet, or it cannot be read. */
export function ownPublicKey(home: Home): KeyObject | undefined {
  try {
    return createPublicKey(createPrivateKey(readSmall(keyFile(home)) ?? ''));
  } catch {
    return undefined;
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
