import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
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
