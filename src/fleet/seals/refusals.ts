/** What a worker did not take from the store: told once each, counted, and shown beside the run. */
import { oneLine } from '../../engine/core/text/clip.ts';
import type { Refused } from '../../engine/ports/fleet.ts';

const WORDS = 300;

export class Refusals {
  count = 0;
  /** Says it in the worker's log. `run`: null for what is about the whole fleet. */
  say: (run: string | null, text: string) => void = () => {};
  readonly #ofRuns = new Map<string, Refused>();

  add(run: string | null, why: string, count = 1): void {
    this.count += count;
    const words = oneLine(why, WORDS);
    this.say(run, `refused: ${words}`);
    if (run === null) return;
    this.#ofRuns.set(run, { count: (this.#ofRuns.get(run)?.count ?? 0) + count, why: words, at: Date.now() });
  }

  of(run: string): Refused | undefined {
    return this.#ofRuns.get(run);
  }

  /** What an earlier worker of the run has counted. */
  begin(run: string, before: Refused | undefined): void {
    if (before) this.#ofRuns.set(run, before);
    else this.#ofRuns.delete(run);
  }

  forget(run: string): void {
    this.#ofRuns.delete(run);
  }
}
