import type { SessionFacts } from '../../core/run/session-end.ts';
import { LONGEST_TIMER_MS } from '../../core/text/duration.ts';
import type { SessionLimits } from '../../ports/ports.ts';

/** Calls back once when nothing was heard for too long. Time between `hold` and `release` does not count. */
export class IdleTimer {
  readonly #onSilence: () => void;
  #limitMs: number;
  #heardAt = performance.now();
  #holds = 0;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(limitMs: number, onSilence: () => void) {
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
    this.#arm();
  }

  /** `ahead`: silence is expected for so long from now. */
  heard(ahead = 0): void {
    this.#heardAt = Math.max(this.#heardAt, performance.now() + ahead);
  }

  /** Sets a new limit, counted from now. */
  allow(limitMs: number): void {
    this.#limitMs = limitMs;
    this.#heardAt = performance.now();
    this.#arm();
  }

  hold(): void {
    this.#holds += 1;
  }

  release(): void {
    this.#holds -= 1;
    this.heard();
  }

  stop(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  /** The timer is only set again when it fires, so `heard` costs nothing. */
  #arm(): void {
    if (this.#over) return;
    clearTimeout(this.#timer);
    const left = this.#holds > 0 ? this.#limitMs : this.#heardAt + this.#limitMs - performance.now();
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(left, 1), LONGEST_TIMER_MS));
  }

  #look(): void {
    const silentMs = performance.now() - this.#heardAt;
    if (this.#holds > 0 || silentMs < this.#limitMs) {
      this.#arm();
      return;
    }
    this.stop();
    this.#onSilence();
  }
}

/** Aborts a session, and keeps the first reason for that. */
export class AbortReason {
  by: SessionFacts['cutBy'];
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onAbort = () => this.now('abort');

  constructor({ signal, deadlineMs }: SessionLimits) {
    this.#outer = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.now('abort');
    if (deadlineMs !== undefined && deadlineMs <= LONGEST_TIMER_MS)
      this.#timer = setTimeout(() => this.now('deadline'), deadlineMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  now(by: NonNullable<SessionFacts['cutBy']>): void {
    this.by ??= by;
    this.#controller.abort();
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#onAbort);
  }
}
