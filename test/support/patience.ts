/** How long a test waits for what should come at once. Only a guard: a busy machine may stall for half a minute. */
export const PATIENCE_MS = 120_000;

/** Multiplies the limits of scenarios, which are meant for a machine that does nothing else. */
export const PATIENCE = 12;

/**
 * Tries with a short limit first, and with longer ones as long as `cameAbout` says that what was to be cut off had not
 * even begun.
 */
export async function cutOff<T>(
  limitMs: number,
  attempt: (limitMs: number) => Promise<T>,
  cameAbout: (result: T) => boolean,
): Promise<T> {
  const result = await attempt(limitMs);
  return cameAbout(result) || limitMs > PATIENCE_MS / 8 ? result : cutOff(limitMs * 8, attempt, cameAbout);
}
