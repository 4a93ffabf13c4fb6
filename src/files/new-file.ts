import { linkSync, unlinkSync, writeFileSync } from 'node:fs';
import { writeWhole } from './whole-file.ts';

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
