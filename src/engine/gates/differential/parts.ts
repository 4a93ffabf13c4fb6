/** Parts of the tests: what runs by itself, and what of it has to run again for a change. */
import { programLanguage } from '../../core/proof/counted-code.ts';
import {
  folderOf,
  isFollowed,
  type Loads,
  loadedBy,
  type TreePaths,
  treePaths,
} from '../../core/proof/imports.ts';
import { type Reach, reachOf } from '../../core/proof/reach.ts';
import { type Narrowed, narrowedTo, type Units, unitsOf } from '../../core/proof/selection.ts';
import type { Rooms, TreeFile } from '../../ports/rooms.ts';
import type { Run } from '../shared/test-run.ts';
import { NO_CODE } from './only-words.ts';
import type { Trees } from './trees.ts';

export interface TestParts {
  units: Units;
  reach: Reach;
  /** What runs when only these units are wanted; undefined: everything. */
  narrowed(wanted: ReadonlySet<string>): Narrowed | undefined;
  /** A tree without the tests of all other units. */
  tree(of: string, narrowed: Narrowed): Promise<string>;
  /** The changed files that are no tests; `unknown`: one of them is in no language whose imports are read. */
  changedCode: ReadonlySet<string> | 'unknown';
}

/** Undefined where the tests can only run together. */
export async function partsOf(
  command: string,
  trees: Trees,
  runs: readonly Run[],
  rooms: Rooms,
  signal: AbortSignal,
): Promise<TestParts | undefined> {
  const { settings, shared } = trees.changed;
  if (settings.length > 0 || shared.length > 0 || trees.linked) return undefined;
  const [then, now] = await Promise.all([rooms.files(trees.start, signal), rooms.files(trees.now, signal)]);
  const files = new Map([...then, ...now].map((file) => [file.path, file]));
  const units = unitsOf(
    runs.map(({ tests }) => tests),
    files.keys(),
    trees.isOfTests,
  );
  if (!units || units.all.length < 2) return undefined;
  const starts = units.all.flatMap((unit) => unit.files);
  const loads = await loadsFrom(starts, files, rooms, signal);
  if (!loads) return undefined;
  const loaded = new Set([...loads.values()].flatMap(({ paths }) => [...paths]));
  const around = {
    isLoaded: (path: string) => !path.endsWith('.go') && loaded.has(path),
    isNamed: namedBy([command, ...(await settingsIn(files, rooms, signal))]),
  };
  return {
    units,
    reach: reachOf((path) => loads.get(path)),
    narrowed: (wanted) => narrowedTo(wanted, units, around),
    tree: async (of, { without, emptied }) => {
      const there = new Set((await rooms.files(of, signal)).map(({ path }) => path));
      const texts = Object.fromEntries(Object.entries(emptied).filter(([path]) => there.has(path)));
      const isOut = (path: string) => without.has(path);
      return rooms.compose({ rest: of, from: of, takes: () => false, without: isOut, texts }, signal);
    },
    changedCode: changedCode(trees),
  };
}

/** The texts of files at the root, where commands and settings are. */
async function settingsIn(
  files: ReadonlyMap<string, TreeFile>,
  rooms: Rooms,
  signal: AbortSignal,
): Promise<string[]> {
  const atRoot = [...files.values()].filter(({ path }) => !path.includes('/') || /package\.json$/.test(path));
  return [...(await rooms.texts(atRoot.slice(0, MOST_SETTINGS), signal)).values()];
}

const MOST_SETTINGS = 400;

function namedBy(texts: readonly string[]): (path: string) => boolean {
  const words = new Set(
    texts.flatMap((text) => text.match(/[\w.-]+/g) ?? []).flatMap((word) => [word, ...word.split('.')]),
  );
  return (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return words.has(name) || words.has(name.replace(/\.py$/, ''));
  };
}

function changedCode({ changes, isOfTests }: Trees): TestParts['changedCode'] {
  const paths = changes
    .flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
    .filter((path) => !isOfTests(path) && !NO_CODE.test(path));
  return paths.every(isFollowed) ? new Set(paths) : 'unknown';
}

/** More files than these are not read. */
const MOST_READ = 4_000;

/** What the files load that these lead to. Undefined: there are too many. */
async function loadsFrom(
  starts: readonly string[],
  files: ReadonlyMap<string, TreeFile>,
  rooms: Rooms,
  signal: AbortSignal,
): Promise<Map<string, Loads> | undefined> {
  const tree = treePaths(files.keys(), await packagesIn(files, rooms, signal));
  const loads = new Map<string, Loads>();
  let wave = [...new Set(starts)];
  while (wave.length > 0) {
    if (loads.size + wave.length > MOST_READ) return undefined;
    const read = wave.flatMap((path) => files.get(path) ?? []).filter(({ path }) => isFollowed(path));
    const texts = await rooms.texts(read, signal);
    for (const path of wave) loads.set(path, loadsOf(path, texts.get(path), tree));
    const next = new Set(wave.flatMap((path) => [...(loads.get(path)?.paths ?? [])]));
    wave = [...next].filter((path) => !loads.has(path));
  }
  return loads;
}

const NOTHING: Loads = { paths: new Set(), more: false };
const ANYTHING: Loads = { paths: new Set(), more: true };

function loadsOf(path: string, text: string | undefined, tree: TreePaths): Loads {
  if (text !== undefined) return loadedBy(path, text, tree) ?? ANYTHING;
  // Data loads nothing. A program in another language may load anything.
  return programLanguage(path, '') === undefined ? NOTHING : ANYTHING;
}

/** The packages of a workspace import each other by name. */
async function packagesIn(
  files: ReadonlyMap<string, TreeFile>,
  rooms: Rooms,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const manifests = [...files.values()].filter(({ path }) => /(?:^|\/)package\.json$/.test(path));
  const texts = await rooms.texts(manifests.slice(0, MOST_MANIFESTS), signal);
  return new Map(
    [...texts].flatMap(([path, text]): [string, string][] => {
      const name = /"name"\s*:\s*"([^"]+)"/.exec(text)?.[1];
      return name === undefined ? [] : [[name, folderOf(path)]];
    }),
  );
}

const MOST_MANIFESTS = 300;
