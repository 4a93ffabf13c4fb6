import type { SessionFacts } from '../../core/run/session-end.ts';
import { LONGEST_TIMER_MS } from '../../core/text/duration.ts';
import type { SessionLimits } from '../../ports/ports.ts';

/** Why a session is ended before its time; the first reason counts. */
export class SessionCut {
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
