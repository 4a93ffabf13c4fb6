import { compareMedians, comparePaired, type Row } from '../report.ts';
import { type Samples, shuffled } from '../sampler.ts';
import { quartiles } from '../statistics.ts';
import type { Logged } from './log.ts';
import { gapsBetween, openProgram } from './scene.ts';

const ITERATIONS = 1_000;
const BLOCK = 100;
const ROUNDS = 3;

/** The journal grows in both; in one session its transcript, too. */
const MODES = [
  { mode: 'session', name: 'one session' },
  { mode: 'fresh', name: 'a session each' },
] as const;

/** Measures a run of 1,000 iterations with a client that takes no time: the last hundred against the first. */
export async function measureRunLength(): Promise<Row[]> {
  const program = await openProgram();
  const logs: Record<(typeof MODES)[number]['mode'], Logged[][]> = { session: [], fresh: [] };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const { mode } of shuffled(MODES)) {
        const args = ['--mode', mode, '--max-iterations', String(ITERATIONS + 1)];
        logs[mode].push((await program.run({ args, env: { BENCH_CLIENT: 'instant' } })).log);
      }
    }
  } finally {
    program.close();
  }
  return MODES.flatMap(({ mode, name }) => rowsOf(name, logs[mode]));
}

type Stop = Extract<Logged, { stop: number }>;

/** The hundreds of one run are compared with each other: what slows a whole run down cancels out. */
function rowsOf(name: string, logs: readonly Logged[][]): Row[] {
  const runs = logs.map((log) => log.filter((line): line is Stop => 'stop' in line));
  for (const stops of runs)
    if (stops.length < ITERATIONS) throw new Error(`${name}: only ${stops.length} Stops were answered`);
  const block = (from: number) => samplesOf(runs.map((stops) => stops.slice(from, from + BLOCK)));
  const memory = (at: number, of: 'heapMb' | 'rssMb') => runs.flatMap((stops) => stops[at - 1]?.[of] ?? []);
  const inUse = (of: 'heapMb' | 'rssMb') => [memory(ITERATIONS, of), memory(BLOCK, of)] as const;
  const last = block(ITERATIONS - BLOCK);
  const words = `iterations 901-1000, ${name}`;
  const size = { against: 'after 100', unit: 'MB' as const };
  return [
    comparePaired(last, block(0), { name: words, against: 'iterations 1-100', target: 1.2 }),
    comparePaired(last, block(BLOCK), { name: words, against: 'iterations 101-200' }),
    compareMedians(...inUse('heapMb'), { ...size, name: `heap after 1,000, ${name}`, target: 1.1 }),
    compareMedians(...inUse('rssMb'), { ...size, name: `resident after 1,000, ${name}` }),
  ];
}

/** One value a run: the median iteration of the block. */
function samplesOf(blocks: readonly Stop[][]): Samples {
  const cpuOf = (stops: readonly Stop[]) => (stops.at(-1)?.cpuMs ?? 0) - (stops[0]?.cpuMs ?? 0);
  return {
    values: blocks.map((stops) => quartiles(gapsBetween(stops.map(({ stop }) => stop))).median),
    cpuMs: blocks.reduce((sum, stops) => sum + cpuOf(stops), 0),
  };
}
