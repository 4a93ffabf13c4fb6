import { hmacSha256 } from '../files/digest.ts';

/** JSON under a seal that names what it is for: what someone else wrote, or put elsewhere, is not read. */
export function sealedJson(value: unknown, purpose: string, key: string): string {
  const body = JSON.stringify(value);
  return `${seal(body, purpose, key)}\n${body}\n`;
}

/** Undefined when the seal does not fit. */
export function unsealedJson<T>(text: string, purpose: string, key: string): T | undefined {
  const [mac, body] = text.split('\n');
  if (!mac || !body || mac !== seal(body, purpose, key)) return undefined;
  return JSON.parse(body) as T;
}

function seal(body: string, purpose: string, key: string): string {
  return hmacSha256(key, `${purpose}\n${body}`);
}
