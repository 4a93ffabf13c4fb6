/**
 * Clean rooms: a tree in a fresh folder of the untildone home, with dependencies that its own setup made, an empty home of
 * its own, and the environment of the loop's start. Nothing comes from the folder in which the agent works.
 */
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { holdLock } from '../../files/lock.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import type { Shell, ShellResult } from '../../ports/ports.ts';
import type { TreeFile } from '../../ports/rooms.ts';
import { gitOutput, QUIET_CONFIG } from '../git.ts';
import { systemShell } from '../shell/shell.ts';
import { filesOf } from '../trees/compose.ts';
import { fill, removeWhole, treeId } from '../trees/scratch.ts';
import { layIn, type Place, plannedMoves, prepareSetup, type Setup, takeOut } from './setup.ts';

export interface RoomOptions {
  /** The folder for the rooms of one project, in the untildone home. */
  folder: string;
  /** The repository that holds the project's trees. */
  shadowDir: string;
  /** Seals what setups made. */
  key: string;
  /** The environment of the loop's start. */
  environment: Readonly<Record<string, string>>;
}

export interface RoomRequest {
  tree: string;
  /** The tree of the room's last commit; `tree` when absent. */
  base?: string;
  setup?: Setup & { timeoutMs: number };
  /** Files that git ignores and that the commands need: their path in the project, and the copy made at the start. */
  needs?: readonly { path: string; copy: string }[];
  signal?: AbortSignal;
}

export interface Room {
  dir: string;
  /** Runs commands with the room's home and folder for temporary files. */
  shell: Shell;
  /** Never throws; may be called twice. */
  dispose(): Promise<void>;
}

/** More rooms of one project at once than sessions that judge at once are a sign of locks that nobody releases. */
const MOST_ROOMS = 16;

export async function openRoom(request: RoomRequest, options: RoomOptions): Promise<Room> {
  const tree = treeId(request.tree);
  const { place, release } = takePlace(options.folder);
  const temp = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-')));
  const shell = shellOf(place, temp, options.environment);
  let laid: Laid | undefined;
  const dispose = once(async () => {
    if (laid) undo(laid, place);
    await Promise.all([place.project, place.home, temp].map(removeWhole));
    release();
  });
  try {
    await clear(place);
    const setup = request.setup && (await setUp(request.setup, tree, place, shell, request, options));
    mkdirSync(place.project, { recursive: true, mode: 0o700 });
    await fill(place.project, options.shadowDir, tree, treeId(request.base ?? tree), request.signal);
    if (setup) laid = lay(setup, place);
    else mkdirSync(place.home, { recursive: true, mode: 0o700 });
    for (const { path, copy } of request.needs ?? []) bring(copy, join(place.project, path));
    return { dir: place.project, shell, dispose };
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
  writeWhole(laidFile(place), JSON.stringify(laid));
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
  await Promise.all([place.project, place.home].map(removeWhole));
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

async function setUp(
  setup: Setup & { timeoutMs: number },
  tree: string,
  place: Place,
  shell: Shell,
  { signal }: RoomRequest,
  { shadowDir, key }: RoomOptions,
): Promise<string> {
  return prepareSetup(setup, await filesOf(tree, shadowDir, signal), place, {
    key,
    writeFiles: (files, folder) => writeFiles(files, folder, shadowDir, signal),
    run: (command): Promise<ShellResult> =>
      shell.run({ command, cwd: place.project, timeoutMs: setup.timeoutMs, signal, oneStream: true }),
  });
}

/** A shell whose commands see the room's home, and an own folder for temporary files. */
function shellOf(place: Place, temp: string, environment: Readonly<Record<string, string>>): Shell {
  return systemShell({ ...environment, HOME: place.home, TMPDIR: temp, TMP: temp, TEMP: temp });
}

const GIT = QUIET_CONFIG.flatMap((setting) => ['-c', setting]);
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
      args: [...GIT, `--git-dir=${shadowDir}`, `--work-tree=${folder}`, ...args],
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

function bring(copy: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(copy, to);
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= action().catch(() => {});
    return done;
  };
}
