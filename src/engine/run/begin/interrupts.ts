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
