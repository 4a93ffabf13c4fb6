/** A short name for a text, to tell "the same again" from "something new". Not for security. */
export function fingerprint(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

/** In ASCII, because the bundler leaves patterns as they are: one other character doubles the size of a whole bundle. */
const VOLATILE: [RegExp, string][] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(\.\d+)?\b/g, '<time>'],
  [/\b0x[0-9a-f]+\b/gi, '<address>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d+([.,]\d+)? ?(ns|\u00b5s|us|ms|s|sec|secs|seconds|min|minutes)\b/g, '<duration>'],
  [/\b(127\.0\.0\.1|localhost):\d+\b/g, '<port>'],
  [/(\/private)?\/(tmp|var\/folders)\/[^\s:'")]+/g, '<temp>'],
  [/\bpid[ =:]+\d+/gi, '<pid>'],
];

/** Every pattern above asks for one of these. */
const MAY_BE_VOLATILE = /[\d/-]/;

/** Removes what differs from one run to the next although the failure is the same. */
export function withoutVolatileParts(text: string): string {
  if (!MAY_BE_VOLATILE.test(text)) return text;
  return VOLATILE.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text);
}
