/**
 * Which files of tests have to run again. A run can be narrowed by leaving other files of tests out of its tree, whatever
 * the runner. Pure.
 */
import { folderOf } from './imports.ts';
import type { LoadedFiles } from './reach.ts';
import { passes, type Tally } from './test-results.ts';

/** Files of tests that run together: one file, or in Go the tests of one package. */
export interface TestUnit {
  name: string;
  files: readonly string[];
}

export interface Units {
  all: readonly TestUnit[];
  /** The unit of a file of tests; undefined: its tests cannot run by themselves. */
  ofFile(path: string): string | undefined;
  /** The unit of a test. */
  ofTest(test: string): string | undefined;
  /** How much of all tests these units are, from 0 to 1. */
  shareOf(units: ReadonlySet<string>): number;
}

const STANDS_ALONE = /\.[cm]?[jt]sx?$|\.py$|_test\.go$/;

/**
 * The units of the tests that runs have named. Undefined: a test comes from a file that cannot be told, so that all of them
 * have to run together. `isTest`: the paths of tests.
 */
export function unitsOf(
  runs: readonly ReadonlyMap<string, Tally>[],
  paths: Iterable<string>,
  isTest: (path: string) => boolean,
): Units | undefined {
  const tests = [...paths].filter((path) => isTest(path) && STANDS_ALONE.test(path));
  const packages = new Set(tests.filter(isGo).map(folderOf));
  const places = new Map<string, string | undefined>();
  const placeOf = (test: string): string | undefined => {
    const first = test.split(' > ', 1)[0] ?? test;
    if (!places.has(first)) places.set(first, unitNamed(first, tests, packages));
    return places.get(first);
  };
  const counts = new Map<string, number>();
  for (const run of runs)
    for (const test of run.keys()) {
      const unit = placeOf(test);
      if (unit === undefined) return undefined;
      counts.set(unit, (counts.get(unit) ?? 0) + 1);
    }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const unitOf = (path: string) => (isGo(path) ? goUnit(folderOf(path)) : path);
  const files = new Map([...counts.keys()].map((name) => [name, [] as string[]]));
  for (const path of tests) files.get(unitOf(path))?.push(path);
  return {
    all: [...files].map(([name, own]) => ({ name, files: own })),
    ofFile: (path) => (STANDS_ALONE.test(path) && files.has(unitOf(path)) ? unitOf(path) : undefined),
    ofTest: placeOf,
    shareOf: (units) => [...units].reduce((sum, unit) => sum + (counts.get(unit) ?? 0), 0) / total,
  };
}

const isGo = (path: string) => path.endsWith('.go');
const goUnit = (folder: string) => `${folder === '' ? '.' : folder}/`;

function unitNamed(
  first: string,
  tests: readonly string[],
  packages: ReadonlySet<string>,
): string | undefined {
  if (packages.size > 0 && !first.includes(' ') && !/\.[cm]?[jt]sx?$|\.py$/.test(first)) {
    const parts = first.split('/');
    for (let from = 0; from <= parts.length; from++) {
      const folder = parts.slice(from).join('/');
      if (packages.has(folder)) return goUnit(folder);
    }
  }
  if (tests.includes(first)) return first;
  // `tests.test_cart.TestSums` of Python: a module, and what is in it.
  const parts = first.split('.');
  for (let size = parts.length; size > 0; size--) {
    const module = `${parts.slice(0, size).join('/')}.py`;
    const found = tests.filter((path) => path === module || path.endsWith(`/${module}`));
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}

export interface Narrowed {
  /** The units that run. */
  units: ReadonlySet<string>;
  /** The files of tests that are left out of the tree. */
  without: ReadonlySet<string>;
  /** Files of tests that stay without a test in them, because something names them, or their folder. */
  emptied: Readonly<Record<string, string>>;
}

export interface Around {
  /** Whether other code loads a file of tests, so that it is no test alone. */
  isLoaded(path: string): boolean;
  /** Whether a command or a setting names it. */
  isNamed(path: string): boolean;
}

/**
 * Leaves out the tests of all other units. A pattern that found some of them finds at least one empty file, because runners
 * take a pattern that finds nothing for an error. Undefined when nothing is left out.
 */
export function narrowedTo(
  wanted: ReadonlySet<string>,
  units: Units,
  { isLoaded, isNamed }: Around,
): Narrowed | undefined {
  const kept = units.all.flatMap(({ name, files }) => (wanted.has(name) ? files : files.filter(isLoaded)));
  const patterns = new Set(kept.map(patternOf));
  const without = new Set<string>();
  const emptied: Record<string, string> = {};
  for (const { name, files } of units.all)
    for (const file of wanted.has(name) ? [] : files.filter((each) => !isLoaded(each)))
      if (!isGo(file) && (isNamed(file) || !patterns.has(patternOf(file)))) {
        emptied[file] = /\.[mc]?tsx?$/.test(file) ? 'export {};\n' : '\n';
        patterns.add(patternOf(file));
      } else without.add(file);
  if (wanted.size === 0 || without.size + Object.keys(emptied).length === 0) return undefined;
  return { units: wanted, without, emptied };
}

/** The folder and the usual parts of a name: `test/*.test.js`, `tests/test_*.py`. */
export function patternOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const begin = /^(?:test|spec)[-_]/.exec(name)?.[0] ?? '';
  const end = /(?:[-_.](?:tests?|spec))?(?:\.\w+)$/.exec(name)?.[0] ?? '';
  return `${folderOf(path)}/${begin}*${end}`;
}

/**
 * The units whose tests of the start have to run on the new code by themselves: those whose own files changed, and those
 * that reach changed code, because they ran beside new tests, which may have bent what they see. The rest is as it was.
 * Undefined: all of them.
 */
export function unitsToRepeat(
  units: Units,
  changed: { tests: readonly string[]; code: ReadonlySet<string> | 'unknown' },
  reach: LoadedFiles,
): Set<string> | undefined {
  const own = changed.tests.map((path) => units.ofFile(path));
  if (changed.code === 'unknown' || own.includes(undefined)) return undefined;
  const wanted = new Set(own.filter((unit) => unit !== undefined));
  const { code } = changed;
  const others = new Set(changed.tests);
  for (const { name, files } of units.all)
    if (files.some((file) => reach.reaches(file, code) || loadsAnother(file, others, reach)))
      wanted.add(name);
  return wanted;
}

/** Whether a test loads a file of tests that changed, which then is no test alone. */
function loadsAnother(file: string, changed: ReadonlySet<string>, reach: LoadedFiles): boolean {
  const others = new Set([...changed].filter((path) => path !== file));
  return others.size > 0 && reach.reaches(file, others);
}

/** What some units said in a run of their own, and all others in the run of everything. */
export function mergedTests(
  whole: ReadonlyMap<string, Tally>,
  part: ReadonlyMap<string, Tally>,
  isIn: (test: string) => boolean,
): Map<string, Tally> {
  return new Map([
    ...[...whole].filter(([test]) => !isIn(test)),
    ...[...part].filter(([test]) => isIn(test)),
  ]);
}

/** The units of tests that passed in the run of everything, and do not pass in this one. */
export function failingUnits(
  whole: ReadonlyMap<string, Tally>,
  part: ReadonlyMap<string, Tally>,
  units: Units,
): Set<string> {
  const failing = new Set<string>();
  for (const [test, was] of whole) {
    const [unit, is] = [units.ofTest(test), part.get(test)];
    if (unit === undefined || !passes(was)) continue;
    if (!passes(is) || (is?.passed ?? 0) < was.passed) failing.add(unit);
  }
  return failing;
}
