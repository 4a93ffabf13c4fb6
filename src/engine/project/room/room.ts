/**
 * Clean rooms: a tree in a fresh folder of the untildone home, with dependencies that its own setup made, an empty home of
 * its own, and the environment of the loop's start. Nothing comes from the folder in which the agent works.
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { warmUps } from '../../core/chains/all.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import { insideProject } from '../../core/text/paths.ts';
import { holdLock } from '../../files/lock.ts';
import { isNoneMarked } from '../../files/process-tree.ts';
import { readSmall } from '../../files/whole-file.ts';
import type { Shell, ShellResult } from '../../ports/ports.ts';
import type { Room, RoomOrder, TreeFile } from '../../ports/rooms.ts';
import { gitOutput } from '../git.ts';
import { systemShell } from '../shell/shell.ts';
import { filesOf } from '../trees/compose.ts';
import { fill, removeWhole, treeId } from '../trees/scratch.ts';
import { type Enclosure, wallsName } from '../walls/walls.ts';
import { changedFiles } from './changed.ts';
import { type RoomEnvironment, withoutSecrets } from './environment.ts';
import { runTests } from './in-place.ts';
import { type KeptPlace, keepFiles, type Stamps, stampsOf, takeKeptFiles } from './kept-tree.ts';
import { layIn, type Place, plannedMoves, prepareSetup, type Setup, takeOut } from './setup.ts';
import { throwAway } from './trash.ts';

export interface RoomOptions {
  /** The folder for the rooms of one project, in the untildone home. */
  folder: string;
  /** The repository that holds the project's trees. */
  shadowDir: string;
  /** Seals what setups made. */
  key: string;
  /** The environment of the loop's start, for this room. */
  environment: RoomEnvironment;
  /** Walls around every command; absent: there are none. */
  walls?: Enclosure;
  /** Runs something around a setup, with the home that it gets: settings of package managers are there only then. */
  aroundSetup?<Result>(home: string, run: () => Promise<Result>): Promise<Result>;
}

export interface RoomRequest extends RoomOrder {
  setup?: Setup & { timeoutMs: number };
  /** Files that git ignores and that the commands need: their path in the project, and the copy made at the start. */
  needs?: readonly { path: string; copy: string }[];
}

/** More rooms of one project at once than sessions that judge at once are a sign of locks that nobody releases. */
const MOST_ROOMS = 16;

export async function openRoom(request: RoomRequest, options: RoomOptions): Promise<Room> {
  const tree = treeId(request.tree);
  const { place, release } = takePlace(options.folder);
  const temp = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-')));
  const files = await filesOf(tree, options.shadowDir, request.signal).catch((error: Error) => {
    release();
    throw error;
  });
  const environment = { ...environmentOf(place, files, options), TMPDIR: temp, TMP: temp, TEMP: temp };
  const inside = { place, temp, environment, walls: options.walls };
  const shell = namingByPath(shellFor('gates', inside), place.project);
  let laid: Laid | undefined;
  const kept = keptIn(place, options);
  let stamps: Stamps | undefined;
  const dispose = once(async () => {
    if (laid) undo(laid, place);
    if (stamps && isNobodyIn(place, temp)) await keep(stamps, place, kept);
    // Held-out tests lie in the room: they do not wait in the trash.
    if (request.over) await removeWhole(place.project);
    await Promise.all([throwAway([place.project, place.home], trashOf(place)), removeWhole(temp)]);
    release();
  });
  try {
    await clear(place);
    const asked = withWarmUps(request.setup, files);
    const setup = asked && (await setUp(asked, files, inside, request, options));
    const hasFiles = await makeFolder(place, files, kept);
    const base = treeId(request.base ?? tree);
    await fill(place.project, options.shadowDir, { tree, base, signal: request.signal, hasFiles });
    stamps = await stampsOf(files, place.project, join(dirname(place.project), 'time'));
    if (setup) laid = lay(setup, place);
    else mkdirSync(place.home, { recursive: true, mode: 0o700 });
    for (const { path, copy } of request.needs ?? []) copyFileSync(copy, freePath(place.project, path));
    for (const [path, content] of Object.entries(request.over ?? {})) layOver(place.project, path, content);
    return {
      dir: place.project,
      shell,
      room: 'clean',
      walls: options.walls && wallsName(options.walls),
      runTests: (command) => runTests(command, place.project, shell, environment, temp),
      changed: () => changedFiles(place.project, tree).catch(() => ({ expected: [], code: ['.git'] })),
      restore: () =>
        fill(place.project, options.shadowDir, { tree, base, signal: request.signal, hasFiles: true }),
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Takes the first place that no other process uses. */
function takePlace(folder: string): { place: Place; release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let n = 0; n < MOST_ROOMS; n++) {
    const root = join(folder, String(n));
    const lock = holdLock(`${root}.lock`);
    if (!lock) continue;
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const place = { project: join(root, 'project'), home: join(root, 'home'), setups: join(root, 'setups') };
    return { place, release: lock.release };
  }
  throw new Error(
    `all ${MOST_ROOMS} rooms in ${folder} are in use: wait until other sessions have judged their work`,
  );
}

/** What a setup's folder has lent to a room. It is on disk before anything moves, so that a kill loses nothing. */
interface Laid {
  setup: string;
  moves: string[];
}

const laidFile = (place: Place) => join(dirname(place.project), 'laid.json');

function lay(setup: string, place: Place): Laid {
  const laid: Laid = { setup, moves: plannedMoves(setup, place.project) };
  // Without waiting for the disk, which has a thousand new files to write. After a power cut a setup is healed by its seal.
  writeFileSync(`${laidFile(place)}.new`, JSON.stringify(laid));
  renameSync(`${laidFile(place)}.new`, laidFile(place));
  layIn(setup, place, laid.moves);
  return laid;
}

function undo({ setup, moves }: Laid, place: Place): void {
  takeOut(setup, place, moves);
  rmSync(laidFile(place), { force: true });
}

/** Removes what a killed process left in this place. */
async function clear(place: Place): Promise<void> {
  const left = readSmall(laidFile(place));
  if (left !== undefined) {
    const laid = parsedLaid(left, place);
    if (laid) undo(laid, place);
    else rmSync(laidFile(place), { force: true });
  }
  await throwAway([place.project, place.home], trashOf(place));
}

const trashOf = (place: Place) => join(dirname(place.project), 'trash');

function keptIn(place: Place, { key }: RoomOptions): KeptPlace {
  const root = dirname(place.project);
  return { folder: join(root, 'kept'), record: join(root, 'kept.json'), key };
}

/** Makes the room's folder, with the files of the last room where they are untouched. Returns whether there are any. */
async function makeFolder(place: Place, files: readonly TreeFile[], kept: KeptPlace): Promise<boolean> {
  if (takeKeptFiles(place.project, files, kept)) return true;
  await throwAway([kept.folder], trashOf(place));
  mkdirSync(place.project, { recursive: true, mode: 0o700 });
  return false;
}

/** Everything that a command started has these folders in its environment. What is left of it may write to files later. */
function isNobodyIn(place: Place, temp: string): boolean {
  return isNoneMarked([`${dirname(place.project)}/`, temp]);
}

/** What cannot be kept is written anew the next time. */
async function keep(stamps: Stamps, place: Place, kept: KeptPlace): Promise<void> {
  try {
    mkdirSync(kept.folder, { mode: 0o700 });
    keepFiles(place.project, stamps, kept);
  } catch {
    await throwAway([kept.folder, kept.record], trashOf(place));
  }
}

function parsedLaid(text: string, { setups }: Place): Laid | undefined {
  try {
    const { setup, moves } = JSON.parse(text) as Laid;
    const isOurs = typeof setup === 'string' && dirname(setup) === setups && Array.isArray(moves);
    return isOurs && moves.every((path) => !path.split('/').includes('..')) ? { setup, moves } : undefined;
  } catch {
    return undefined;
  }
}

const WARM_UP_MS = 10 * 60_000;

/** What comes with a language is compiled once, not in each room. */
function withWarmUps(setup: RoomRequest['setup'], files: readonly TreeFile[]): RoomRequest['setup'] {
  const found = warmUps
    .flatMap((one) => Object.entries(one))
    .filter(([file]) => files.some(({ path }) => path === file));
  if (found.length === 0) return setup;
  const { run = [], inputs = [], timeoutMs = WARM_UP_MS, ...rest } = setup ?? {};
  return {
    ...rest,
    run,
    inputs: [...inputs, ...found.map(([file]) => file)],
    timeoutMs,
    warmUp: found.map(([, command]) => command),
  };
}

async function setUp(
  setup: Setup & { timeoutMs: number },
  files: readonly TreeFile[],
  inside: Inside,
  { signal }: RoomRequest,
  { shadowDir, key, folder, aroundSetup = (_, run) => run() }: RoomOptions,
): Promise<string> {
  const { timeoutMs } = setup;
  const { place } = inside;
  const shell = namingByPath(shellFor('setup', inside, [cacheIn(folder)]), place.project);
  // What npm keeps there is compared with the digests of the lock file.
  const env = { npm_config_cache: cacheIn(folder) };
  return prepareSetup(setup, files, place, {
    key,
    writeFiles: (inputs, to) => writeFiles(inputs, to, shadowDir, signal),
    run: (command): Promise<ShellResult> =>
      aroundSetup(place.home, () =>
        shell.run({ command, cwd: place.project, env, timeoutMs, signal, oneStream: true }),
      ),
  });
}

/** The folders and variables of a room, and the walls around its commands. */
interface Inside {
  place: Place;
  temp: string;
  environment: Readonly<Record<string, string>>;
  walls: Enclosure | undefined;
}

/**
 * Within walls a setup, which installs packages, reaches the network, and gets no variable that may be a secret, because
 * packages run code.
 */
function shellFor(use: 'setup' | 'gates', inside: Inside, more: readonly string[] = []): Shell {
  const { place, temp, environment, walls } = inside;
  if (!walls) return systemShell(environment);
  const isSetup = use === 'setup';
  return systemShell(isSetup ? withoutSecrets(environment) : environment, {
    ...walls,
    network: isSetup || walls.network,
    writable: [place.project, place.home, temp, ...more],
  });
}

/** A folder that setups of all rooms share. */
function cacheIn(folder: string): string {
  const cache = join(folder, 'npm-cache');
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  return cache;
}

function environmentOf(
  place: Place,
  files: readonly TreeFile[],
  { environment }: RoomOptions,
): Record<string, string> {
  const has = (path: string) => files.some((file) => file.path === path || file.path.startsWith(`${path}/`));
  return environment({ dir: place.project, home: place.home, has });
}

/** A shell whose outputs name files of the room by their path in the project: the room's own folder says nothing to anybody. */
function namingByPath(shell: Shell, dir: string): Shell {
  const address = pathToFileURL(dir).href;
  const named = (text: string) =>
    text.replaceAll(`${address}/`, '').replaceAll(`${dir}/`, '').replaceAll(dir, '.');
  return {
    async run(command) {
      const result = await shell.run(command);
      const { output, stdout, stderr } = result;
      return { ...result, output: named(output), stdout: named(stdout), stderr: stderr && named(stderr) };
    },
  };
}

function layOver(dir: string, path: string, content: string | Uint8Array): void {
  const file = freePath(dir, path);
  // A script is executable, as it was where it came from.
  const isScript = content[0] === '#' || content[0] === 35;
  writeFileSync(file, content, { mode: isScript ? 0o755 : 0o644 });
}

/** A path below the room where nothing lies. Links of the tree may lead out of the room: nothing is written through them. */
function freePath(dir: string, path: string): string {
  const inside = insideProject(path);
  if (inside === undefined) throw new Unmeasurable(`"${path}" is not inside the project`);
  const file = join(dir, inside);
  mkdirSync(dirname(file), { recursive: true });
  const parent = relative(dir, realpathSync(dirname(file)));
  if (parent.startsWith('..') || isAbsolute(parent))
    throw new Unmeasurable(`"${path}" leads out of the project, through a link`);
  rmSync(file, { recursive: true, force: true });
  return file;
}

const QUIET = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };

async function writeFiles(
  files: readonly TreeFile[],
  folder: string,
  shadowDir: string,
  signal?: AbortSignal,
): Promise<void> {
  const index = join(dirname(folder), 'inputs.index');
  const input = files.map(({ mode, blob, path }) => `${mode} ${blob}\t${path}\0`).join('');
  const git = (args: string[], stdin?: string) =>
    gitOutput({
      args: [`--git-dir=${shadowDir}`, `--work-tree=${folder}`, ...args],
      cwd: folder,
      env: { ...QUIET, GIT_INDEX_FILE: index },
      input: stdin,
      signal,
    });
  rmSync(index, { force: true });
  try {
    await git(['update-index', '-z', '--index-info'], input);
    await git(['checkout-index', '--all', '--force', '--quiet']);
  } finally {
    rmSync(index, { force: true });
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= action().catch(() => {});
    return done;
  };
}
