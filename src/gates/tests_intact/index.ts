import { fingerprint } from '../../core/loop/verdict.ts';
import { pathMatcher } from '../../core/text/globs.ts';
import type { FileChange } from '../../ports/ports.ts';
import type { Gate, Judgement } from '../gate.ts';
import { contentsAt, NOTHING_TO_COMPARE, workSinceStart } from '../shared/contents.ts';
import { compareConfig, isConfig } from './compare-config.ts';
import { compareSnapshots, isSnapshot } from './compare-snapshots.ts';
import { compareTests } from './compare-tests.ts';
import { describeFinding, type Finding } from './finding.ts';
import { mayBeTestFile, readTestFile } from './languages/index.ts';
import type { FilePair } from './match-tests.ts';
import { testsIntactTraits } from './traits.ts';

const MAX_LINES = 50;

/**
 * Tests were not weakened since the start. None is deleted, emptied, skipped or asserts less, snapshots are not rewritten
 * in bulk, and the settings of runners, coverage, continuous integration and compilers are as strict as before. Moving
 * and renaming is fine. You may allow a finding by its id, which stands in brackets behind it.
 */
export const testsIntactGate: Gate<'tests_intact'> = {
  ...testsIntactTraits,
  async judge(options, context, signal) {
    const span = await workSinceStart(context);
    if (!span) return { outcome: 'unproven', summary: NOTHING_TO_COMPARE };
    const { workspace, allowed } = context;
    const wanted = options.paths ? pathMatcher(options.paths) : () => true;
    const files = (await workspace.changes(span.from, span.to))
      .map(sidesOf)
      .filter((file) =>
        [file.from, file.to].some((path) => path !== undefined && wanted(path) && isOfInterest(path)),
      );
    const [then, now] = await Promise.all([
      contentsAt(
        workspace,
        span.from,
        files.flatMap(({ from }) => from ?? []),
        signal,
      ),
      contentsAt(
        workspace,
        span.to,
        files.flatMap(({ to }) => to ?? []),
        signal,
      ),
    ]);
    const findings = findWeakenings(files.map((file) => withContents(file, then, now)));
    const open = findings.filter(({ id }) => !allowed.includes(id));
    return open.length === 0 ? passed(findings.length) : failed(open);
  },
};

/** A changed file: its path then and now. */
interface Sides {
  from?: string;
  to?: string;
}

export interface ChangedFile extends Sides {
  before?: string;
  after?: string;
}

function sidesOf({ path, change, from }: FileChange): Sides {
  if (change === 'added') return { to: path };
  return change === 'deleted' ? { from: path } : { from: from ?? path, to: path };
}

function isOfInterest(path: string): boolean {
  return mayBeTestFile(path) || isConfig(path) || isSnapshot(path);
}

function withContents(file: Sides, then: Map<string, string>, now: Map<string, string>): ChangedFile {
  const before = file.from === undefined ? undefined : then.get(file.from);
  const after = file.to === undefined ? undefined : now.get(file.to);
  return { ...file, before, after };
}

/** Finds everything that became weaker in these files. Pure. */
export function findWeakenings(files: readonly ChangedFile[]): Finding[] {
  return [
    ...compareTests(files.flatMap(testPair)),
    ...compareSnapshots(files.flatMap((file) => plainPairs(file, isSnapshot))),
    ...compareConfig(files.flatMap((file) => plainPairs(file, isConfig))),
  ];
}

function testPair({ from, to, before, after }: ChangedFile): FilePair[] {
  const then = from !== undefined && before !== undefined ? readTestFile(from, before) : undefined;
  const now = to !== undefined && after !== undefined ? readTestFile(to, after) : undefined;
  if (!then && !now) return [];
  // The same file without a single test: each removed test is reported.
  const emptied =
    then && !now && from === to && after !== undefined ? { tests: [], markers: [], shared: [] } : now;
  return [
    {
      before: then && from !== undefined ? { path: from, facts: then } : undefined,
      after: emptied && to !== undefined ? { path: to, facts: emptied } : undefined,
    },
  ];
}

/** The file as one pair. A renamed file is two pairs: one that is gone, and one that is new. */
function plainPairs({ from, to, before, after }: ChangedFile, isKind: (path: string) => boolean) {
  const old = before === undefined ? {} : { before };
  const fresh = after === undefined ? {} : { after };
  const pairs =
    from === to && from !== undefined
      ? [{ path: from, ...old, ...fresh }]
      : [
          ...(from === undefined ? [] : [{ path: from, ...old }]),
          ...(to === undefined ? [] : [{ path: to, ...fresh }]),
        ];
  return pairs.filter(({ path }) => isKind(path));
}

function passed(allowed: number): Judgement {
  return { outcome: 'pass', summary: `no test was weakened${allowed > 0 ? ` (${allowed} allowed)` : ''}` };
}

function failed(findings: readonly Finding[]): Judgement {
  const rest = findings.length - MAX_LINES;
  return {
    outcome: 'fail',
    summary:
      findings.length === 1
        ? 'the tests were weakened in one place'
        : `the tests were weakened in ${findings.length} places`,
    evidence: [
      ...findings.slice(0, MAX_LINES).map(describeFinding),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ],
    next: 'put the tests back as they were and make the code pass them',
    fingerprint: fingerprint(findings.map(({ id }) => id).join('\n')),
  };
}
