import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isLong } from './long.ts';

const PATCHED = Symbol.for('untildone: nothing waits for the disk');

/**
 * No test cuts the power, so in the processes of tests nothing waits until it is on the disk: that is a third of the time of tests
 * in process, and most of it on a slow disk. Processes that tests start do wait, and in a long run all do.
 */
const shared = globalThis as { [PATCHED]?: boolean };
if (!isLong && !shared[PATCHED]) {
  shared[PATCHED] = true;
  const { fsyncSync } = fs;
  fs.fsyncSync = (fd) => {
    const stat = fs.fstatSync(fd);
    // What cannot be synced, such as a pipe, fails as it does outside of tests.
    if (!stat.isFile() && !stat.isDirectory()) fsyncSync(fd);
  };
  syncBuiltinESMExports();
}
