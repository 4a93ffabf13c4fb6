import type { StateFormat } from '../format.ts';
import { lockPaths, readLock } from './lock-files.ts';
import { observeInProject } from './observed.ts';
import { loopOf } from './reading.ts';

/** Lock mode: the session is held as long as `.claude/runtime/locks/.lock_active` exists. Only you remove it. */
export const lockFormat: StateFormat = {
  name: 'lock',
  path: ({ folder }) => lockPaths(folder).active,
  parts({ folder }) {
    const { goal, message, continuation } = lockPaths(folder);
    return [goal, message, continuation];
  },
  read(place, files) {
    const read = readLock(place.folder, files);
    return read.kind === 'lock' ? { kind: 'loop', loop: loopOf(read.lock, place, files) } : read;
  },
  observe(event, place, files, toolCalls) {
    const isThere = files.look(lockPaths(place.folder).locks)?.kind === 'folder';
    return isThere ? observeInProject(event, place, files, toolCalls) : [];
  },
};
