import { setTimeout as sleep } from 'node:timers/promises';

/** Ctrl-C in a run: the first pauses after the step, the second ends the run at once. SIGTERM and SIGHUP count alike. */
export interface Interrupts {
  asked(): boolean;
  atOnce: AbortSignal;
  /** Resolves at that time, or at an interrupt. */
  waitUntil(time: number): Promise<void>;
  /** Signals end the process again. */
  stop(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Long waits are cut into pieces: Node fires timers that are too long at once, and the clock may be set. */
const LOOK_AGAIN_MS = 30_000;

export function watchInterrupts(onFirst: () => void): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const interrupt = () => {
    if (first.signal.aborted) return second.abort();
    onFirst();
    first.abort();
  };
  for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, interrupt);
  return {
    ...interruptsBy(first.signal, second.signal),
    stop: () => {
      for (const signal of SIGNALS) process.off(signal, interrupt);
    },
  };
}

/** `asked` pauses the run after the step. */
export function interruptsBy(asked: AbortSignal, atOnce: AbortSignal): Interrupts {
  return {
    asked: () => asked.aborted,
    atOnce,
    waitUntil: async (time) => {
      while (!asked.aborted && Date.now() < time) {
        // The condition of the loop sees an abort.
        await sleep(Math.min(LOOK_AGAIN_MS, time - Date.now()), undefined, { signal: asked }).catch(() => {});
      }
    },
    stop: () => undefined,
  };
}
