import { createHash, createHmac } from 'node:crypto';

/** Returns the SHA-256 of a text or of bytes, in hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns the HMAC with SHA-256 of a text, in hex. */
export function hmacSha256(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}
