import { TranscriptReader } from '../../../src/read/reflect/reading/read-transcript.ts';
import type { Excerpt, ReadingCounts, TranscriptRecord } from '../../../src/read/reflect/reading/records.ts';

/** A record as plain data. */
export function plain(record: TranscriptRecord): Record<string, unknown> {
  const { where: _, ...rest } = record;
  const text = 'text' in rest ? { text: plainExcerpt(rest.text) } : {};
  return JSON.parse(JSON.stringify({ ...rest, ...text })) as Record<string, unknown>;
}

function plainExcerpt({ head, tail, size }: Excerpt): Excerpt {
  return { head, tail, size };
}

/** What the reader makes of bytes that come in pieces of these sizes, again and again. */
export function readInPieces(
  bytes: Buffer,
  sizes: readonly number[],
  longLine?: number,
): { records: Record<string, unknown>[]; counts: ReadingCounts } {
  const records: Record<string, unknown>[] = [];
  const reader = new TranscriptReader((record) => records.push(plain(record)), longLine);
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = Math.max(1, sizes[piece % sizes.length] ?? 1);
    // A copy: the reader must not rely on bytes that it was given earlier.
    reader.feed(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return { records, counts: reader.end() };
}
