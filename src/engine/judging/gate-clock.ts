/** The time that a gate itself takes. It stands still while the gate waits for others, or for a room. */
export class GateClock {
  #spentMs = 0;
  #runsSince: number | undefined = performance.now();
  #waits = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #limitMs: number;
  readonly #over: () => void;

  /** `over` is called once the gate has taken so long. */
  constructor(limitMs: number, over: () => void) {
    this.#limitMs = limitMs;
    this.#over = over;
    this.#arm();
  }

  get ms(): number {
    return this.#spentMs + (this.#runsSince === undefined ? 0 : performance.now() - this.#runsSince);
  }

  async stoppedDuring<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#hold();
    try {
      return await wait();
    } finally {
      this.#goOn();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#spentMs = this.ms;
    this.#runsSince = undefined;
    this.#waits = Number.POSITIVE_INFINITY;
  }

  #hold(): void {
    this.#waits++;
    if (this.#runsSince === undefined) return;
    clearTimeout(this.#timer);
    this.#spentMs = this.ms;
    this.#runsSince = undefined;
  }

  #goOn(): void {
    this.#waits--;
    if (this.#waits > 0) return;
    this.#runsSince = performance.now();
    this.#arm();
  }

  #arm(): void {
    this.#timer = setTimeout(this.#over, Math.max(0, this.#limitMs - this.#spentMs));
  }
}
