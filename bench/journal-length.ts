import { homeAt } from '../src/engine/home/layout.ts';
import { FileStore } from '../src/engine/home/store.ts';
import { type BenchLoop, HOOK, type HookScene } from './hook-scene.ts';
import { comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 60;
const TRANSCRIPT_BYTES = 140_000;
const SHORT = 10;
const LONG = 100_000;

/** Measures whether a Stop takes longer after weeks than at the start of a loop. */
export function measureJournalLengths(scene: HookScene): Row[] {
  const short = scene.startLoop(TRANSCRIPT_BYTES);
  const long = scene.startLoop(TRANSCRIPT_BYTES);
  lengthen(short, SHORT, scene);
  lengthen(long, LONG, scene);
  const samples = sampleInRounds(ROUNDS, {
    short: () => short.stop(process.execPath, HOOK),
    long: () => long.stop(process.execPath, HOOK),
  });
  const compared = { name: 'decision, journal of 100,000 lines', against: '10 lines', target: 1.2 };
  return [comparePaired(samples.long, samples.short, compared)];
}

/** Appends lines through the store, which chains and seals them: others would not be read. */
function lengthen({ session }: BenchLoop, lines: number, scene: HookScene): void {
  const store = new FileStore(homeAt(scene.untildoneHome), { now: () => Date.now() });
  const ref = store.loopOfSession(session);
  if (!ref) throw new Error('the loop is gone');
  const { seq } = store.tail(ref).line;
  for (let line = seq; line < lines; line++) {
    const detail = { tool: line % 3 === 0 ? 'Edit' : 'Bash' };
    store.append(ref, () => ({ kind: 'event', event: 'PreToolUse', detail }), { durable: false });
  }
  if (store.tail(ref).line.seq !== lines) throw new Error(`the journal did not grow to ${lines} lines`);
}
