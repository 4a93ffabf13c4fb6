export interface Quartiles {
  first: number;
  median: number;
  third: number;
}

export function quartiles(values: readonly number[]): Quartiles {
  const sorted = values.toSorted((a, b) => a - b);
  return { first: quantile(sorted, 0.25), median: quantile(sorted, 0.5), third: quantile(sorted, 0.75) };
}

/** Interpolates between the two nearest values. */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** The ratio of what was sampled in the same round, round by round: what slows a whole round down cancels out. */
export function pairedRatios(values: readonly number[], base: readonly number[]): number[] {
  if (values.length !== base.length) throw new Error('only samples of the same rounds can be paired');
  return values.map((value, round) => value / (base[round] ?? Number.NaN));
}
