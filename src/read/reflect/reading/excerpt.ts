import { createHash } from 'node:crypto';
import { decoded } from './byte-text.ts';
import { EXCERPT_END, EXCERPT_WHOLE, type Excerpt } from './records.ts';
import { cutIn } from './squeeze.ts';

/** A character has at most this many bytes. */
const WIDEST = 4;

/** Both ends of some texts of bytes, as if they stood one below the other. Most are never asked for, and not made. */
class LazyExcerpt implements Excerpt {
  private readonly texts: readonly string[];
  private made: Excerpt | undefined;

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }

  get head(): string {
    return this.whole().head;
  }
  get tail(): string {
    return this.whole().tail;
  }
  get size(): number {
    return this.whole().size;
  }

  private whole(): Excerpt {
    this.made ??= bothEnds(this.texts.length === 1 ? (this.texts[0] ?? '') : this.texts.join('\n'));
    return this.made;
  }
}

export function excerptOf(texts: string | readonly string[]): Excerpt {
  return new LazyExcerpt(typeof texts === 'string' ? [texts] : texts);
}

function bothEnds(text: string): Excerpt {
  const size = text.length;
  if (size <= EXCERPT_WHOLE) return { head: decoded(text), tail: '', size };
  const cut = text.includes('\0cut:') ? cutIn(text) : undefined;
  if (!cut && size <= WIDEST * EXCERPT_WHOLE) {
    const whole = decoded(text);
    if (whole.length <= EXCERPT_WHOLE) return { head: whole, tail: '', size };
  }
  const { head, tail, missing } = cut ?? { head: text, tail: text, missing: -size };
  return {
    // A character that is cut in two is not among these.
    head: decoded(head.slice(0, WIDEST * EXCERPT_END)).slice(0, EXCERPT_END),
    tail: decoded(tail.slice(-WIDEST * EXCERPT_END)).slice(-EXCERPT_END),
    size: head.length + tail.length + missing,
  };
}

/** What is kept of a text, as one text. */
export function keptOf({ head, tail }: Excerpt): string {
  return tail === '' ? head : `${head}\n[...]\n${tail}`;
}

/** An input of a tool: of a long one, its beginning. */
export function inputText(value: unknown): string | undefined {
  return typeof value !== 'string' || value === '' ? undefined : bothEnds(value).head;
}

const LONGEST_COMMAND = 16_000;

/** A command line. What it calls last matters as much as what it calls first: of a very long one both ends stay. */
export function commandText(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  if (value.length <= LONGEST_COMMAND) return decoded(value);
  const { head, tail } = cutIn(value) ?? { head: value, tail: value };
  return decoded(`${head.slice(0, LONGEST_COMMAND / 2)}\n${tail.slice(-LONGEST_COMMAND / 2)}`);
}

const LONGEST_NAME = 200;

/** A short text, such as an id. */
export function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? decoded(value.slice(0, LONGEST_NAME)) : undefined;
}

/** A name for a text of bytes: of two equal texts it is the same. */
export function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64').slice(0, 16);
}
