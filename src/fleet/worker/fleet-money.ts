/** Whether an iteration may begin, by the limits of the whole fleet, and what iterations have cost. */
import { setTimeout as wait } from 'node:timers/promises';
import { dayOf, iterationsAMinute, limitsMoney, lookAgainAt, overBudget } from '../../core/fleet/budget.ts';
import { EngineAway } from '../../core/fleet/errors.ts';
import type { FleetLimits } from '../../core/fleet/limits.ts';
import type { Engine } from '../../ports/fleet.ts';
import type { StoreLink } from './store-link.ts';

const CALL_MS = 5_000;
const LOOK_MS = 1_000;

export interface Refused {
  why: string;
  untilMs: number;
}

export class FleetMoney {
  readonly #engine: Engine;
  readonly #link: StoreLink;
  #limits: FleetLimits = {};

  constructor(engine: Engine, link: StoreLink) {
    this.#engine = engine;
    this.#link = link;
  }

  async limits(): Promise<FleetLimits> {
    this.#limits = await this.#link.call(() => this.#engine.limits(), CALL_MS);
    return this.#limits;
  }

  /** Why no iteration of the repository may begin now. Throws `EngineAway`. */
  async refused(repo: string, told?: () => Promise<void>): Promise<Refused | undefined> {
    const limits = await this.limits();
    if (!limitsMoney(limits)) return undefined;
    await told?.();
    const now = Date.now();
    const spent = await this.#link.call(() => this.#engine.spent(dayOf(now)), CALL_MS);
    const why = overBudget(repo, limits, spent);
    return why === undefined ? undefined : { why, untilMs: lookAgainAt(now) };
  }

  /**
   * Waits until an iteration may begin; returns why one may not begin for longer. While the store is away, a fleet with a
   * budget waits, and one without goes on.
   */
  async may(
    { repo, model }: { repo: string; model: string },
    {
      givenUp,
      waitsFor,
      told,
    }: {
      givenUp(): boolean;
      waitsFor(what: string): void;
      /** Resolves when what the run itself has spent is counted. */
      told?(): Promise<void>;
    },
  ): Promise<Refused | undefined> {
    while (!givenUp()) {
      try {
        const refused = await this.refused(repo, told);
        if (refused) return refused;
        const most = iterationsAMinute(model, this.#limits);
        if (most === undefined) return undefined;
        const full = await this.#link.call(() => this.#engine.countIteration(model, most), CALL_MS);
        if (full <= 0) return undefined;
        waitsFor(`waits: ${model} has begun its ${most} iterations of this minute`);
        await pause(full, givenUp);
      } catch (error) {
        if (!(error instanceof EngineAway)) throw error;
        if (!limitsMoney(this.#limits)) return undefined;
        waitsFor('waits for the store: nobody knows what the fleet has spent today');
        await pause(LOOK_MS, givenUp);
      }
    }
    return undefined;
  }

  /** Tells what an iteration has cost, now or when the store is back. Telling it twice counts once. */
  async tell(
    repo: string,
    { of, usd, at }: { of: string; usd: number; at: number },
    givenUp: () => boolean,
  ): Promise<void> {
    if (usd > 0) await this.#link.until(() => this.#engine.spend(dayOf(at), repo, usd, of), givenUp);
  }
}

async function pause(ms: number, givenUp: () => boolean): Promise<void> {
  const end = Date.now() + ms;
  while (Date.now() < end && !givenUp()) await wait(Math.min(LOOK_MS, Math.max(1, end - Date.now())));
}
