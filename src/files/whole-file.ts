import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a whole file so that a reader, or a crash, sees the old one or the new one, never a part. */
export function writeWhole(path: string, content: string | Uint8Array, mode = 0o600): void {
  const temp = `${path}.${process.pid}.${Math.random().toString(36).slice(2, 8)}.tmp`;
  const fd = openSync(temp, 'wx', mode);
  try {
    try {
      writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temp, path);
  } catch (error) {
    unlinkSync(temp);
    throw error;
  }
  syncFolder(dirname(path));
}

/** A write may be short; the rest is written until all is there or the system says why not. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

/** Makes a new name in a folder survive a power cut; file systems that cannot do this are left alone. */
export function syncFolder(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    fsyncSync(fd);
  } catch {
    // Not every system lets a folder be opened or synced; the rename itself stays atomic.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The text of a regular file of bounded size; undefined when there is none. Never waits on a pipe or device. */
export function readSmall(path: string, limit = 16 * 1024 * 1024): string | undefined {
  let stat: Stats | undefined;
  try {
    stat = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
  if (!stat) return undefined;
  if (!stat.isFile()) throw new Error(`${path} is not a regular file`);
  if (stat.size > limit) throw new Error(`${path} is larger than ${limit} bytes`);
  return readFileSync(path, 'utf8');
}

/** Writes a file that is not there yet, whole or not at all. False when there is one, even if it came in between. */
export function writeNew(path: string, content: string, mode: number): boolean {
  const temp = `${path}.${process.pid}.${Math.random().toString(36).slice(2, 8)}.new`;
  writeWhole(temp, content, mode);
  try {
    // Unlike a rename, a link never takes the place of what is there.
    return unlessThere(() => linkSync(temp, path));
  } catch {
    // Not every file system has links; there the file is at least never overwritten.
    return unlessThere(() => writeFileSync(path, content, { flag: 'wx', mode }));
  } finally {
    unlinkSync(temp);
  }
}

function unlessThere(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The names in a folder; none where there is no folder that can be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
