/** The repositories that this machine submitted runs to: `reconcile` looks at them when the store has lost everything. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../engine/files/lock.ts';
import { readSmall, writeWhole } from '../../engine/files/whole-file.ts';
import type { Home } from '../../engine/home/layout.ts';

export function fleetFolder({ root }: Home): string {
  const folder = join(root, 'fleet');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function fileIn(home: Home): string {
  return join(home.root, 'fleet', 'repos.json');
}

/** A damaged file counts as empty: the queue names the repositories, too. */
export function knownRepos(home: Home): string[] {
  try {
    const { repos } = JSON.parse(readSmall(fileIn(home)) ?? '{}') as { repos?: unknown };
    return Array.isArray(repos) ? repos.filter((repo): repo is string => typeof repo === 'string') : [];
  } catch {
    return [];
  }
}

/** A home that cannot be written keeps nobody from submitting: the repository can be named to `reconcile`. */
export function rememberRepo(home: Home, repo: string): void {
  if (knownRepos(home).includes(repo)) return;
  try {
    fleetFolder(home);
    withLock(`${fileIn(home)}.lock`, () => {
      const repos = [...new Set([...knownRepos(home), repo])];
      writeWhole(fileIn(home), `${JSON.stringify({ repos }, null, 2)}\n`);
    });
  } catch {
    // It is remembered the next time.
  }
}
