/** What ends a command from outside, and the exit code that says so. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const NOBODY_READS = 141;

export interface Interruption {
  /** Aborted by the first signal, or when nobody reads our output any more. */
  signal: AbortSignal;
  /** Undefined as long as nothing has interrupted us. */
  exitCode(): number | undefined;
}

/** From here on signals no longer end the process: the command that watches has to. */
export function watchInterruption(): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const interrupt = (code: number) => {
    exitCode ??= code;
    controller.abort();
  };
  for (const [name, code] of Object.entries(EXIT_CODES)) process.on(name, () => interrupt(code));
  // Elsewhere a reader that goes away simply ends the program; here something has to be cleaned up first.
  process.stdout.removeAllListeners('error').on('error', () => interrupt(NOBODY_READS));
  return { signal: controller.signal, exitCode: () => exitCode };
}
