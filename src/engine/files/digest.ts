import { closeSync, openSync, readSync } from 'node:fs';

/** Loaded when something is hashed: Node loads its streams with it, and many events of a hook hash nothing. */
function crypto() {
  return require('node:crypto') as typeof import('node:crypto');
}

/** Returns the SHA-256 of a text or of bytes, in hex. */
export function sha256(content: string | Uint8Array): string {
  return crypto().createHash('sha256').update(content).digest('hex');
}

/** Returns the HMAC with SHA-256 of a text, in hex. */
export function hmacSha256(key: string, text: string): string {
  return crypto().createHmac('sha256', key).update(text).digest('hex');
}

/** As many random bytes, in hex. */
export function randomHex(bytes: number): string {
  return crypto().randomBytes(bytes).toString('hex');
}

/** The SHA-256 of a file's content, read piece by piece. */
export function sha256OfFile(path: string): string {
  const hash = crypto().createHash('sha256');
  const piece = Buffer.allocUnsafe(1024 * 1024);
  const file = openSync(path, 'r');
  try {
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece))
      hash.update(piece.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}
