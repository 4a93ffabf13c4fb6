/**
 * Gates that run commands take turns: side by side they would take the cores from each other, and none would end in its
 * time. A gate that is known to be quick does not wait where there are cores enough.
 */
export class GateTurns {
  #holder: string | undefined;
  readonly #waiting: { gate: string; begin(): void }[] = [];
  readonly #isQuick: (gate: string) => boolean;

  constructor(isQuick: (gate: string) => boolean = () => false) {
    this.#isQuick = isQuick;
  }

  /** Resolves when the gate may run commands; at once when it has its turn already. */
  take(gate: string): Promise<void> {
    if (this.#holder === gate || this.#isQuick(gate)) return Promise.resolve();
    if (this.#holder === undefined) {
      this.#holder = gate;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push({ gate, begin: resolve }));
  }

  /** Lets the next gate run. Nothing happens for a gate that never took its turn. */
  end(gate: string): void {
    const left = this.#waiting.findIndex((one) => one.gate === gate);
    if (left >= 0) this.#waiting.splice(left, 1);
    if (this.#holder !== gate) return;
    const next = this.#waiting.shift();
    this.#holder = next?.gate;
    next?.begin();
  }
}
