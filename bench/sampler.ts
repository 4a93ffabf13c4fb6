import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** What one variant showed, one number a round. */
export interface Samples {
  values: number[];
  /** Processor time of all its processes in all rounds; undefined where the system does not tell. */
  cpuMs: number | undefined;
}

const WARM_UP = 3;

/**
 * Samples all variants once a round, in an order that is new every round: whatever drifts on the machine meets all of
 * them alike. A variant waits for the processes it starts; what it returns is sampled, or the time it took if nothing.
 */
export function sampleInRounds<Name extends string>(
  rounds: number,
  variants: Record<Name, () => number | undefined>,
): Record<Name, Samples> {
  const names = Object.keys(variants) as Name[];
  const samples = Object.fromEntries(
    names.map((name) => [name, { values: [], cpuMs: childCpuMs() === undefined ? undefined : 0 }]),
  ) as unknown as Record<Name, Samples>;
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const name of shuffled(names)) {
      const { value, cpuMs } = once(variants[name]);
      if (round < 0) continue;
      samples[name].values.push(value);
      if (samples[name].cpuMs !== undefined) samples[name].cpuMs += cpuMs;
    }
  }
  return samples;
}

function once(run: () => number | undefined): { value: number; cpuMs: number } {
  const cpuBefore = childCpuMs() ?? 0;
  const start = performance.now();
  const own = run();
  const took = performance.now() - start;
  return { value: own ?? took, cpuMs: (childCpuMs() ?? 0) - cpuBefore };
}

export function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

const MS_PER_TICK = 10;

/** User and system time of every process that was started here and has ended, grandchildren included. */
function childCpuMs(): number | undefined {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}
