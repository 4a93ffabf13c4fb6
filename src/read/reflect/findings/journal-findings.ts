import { type Finding, finding, type NewFinding, severityOf, shown } from './finding.ts';
import type { JournalTally } from './journal-tally.ts';
import { placesOf } from './repeats.ts';
import { times } from './transcript-findings.ts';

const REASON_TIMES = 3;
const MANY_ITERATIONS = 5;
const MOST_OF_A_TYPE = 5;

/** What the journal of one loop shows. */
export function journalFindings(tally: JournalTally, loop: string): Finding[] {
  const all: Omit<NewFinding, 'in'>[] = [
    ...blockingGates(tally),
    ...repeatedReasons(tally),
    ...manyIterations(tally, loop),
    ...stalls(tally),
    ...cheats(tally),
  ];
  return all.map((found) => finding({ ...found, in: loop }));
}

type Found = Omit<NewFinding, 'in'>;

function blockingGates({ blocking, held }: JournalTally): Found[] {
  return blocking.atLeast(2, MOST_OF_A_TYPE).map(([gate, repeat]) => ({
    type: 'blocking_gate' as const,
    severity: severityOf(repeat.count, 3, 8),
    title: `The gate ${shown(gate, 80)} blocked ${repeat.count} of ${Math.max(held, repeat.count)} holds`,
    count: repeat.count,
    fields: { gate: shown(gate, 80), count: repeat.count, held: Math.max(held, repeat.count) },
    places: placesOf(repeat),
    cost: { ms: repeat.ms, tokens: repeat.tokens },
    suggestion: 'Tell the agent in CLAUDE.md to run what this gate runs before it finishes',
    key: gate,
  }));
}

function repeatedReasons({ reasons }: JournalTally): Found[] {
  return reasons.atLeast(REASON_TIMES, MOST_OF_A_TYPE).map(([key, repeat]) => ({
    type: 'repeated_reason' as const,
    severity: severityOf(repeat.count, 3, 6),
    title: `The same reason held the session ${repeat.count} times: ${shown(repeat.sample)}`,
    count: repeat.count,
    fields: { reason: shown(repeat.sample), count: repeat.count },
    places: placesOf(repeat),
    cost: { ms: repeat.ms, tokens: repeat.tokens },
    suggestion: 'The agent does not get past it alone: say more in the task, or do this step yourself',
    key,
  }));
}

function manyIterations({ state, gates }: JournalTally, loop: string): Found[] {
  if (!state || state.iteration < MANY_ITERATIONS) return [];
  const passed = [...gates].filter(([, { passedAt }]) => passedAt !== undefined);
  const last = passed.sort(([, a], [, b]) => (b.passedAt ?? 0) - (a.passedAt ?? 0))[0];
  const tail = last ? `; ${shown(last[0], 60)} passed last, in iteration ${last[1].passedAt}` : '';
  return [
    {
      type: 'many_iterations',
      severity: severityOf(state.iteration, 10, 25),
      title: `The loop took ${state.iteration} iterations and ended as ${state.status}${tail}`,
      count: state.iteration,
      fields: { iterations: state.iteration, status: state.status },
      places: [],
      cost: { ms: Math.max(0, state.lastAt - state.startedAt - state.waitedMs), tokens: state.spent.tokens },
      suggestion: 'Divide the task into phases, each with a gate of its own',
      key: loop,
    },
  ];
}

function stalls({ stalls, state }: JournalTally): Found[] {
  const [, repeat] = stalls.atLeast(1, 1)[0] ?? [];
  const ended = state?.status === 'stalled' || state?.status === 'idle';
  if (!repeat && !ended) return [];
  const count = (repeat?.count ?? 0) + (ended ? 1 : 0);
  return [
    {
      type: 'stalls',
      severity: ended ? 'high' : severityOf(count, 2, 5),
      title: ended
        ? `The loop ended as ${state.status}: ${shown(state.ending?.detail ?? state.ending?.cause ?? '')}`
        : `Nothing had changed at a Stop, ${times(count)}`,
      count,
      fields: { count, status: state?.status ?? '' },
      places: repeat ? placesOf(repeat) : [],
      cost: { ms: repeat?.ms ?? 0, tokens: repeat?.tokens ?? 0 },
      suggestion: 'Look at the reason that repeats: the task may lack something that the agent cannot know',
    },
  ];
}

function cheats({ cheats }: JournalTally): Found[] {
  const all = cheats.atLeast(1, MOST_OF_A_TYPE);
  if (all.length === 0) return [];
  const count = all.reduce((sum, [, repeat]) => sum + repeat.count, 0);
  return [
    {
      type: 'cheat_attempts',
      severity: 'high',
      title: `What looks like a way around the gates, ${times(count)}: ${all.map(([, { sample }]) => shown(sample, 100)).join('; ')}`,
      count,
      fields: { count, what: shown(all[0]?.[1].sample ?? '') },
      places: all.map(
        ([, { first, sample }]) => ({ ...first[0], what: shown(sample, 60) }) as Found['places'][number],
      ),
      suggestion: 'Read these places before you merge; `tools: protect` and `holdout` close such ways',
    },
  ];
}
