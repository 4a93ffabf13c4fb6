/**
 * Makes a long line of JSON short while its bytes come in: of a long string only both ends stay, and a field that is still too
 * long becomes null. What comes out is JSON again, and does not depend on how the bytes were split.
 */

/** A longer string is cut to this many bytes of each end. */
const END = 16 * 1024;
const LONGEST_STRING = 2 * END;
/** A string under way is held up to this size, and then cut back to its two ends. */
const STRING_ROOM = 2 * LONGEST_STRING;
/** The most bytes of one field of the line after its strings were cut. The first is for `message`. */
const FIELD_LIMITS = { message: 4 * 1024 * 1024, other: 256 * 1024 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COLON, COMMA] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x3a, 0x2c,
];
const NULL = Buffer.from('null');
const CUT = /\0cut:(\d+)\0/;

/** A string as `Squeezer` leaves it: its two ends, and how many bytes are missing between them. */
export function cutIn(text: string): { head: string; tail: string; missing: number } | undefined {
  const found = CUT.exec(text);
  if (!found) return undefined;
  return {
    head: text.slice(0, found.index),
    tail: text.slice(found.index + found[0].length),
    missing: Number(found[1]),
  };
}

export class Squeezer {
  private out = Buffer.allocUnsafe(64 * 1024);
  private length = 0;
  private depth = 0;
  private inString = false;
  private escaped = false;
  /** The string under way: where it begins in `out`, and how many bytes it has had. */
  private stringStart = 0;
  private stringBytes = 0;
  /** The field of the line that is under way. */
  private key = '';
  private lastString = '';
  private fieldStart = -1;
  private dropping = false;
  /** A field was dropped: the line tells less than it did. */
  dropped = false;

  /** Begins a new line. */
  reset(): void {
    this.length = 0;
    this.depth = 0;
    this.inString = false;
    this.escaped = false;
    this.key = '';
    this.fieldStart = -1;
    this.dropping = false;
    this.dropped = false;
    // One line with a large message must not keep its room for ever.
    if (this.out.length > 1024 * 1024) this.out = Buffer.allocUnsafe(64 * 1024);
  }

  /** The line as far as it was fed. Valid until the next `feed` or `reset`. */
  line(): Buffer {
    return this.out.subarray(0, this.length);
  }

  feed(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; )
      at = this.inString ? this.inside(bytes, at, to) : this.outside(bytes, at, to);
  }

  /** Takes bytes between strings, up to the next quote. */
  private outside(bytes: Buffer, from: number, to: number): number {
    let at = from;
    for (; at < to; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.write(bytes, from, at + 1);
        this.inString = true;
        this.stringStart = this.length;
        this.stringBytes = 0;
        return at + 1;
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.depth--;
      if (this.depth <= 1 && this.endsOrBeginsField(byte)) {
        this.write(bytes, from, at);
        this.changeField(byte);
        this.write(bytes, at, at + 1);
        if (byte === COLON) this.fieldStart = this.length;
        return at + 1;
      }
    }
    this.write(bytes, from, to);
    return to;
  }

  private endsOrBeginsField(byte: number | undefined): boolean {
    if (this.depth === 0) return byte === CLOSE_BRACE;
    return byte === COMMA || (byte === COLON && this.fieldStart < 0);
  }

  private changeField(byte: number | undefined): void {
    this.dropping = false;
    this.fieldStart = -1;
    if (byte === COLON) this.key = this.lastString;
  }

  /** Takes bytes of a string, up to its end. */
  private inside(bytes: Buffer, from: number, to: number): number {
    let at = from;
    if (this.escaped) {
      this.escaped = false;
      at++;
    }
    for (; at < to; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) at++;
    }
    if (at > to) this.escaped = true;
    const end = Math.min(at, to);
    this.addToString(bytes, from, end);
    if (at >= to) return to;
    this.endString();
    this.write(bytes, at, at + 1);
    return at + 1;
  }

  private addToString(bytes: Buffer, from: number, to: number): void {
    this.stringBytes += to - from;
    if (this.dropping) return;
    // Of a piece that is longer than all that can stay, its two ends are enough: between them is what gets cut.
    if (to - from <= STRING_ROOM) this.write(bytes, from, to);
    else {
      this.write(bytes, from, from + END);
      this.keepEnds();
      this.write(bytes, to - LONGEST_STRING, to);
    }
    if (this.length - this.stringStart > STRING_ROOM) this.keepEnds();
  }

  /** Cuts the string under way to its two ends. The end is kept twice as long as needed, for what is cut off at its start. */
  private keepEnds(): void {
    const held = this.length - this.stringStart;
    if (held <= END + LONGEST_STRING) return;
    this.out.copyWithin(this.stringStart + END, this.length - LONGEST_STRING, this.length);
    this.length = this.stringStart + END + LONGEST_STRING;
  }

  private endString(): void {
    this.inString = false;
    if (this.dropping) return;
    if (this.stringBytes > LONGEST_STRING) this.cutString();
    if (this.depth === 1 && this.fieldStart < 0)
      this.lastString = this.out.toString('latin1', this.stringStart, this.length);
    this.dropLongField();
  }

  /** Puts a mark in place of the middle of the string. */
  private cutString(): void {
    const { out, stringStart } = this;
    // One byte less: what follows the head may be another part of the string already.
    const head = lastSafe(out, stringStart, stringStart + END - 1);
    const tail = firstSafe(out, this.length - LONGEST_STRING, this.length - END, this.length);
    const kept = head - stringStart + (this.length - tail);
    const end = Buffer.from(out.subarray(tail, this.length));
    this.length = head;
    this.append(Buffer.from(`\\u0000cut:${this.stringBytes - kept}\\u0000`));
    this.append(end);
  }

  private dropLongField(): void {
    if (this.fieldStart < 0) return;
    const limit = this.key === 'message' ? FIELD_LIMITS.message : FIELD_LIMITS.other;
    if (this.length - this.fieldStart <= limit) return;
    this.length = this.fieldStart;
    this.append(NULL);
    this.dropping = true;
    this.dropped = true;
  }

  private append(bytes: Buffer): void {
    this.write(bytes, 0, bytes.length);
  }

  private write(bytes: Buffer, from: number, to: number): void {
    if (this.dropping || to <= from) return;
    const needed = this.length + to - from;
    if (needed > this.out.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.out.length));
      this.out.copy(larger, 0, 0, this.length);
      this.out = larger;
    }
    bytes.copy(this.out, this.length, from, to);
    this.length = needed;
    if (!this.inString) this.dropLongField();
  }
}

/** The letter and the digits of the longest escape. */
const ESCAPED = 5;
const LETTER_U = 0x75;

/** Whether a string may be cut before this byte: it is not inside of an escape or of a character. */
function isSafe(bytes: Buffer, at: number, begin: number): boolean {
  if (((bytes[at] ?? 0) & 0xc0) === 0x80 || isEscaped(bytes, at, begin)) return false;
  for (let before = Math.max(begin, at - ESCAPED); before < at; before++)
    if (bytes[before] === LETTER_U && isEscaped(bytes, before, begin)) return false;
  return true;
}

/** Whether an odd number of backslashes stands before this byte. */
function isEscaped(bytes: Buffer, at: number, begin: number): boolean {
  let first = at;
  while (first > begin && bytes[first - 1] === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

function lastSafe(bytes: Buffer, begin: number, to: number): number {
  for (let at = to; at > begin; at--) if (isSafe(bytes, at, begin)) return at;
  return begin;
}

/** `begin` is the first byte that is known to belong to the string. */
function firstSafe(bytes: Buffer, begin: number, from: number, to: number): number {
  for (let at = from; at < to; at++) if (isSafe(bytes, at, begin)) return at;
  return to;
}
