/** What one run of tests showed, test by test. */
export interface TestResults {
  /** By the test's full name: files or classes first, joined with " > ". */
  tests: ReadonlyMap<string, Tally>;
  /** False: the report was cut off, or its end does not fit what came before. */
  whole: boolean;
}

/** How often a test of this name ended how. Several files may have tests of the same name. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

export type TestOutcome = keyof Tally;

export class ResultsBuilder {
  readonly #tests = new Map<string, Tally>();

  add(parts: readonly (string | undefined)[], outcome: TestOutcome): void {
    const name = parts
      .map((part) => part?.trim())
      .filter(Boolean)
      .join(' > ');
    const tally = this.#tests.get(name) ?? { passed: 0, failed: 0, skipped: 0 };
    this.#tests.set(name, { ...tally, [outcome]: tally[outcome] + 1 });
  }

  get size(): number {
    return this.#tests.size;
  }

  results(whole: boolean): TestResults {
    return { tests: this.#tests, whole };
  }
}

/** Joins the reports of one run. It is whole when all of them are. */
export function joinResults(all: readonly TestResults[]): TestResults {
  const joined = new Map<string, Tally>();
  for (const { tests } of all)
    for (const [name, { passed, failed, skipped }] of tests) {
      const so = joined.get(name) ?? { passed: 0, failed: 0, skipped: 0 };
      joined.set(name, {
        passed: so.passed + passed,
        failed: so.failed + failed,
        skipped: so.skipped + skipped,
      });
    }
  return { tests: joined, whole: all.length > 0 && all.every(({ whole }) => whole) };
}

export function passes(tally: Tally | undefined): boolean {
  return tally !== undefined && tally.passed > 0 && tally.failed === 0;
}

export interface LostTest {
  name: string;
  now: 'failed' | 'skipped' | 'missing';
}

/** The tests that passed before and do not pass now, or pass less often. */
export function lostTests(before: TestResults, now: TestResults): LostTest[] {
  return [...before.tests].flatMap(([name, was]) => {
    if (!passes(was)) return [];
    const is = now.tests.get(name);
    if (passes(is) && (is?.passed ?? 0) >= was.passed) return [];
    if (is === undefined) return [{ name, now: 'missing' as const }];
    return [{ name, now: is.failed > 0 ? 'failed' : is.skipped > 0 ? 'skipped' : 'missing' } as const];
  });
}

export function countOf({ tests }: TestResults, outcome: TestOutcome): number {
  let count = 0;
  for (const tally of tests.values()) count += tally[outcome];
  return count;
}

export function countsOf(results: TestResults): Tally {
  return {
    passed: countOf(results, 'passed'),
    failed: countOf(results, 'failed'),
    skipped: countOf(results, 'skipped'),
  };
}
