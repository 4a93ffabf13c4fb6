/** How long a test waits for what should come at once. Only a guard: a busy machine may stall for half a minute. */
export const PATIENCE_MS = 120_000;

const LOOK_MS = 50;
/** A longer gap between two looks is a machine that stalls, and counts as so long. */
const MOST_MS = 4 * LOOK_MS;

/** Begins to measure; returns how long it has been, without stalls of the machine. For what has a limit of its own. */
export function awakeClock(): () => number {
  let [awake, last] = [0, performance.now()];
  const look = () => {
    const now = performance.now();
    awake += Math.min(now - last, MOST_MS);
    last = now;
  };
  const timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    look();
    return awake;
  };
}

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
