/** Finds everything that became weaker in changed files. */
import { withoutUnitTests } from '../../core/proof/unit-test-modules.ts';
import type { SourceReader } from '../../ports/source.ts';
import { compareConfig, isConfig } from './compare-config.ts';
import { compareSnapshots, isSnapshot } from './compare-snapshots.ts';
import { compareTests } from './compare-tests.ts';
import { definesNames, type SourceChange } from './explain.ts';
import { isTestInput, mayBeTestFile, readTestFiles } from './languages/index.ts';
import type { FilePair } from './match-tests.ts';
import { type Finding, NO_FACTS, type TestFacts } from './model.ts';

/** A changed file: its path and its text then and now. */
export type ChangedFile = SourceChange;

export interface Weakenings {
  /** Of tests, snapshots, and the settings of runners, coverage, continuous integration, compilers and linters. */
  findings: Finding[];
  /** Tests that are gone for a reason, in words. */
  explained: string[];
  /** What could not be read, in words. */
  problems: string[];
}

/** Whether a file matters; `wanted` chooses among tests and settings. Code says where the subject of a test went. */
export function isOfInterest(path: string, wanted: (path: string) => boolean): boolean {
  const isJudged = mayBeTestFile(path) || isConfig(path) || isSnapshot(path);
  return (isJudged && wanted(path)) || (definesNames(path) && !mayBeTestFile(path));
}

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
  const isTest = ({ from = '', to = '' }: ChangedFile) => then.facts.has(from) || now.facts.has(to);
  const { findings, explained } = compareTests(
    files.flatMap((file) => testPair(file, then.facts, now.facts)),
    files
      .filter((file) => definesNames(file.from ?? file.to ?? ''))
      .flatMap((file) => codeIn(file, isTest(file))),
  );
  return {
    findings: [
      ...findings,
      ...compareSnapshots(files.flatMap((file) => plainPairs(file, isSnapshot))),
      ...compareConfig(
        files.flatMap((file) => plainPairs(file, (path) => isConfig(path) && !isTestInput(path))),
      ),
    ],
    explained: [...explained].map(([why, names]) => inWords(why, names)),
    problems: [...new Set([...then.problems, ...now.problems])],
  };
}

/** What a file has besides its tests. Only in Rust are both in one file. */
function codeIn(file: ChangedFile, isTest: boolean): ChangedFile[] {
  if (![file.from, file.to].some((path) => path?.endsWith('.rs'))) return isTest ? [] : [file];
  const { from = '', to = '', before, after } = file;
  return [
    {
      ...file,
      before: before && withoutUnitTests(from, before),
      after: after && withoutUnitTests(to, after),
    },
  ];
}

function inWords(why: string, names: readonly string[]): string {
  const more = names.length - 1;
  const tests = names.filter((name) => name !== '');
  return `"${tests[0] ?? 'a script'}"${more > 0 ? ` and ${more} more` : ''} ${why}`;
}

type Facts = ReadonlyMap<string, TestFacts>;

function testPair({ from, to, before: text, after }: ChangedFile, before: Facts, present: Facts): FilePair[] {
  const then = from === undefined ? undefined : before.get(from);
  const now = to === undefined ? undefined : present.get(to);
  if (!then && !now) return [];
  // The same file without a single test: each removed test is reported.
  const emptied = then && !now && from === to && after !== undefined ? NO_FACTS : now;
  // A file that held no tests was there all the same.
  const bare = !then && from === to && text !== undefined ? NO_FACTS : then;
  return [
    {
      before: bare && from !== undefined ? { path: from, facts: bare } : undefined,
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
