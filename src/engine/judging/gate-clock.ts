/** The time that a gate itself takes. It stands still while the gate waits for its turn, or for a room. */
export class GateClock {
  /** Whether the gate has had to wait. */
  hasWaited = false;
  #spentMs = 0;
  #runsSince: number | undefined = performance.now();
  #waits = 0;
  #timer: NodeJS.Timeout | undefined;
  #over: (() => void) | undefined;
  readonly limitMs: number;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  /** Calls `over` when the gate has taken so long. */
  start(over: () => void): void {
    this.#over = over;
    if (this.#runsSince !== undefined) this.#arm();
  }

  async stoppedDuring<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.hasWaited = true;
    this.#waits++;
    this.#stand();
    try {
      return await wait();
    } finally {
      this.#waits--;
      if (this.#waits === 0) this.#goOn();
    }
  }

  /** Ends it. Returns how long the gate took. */
  stop(): number {
    this.#stand();
    this.#over = undefined;
    this.#waits = Number.POSITIVE_INFINITY;
    return this.#spentMs;
  }

  #stand(): void {
    if (this.#runsSince === undefined) return;
    clearTimeout(this.#timer);
    this.#spentMs += performance.now() - this.#runsSince;
    this.#runsSince = undefined;
  }

  #goOn(): void {
    this.#runsSince = performance.now();
    this.#arm();
  }

  #arm(): void {
    if (this.#over) this.#timer = setTimeout(this.#over, Math.max(0, this.limitMs - this.#spentMs));
  }
}
