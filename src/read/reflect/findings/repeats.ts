import { sha256 } from '../../../engine/files/digest.ts';
import type { Place } from './finding.ts';

/** How often something was seen, where, and what it cost. */
export interface Repeat {
  /** The beginning of it, as it was written the first time. */
  sample: string;
  count: number;
  ms: number;
  tokens: number;
  /** How many of them failed. */
  failed: number;
  first: Place[];
  last: Place;
}

const MOST_KEYS = 20_000;
const LONGEST_KEY = 120;
const LONGEST_SAMPLE = 400;
const FIRST_PLACES = 3;

/**
 * Counts what repeats, in bounded memory: long keys are kept as digests, and when there are too many, those that were seen
 * once, the oldest first, are forgotten.
 */
export class Repeats {
  private readonly seen = new Map<string, Repeat>();
  private readonly most: number;

  constructor(most = MOST_KEYS) {
    this.most = most;
  }

  see(key: string, sample: string, place: Place): Repeat {
    const short = key.length > LONGEST_KEY ? sha256(key) : key;
    const before = this.seen.get(short);
    if (before) {
      before.count++;
      before.last = place;
      if (before.first.length < FIRST_PLACES) before.first.push(place);
      return before;
    }
    if (this.seen.size >= this.most) this.forget();
    const repeat: Repeat = {
      sample: copied(sample.slice(0, LONGEST_SAMPLE)),
      count: 1,
      ms: 0,
      tokens: 0,
      failed: 0,
      first: [place],
      last: place,
    };
    this.seen.set(copied(short), repeat);
    return repeat;
  }

  /** Those that were seen so often, the most frequent first. */
  atLeast(times: number, most: number): [key: string, repeat: Repeat][] {
    return [...this.seen]
      .filter(([, { count }]) => count >= times)
      .sort(([a, x], [b, y]) => y.count - x.count || y.ms - x.ms || (a < b ? -1 : 1))
      .slice(0, most);
  }

  /** Forgets at least half: first what was seen least often, the oldest of that first. */
  private forget(): void {
    for (let times = 1; this.seen.size > this.most / 2; times *= 2)
      for (const [key, { count }] of this.seen) {
        if (this.seen.size <= this.most / 2) return;
        if (count <= times) this.seen.delete(key);
      }
  }
}

/** A part of a text keeps the whole text in memory; a copy does not. */
export function copied(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** The first places of a repetition and its last one. */
export function placesOf({ first, last }: Repeat): Place[] {
  return first.includes(last) ? first : [...first, last];
}
