/** Tells what the iterations of one run have cost, each once over the whole fleet, whoever published it. */
import type { RunSpec } from '../../core/fleet/spec.ts';
import type { FleetMoney } from './fleet-money.ts';

export class RunCosts {
  readonly #run: string;
  readonly #money: Pick<FleetMoney, 'tell'>;
  readonly #givenUp: () => boolean;
  /** What all iterations up to now have cost. */
  #total = 0;
  #begun = false;
  /** The number of the last iteration. */
  #last = 0;
  #telling: Promise<unknown> = Promise.resolve();

  constructor(run: string, money: Pick<FleetMoney, 'tell'>, givenUp: () => boolean) {
    this.#run = run;
    this.#money = money;
    this.#givenUp = givenUp;
  }

  /** Iterations of earlier takes: a worker that was killed may not have told them. */
  known(spec: RunSpec, spent: readonly { iteration: number; usd: number; at: number }[]): void {
    this.#total = spent.reduce((sum, { usd }) => sum + usd, 0);
    this.#begun = spent.length > 0;
    this.#last = spent.length;
    for (const cost of spent) this.#tell(spec, `${cost.iteration}`, cost.usd, cost.at);
  }

  /** What the run had spent before its first iteration here. */
  atLeast(total: number): void {
    if (!this.#begun) this.#total = Math.max(this.#total, total);
    this.#begun = true;
  }

  /**
   * What was spent since the last iteration was published, before the next one begins: a session tells its cost when it has
   * ended. It counts for the next iteration, in whose Stop the journal shows it first.
   */
  billed(spec: RunSpec, total: number): void {
    this.#upTo(spec, `${this.#last + 1}`, total);
  }

  iteration(spec: RunSpec, iteration: number, total: number): void {
    this.#last = iteration;
    this.#upTo(spec, `${iteration}`, total);
  }

  /** What was spent after the last iteration. */
  ended(spec: RunSpec, total: number): void {
    this.#upTo(spec, 'end', total);
  }

  /** Resolves when everything is told, or the run was lost. */
  async told(): Promise<void> {
    await this.#telling;
  }

  #upTo(spec: RunSpec, of: string, total: number): void {
    this.#begun = true;
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
