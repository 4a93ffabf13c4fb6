/** Decides which changed places to take back, run by run, and what the runs show. */

interface Place {
  /** How many of its lines count. */
  lines: number;
  /** What stood there at the start; empty for an addition. */
  old: readonly string[];
  probe: 'back' | 'spoil';
}

/** A tree to run the tests on: the work without some places, and with failures in others. */
export interface Trial<P> {
  back: readonly P[];
  spoil: readonly P[];
}

/** `red`: a test fails, or nothing can be run at all. `green`: everything passes. */
export type Shown = 'red' | 'green' | 'unproven';

interface TrialResult {
  shown: Shown;
  /** False: there is no time for another run. */
  goOn: boolean;
}

/**
 * What is known of a place. `tested`: tests fail without it. `in_group`: they fail without a group of places that it
 * belongs to. `same`: they pass with what stood there before, but they reach it. `untested`: nothing fails without it.
 */
export type Finding = 'tested' | 'in_group' | 'same' | 'untested' | 'not_measured';

export interface TakenBack<P> {
  findings: Map<P, Finding>;
  runs: number;
}

interface Group<P> {
  places: readonly P[];
  lines: number;
  /** Whether tests failed without a larger group that these places belong to. */
  isMissed: boolean;
}

/**
 * Takes places back, the largest first, within a number of runs: one by one while that is enough for all, else the small
 * ones in groups. A group is split when tests fail without it, because that does not say which place they miss, and when
 * tests reach what they do not miss. The caller answers every trial.
 */
export function* takeBack<P extends Place>(
  places: readonly P[],
  runs: number,
): Generator<Trial<P>, TakenBack<P>, TrialResult> {
  const findings = new Map<P, Finding>();
  const queue = groupsFor(places, runs);
  let [used, goOn] = [0, true];
  const mayRun = () => goOn && used < runs;
  const settle = (all: readonly P[], finding: Finding) => {
    for (const place of all) findings.set(place, finding);
  };
  function* run(trial: Trial<P>): Generator<Trial<P>, Shown, TrialResult> {
    used++;
    const result = yield trial;
    goOn = result.goOn;
    return result.shown;
  }
  function* look(some: readonly P[]): Generator<Trial<P>, Look, TrialResult> {
    const shown = yield* run(trialFor(some));
    const replacing = some.filter(({ old }) => old.length > 0);
    if (shown === 'unproven') return shown;
    if (shown === 'red') return 'missed';
    // What replaces other lines may do the same as they did: then it matters whether tests reach it.
    if (replacing.length === 0) return 'not_missed';
    if (!mayRun()) return 'unproven';
    const reached = yield* run({ back: [], spoil: replacing });
    return reached === 'unproven' ? reached : reached === 'red' ? 'reached' : 'not_missed';
  }
  while (queue.length > 0 && mayRun()) {
    const { places: some, isMissed } = takeLargest(queue);
    const seen = yield* look(some);
    const wasMissed = isMissed || seen === 'missed';
    if (seen === 'not_missed') settle(some, 'untested');
    else if (some.length === 1) settle(some, ONE[seen]);
    else queue.push(...halves(some, wasMissed));
  }
  for (const { places: left, isMissed } of queue) settle(left, isMissed ? 'in_group' : 'not_measured');
  return { findings, runs: used };
}

/** What is seen without a group of places. */
type Look = 'missed' | 'reached' | 'not_missed' | 'unproven';

const ONE = { missed: 'tested', reached: 'same', unproven: 'not_measured' } as const satisfies Partial<
  Record<Look, Finding>
>;

function trialFor<P extends Place>(places: readonly P[]): Trial<P> {
  return {
    back: places.filter(({ probe }) => probe === 'back'),
    spoil: places.filter(({ probe }) => probe === 'spoil'),
  };
}

/** The share of the runs for single places, and that for groups, when there are more places than runs. The rest splits. */
const SINGLE_SHARE = 0.6;
const GROUP_SHARE = 0.2;

function groupsFor<P extends Place>(places: readonly P[], runs: number): Group<P>[] {
  const sorted = [...places].sort((a, b) => b.lines - a.lines);
  const singles = sorted.length <= runs ? sorted.length : Math.floor(runs * SINGLE_SHARE);
  // Places of one file stay together: what belongs together is taken back together.
  const rest = places.filter((place) => !sorted.slice(0, singles).includes(place));
  const count = Math.min(rest.length, Math.max(1, Math.floor(runs * GROUP_SHARE)));
  const grouped = Array.from({ length: count }, (_, i) =>
    rest.slice(Math.floor((i * rest.length) / count), Math.floor(((i + 1) * rest.length) / count)),
  );
  return [...sorted.slice(0, singles).map((place) => [place]), ...grouped].map((each) =>
    groupOf(each, false),
  );
}

function groupOf<P extends Place>(places: readonly P[], isMissed: boolean): Group<P> {
  return { places, isMissed, lines: linesOf(places) };
}

export function linesOf(places: readonly { lines: number }[]): number {
  return places.reduce((sum, { lines }) => sum + lines, 0);
}

function halves<P extends Place>(places: readonly P[], isMissed: boolean): Group<P>[] {
  const middle = Math.ceil(places.length / 2);
  return [places.slice(0, middle), places.slice(middle)].map((half) => groupOf(half, isMissed));
}

function takeLargest<P>(queue: Group<P>[]): Group<P> {
  const largest = queue.reduce((best, group) => (group.lines > best.lines ? group : best));
  queue.splice(queue.indexOf(largest), 1);
  return largest;
}
