/** The trees that are compared: the tests of one moment on the code of another. */
import type { DifferentialOptions } from '../../core/contract/gate-options.ts';
import { laidBack, laidForward, redirectedDependencies } from '../../core/proof/lay-back.ts';
import {
  isDependencyFile,
  isRunnerSetting,
  isSharedSetting,
  testPaths,
} from '../../core/proof/test-places.ts';
import { withoutUnitTests, withUnitTestsOf } from '../../core/proof/unit-test-modules.ts';
import { pathMatcher } from '../../core/text/globs.ts';
import type { FileChange } from '../../ports/ports.ts';
import type { Rooms, TreeFile } from '../../ports/rooms.ts';
import type { GateContext } from '../gate.ts';
import { contentsAt, type Span } from '../shared/contents.ts';
import { NO_CODE } from './only-words.ts';

export interface Trees {
  start: string;
  now: string;
  /** The tests of the start on the code of now. */
  oldOnNew: string;
  /** The same with settings of now, where these serve code and tests alike; absent when they are the same. */
  oldOnNewWithSettings?: string;
  /** The tests of now on the code of the start. */
  newOnOld: string;
  /** The start with the dependencies of now, for a start whose own cannot be installed. */
  startWithDependencies(): Promise<string>;
  /** Whether there were files of tests at the start. A file of Rust may hold some. */
  hadTests: boolean;
  /** Whether anything changed that is no test. */
  codeChanged: boolean;
  /** Whether code only moved, so that tests of the other moment find it by a link. */
  linked: boolean;
  /** Whether tests changed; `paths` in the tree of now, or of the start where they are gone. */
  changed: { tests: string[]; settings: string[]; shared: string[] };
  /** The texts of changed files with tests. */
  textsThen: ReadonlyMap<string, string>;
  textsNow: ReadonlyMap<string, string>;
  /** Whether a file is no code: a test, or a setting of tests. */
  isOfTests(path: string): boolean;
  changes: readonly FileChange[];
  /** The files of the start. */
  paths: ReadonlySet<string>;
  /** The text of a file as it is now, or as it was. */
  read(path: string): Promise<string | undefined>;
  mayChange(path: string): boolean;
  /** Dependencies that no longer come from a registry. */
  redirected: string[];
}

/** Texts of more files are not read: such a change is named by its files. */
const MOST_READ = 500;

export async function treesFor(
  {
    tests,
    mayChange: globs,
    also = [],
  }: Pick<DifferentialOptions, 'tests' | 'mayChange'> & { also?: string[] },
  { from: start, to: now }: Span,
  context: GateContext & { rooms: Rooms },
  signal: AbortSignal,
): Promise<Trees> {
  const { rooms, workspace } = context;
  const usual = testPaths(tests);
  const isTest = (path: string) => usual(path) || also.includes(path);
  const mayChange = globs ? pathMatcher(globs) : () => false;
  const isSetting = (path: string) => !isTest(path) && isRunnerSetting(path);
  const isShared = (path: string) => !isTest(path) && !isRunnerSetting(path) && isSharedSetting(path);
  const ofTests = (path: string) => isTest(path) || isSetting(path);
  const [oldFiles, newFiles, changes] = await Promise.all([
    rooms.files(start, signal),
    rooms.files(now, signal),
    workspace.changes(start, now),
  ]);
  const differing = differingPaths(oldFiles, newFiles);
  const ofCode = differing.filter((path) => !ofTests(path) && !isShared(path));
  const read = [
    ...differing.filter(isTest),
    ...ofCode.filter((path) => mayBeMixed(path)),
    ...changes.flatMap(({ change, from, path }) => (change === 'renamed' && from ? [from, path] : [])),
  ].slice(0, MOST_READ);
  const then = await contentsAt(workspace, start, read, signal);
  const present = await contentsAt(workspace, now, read, signal);
  const moved = movedCode(changes, oldFiles, newFiles, ofTests);
  const mixed = mixedTexts({ ofCode, textsThen: then, textsNow: present, moved });
  const back = {
    rest: now,
    from: start,
    texts: mixed.back,
    links: linksFor(moved.map(([from, to]) => [from, to])),
  };
  const oldOnNew = await rooms.compose(
    { ...back, takes: (path) => (ofTests(path) || isShared(path)) && !mayChange(path) },
    signal,
  );
  const shared = differing.filter(isShared);
  const oldOnNewWithSettings =
    shared.length === 0
      ? undefined
      : await rooms.compose({ ...back, takes: (path) => ofTests(path) && !mayChange(path) }, signal);
  const newOnOld = await rooms.compose(
    {
      rest: start,
      from: now,
      takes: (path) => ofTests(path) || isShared(path) || isDependencyFile(path),
      texts: mixed.forward,
      links: linksFor(moved.map(([from, to]) => [to, from])),
    },
    signal,
  );
  const isUnitTest = (path: string) => mixed.unitTests.includes(path);
  return {
    start,
    now,
    oldOnNew,
    oldOnNewWithSettings,
    newOnOld,
    startWithDependencies: () => rooms.compose({ rest: start, from: now, takes: isDependencyFile }, signal),
    hadTests: oldFiles.some(({ path }) => isTest(path) || path.endsWith('.rs')),
    codeChanged: ofCode.some(
      (path) => !NO_CODE.test(path) && !isDependencyFile(path) && isCodeChange(path, then, present),
    ),
    linked: moved.length > 0,
    changed: {
      tests: [...differing.filter(isTest), ...mixed.unitTests],
      settings: [
        ...differing.filter(isSetting),
        ...Object.keys(mixed.back).filter((path) => !isUnitTest(path)),
      ],
      shared,
    },
    textsThen: then,
    textsNow: present,
    isOfTests: (path) => ofTests(path) || isShared(path),
    changes,
    paths: new Set(oldFiles.map(({ path }) => path)),
    read: async (path) => (await workspace.contentAt(now, path)) ?? (await workspace.contentAt(start, path)),
    mayChange,
    redirected: ofCode
      .filter((path) => /(?:^|\/)package\.json$/.test(path))
      .flatMap((path) => redirectedDependencies(then.get(path) ?? '', present.get(path) ?? '')),
  };
}

function differingPaths(then: readonly TreeFile[], now: readonly TreeFile[]): string[] {
  const keyOf = ({ mode, blob }: TreeFile) => `${mode} ${blob}`;
  const before = new Map(then.map((file) => [file.path, keyOf(file)]));
  const after = new Map(now.map((file) => [file.path, keyOf(file)]));
  const all = new Set([...before.keys(), ...after.keys()]);
  return [...all].filter((path) => before.get(path) !== after.get(path)).sort();
}

/** Files of code that may hold settings of tests, or tests. */
function mayBeMixed(path: string): boolean {
  return /\.rs$|(?:^|\/)(?:package|composer|(?:ts|js)config[\w.-]*)\.json$|\.toml$|(?:^|\/)(?:setup\.cfg|pom\.xml|build\.gradle(?:\.kts)?)$/.test(
    path,
  );
}

interface Mixing {
  ofCode: readonly string[];
  textsThen: ReadonlyMap<string, string>;
  textsNow: ReadonlyMap<string, string>;
  moved: readonly (readonly [string, string])[];
}

function mixedTexts({ ofCode, textsThen, textsNow, moved }: Mixing) {
  const back: Record<string, string> = {};
  const forward: Record<string, string> = {};
  const unitTests: string[] = [];
  const from = new Map(moved.map(([old, fresh]) => [fresh, old]));
  for (const path of ofCode) {
    const [old, fresh] = [textsThen.get(from.get(path) ?? path), textsNow.get(path)];
    if (old === undefined || fresh === undefined) continue;
    const [oldTests, newTests] = [withUnitTestsOf(path, fresh, old), withUnitTestsOf(path, old, fresh)];
    if (oldTests !== undefined || newTests !== undefined) unitTests.push(path);
    const settingsBack = oldTests ?? laidBack(path, old, fresh);
    const settingsForward = newTests ?? laidForward(path, old, fresh);
    if (settingsBack !== undefined) back[path] = settingsBack;
    if (settingsForward !== undefined) forward[from.get(path) ?? path] = settingsForward;
  }
  return { back, forward, unitTests };
}

/** Files of code that only moved. Tests of the other moment find them by a link at the place where they look. */
function movedCode(
  changes: readonly FileChange[],
  then: readonly TreeFile[],
  now: readonly TreeFile[],
  ofTests: (path: string) => boolean,
): [string, string][] {
  const [before, after] = [new Set(then.map((f) => f.path)), new Set(now.map((f) => f.path))];
  return changes.flatMap(({ change, from, path }): [string, string][] => {
    if (change !== 'renamed' || from === undefined || ofTests(from) || ofTests(path)) return [];
    return after.has(from) || before.has(path) ? [] : [[from, path]];
  });
}

/** Languages whose modules are found by their path, and whose loaders follow links. */
const LINKABLE = /\.(?:[cm]?[jt]sx?|json|py|rb|php|lua|sh|vue|svelte|css|html|ya?ml)$/;

function linksFor(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(
    pairs.filter(([at]) => LINKABLE.test(at)).map(([at, to]) => [at, relative(at, to)]),
  );
}

function relative(from: string, to: string): string {
  const here = from.split('/').slice(0, -1);
  const there = to.split('/');
  let same = 0;
  while (same < here.length && here[same] === there[same]) same++;
  return [...here.slice(same).map(() => '..'), ...there.slice(same)].join('/');
}

function isCodeChange(
  path: string,
  then: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, string>,
): boolean {
  const [old, fresh] = [then.get(path), present.get(path)];
  if (old === undefined || fresh === undefined) return true;
  return withoutUnitTests(path, old) !== withoutUnitTests(path, fresh);
}
