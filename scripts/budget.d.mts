/** Milliseconds between two moments, of which `own` and `busy` are processor time. */
export interface Measured {
  wall: number;
  own: number;
  busy: number;
  /** How much longer a bare start of Node takes here than where the budget was set; at least 1. */
  slowness: number;
  cores: number;
}

export function startMeasuring(): () => Measured | undefined;
export function onTwoQuietCores(measured: Measured): number;
export function budgetLines(
  measured: Measured | undefined,
  budget: { seconds?: number; limit?: number },
  env?: Record<string, string | undefined>,
): { lines: string[]; isOver: boolean };
