import { compareMedians, type Row } from '../report.ts';
import { shuffled } from '../sampler.ts';
import { gapsBetween, openProgram, type RunFigures } from './scene.ts';

const ROUNDS = 3;
const BLOCKS = 15;
/** The first ones pay for what the client does once. */
const SKIPPED = 3;
const HELD = SKIPPED + BLOCKS;
const SCRIPT = { after: { text: 'Part {n} is done.' } };
/** Changes a file before it stops: else nothing would have to be checked again. */
const WORKING = {
  turns: Array.from({ length: HELD + 1 }, () => [
    { tools: [{ name: 'Bash', input: { command: 'echo {n} >> work.txt' } }] },
    { text: 'Part {n} is done.' },
  ]).flat(),
};
/** Fails each time in another way: the loop is not to be taken for stalled. */
const FAILING = 'gates: { check: { run: "cat work.txt; false" } }\n';

/** From the request that a Stop follows to the next one, inside one session. */
export async function measureRunOverhead(): Promise<Row[]> {
  const program = await openProgram();
  try {
    const variants = {
      bare: () => gapsOf(program.bare({ script: SCRIPT, sessions: 1, blocks: HELD }), 1),
      promise: () => gapsOf(program.run({ args: ARGS, script: SCRIPT }), 1),
      gate: () => gapsOf(program.run({ args: ARGS, script: WORKING, contract: FAILING }), 2),
    };
    const gaps = { bare: [] as number[], promise: [] as number[], gate: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of shuffled(['bare', 'promise', 'gate'] as const)) {
        gaps[name].push(...(await variants[name]()));
      }
    }
    const against = 'bare SDK, constant block';
    return [
      compareMedians(gaps.promise, gaps.bare, { name: 'iteration of a run, promise', against }),
      compareMedians(gaps.gate, gaps.bare, { name: 'iteration of a run, one command', against }),
    ];
  } finally {
    program.close();
  }
}

const ARGS = ['--allow', 'Bash', '--max-iterations', String(HELD + 1)];

/** Of so many requests in each iteration the last is the one that a Stop follows. */
async function gapsOf(running: Promise<RunFigures>, requestsEach: number): Promise<number[]> {
  const { requests } = await running;
  const wanted = (HELD + 1) * requestsEach;
  if (requests.length !== wanted) throw new Error(`${requests.length} requests instead of ${wanted}`);
  return gapsBetween(requests)
    .filter((_, i) => (i + 1) % requestsEach === 0)
    .slice(SKIPPED);
}
