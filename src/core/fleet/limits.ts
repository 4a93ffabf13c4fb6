/** Limits over the whole fleet. Absent ones do not limit. */
export interface FleetLimits {
  /** Most runs at a time: in all, for each repository, for each label. */
  runs?: number;
  runsPerRepo?: number;
  /** By URL; wins over `runsPerRepo`. */
  runsOfRepo?: Record<string, number>;
  runsOfLabel?: Record<string, number>;
  /** Most iterations that begin in a minute, by model; `*` for every model that is not named. */
  iterationsPerMinute?: Record<string, number>;
  /** USD a day (UTC): in all, and for each repository. */
  usdPerDay?: number;
  usdPerRepoPerDay?: number;
  /** By URL; wins over `usdPerRepoPerDay`. */
  usdOfRepoPerDay?: Record<string, number>;
}

/** A place in a limit, which a run holds while it is worked on. */
export interface Slot {
  name: string;
  most: number;
}

/** The slots that a run needs. */
export function slotsFor(
  { repo, labels }: { repo: string; labels: readonly string[] },
  limits: FleetLimits,
): Slot[] {
  const ofRepo = limits.runsOfRepo?.[repo] ?? limits.runsPerRepo;
  return [
    ...(limits.runs === undefined ? [] : [{ name: 'all', most: limits.runs }]),
    ...(ofRepo === undefined ? [] : [{ name: `repo ${repo}`, most: ofRepo }]),
    ...labels.flatMap((label) => {
      const most = limits.runsOfLabel?.[label];
      return most === undefined ? [] : [{ name: `label ${label}`, most }];
    }),
  ];
}
