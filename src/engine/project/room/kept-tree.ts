/**
 * The files of a room that no command touched are kept for the next room of the same place, because writing a thousand small
 * files takes a disk up to a second. Folders are made anew, so that nothing which a command left in them, and no process that
 * still stands in them, gets into another room.
 */
import {
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readSmall } from '../../files/whole-file.ts';
import { sealedJson, unsealedJson } from '../../home/layout.ts';
import type { TreeFile } from '../../ports/rooms.ts';

export interface KeptPlace {
  /** The folder of the files. */
  folder: string;
  /** Says how they were when they were laid there. */
  record: string;
  /** Seals the record. */
  key: string;
}

/** By path: everything about a file that a change of it changes, too. No program can set the time of the last change. */
export type Stamps = ReadonlyMap<string, string>;

/**
 * The stamps of a tree's files, before any command runs; undefined where a change would not show. Returns when the clock of
 * the file system has moved on: kernels count times in steps of up to 10 ms, some file systems in whole seconds.
 */
export async function stampsOf(
  files: readonly TreeFile[],
  project: string,
  probe: string,
): Promise<Stamps | undefined> {
  // Elsewhere nobody can tell whether a command left a process behind.
  if (process.platform !== 'linux') return undefined;
  const stamps = new Map<string, string>();
  let newest = 0;
  for (const { path } of files) {
    const stat = statOf(join(project, path));
    if (!stat) continue;
    stamps.set(path, stampOf(stat));
    newest = Math.max(newest, stat.ctimeMs);
  }
  for (let look = 0; look < MOST_LOOKS; look++) {
    if (timeOf(probe) > newest) return stamps;
    await wait(BETWEEN_LOOKS_MS);
  }
  return undefined;
}

const MOST_LOOKS = 25;
const BETWEEN_LOOKS_MS = 2;

/** The time that a change gets now; none where it cannot be told. */
function timeOf(probe: string): number {
  try {
    rmSync(probe, { force: true });
    writeFileSync(probe, '');
    return lstatSync(probe).ctimeMs;
  } catch {
    return 0;
  }
}

/** Undefined where nothing lies, or nothing that has this name: a name with odd bytes reads like another one. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function stampOf({ mode, uid, gid, nlink, size, mtimeMs, ctimeMs, ino }: Stats): string {
  return [mode, uid, gid, nlink, size, mtimeMs, ctimeMs, ino].join(' ');
}

interface KeptRecord {
  /** Whose files they are, and the modes that new ones get. */
  maker: string;
  stamps: [string, string][];
}

const maker = () => `${process.geteuid?.()} ${process.getegid?.()} ${process.umask()}`;

const purposeOf = ({ folder }: KeptPlace) => `kept files ${folder}`;

const RECORD_LIMIT = 512 * 1024 * 1024;

/** Moves the files out of a room that are as they were when it was opened. Throws when that cannot be done. */
export function keepFiles(project: string, before: Stamps, kept: KeptPlace): void {
  const isFolder = folderTest(project);
  const made = new Set<string>();
  for (const [path, stamp] of before) {
    const stat = isFolder(dirname(path)) ? statOf(join(project, path)) : undefined;
    if (!stat || stampOf(stat) !== stamp) continue;
    const parent = dirname(path);
    if (!made.has(parent)) mkdirSync(join(kept.folder, parent), { recursive: true });
    made.add(parent);
    renameSync(join(project, path), join(kept.folder, path));
  }
  const record: KeptRecord = { maker: maker(), stamps: [...stampsIn(kept.folder)] };
  // Without waiting for the disk: what a power cut took away shows by stamps and contents.
  writeFileSync(`${kept.record}.new`, sealedJson(record, purposeOf(kept), kept.key), { mode: 0o600 });
  renameSync(`${kept.record}.new`, kept.record);
}

/** A command may have put a link where a folder was: nothing is moved through it. */
function folderTest(project: string): (path: string) => boolean {
  const known = new Map<string, boolean>([['.', true]]);
  const isFolder = (path: string): boolean => {
    const found =
      known.get(path) ?? (isFolder(dirname(path)) && statOf(join(project, path))?.isDirectory() === true);
    known.set(path, found);
    return found;
  };
  return isFolder;
}

/** A folder and everything in it. Paths of folders end with a slash. */
function stampsIn(folder: string): Map<string, string> {
  const stamps = new Map([['./', stampOf(lstatSync(folder))]]);
  const visit = (inside: string) => {
    for (const entry of readdirSync(join(folder, inside), { withFileTypes: true })) {
      const path = `${inside}${entry.name}${entry.isDirectory() ? '/' : ''}`;
      stamps.set(path, stampOf(lstatSync(join(folder, path))));
      if (entry.isDirectory()) visit(path);
    }
  };
  visit('');
  return stamps;
}

/**
 * Makes the kept files the start of a room, when nothing has touched them since. Those that the tree does not have are gone
 * then; whether the others are those of the tree, git has to say. False: there are none, and the room has no folder yet.
 */
export function takeKeptFiles(project: string, files: readonly TreeFile[], kept: KeptPlace): boolean {
  try {
    const text = readSmall(kept.record, RECORD_LIMIT);
    // From here on nobody takes these files for untouched.
    rmSync(kept.record, { force: true });
    const record = text === undefined ? undefined : unsealedJson<KeptRecord>(text, purposeOf(kept), kept.key);
    if (record?.maker !== maker() || !areEqual(new Map(record.stamps), stampsIn(kept.folder))) return false;
    removeOthers(record.stamps, files, kept.folder);
    renameSync(kept.folder, project);
    return true;
  } catch {
    return false;
  }
}

function areEqual(was: Stamps, is: Stamps): boolean {
  return was.size === is.size && [...was].every(([path, stamp]) => is.get(path) === stamp);
}

/** Removes what the tree does not have, and gives everything else one time, as if it had been written now. */
function removeOthers(stamps: KeptRecord['stamps'], files: readonly TreeFile[], folder: string): void {
  const now = new Date();
  const inTree = new Set(files.map(({ path }) => path));
  const folders = new Set(['./']);
  for (const path of inTree)
    for (let parent = dirname(path); !folders.has(`${parent}/`); parent = dirname(parent))
      folders.add(`${parent}/`);
  // Backwards: what lies in a folder comes after it.
  for (const [path] of stamps.toReversed()) {
    if (inTree.has(path)) lutimesSync(join(folder, path), now, now);
    else if (!path.endsWith('/')) unlinkSync(join(folder, path));
    else if (!folders.has(path)) rmdirSync(join(folder, path));
  }
}
