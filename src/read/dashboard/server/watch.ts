import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../../engine/home/layout.ts';

export interface HomeChange {
  loops: string[];
  sessions: string[];
  /** Something may have changed that no name tells. */
  all: boolean;
}

/** How long changes are gathered before they are told. */
const GATHER_MS = 20;
/** With watches that work, this only finds what they do not tell: processes that ended, folders that were removed. */
const SLOW_POLL_MS = 5_000;
const FAST_POLL_MS = 1_000;

/**
 * Tells what changes in a home. Every append to a journal writes a copy of its last line to `ends/<loop>`, so one watch on that
 * folder tells of all journals; one on `active` tells when judging begins and ends. Where watching is not possible, and while
 * the folders are not there yet, everything is looked at every second.
 */
export function watchHome(home: Home, tell: (change: HomeChange) => void): { close(): void } {
  let gathered: HomeChange | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const watchers = new Map<string, FSWatcher>();

  const flush = () => {
    timer = undefined;
    const change = gathered;
    gathered = undefined;
    if (change && !closed) tell(change);
  };
  const note = (add: (change: HomeChange) => void) => {
    gathered ??= { loops: [], sessions: [], all: false };
    add(gathered);
    timer ??= setTimeout(flush, GATHER_MS);
  };

  const folders: [string, (name: string, change: HomeChange) => void][] = [
    [join(home.root, 'ends'), (name, change) => change.loops.push(name)],
    [home.active, (name, change) => change.sessions.push(name.replace(/\.(judging|cut)$/, ''))],
    [home.projects, (_, change) => Object.assign(change, { all: true })],
  ];

  const begin = () => {
    for (const [folder, take] of folders) {
      if (watchers.has(folder)) continue;
      const drop = () => {
        watchers.get(folder)?.close();
        watchers.delete(folder);
      };
      try {
        const watcher = watch(folder, { persistent: false }, (event, name) => {
          note((change) =>
            name === null ? Object.assign(change, { all: true }) : take(String(name), change),
          );
          // The folder itself was removed: the next look watches the one that takes its place.
          if (event === 'rename' && name !== null && folder.endsWith(`/${String(name)}`)) drop();
        });
        watcher.on('error', drop);
        watchers.set(folder, watcher);
      } catch {
        // Not there yet, or no watches are left: the poll goes on.
      }
    }
  };

  let poll: NodeJS.Timeout;
  const look = () => {
    begin();
    note((change) => Object.assign(change, { all: true }));
    poll = setTimeout(look, watchers.size === folders.length ? SLOW_POLL_MS : FAST_POLL_MS);
    poll.unref();
  };
  begin();
  poll = setTimeout(look, watchers.size === folders.length ? SLOW_POLL_MS : FAST_POLL_MS);
  poll.unref();

  return {
    close() {
      closed = true;
      clearTimeout(poll);
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}
