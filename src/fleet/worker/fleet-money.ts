/** Money on a worker: whether an iteration may begin, by the limits of the whole fleet, and what iterations have cost. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  dayOf,
  iterationsAMinute,
  leftOfBudget,
  limitsMoney,
  lookAgainAt,
  overBudget,
  withMore,
} from '../../engine/core/fleet/budget.ts';
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import type { FleetLimits } from '../../engine/core/fleet/limits.ts';
import type { Engine } from '../../engine/ports/fleet.ts';
import type { Spent } from '../drive/protocol.ts';
import { sumOf } from '../drive/spending.ts';
import type { StoreLink } from './store-link.ts';

const CALL_MS = 5_000;
const LOOK_MS = 1_000;

export interface Refused {
  why: string;
  untilMs: number;
}

/** One of both; `leftUsd` only where there is a budget. */
interface Answer {
  refused?: Refused;
  /** What a session that begins now may spend. */
  leftUsd?: number;
}

/** What a run has spent that is not told yet: it counts, too. */
interface Untold {
  told(): Promise<void>;
  untoldUsd(): number;
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

  /** Why no iteration of the repository may begin now, or what is left. Throws `EngineAway`. */
  async left(repo: string, untold?: Untold): Promise<Answer> {
    const limits = await this.limits();
    if (!limitsMoney(limits)) return {};
    await Promise.race([untold?.told(), wait(CALL_MS, undefined, { ref: false })]);
    const now = Date.now();
    const told = await this.#link.call(() => this.#engine.spent(dayOf(now)), CALL_MS);
    const spent = withMore(told, repo, untold?.untoldUsd() ?? 0);
    const why = overBudget(repo, limits, spent);
    if (why !== undefined) return { refused: { why, untilMs: lookAgainAt(now) } };
    return { leftUsd: leftOfBudget(repo, limits, spent) };
  }

  /**
   * Waits until an iteration may begin; says why one may not begin for longer. While the store is away, a fleet with a
   * budget waits, and one without goes on.
   */
  async may(
    { repo, model, ...untold }: { repo: string; model: string } & Untold,
    { givenUp, waitsFor }: { givenUp(): boolean; waitsFor(what: string): void },
  ): Promise<Answer> {
    while (!givenUp()) {
      try {
        const answer = await this.left(repo, untold);
        if (answer.refused) return answer;
        const most = iterationsAMinute(model, this.#limits);
        if (most === undefined) return answer;
        const full = await this.#link.call(() => this.#engine.countIteration(model, most), CALL_MS);
        if (full <= 0) return answer;
        waitsFor(`waits: ${model} has begun its ${most} iterations of this minute`);
        await pause(full, givenUp);
      } catch (error) {
        if (!(error instanceof EngineAway)) throw error;
        if (!limitsMoney(this.#limits)) return {};
        waitsFor('waits for the store: nobody knows what the fleet has spent today');
        await pause(LOOK_MS, givenUp);
      }
    }
    return {};
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

/** Tells what the iterations of one run have cost, each once over the whole fleet, whoever published it. */
export class RunAccount {
  readonly #run: string;
  readonly #money: Pick<FleetMoney, 'tell'>;
  readonly #givenUp: () => boolean;
  #spent: Spent = [];
  readonly #known = new Set<string>();
  #telling: Promise<unknown> = Promise.resolve();

  constructor(run: string, money: Pick<FleetMoney, 'tell'>, givenUp: () => boolean) {
    this.#run = run;
    this.#money = money;
    this.#givenUp = givenUp;
  }

  /** All iterations that were published, also by earlier takes: a worker that was killed may not have told them. */
  spent(repo: string, spent: Spent = this.#spent): void {
    this.#spent = spent;
    for (const { iteration, usd, at, end } of spent) {
      // A run may end more than once: it can be taken up again.
      const of = `${this.#run} ${end ? `end after ${iteration}` : iteration}`;
      if (this.#known.has(of)) continue;
      this.#known.add(of);
      this.#telling = this.#telling
        .then(() => this.#money.tell(repo, { of, usd, at }, this.#givenUp))
        // The store refuses it: nothing that this run could do about it.
        .catch(() => {});
    }
  }

  /** What of this total no iteration has told. */
  untold(total: number): number {
    return Math.max(0, total - sumOf(this.#spent));
  }

  /** Resolves when everything is told, or the run was lost. */
  async told(): Promise<void> {
    await this.#telling;
  }
}
