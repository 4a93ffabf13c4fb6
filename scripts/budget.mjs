// How long a run would have taken on two cores that do nothing else.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const MS_PER_TICK = 10;

/** Processor time in milliseconds; only Linux tells. `own`: of this process and of all that it started and that ended. */
export function processorTime() {
  if (process.platform !== 'linux') return undefined;
  // The name of the program, in brackets, may hold spaces.
  const own = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').slice(11, 15);
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split(/\s+/)
    .slice(1);
  return { own: ticks(own), busy: ticks([user, nice, system, irq, softirq, steal]) };
}

function ticks(counts) {
  return counts.reduce((sum, count) => sum + Number(count), 0) * MS_PER_TICK;
}

/** Processor time of a bare start of Node. */
function bareStart() {
  const starts = 10;
  const before = processorTime().own;
  for (let n = 0; n < starts; n++) execFileSync(process.execPath, ['--eval', '0']);
  return (processorTime().own - before) / starts;
}

/** Where the budget was set. */
const USUAL_START = 40;

/** Starts to measure; the result says what was measured since then. Undefined where that cannot be told. */
export function startMeasuring() {
  if (process.platform !== 'linux') return () => undefined;
  const slowness = Math.max(1, bareStart() / USUAL_START);
  const [began, before] = [performance.now(), processorTime()];
  return () => {
    const now = processorTime();
    const [own, busy] = [now.own - before.own, now.busy - before.busy];
    return { wall: performance.now() - began, own, busy, slowness, cores: availableParallelism() };
  };
}

/**
 * Seconds on two quiet cores of usual speed. Others had their share of the processors in that time, and fewer or slower cores
 * need longer; but work is never done faster than two cores can do it.
 */
export function onTwoQuietCores({ wall, own, busy, slowness, cores }) {
  const alone = wall * Math.min(1, own / Math.max(1, busy)) * Math.min(1, cores / 2);
  return Math.max(alone, own / 2) / slowness / 1000;
}

/** What is said of a run, and whether it was over its limit. `UNTILDONE_TEST_SECONDS` sets another limit. */
export function budgetLines(measured, { seconds, limit }, env = process.env) {
  if (measured === undefined) return { lines: [], isOver: false };
  const wall = (measured.wall / 1000).toFixed(0);
  const needed = onTwoQuietCores(measured);
  const budget = seconds === undefined ? '' : `; the budget is ${seconds} s`;
  const work = (measured.own / 1000).toFixed(0);
  const lines = [
    `${wall} s, ${work} s of processors: about ${needed.toFixed(0)} s on two quiet cores${budget}`,
  ];
  const allowed = limit && Number(env.UNTILDONE_TEST_SECONDS ?? limit);
  const isOver = allowed !== undefined && needed > allowed;
  if (isOver)
    lines.push(
      `error: over ${allowed} s. See above which folder became slower: mend it, or let a file be played by test:all (test/support/seams.ts). Another limit for a slow machine: UNTILDONE_TEST_SECONDS`,
    );
  return { lines, isOver };
}
