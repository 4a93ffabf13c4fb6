import { EXIT } from '../core/words/exit-codes.ts';

/** Signals that end a command, and its exit code then. */
const EXIT_CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hangup } as const;

export interface Interruption {
  /** Aborted by the first signal, or when nobody reads our output any more. */
  signal: AbortSignal;
  /** Undefined before an interruption. */
  exitCode(): number | undefined;
}

/** Turns signals into an abort. From now on they do not end the process: the caller has to. */
export function watchInterruption(): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const interrupt = (code: number) => {
    exitCode ??= code;
    controller.abort();
  };
  for (const [name, code] of Object.entries(EXIT_CODES)) process.on(name, () => interrupt(code));
  // Other commands end at once when their reader goes away; the caller of this one has to clean up first.
  process.stdout.removeAllListeners('error').on('error', () => interrupt(EXIT.nobodyReads));
  return { signal: controller.signal, exitCode: () => exitCode };
}

/**
 * Turns signals into an abort while `work` goes on, in the place of whoever listens to them otherwise. `exitCode` is that of
 * an interruption.
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ result: T; exitCode?: number }> {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const names = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[];
  const put = names.map((name) => {
    const others = process.rawListeners(name) as NodeJS.SignalsListener[];
    const interrupt = () => {
      exitCode ??= EXIT_CODES[name];
      controller.abort();
    };
    process.removeAllListeners(name);
    process.on(name, interrupt);
    return () => {
      process.removeListener(name, interrupt);
      for (const other of others) process.on(name, other);
    };
  });
  try {
    const result = await work(controller.signal);
    return { result, exitCode };
  } finally {
    for (const back of put) back();
  }
}
