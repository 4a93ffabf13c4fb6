import { statfsSync } from 'node:fs';
import { type BenchLoop, HOOK, type HookScene } from './hook-scene.ts';
import { peakMemoryOf } from './peak-memory.ts';
import { comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;
const ROUNDS = 60;
const MEMORY_ROUNDS = 15;
/** Two transcripts of 1 GB, the smaller ones, and something to spare. */
const DISK_NEEDED = 3 * GB;
const TIME_TARGET = 1.2;
const MEMORY_TARGET = 1.5;

/** Measures whether time and memory of one Stop depend on how long the session has been going on. */
export function measureTranscriptSizes(scene: HookScene): Row[] {
  const { bavail, bsize } = statfsSync(scene.root);
  if (bavail * bsize < DISK_NEEDED) {
    throw new Error(`${scene.root} has too little room: ${DISK_NEEDED / GB} GB are needed`);
  }
  const loops = {
    small: scene.startLoop(KB),
    medium: scene.startLoop(MB),
    large: scene.startLoop(50 * MB),
    huge: scene.startLoop(GB),
    // A loop that has read nothing of its transcript reads further back to count what was used.
    unread: scene.startLoop(GB, { unread: true }),
  };
  return [...timeRows(loops), ...memoryRows(loops, scene)];
}

type Loops = Record<'small' | 'medium' | 'large' | 'huge' | 'unread', BenchLoop>;

function timeRows(loops: Loops): Row[] {
  const decide = (loop: BenchLoop) => () => loop.stop(process.execPath, HOOK);
  const samples = sampleInRounds(ROUNDS, {
    small: decide(loops.small),
    medium: decide(loops.medium),
    large: decide(loops.large),
    huge: decide(loops.huge),
    unread: decide(loops.unread),
  });
  const row = (name: keyof Loops, size: string, target?: number) =>
    comparePaired(samples[name], samples.small, {
      name: `decision, transcript of ${size}`,
      against: '1 KB',
      ...(target === undefined ? {} : { target }),
    });
  return [
    row('medium', '1 MB'),
    row('large', '50 MB'),
    row('huge', '1 GB', TIME_TARGET),
    row('unread', '1 GB, never read'),
  ];
}

function memoryRows(loops: Loops, scene: HookScene): Row[] {
  const samples = sampleInRounds(MEMORY_ROUNDS, {
    small: () => peakMemoryOf(loops.small, scene),
    huge: () => peakMemoryOf(loops.huge, scene),
    unread: () => peakMemoryOf(loops.unread, scene),
  });
  const compared = { against: '1 KB', unit: 'MB', target: MEMORY_TARGET } as const;
  return [
    comparePaired(samples.huge, samples.small, { ...compared, name: 'peak memory, transcript of 1 GB' }),
    comparePaired(samples.unread, samples.small, { ...compared, name: 'peak memory, 1 GB, never read' }),
  ];
}
