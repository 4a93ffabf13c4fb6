/** Tells what the iterations of one run have cost, each once over the whole fleet, whoever published it. */
import type { RunSpec } from '../../engine/core/fleet/spec.ts';
import type { FleetMoney } from './fleet-money.ts';

export class RunCosts {
  readonly #run: string;
  readonly #money: Pick<FleetMoney, 'tell'>;
  readonly #givenUp: () => boolean;
  /** What all iterations up to now have cost. */
  #total = 0;
  /** The last iteration that is known. */
  #iteration = 0;
  #telling: Promise<unknown> = Promise.resolve();

  constructor(run: string, money: Pick<FleetMoney, 'tell'>, givenUp: () => boolean) {
    this.#run = run;
    this.#money = money;
    this.#givenUp = givenUp;
  }

  /** Iterations of earlier takes: a worker that was killed may not have told them. */
  known(spec: RunSpec, spent: readonly { iteration: number; usd: number; at: number; end?: true }[]): void {
    this.#total = spent.reduce((sum, { usd }) => sum + usd, 0);
    this.#iteration = Math.max(0, ...spent.map(({ iteration }) => iteration));
    for (const { iteration, usd, at, end } of spent)
      this.#tell(spec, end ? endOf(iteration) : `${iteration}`, usd, at);
  }

  /** What of this total no iteration has told. */
  untold(total: number): number {
    return Math.max(0, total - this.#total);
  }

  iteration(spec: RunSpec, iteration: number, total: number): void {
    this.#iteration = iteration;
    this.#upTo(spec, `${iteration}`, total);
  }

  /** What was spent after the last iteration. */
  ended(spec: RunSpec, total: number): void {
    this.#upTo(spec, endOf(this.#iteration), total);
  }

  /** Resolves when everything is told, or the run was lost. */
  async told(): Promise<void> {
    await this.#telling;
  }

  #upTo(spec: RunSpec, of: string, total: number): void {
    const usd = total - this.#total;
    this.#total = Math.max(this.#total, total);
    this.#tell(spec, of, usd, Date.now());
  }

  #tell({ repo }: RunSpec, of: string, usd: number, at: number): void {
    this.#telling = this.#telling
      .then(() => this.#money.tell(repo, { of: `${this.#run} ${of}`, usd, at }, this.#givenUp))
      // The store refuses it: nothing that this run could do about it.
      .catch(() => {});
  }
}

/** A run may end more than once: it can be taken up again. */
function endOf(iteration: number): string {
  return `end after ${iteration}`;
}
