import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { withLock } from '../files/lock.ts';
import { belowFolder } from '../files/platform.ts';
import { readSmall, writeWhole } from '../files/whole-file.ts';
import type { LoopRef } from '../ports/ports.ts';
import { type Home, realPath } from './layout.ts';

/** The most loops that are noted for a project; older ones are dropped. */
const MOST_NOTED = 50;

/** A file at the project's own path below `standing`, where the installed line of SessionStart finds it with one test. */
function noteFile(home: Home, project: string): string {
  return join(home.root, 'standing', belowFolder(project), '.loops');
}

/** Notes a loop, so that later sessions of the project can find out that it was left behind. */
export function recordLoop(home: Home, project: string, { dir }: LoopRef): void {
  for (const path of new Set([project, realPath(project)])) {
    mkdirSync(dirname(noteFile(home, path)), { recursive: true, mode: 0o700 });
    change(home, path, (dirs) => [...dirs.filter((each) => each !== dir), dir]);
  }
}

/** The noted loops of a project that have not ended, paused ones included. Drops the others from the file. */
export function activeLoops(home: Home, project: string, isActive: (ref: LoopRef) => boolean): LoopRef[] {
  const file = noteFile(home, project);
  const noted = dirsIn(file);
  const active = noted.map(refAt).filter(isActive);
  if (active.length === noted.length) return active;
  const gone = new Set(noted.filter((dir) => !active.some((ref) => ref.dir === dir)));
  change(home, project, (dirs) => dirs.filter((dir) => !gone.has(dir)));
  return active;
}

function change(home: Home, project: string, edit: (dirs: string[]) => string[]): void {
  const file = noteFile(home, project);
  withLock(`${file}.lock`, () => {
    const dirs = edit(dirsIn(file)).slice(-MOST_NOTED);
    if (dirs.length > 0) writeWhole(file, `${dirs.join('\n')}\n`);
    else rmSync(file, { force: true });
  });
}

function dirsIn(file: string): string[] {
  // A power cut leaves other bytes here; they name no folder.
  return (readSmall(file) ?? '').split('\n').filter((dir) => isAbsolute(dir) && !dir.includes('\0'));
}

function refAt(dir: string): LoopRef {
  return { loop: basename(dir), dir };
}
