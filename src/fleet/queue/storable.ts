/** JSON that every store and every seal takes: no NUL, no half of a character. */
export function storable(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'string' ? storableText(part) : part));
}

export function storableText(text: string): string {
  return text
    .replaceAll('\0', '')
    .replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}
