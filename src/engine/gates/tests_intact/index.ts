import { fingerprint } from '../../core/loop/verdict.ts';
import { pathMatcher } from '../../core/text/globs.ts';
import type { FileChange } from '../../ports/ports.ts';
import type { SourceReader } from '../../ports/source.ts';
import type { Gate, Judgement } from '../gate.ts';
import { hasDifferential } from '../shared/asks.ts';
import { contentsAt, NOTHING_TO_COMPARE, workSinceStart } from '../shared/contents.ts';
import { compareConfig, isConfig } from './compare-config.ts';
import { compareSnapshots, isSnapshot } from './compare-snapshots.ts';
import { compareTests } from './compare-tests.ts';
import { describeFinding, type Finding } from './finding.ts';
import { mayBeTestFile, readTestFiles } from './languages/index.ts';
import type { FilePair } from './match-tests.ts';
import { NO_FACTS, type TestFacts } from './reading/model.ts';
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
    const { workspace, request, judges } = context;
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
    const { findings, settings, problems } = await findWeakenings(
      files.map((file) => withContents(file, then, now)),
      judges.source,
    );
    const isOpen = ({ id }: Finding) => !request.allowed.includes(id);
    // Where old tests are run on the new code, that tells whether a test was weakened: reading them is a note then.
    const isMeasured = hasDifferential(context);
    const measured = isMeasured ? findings.filter(isOpen) : [];
    const open = [...(isMeasured ? [] : findings), ...settings].filter(isOpen);
    const isUnread = problems.length > 0 && !isMeasured;
    const judgement =
      open.length > 0
        ? failed(open)
        : isUnread
          ? unread(problems)
          : passed(findings.length + settings.length - measured.length, measured.length);
    const notes = [...measured.slice(0, MAX_LINES).map(describeFinding), ...problems];
    return notes.length === 0 ? judgement : { ...judgement, notes };
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

export interface Weakenings {
  /** Of tests and snapshots. */
  findings: Finding[];
  /** Of the settings of runners, coverage, continuous integration, compilers and linters. */
  settings: Finding[];
  /** What could not be read, in words. */
  problems: string[];
}

/** Finds everything that became weaker in these files. */
export async function findWeakenings(
  files: readonly ChangedFile[],
  reader?: SourceReader,
): Promise<Weakenings> {
  const sourcesOf = (side: 'before' | 'after') =>
    files.flatMap((file) => {
      const path = side === 'before' ? file.from : file.to;
      const text = file[side];
      return path === undefined || text === undefined ? [] : [{ path, text }];
    });
  const then = await readTestFiles(sourcesOf('before'), reader);
  const now = await readTestFiles(sourcesOf('after'), reader);
  return {
    findings: [
      ...compareTests(files.flatMap((file) => testPair(file, then.facts, now.facts))),
      ...compareSnapshots(files.flatMap((file) => plainPairs(file, isSnapshot))),
    ],
    settings: compareConfig(files.flatMap((file) => plainPairs(file, isConfig))),
    problems: [...new Set([...then.problems, ...now.problems])],
  };
}

type Facts = ReadonlyMap<string, TestFacts>;

function testPair({ from, to, after }: ChangedFile, before: Facts, present: Facts): FilePair[] {
  const then = from === undefined ? undefined : before.get(from);
  const now = to === undefined ? undefined : present.get(to);
  if (!then && !now) return [];
  // The same file without a single test: each removed test is reported.
  const emptied = then && !now && from === to && after !== undefined ? NO_FACTS : now;
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

function passed(allowed: number, measured: number): Judgement {
  const found = measured === 1 ? 'one edit looks weaker' : `${measured} edits look weaker`;
  const summary =
    measured > 0 ? `${found}: running the old tests tells whether it is` : 'no test was weakened';
  return { outcome: 'pass', summary: `${summary}${allowed > 0 ? ` (${allowed} allowed)` : ''}` };
}

function unread(problems: readonly string[]): Judgement {
  return {
    outcome: 'unproven',
    summary: 'changed tests could not be read',
    evidence: [...problems, 'Install untildone anew: files that belong to it are missing or damaged.'],
  };
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
