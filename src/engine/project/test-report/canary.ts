/** Lays a canary among the tests of a room, and reads from the reports what became of it. */
import { randomInt } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestResults } from '../../core/proof/test-results.ts';
import { namesIn } from '../../files/whole-file.ts';
import type { CanaryFate, CanaryOrder, LaidCanary } from '../../ports/rooms.ts';
import { type Canary, type CanaryRunner, canaryBeside, canaryFits, withoutCanary } from './canary-forms.ts';
import { todoFailed } from './node-reporter.ts';

/** A canary that lies in a room. */
export interface Laid {
  remove(): void;
  /** A text without what it says of the canary. */
  unnamed(text: string): string;
  /** What became of it, and the results without it. */
  found(
    reports: string,
    results: TestResults | undefined,
  ): { tests: TestResults | undefined; laid: LaidCanary };
}

/** Undefined where none can be laid: another runner, or no plain file in the folder to lay it beside. */
export function layCanary(
  { beside, loads }: CanaryOrder,
  runner: CanaryRunner | undefined,
  dir: string,
): Laid | undefined {
  if (runner === undefined) return undefined;
  const fitting = beside.filter((path) => canaryFits(runner, path) && isOwnFile(join(dir, path), dir));
  const path = fitting[fitting.length === 0 ? 0 : randomInt(fitting.length)];
  if (path === undefined) return undefined;
  const canary = canaryBeside({
    runner,
    beside: { path, text: readFileSync(join(dir, path), 'utf8') },
    loads: loads.filter((each) => existsSync(join(dir, each))),
    isTaken: (each) => lstatSync(join(dir, each), { throwIfNoEntry: false }) !== undefined,
    random: (below) => randomInt(below),
  });
  if (!canary) return undefined;
  writeFileSync(join(dir, canary.path), canary.text, { flag: 'wx' });
  return {
    remove: () => rmSync(join(dir, canary.path), { force: true }),
    unnamed: (text) => withoutCanary(text, canary),
    found: (reports, results) => {
      const { fate, tests } = canaryIn(canary, reports, results);
      return { tests, laid: { fate, beside: path } };
    },
  };
}

/** Whether a file lies in the room itself: nothing is written through a link that leads out of it. */
function isOwnFile(file: string, dir: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && `${realpathSync(dirname(file))}/`.startsWith(`${realpathSync(dir)}/`);
}

/** What became of it, and the results without it. */
function canaryIn(
  canary: Canary,
  reports: string,
  results: TestResults | undefined,
): { fate: CanaryFate; tests?: TestResults } {
  if (!results) return { fate: 'missing' };
  const isOurs = (name: string) => name.split(' > ').at(-1) === canary.title;
  const own = [...results.tests].filter(([name]) => isOurs(name));
  const tests = new Map(
    [...results.tests].filter(([name]) => !isOurs(name) && !name.startsWith(canary.path)),
  );
  return {
    fate: fateOf(
      canary,
      reports,
      own.map(([, tally]) => tally),
    ),
    tests: { ...results, tests },
  };
}

function fateOf({ alive, title }: Canary, reports: string, own: readonly object[]): CanaryFate {
  if (own.length === 0) return 'missing';
  if (alive === 'todo') return didFail(reports, title) ? 'alive' : 'bent';
  const isAlive = own.every((tally) =>
    Object.entries(tally).every(([outcome, n]) => n === 0 || outcome === alive),
  );
  return isAlive ? 'alive' : 'bent';
}

function didFail(reports: string, title: string): boolean {
  const files = namesIn(reports).filter((name) => /^node-\d+\.jsonl$/.test(name));
  const found = files.flatMap((name) => todoFailed(readFileSync(join(reports, name), 'utf8'), title) ?? []);
  return found.length > 0 && found.every((failed) => failed);
}
