/**
 * What runs have cost in a day, sealed: one entry for each run, which only grows. Beside it stands the sum of the store,
 * which anybody with access to it can change; the larger of both counts. An entry that was seen once is not forgotten here.
 */
import { dayOf } from '../../engine/core/fleet/budget.ts';
import type { Spent } from '../../engine/ports/fleet.ts';
import { parsed } from '../queue/readable.ts';
import type { StoredEngine } from '../queue/stored.ts';
import type { Seals } from './seal.ts';

interface Entry {
  repo: string;
  usd: number;
  seal?: string;
}

export class Spendings {
  readonly #engine: Pick<StoredEngine, 'keep' | 'kept'>;
  readonly #seals: Seals;
  /** What this worker was told of each run, by the day: what of it, and how much. */
  readonly #told = new Map<string, Map<string, number>>();
  #day = '';
  /** The entries of that day, by run. */
  #seen = new Map<string, Entry>();
  readonly #known = new Map<string, string>();

  constructor(engine: Pick<StoredEngine, 'keep' | 'kept'>, seals: Seals) {
    this.#engine = engine;
    this.#seals = seals;
  }

  /** `of`: the run, and what of it. */
  async spend(day: string, repo: string, usd: number, of: string): Promise<void> {
    const [run = of] = of.split(' ', 1);
    const name = `${day} ${run}`;
    const told = this.#told.get(name) ?? new Map<string, number>();
    this.#told.set(name, told.set(of, usd));
    for (const each of this.#told.keys()) if (each < dayOf(Date.now() - KEPT_MS)) this.#told.delete(each);
    const before = this.#entry(day, run, (await this.#engine.kept(shelfOf(day)))[run]);
    const sum = [...told.values()].reduce((all, each) => all + each, 0);
    if (before && before.usd >= sum) return;
    const entry = this.#seals.sealed({ repo, usd: sum }, purposeOf(day, run));
    await this.#engine.keep(shelfOf(day), run, JSON.stringify(entry));
  }

  async withSealed(spent: Spent): Promise<Spent> {
    const { day } = spent;
    if (day !== this.#day) {
      [this.#day, this.#seen] = [day, new Map()];
      this.#known.clear();
    }
    for (const [run, text] of Object.entries(await this.#engine.kept(shelfOf(day)))) {
      if (this.#known.get(run) === text) continue;
      this.#known.set(run, text);
      const entry = this.#entry(day, run, text);
      if (entry && entry.usd > (this.#seen.get(run)?.usd ?? 0)) this.#seen.set(run, entry);
    }
    const sealed = new Map<string, number>();
    for (const { repo, usd } of this.#seen.values()) sealed.set(repo, (sealed.get(repo) ?? 0) + usd);
    const byRepo = { ...spent.byRepo };
    for (const [repo, usd] of sealed)
      byRepo[repo] = Math.max(usd, Object.hasOwn(byRepo, repo) ? (byRepo[repo] ?? 0) : 0);
    for (const repo of Object.keys(byRepo)) byRepo[repo] = Math.max(0, byRepo[repo] ?? 0);
    return { day, byRepo, usd: Object.values(byRepo).reduce((sum, usd) => sum + usd, 0) };
  }

  #entry(day: string, run: string, text: string | undefined): Entry | undefined {
    const entry = parsed(text) as Entry | null | undefined;
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return undefined;
    return this.#seals.fits(entry, purposeOf(day, run)) ? entry : undefined;
  }
}

/** Iterations are told late after an outage. */
const KEPT_MS = 3 * 86_400_000;

function shelfOf(day: string): string {
  return `spent:${day}`;
}

function purposeOf(day: string, run: string): string {
  return `spent on ${day} by run ${run}`;
}
