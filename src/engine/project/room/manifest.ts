/** What lies in a folder, to find out later what was changed in it. */
import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Maps each path to a stamp of what lies there. The stamp of a file has the time of its last change of any kind, which no
 * program can set: a file with the same stamp has the same content.
 */
export type Manifest = Map<string, string>;

export function manifestOf(folder: string): Manifest {
  const found: Manifest = new Map();
  visit('');
  return found;

  function visit(inside: string): void {
    for (const entry of readdirSync(join(folder, inside), { withFileTypes: true })) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (entry.isDirectory()) {
        found.set(path, FOLDER);
        visit(path);
      } else found.set(path, stampOf(join(folder, path)));
    }
  }
}

const FOLDER = 'folder';

function stampOf(path: string): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  if (!stat.isFile()) return 'other';
  return `file ${stat.mode.toString(8)} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`;
}

export interface Differences {
  added: string[];
  /** Changed or removed. */
  lost: string[];
}

export function compareManifests(before: Manifest, now: Manifest): Differences {
  return {
    added: [...now.keys()].filter((path) => !before.has(path)),
    lost: [...before.keys()].filter((path) => before.get(path) !== now.get(path)),
  };
}

/** Brings a folder back to what its copy holds. */
export function restore(folder: string, copy: string, { added, lost }: Differences): void {
  for (const path of [...added, ...lost.toReversed()])
    rmSync(join(folder, path), { recursive: true, force: true });
  for (const path of lost) copyOne(join(copy, path), join(folder, path));
}

/** Copies a folder with its links and modes. Where the file system can, files share their content until one is written. */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const path of manifestOf(from).keys()) copyOne(join(from, path), join(to, path));
}

function copyOne(from: string, to: string): void {
  const stat = lstatSync(from, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isDirectory()) {
    mkdirSync(to, { recursive: true, mode: 0o700 });
    return;
  }
  mkdirSync(dirname(to), { recursive: true });
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (stat.isFile()) copyFileSync(from, to, constants.COPYFILE_FICLONE);
}

export function renderManifest(manifest: Manifest): string {
  return JSON.stringify([...manifest]);
}

export function parseManifest(text: string): Manifest {
  return new Map(JSON.parse(text) as [string, string][]);
}
