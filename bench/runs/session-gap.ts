import { compareMedians, type Row } from '../report.ts';
import { shuffled } from '../sampler.ts';
import { gapsBetween, openProgram, type Program, type RunFigures } from './scene.ts';

const ROUNDS = 3;
const SESSIONS = 4;
/** So long that the next client is there when it is wanted, as with any real session. */
const SCRIPT = { after: { text: 'Part {n} is done.', delayMs: 800 } };

type Variant = 'ahead' | 'cold' | 'bare';

interface Gaps {
  /** From the end of a session to the first request of the next. */
  ended: number[];
  /** From one request to the next: in between the model answers, the Stop is judged, a client leaves, another asks. */
  asked: number[];
}

/** What a run loses between two sessions: with the next client started ahead, without, and with nothing but the SDK. */
export async function measureSessionGap(): Promise<Row[]> {
  const program = await openProgram();
  const gaps: Record<Variant, Gaps> = { ahead: none(), cold: none(), bare: none() };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const variant of shuffled(['ahead', 'cold', 'bare'] as const)) {
        const { ended, asked } = gapsIn(await figuresOf(program, variant));
        gaps[variant].ended.push(...ended);
        gaps[variant].asked.push(...asked);
      }
    }
  } finally {
    program.close();
  }
  const { ahead, cold, bare } = gaps;
  const end = { name: 'session end to next request' };
  const answer = { name: 'last answer to next request' };
  const [against, sdk] = ['not started ahead', 'bare SDK, started ahead'];
  return [
    compareMedians(ahead.ended, cold.ended, { ...end, against }),
    compareMedians(ahead.asked, cold.asked, { ...answer, against }),
    compareMedians(ahead.asked, bare.asked, { ...answer, against: sdk }),
  ];
}

function none(): Gaps {
  return { ended: [], asked: [] };
}

function figuresOf(program: Program, variant: Variant): Promise<RunFigures> {
  if (variant === 'bare') return program.bare({ script: SCRIPT, sessions: SESSIONS, blocks: 0 });
  return program.run({
    args: ['--mode', 'fresh', '--max-iterations', String(SESSIONS)],
    script: SCRIPT,
    env: { BENCH_AHEAD: variant === 'ahead' ? 'yes' : 'no' },
  });
}

function gapsIn({ requests, log }: RunFigures): Gaps {
  const ends = log.flatMap((line) => ('ended' in line ? [line.ended] : []));
  if (requests.length !== SESSIONS || ends.length !== SESSIONS)
    throw new Error(`${ends.length} of ${SESSIONS} sessions asked the model ${requests.length} times`);
  const next = requests.slice(1);
  return {
    ended: next.map((time, i) => time - (ends[i] ?? time)),
    asked: gapsBetween(requests).map((gap) => gap - SCRIPT.after.delayMs),
  };
}
