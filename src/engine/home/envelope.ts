import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { isStatement, type Statement } from '../core/proof/statement.ts';
import { oneLine } from '../core/text/clip.ts';
import { sha256 } from '../files/digest.ts';

/** Signed statements in the envelope of DSSE, version 1: everyone with the public key can check them. */

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

export interface Envelope {
  payloadType: string;
  /** The statement as JSON, in base64. These bytes are signed, so nothing has to be brought into a canonical form. */
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

/** The bytes that are signed: type and payload with their lengths, so that neither can pass for the other. */
export function signedBytes(payloadType: string, payload: Buffer): Buffer {
  const type = Buffer.from(payloadType);
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} `),
    type,
    Buffer.from(` ${payload.length} `),
    payload,
  ]);
}

/** The name of a key: SHA-256 of its public part, in DER. */
export function keyId(key: KeyObject): string {
  const open = key.type === 'private' ? createPublicKey(key) : key;
  return sha256(open.export({ type: 'spki', format: 'der' }));
}

export function sealStatement(statement: Statement, key: KeyObject): Envelope {
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = sign(null, signedBytes(PAYLOAD_TYPE, payload), key).toString('base64');
  return {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid: keyId(key), sig }],
  };
}

/** Whether a value has the shape of an envelope. */
export function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false;
  const { payloadType, payload, signatures } = value as Partial<Envelope>;
  return (
    typeof payloadType === 'string' &&
    typeof payload === 'string' &&
    Array.isArray(signatures) &&
    signatures.every((each) => typeof each?.sig === 'string')
  );
}

/** What is wrong with an envelope when it is checked with this key; empty when it is as it was signed. */
export function envelopeProblems(envelope: Envelope, key: KeyObject): string[] {
  const { payloadType, signatures } = envelope;
  const payload = bytesOf(envelope.payload);
  if (payloadType !== PAYLOAD_TYPE) return [`"payloadType" was changed: it is not ${PAYLOAD_TYPE}`];
  if (payload === undefined) return ['"payload" was changed: it is not base64'];
  if (signatures.length === 0) return ['"signatures" is empty: nobody signed it'];
  const own = signatures.filter(({ keyid }) => !keyid || keyid === keyId(key));
  if (own.length === 0)
    return [
      `it is not signed with this key (${shortName(keyId(key))}), but with ${otherSigners(envelope, key).join(', ')}`,
    ];
  const bytes = signedBytes(payloadType, payload);
  if (!own.every(({ sig }) => holds(sig, bytes, key)))
    return ['the signature does not fit the payload: one of the two was changed, or another key signed it'];
  return statementIn(envelope) ? [] : ['the payload is no statement of in-toto'];
}

/** The names of other keys that an envelope says it is signed with. They were not checked. */
export function otherSigners({ signatures }: Envelope, key: KeyObject): string[] {
  const others = signatures.flatMap(({ keyid }) => (keyid && keyid !== keyId(key) ? [keyid] : []));
  return others.map(shortName);
}

export function shortName(keyid: string): string {
  return oneLine(keyid, 16);
}

function holds(sig: string, bytes: Buffer, key: KeyObject): boolean {
  const signature = bytesOf(sig);
  try {
    // Keys on elliptic curves sign a digest, Ed25519 signs the bytes.
    const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    return signature !== undefined && verify(algorithm, bytes, key, signature);
  } catch {
    return false;
  }
}

/** The statement in an envelope; undefined when there is none. It says nothing about who signed it. */
export function statementIn({ payload }: Envelope): Statement | undefined {
  try {
    const value: unknown = JSON.parse((bytesOf(payload) ?? '').toString());
    return isStatement(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when the text is not what base64 makes of these bytes: another spelling of the same bytes is a change. */
export function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
