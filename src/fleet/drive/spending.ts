/** What a run has cost the fleet, iteration by iteration. */
import type { SpentIteration } from './record.ts';

/**
 * Each sum is told once, and published before it is told, so that whoever takes the run next knows what was told. The
 * journal knows less: of a session that was killed it has no bill.
 */
export class Spending {
  #rows: SpentIteration[];
  #toldUsd: number;
  /** Was told, and is in no bill. */
  #lostUsd = 0;

  constructor(rows: readonly SpentIteration[] = []) {
    this.#rows = [...rows];
    this.#toldUsd = sumOf(rows);
  }

  get rows(): readonly SpentIteration[] {
    return this.#rows;
  }

  /** How many iterations were published. */
  get iterations(): number {
    return this.#rows.filter(({ end }) => !end).length;
  }

  /** A session begins, so the journal has the bills of all sessions before that have one. */
  sessionBegins(journalUsd: number): void {
    this.#lostUsd = Math.max(this.#lostUsd, this.#toldUsd - journalUsd);
  }

  /** What the run has spent in all. `spentUsd`: as the runner knows it. */
  total(spentUsd: number): number {
    return Math.max(this.#toldUsd, spentUsd + this.#lostUsd);
  }

  iterated(spentUsd: number, at: number): void {
    this.#add({ iteration: this.iterations + 1, at }, spentUsd);
  }

  /** What was spent after the last iteration. */
  ended(spentUsd: number, at: number): void {
    if (this.total(spentUsd) > this.#toldUsd)
      this.#add({ iteration: this.iterations, at, end: true }, spentUsd);
  }

  /** The last one is not told after all. */
  takeBack(): void {
    this.#toldUsd -= this.#rows.pop()?.usd ?? 0;
  }

  #add(row: Omit<SpentIteration, 'usd'>, spentUsd: number): void {
    this.#rows = [...this.#rows, { ...row, usd: this.total(spentUsd) - this.#toldUsd }];
    this.#toldUsd = this.total(spentUsd);
  }
}

export function sumOf(rows: readonly SpentIteration[]): number {
  return rows.reduce((sum, { usd }) => sum + usd, 0);
}
