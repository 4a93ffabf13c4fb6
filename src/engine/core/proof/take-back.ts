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

/** Files of tests, by name; `all`: it cannot be told which, or nothing could be run at all. */
export type TestNames = ReadonlySet<string> | 'all';

/** The tests that fail in a trial; none: everything passes. */
export interface Shown {
  failing: TestNames;
}

/** `unproven`: the run said nothing. `refused`: there is no time for it. */
type TrialResult = Shown | 'unproven' | 'refused';

/**
 * What is known of a place. `tested`: tests fail without it. `in_group`: they fail without a group of places that it
 * belongs to. `same`: they pass with what stood there before, but they reach it. `untested`: nothing fails without it.
 */
export type Finding = 'tested' | 'in_group' | 'same' | 'untested' | 'not_measured';

export interface TakenBack<P> {
  findings: Map<P, Finding>;
  runs: number;
}

export interface TrialLimits<P> {
  /** The most runs. */
  runs: number;
  /** The tests that reach a place. */
  testsOf(place: P): TestNames;
}

interface Group<P> {
  places: readonly P[];
  lines: number;
  /** Whether tests failed without a larger group that these places belong to. */
  isMissed: boolean;
}

/**
 * Takes places back, the largest first. Places that different tests reach go together: which tests fail says which of them
 * is tested. When there are more places than runs, the small ones go in groups. A group is split when its run leaves open
 * which place is tested, or when tests reach what they do not notice. The caller answers every trial.
 */
export function* takeBack<P extends Place>(
  places: readonly P[],
  { runs, testsOf }: TrialLimits<P>,
): Generator<Trial<P>, TakenBack<P>, TrialResult> {
  const findings = new Map<P, Finding>();
  const queue = groupsFor(places, runs, testsOf);
  let used = 0;
  const settle = (all: readonly P[], finding: Finding) => {
    for (const place of all) findings.set(place, finding);
  };
  function* run(some: readonly P[], trial: Trial<P>): Generator<Trial<P>, (place: P) => Look, TrialResult> {
    if (used >= runs) return () => 'refused';
    const result = yield trial;
    if (result !== 'refused') used++;
    return (place) =>
      typeof result === 'string' ? result : lookOf(place, some, { failing: result.failing, testsOf });
  }
  while (queue.length > 0) {
    const { places: some, isMissed } = takeLargest(queue);
    const seen = yield* run(some, trialFor(some));
    const by = (look: Look) => some.filter((place) => seen(place) === look);
    settle(by('missed'), 'tested');
    const quiet = by('not_missed');
    // What replaces other lines may do the same as they did: then it matters whether tests reach it.
    const replacing = quiet.filter(({ old }) => old.length > 0);
    settle(
      quiet.filter(({ old }) => old.length === 0),
      'untested',
    );
    const open = [...by('open'), ...by('unproven')];
    const refused = by('refused');
    if (replacing.length > 0) {
      const reached = yield* run(replacing, { back: [], spoil: replacing });
      const spoiled = (look: Look) => replacing.filter((place) => reached(place) === look);
      settle(spoiled('missed'), 'same');
      settle(spoiled('not_missed'), 'untested');
      refused.push(...spoiled('refused'));
      open.push(...spoiled('open'), ...spoiled('unproven'));
    }
    settle(refused, isMissed ? 'in_group' : 'not_measured');
    const wasMissed = isMissed || by('missed').length + by('open').length > 0;
    if (open.length === 1 && some.length === 1) settle(open, wasMissed ? 'in_group' : 'not_measured');
    else if (open.length > 0) queue.push(...halves(open, wasMissed));
  }
  return { findings, runs: used };
}

/** What a run says about one of the places in it. `open`: a test fails, and it may be for another place. */
type Look = 'missed' | 'open' | 'not_missed' | 'unproven' | 'refused';

function lookOf<P>(
  place: P,
  some: readonly P[],
  { failing, testsOf }: Pick<TrialLimits<P>, 'testsOf'> & Shown,
): Look {
  const own = testsOf(place);
  const concerned = both(own, failing);
  if (concerned !== 'all' && concerned.size === 0) return 'not_missed';
  if (some.length === 1) return 'missed';
  if (failing === 'all' || concerned === 'all') return 'open';
  const others = some.filter((each) => each !== place).map(testsOf);
  const isOwn = (test: string) => others.every((tests) => tests !== 'all' && !tests.has(test));
  return [...concerned].some(isOwn) ? 'missed' : 'open';
}

function both(a: TestNames, b: TestNames): TestNames {
  if (a === 'all') return b;
  return b === 'all' ? a : new Set([...a].filter((test) => b.has(test)));
}

function trialFor<P extends Place>(places: readonly P[]): Trial<P> {
  return {
    back: places.filter(({ probe }) => probe === 'back'),
    spoil: places.filter(({ probe }) => probe === 'spoil'),
  };
}

/** The share of the runs for places that can be told apart, and that for groups, when there are more than runs. The rest splits. */
const SINGLE_SHARE = 0.6;
const GROUP_SHARE = 0.2;

function groupsFor<P extends Place>(
  places: readonly P[],
  runs: number,
  testsOf: TrialLimits<P>['testsOf'],
): Group<P>[] {
  const sorted = [...places].sort((a, b) => b.lines - a.lines);
  const packs = packed(sorted, testsOf);
  const apart = packs.length <= runs ? packs : packs.slice(0, Math.floor(runs * SINGLE_SHARE));
  // Places of one file stay together: what belongs together is taken back together.
  const rest = places.filter((place) => !apart.some((pack) => pack.includes(place)));
  const count = Math.min(rest.length, Math.max(1, Math.floor(runs * GROUP_SHARE)));
  const grouped = Array.from({ length: count }, (_, i) =>
    rest.slice(Math.floor((i * rest.length) / count), Math.floor(((i + 1) * rest.length) / count)),
  );
  return [...apart, ...grouped].map((each) => groupOf(each, false));
}

/** More places are not compared with each other. */
const MOST_PACKED = 400;

/** Puts places together of which each is reached by a test that reaches no other of them. */
function packed<P extends Place>(places: readonly P[], testsOf: TrialLimits<P>['testsOf']): P[][] {
  const packs: { places: P[]; tests: ReadonlySet<string>[] }[] = [];
  places.forEach((place, i) => {
    const tests = testsOf(place);
    const pack =
      tests === 'all' || i >= MOST_PACKED
        ? undefined
        : packs.find((each) => each.tests.length > 0 && areApart([...each.tests, tests]));
    if (pack && tests !== 'all') {
      pack.places.push(place);
      pack.tests.push(tests);
    } else packs.push({ places: [place], tests: tests === 'all' ? [] : [tests] });
  });
  return packs.map((pack) => pack.places);
}

function areApart(all: readonly ReadonlySet<string>[]): boolean {
  const counts = new Map<string, number>();
  for (const tests of all) for (const test of tests) counts.set(test, (counts.get(test) ?? 0) + 1);
  return all.every((tests) => [...tests].some((test) => counts.get(test) === 1));
}

function groupOf<P extends Place>(places: readonly P[], isMissed: boolean): Group<P> {
  return { places, isMissed, lines: linesOf(places) };
}

export function linesOf(places: readonly { lines: number }[]): number {
  return places.reduce((sum, { lines }) => sum + lines, 0);
}

function halves<P extends Place>(places: readonly P[], isMissed: boolean): Group<P>[] {
  const middle = Math.ceil(places.length / 2);
  const parts = [places.slice(0, middle), places.slice(middle)].filter((half) => half.length > 0);
  return parts.map((half) => groupOf(half, isMissed));
}

function takeLargest<P>(queue: Group<P>[]): Group<P> {
  const largest = queue.reduce((best, group) => (group.lines > best.lines ? group : best));
  queue.splice(queue.indexOf(largest), 1);
  return largest;
}
