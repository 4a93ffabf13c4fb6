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

const AMOUNTS = ['runs', 'runsPerRepo', 'usdPerDay', 'usdPerRepoPerDay'] as const;
const AMOUNTS_OF = ['runsOfRepo', 'runsOfLabel', 'iterationsPerMinute', 'usdOfRepoPerDay'] as const;

/** The limits in what a store holds: numbers from 0, by their names. */
export function canonicalLimits(value: Readonly<Record<string, unknown>>): FleetLimits {
  const isAmount = (each: unknown) => typeof each === 'number' && each >= 0;
  const limits: Record<string, unknown> = {};
  for (const name of AMOUNTS) if (isAmount(value[name])) limits[name] = value[name];
  for (const name of AMOUNTS_OF) {
    const of = value[name];
    if (typeof of !== 'object' || of === null) continue;
    limits[name] = Object.fromEntries(Object.entries(of).filter(([, each]) => isAmount(each)));
  }
  return limits;
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
