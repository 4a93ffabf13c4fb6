/**
 * What the home keeps beside loops, and what of it is old and needed by nobody. Each thing goes in one step, by one rename or
 * by removing one file, so a kill leaves it whole or gone.
 */
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { holdLock, isLocked } from '../../engine/files/lock.ts';
import { namesIn } from '../../engine/files/whole-file.ts';
import { figureFiles } from '../../engine/home/hook-figures.ts';
import type { Home } from '../../engine/home/layout.ts';
import { queueFiles } from '../../engine/home/reflections.ts';
import { removeWhole } from '../../engine/project/trees/scratch.ts';
import { bytesIn, projectFolders, removeIfEmpty, TRASH } from './remove-loops.ts';

export interface Remain {
  /** What it is, in the plural. */
  what: string;
  path: string;
  bytes: number;
  /** Held by whoever uses it. */
  lock?: string;
}

interface Asked {
  oldBefore: number;
  /** The folders of loops that are being removed: what only they need can go. */
  going: ReadonlySet<string>;
}

/** What is older than that. Nothing is changed. Trees, receipts, held-out tests and lessons are not among it. */
export function oldRemains(home: Home, asked: Asked): Remain[] {
  const folders = projectFolders(home);
  const starts = namedStarts(home, folders, asked.going);
  return [
    ...folders.flatMap((folder) => [
      ...oldRooms(folder, asked),
      ...oldStarts(folder, starts, asked),
      ...MEASURED.flatMap((name) => oldFiles('kept measurements and outputs', join(folder, name), asked)),
      ...oldFiles('reflections on sessions', join(folder, 'reflections'), asked),
      ...oldFiles('proposals of a deep reflection', join(folder, 'proposals'), asked),
    ]),
    ...only('reflections on sessions', queueFiles(home), asked),
    ...only('days of figures about hooks', figureFiles(home), asked),
  ];
}

/** Folders of a project for what gates found out and printed, besides those of its loops. All of it can be found out again. */
const MEASURED = ['measured', 'verify', 'standing-output', 'baseline', 'setup-output', 'holdout/output'];

function remain(what: string, path: string, lock?: string): Remain {
  return { what, path, bytes: bytesIn(path), lock };
}

function only(what: string, files: readonly string[], { oldBefore }: Asked): Remain[] {
  return files.filter((file) => changedAt(file) < oldBefore).map((file) => remain(what, file));
}

/** The files below a folder. Links are not followed. */
function oldFiles(what: string, folder: string, asked: Asked): Remain[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name.endsWith('.lock') || name === 'lock') return [];
    return isFolder(path) ? oldFiles(what, path, asked) : only(what, [path], asked);
  });
}

function oldRooms(folder: string, { oldBefore }: Asked): Remain[] {
  const rooms = join(folder, 'rooms');
  const places = namesIn(rooms).filter((name) => /^\d+$/.test(name));
  const old = places.filter((name) => roomUsedAt(join(rooms, name)) < oldBefore);
  const cache = join(rooms, 'npm-cache');
  const cacheGoes = old.length === places.length && changedAt(cache) < oldBefore;
  return [
    ...old.map((name) => remain('clean rooms', join(rooms, name), `${join(rooms, name)}.lock`)),
    ...(cacheGoes ? [remain('clean rooms', cache)] : []),
  ];
}

/** A room is entered and left, which changes its folder; a setup that is used again gets a new time. */
function roomUsedAt(room: string): number {
  const setups = join(room, 'setups');
  return Math.max(changedAt(room, 0), ...namesIn(setups).map((name) => changedAt(join(setups, name), 0)));
}

function oldStarts(folder: string, named: ReadonlySet<string>, { oldBefore }: Asked): Remain[] {
  const starts = join(folder, 'starts');
  const all = namesIn(starts).filter((name) => name.endsWith('.json'));
  const isOld = (name: string) =>
    !named.has(basename(name, '.json')) && changedAt(join(starts, name)) < oldBefore;
  const old = all.filter(isOld);
  const staying = all.filter((name) => !old.includes(name)).map((name) => textOf(join(starts, name)));
  const needs = namesIn(join(starts, 'needs')).filter(
    (digest) =>
      changedAt(join(starts, 'needs', digest)) < oldBefore && !staying.some((text) => text.includes(digest)),
  );
  return [...old, ...needs.map((digest) => join('needs', digest))].map((name) =>
    remain('kept starts of loops', join(starts, name)),
  );
}

/** The starts that loops, receipts and trusted contracts name, of all projects: that of a worktree may name one of another. */
function namedStarts(home: Home, folders: readonly string[], going: ReadonlySet<string>): Set<string> {
  const files = folders.flatMap((folder) => {
    const loops = namesIn(join(folder, 'loops')).map((name) => join(folder, 'loops', name));
    return [
      // The receipt of a loop outlives it.
      ...loops.flatMap((dir) => [
        join(dir, 'receipt.json'),
        ...(going.has(dir) ? [] : [join(dir, 'contract.json')]),
      ]),
      ...namesIn(join(folder, 'receipts')).map((name) => join(folder, 'receipts', name)),
      ...['standing.json', 'trust.json', 'trusted-text.json'].map((name) => join(folder, name)),
    ];
  });
  const sessions = namesIn(home.sessions).map((name) => join(home.sessions, name));
  const texts = [...files, ...sessions.filter((file) => file.endsWith('.standing'))].map(textOf);
  return new Set(texts.flatMap((text) => text.match(/\b[0-9a-f]{32}\b/g) ?? []));
}

/** Empty for a file that is not there. Throws for one that cannot be read: it may name what has to stay. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

function changedAt(path: string, otherwise = Number.POSITIVE_INFINITY): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? otherwise;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Removes what is still as old. Returns what is gone; what somebody uses, or may not be removed, stays. */
export async function removeRemains(remains: readonly Remain[], oldBefore: number): Promise<Remain[]> {
  const gone: Remain[] = [];
  for (const one of remains) if (await removed(one, oldBefore)) gone.push(one);
  return gone;
}

async function removed({ path, lock: lockFile }: Remain, oldBefore: number): Promise<boolean> {
  const lock = lockFile === undefined ? undefined : holdLock(lockFile);
  if (lockFile !== undefined && !lock) return false;
  try {
    const isRoom = basename(dirname(path)) === 'rooms';
    if ((isRoom ? roomUsedAt(path) : changedAt(path)) >= oldBefore) return false;
    if (!isFolder(path)) rmSync(path, { force: true });
    else await removeFolder(path, join(dirname(dirname(path)), TRASH));
    return true;
  } catch {
    return false;
  } finally {
    lock?.release();
  }
}

async function removeFolder(path: string, trash: string): Promise<void> {
  mkdirSync(trash, { recursive: true, mode: 0o700 });
  const away = join(trash, `${basename(path)}.${process.pid}-${Date.now()}`);
  renameSync(path, away);
  await removeWhole(away);
  removeIfEmpty(trash);
}

/** What was found, by kind: how much of it, and how large. Locked things stay, so they do not count. */
export function byKind(remains: readonly Remain[]): { what: string; count: number; bytes: number }[] {
  const kinds = new Map<string, { what: string; count: number; bytes: number }>();
  for (const { what, bytes, lock } of remains) {
    if (lock !== undefined && isLocked(lock)) continue;
    const known = kinds.get(what) ?? { what, count: 0, bytes: 0 };
    kinds.set(what, { what, count: known.count + 1, bytes: known.bytes + bytes });
  }
  return [...kinds.values()];
}
