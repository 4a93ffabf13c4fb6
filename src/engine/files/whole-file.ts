import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
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

/** Replaces a file so that readers see the old content or the new one, never a part, even after a crash. */
export function writeWhole(path: string, content: string | Uint8Array, mode = 0o600): void {
  replace(path, content, { mode, durable: true });
  syncFolder(dirname(path));
}

/**
 * The same without waiting for the disk, for a sealed file that only saves work: a power cut may leave the old content, or a file
 * that no longer fits its seal.
 */
export function writeWholeSoon(path: string, content: string): void {
  replace(path, content, { mode: 0o600, durable: false });
}

function replace(
  path: string,
  content: string | Uint8Array,
  { mode, durable }: { mode: number; durable: boolean },
): void {
  const temp = `${path}.${process.pid}.${Math.random().toString(36).slice(2, 8)}.tmp`;
  const fd = openSync(temp, 'wx', mode);
  try {
    try {
      writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content);
      if (durable) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temp, path);
  } catch (error) {
    removeQuietly(temp);
    throw error;
  }
}

/** Removes a file if that is possible, so that the error before it is the one that is told. */
function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It only takes up room.
  }
}

/** Writes all bytes, however many the system takes at a time. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

/** Makes a new name in a folder survive a power cut, on file systems that can do so. */
export function syncFolder(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    fsyncSync(fd);
  } catch {
    // Some systems cannot open or sync a folder; the rename itself is still atomic.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The text of a regular file; undefined when there is none. Throws for a larger file, a pipe or a device. */
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
  if (stat.size > limit) throw new Error(`${path} is larger than ${limit} bytes, too large to be read`);
  return readFileSync(path, 'utf8');
}

/** Creates a file, whole or not at all. Returns false when there is one, even one that was created meanwhile. */
export function writeNew(path: string, content: string, mode: number): boolean {
  const temp = `${path}.${process.pid}.${Math.random().toString(36).slice(2, 8)}.new`;
  writeWhole(temp, content, mode);
  try {
    // Unlike a rename, a link never replaces a file.
    return unlessThere(() => linkSync(temp, path));
  } catch {
    // This file system has no links: the file may be seen half written, but none is overwritten.
    return unlessThere(() => writeFileSync(path, content, { flag: 'wx', mode }));
  } finally {
    removeQuietly(temp);
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

/** The names in a folder; none when it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The path itself, or the first of `path-2`, `path-3` ... that is free. */
export function freeName(path: string): string {
  let free = path;
  for (let number = 2; lstatSync(free, { throwIfNoEntry: false }) !== undefined; number++)
    free = `${path}-${number}`;
  return free;
}
