/** The programs on PATH at a loop's start, to find those that were put in their place since. */
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path';

/** By the name of a program: where PATH leads, a stamp of what lies there, and the digest of a small one's content. */
export type Programs = Record<string, { path: string; stamp: string; sha256?: string }>;

/** PATH without folders that are relative or lie in the project: what the agent writes there is not found. */
export function pathOutside(path: string, project: string): string {
  const real = realOr(project);
  const isOutside = (folder: string) => {
    const inside = relative(real, realOr(folder));
    return inside.startsWith('..') || isAbsolute(inside);
  };
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && isOutside(folder))
    .join(delimiter);
}

export function programsOn(path: string): Programs {
  const found: Programs = Object.create(null);
  for (const folder of new Set(path.split(delimiter))) {
    for (const name of namesIn(folder)) {
      if (found[name]) continue;
      const path = join(folder, name);
      const stamp = stampOf(path);
      if (stamp) found[name] = { path, stamp };
    }
  }
  return found;
}

/** The digest of a program by its path and stamp, if it is known or can be measured. */
export type DigestOf = (path: string, stamp: string) => string | undefined;

/** The same with the digests of small programs: version managers write their little scripts anew, with the same content. */
export function programsWithDigests(path: string, digestOf: DigestOf): Programs {
  const found = programsOn(path);
  for (const program of Object.values(found))
    if (sizeIn(program.stamp) <= SMALL) program.sha256 = digestOf(program.path, program.stamp);
  return found;
}

const SMALL = 64 * 1024;

export interface ChangedProgram {
  name: string;
  was: string;
  /** Where PATH leads now; absent when there is no such program any more. */
  is?: string;
}

/**
 * The programs of the start that are others now. New names are no change: nothing of the start leads to them. A stamp also
 * changes with what no program notices, such as another name for the same file (`cp -al`, pnpm, backups): then the content
 * decides, as far as that of the start is known.
 */
export function changedPrograms(
  start: Programs,
  now: Programs,
  digests: { known: DigestOf; measured: DigestOf },
): ChangedProgram[] {
  const hasSameContent = (was: Programs[string], is: Programs[string]) => {
    if (sizeIn(was.stamp) !== sizeIn(is.stamp) || endIn(was.stamp) !== endIn(is.stamp)) return false;
    const before = was.sha256 ?? digests.known(was.path, was.stamp);
    return before !== undefined && digests.measured(is.path, is.stamp) === before;
  };
  return Object.entries(start).flatMap(([name, was]) => {
    const is = now[name];
    const isSame = is?.path === was.path && (is.stamp === was.stamp || hasSameContent(was, is));
    return isSame ? [] : [{ name, was: was.path, is: is?.path }];
  });
}

/** Names the content of a program by what no program can set, the time of its last change among it. */
export function stampOf(path: string): string | undefined {
  try {
    const link = lstatSync(path);
    const file = link.isSymbolicLink() ? statSync(path) : link;
    if (!file.isFile() || (file.mode & 0o111) === 0) return undefined;
    const end = link.isSymbolicLink() ? ` ${realpathSync.native(path)}` : '';
    return `${file.ino} ${file.size} ${file.ctimeMs}${end}`;
  } catch {
    return undefined;
  }
}

export function sizeIn(stamp: string): number {
  return Number(stamp.split(' ', 2)[1]);
}

/** Where a link leads. What it leads to may load what lies beside it, so the same content elsewhere is another program. */
function endIn(stamp: string): string {
  return stamp.split(' ').slice(3).join(' ');
}

function namesIn(folder: string): string[] {
  try {
    return isAbsolute(folder) ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

export function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}
