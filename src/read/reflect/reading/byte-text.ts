/**
 * Lines are parsed with one character a byte, which is three times as fast as decoding all of them: most of their text is never
 * looked at. What is looked at goes through `decoded`. A character above 255 comes from an escape, and stands for itself.
 */

/** The line as text of bytes. Escapes of characters from 128 to 255, which would look like bytes, become their bytes. */
export function byteText(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('latin1', from, to);
  if (!text.includes('\\u00') || !/\\u00[89a-f]/i.test(text)) return text;
  return text.replace(/\\(?:u00([89a-f][0-9a-f])|.)/gis, (written: string, hex?: string) =>
    hex === undefined ? written : bytesOf(Number.parseInt(hex, 16)),
  );
}

function bytesOf(code: number): string {
  return Buffer.from(String.fromCharCode(code), 'utf8').toString('latin1');
}

const NOT_ASCII = /[\x80-\xff]/;
const NOT_BYTES = /[^\0-\xff]/;

/** A text of bytes as it is meant. */
export function decoded(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  if (!NOT_BYTES.test(text)) return Buffer.from(text, 'latin1').toString('utf8');
  return text.replace(/[\x80-\xff]+/g, (run) => Buffer.from(run, 'latin1').toString('utf8'));
}
