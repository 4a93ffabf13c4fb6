/** Ctrl-C in a run: the first one finishes the step and pauses, the second ends at once. SIGTERM is like the first. */
export interface Interrupts {
  asked(): boolean;
  atOnce: AbortSignal;
  /** Resolves at that time, or when someone interrupts. */
  waitUntil(time: number): Promise<void>;
  /** Signals end the process again. */
  stop(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A longer timer goes off at once; and a clock that is set should be noticed. */
const LOOK_AGAIN_MS = 30_000;

export function watchInterrupts(onFirst: () => void): Interrupts {
  const atOnce = new AbortController();
  const woken = new EventTarget();
  let asked = false;
  const interrupt = () => {
    if (asked) atOnce.abort();
    else onFirst();
    asked = true;
    woken.dispatchEvent(new Event('interrupt'));
  };
  for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, interrupt);
  const sleep = (ms: number) =>
    new Promise<void>((done) => {
      const wake = () => {
        clearTimeout(timer);
        woken.removeEventListener('interrupt', wake);
        done();
      };
      const timer = setTimeout(wake, ms);
      woken.addEventListener('interrupt', wake);
    });
  return {
    asked: () => asked,
    atOnce: atOnce.signal,
    waitUntil: async (time) => {
      while (!asked && Date.now() < time) await sleep(Math.min(LOOK_AGAIN_MS, time - Date.now()));
    },
    stop: () => {
      for (const signal of SIGNALS) process.off(signal, interrupt);
    },
  };
}
