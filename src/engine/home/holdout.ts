/** Tests that the agent never sees, kept for each project in the home. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Unmeasurable } from '../core/text/errors.ts';
import { sha256 } from '../files/digest.ts';
import { withLock } from '../files/lock.ts';
import { namesIn, readSmall, writeWhole } from '../files/whole-file.ts';
import type { Holdout } from '../ports/rooms.ts';
import { type Home, projectFolder, readKey, realPath, sealedJson, unsealedJson } from './layout.ts';

export interface HeldFile {
  /** Relative to the project. */
  path: string;
  sha256: string;
  bytes: number;
}

const folderOf = (home: Home, project: string) => join(projectFolder(home, project), 'holdout');
const listFile = (folder: string) => join(folder, 'list');
const contentFile = (folder: string, digest: string) => join(folder, 'files', digest);
const purposeOf = (project: string) => `holdout ${realPath(project)}`;

const DAMAGED = ['The user adds them anew: untildone holdout remove --all, then untildone holdout add PATH'];

/** The files that are held out, by path; empty when there are none. Throws `Unmeasurable` when the list was damaged. */
export function heldOut(home: Home, project: string): HeldFile[] {
  const text = readSmall(listFile(folderOf(home, project)));
  if (text === undefined) return [];
  const list = unsealedJson<HeldFile[]>(text, purposeOf(project), readKey(home));
  if (!list) throw new Unmeasurable('the list of held-out tests was damaged', DAMAGED);
  return list;
}

/** Keeps files beside those that are held out already; one with the same path is replaced. */
export function holdOut(
  home: Home,
  project: string,
  files: readonly { path: string; content: Uint8Array }[],
): HeldFile[] {
  return changeList(home, project, (before, folder) => {
    const added = files.map(({ path, content }): HeldFile => {
      const digest = sha256(content);
      writeWhole(contentFile(folder, digest), content);
      return { path, sha256: digest, bytes: content.length };
    });
    const paths = new Set(added.map(({ path }) => path));
    return [...before.filter(({ path }) => !paths.has(path)), ...added];
  });
}

/** Forgets files: these paths, and all that is in these folders. Returns those that were forgotten. */
export function forgetHeldOut(home: Home, project: string, paths: readonly string[]): HeldFile[] {
  const isMeant = ({ path }: HeldFile) => paths.some((one) => path === one || path.startsWith(`${one}/`));
  const gone: HeldFile[] = [];
  changeList(home, project, (before) => {
    gone.push(...before.filter(isMeant));
    return before.filter((file) => !isMeant(file));
  });
  return gone;
}

/** Forgets all files, also when what was kept is damaged. */
export function forgetAllHeldOut(home: Home, project: string): void {
  rmSync(folderOf(home, project), { recursive: true, force: true });
}

function changeList(
  home: Home,
  project: string,
  change: (before: readonly HeldFile[], folder: string) => HeldFile[],
): HeldFile[] {
  const folder = folderOf(home, project);
  mkdirSync(join(folder, 'files'), { recursive: true, mode: 0o700 });
  return withLock(join(folder, 'lock'), () => {
    const now = change(heldOut(home, project), folder).sort((a, b) => (a.path < b.path ? -1 : 1));
    writeWhole(listFile(folder), sealedJson(now, purposeOf(project), readKey(home)));
    const used = new Set(now.map((file) => file.sha256));
    for (const name of namesIn(join(folder, 'files')))
      if (!used.has(name)) rmSync(contentFile(folder, name), { force: true });
    return now;
  });
}

/** The held-out files of a project, for judging. A worktree of the project has those of the project. */
export function holdoutOf(home: Home, project: string): Holdout {
  const list = () => {
    const own = heldOut(home, project);
    if (own.length > 0) return { of: project, files: own };
    const main = mainWorktree(project);
    return { of: main ?? project, files: main === undefined ? [] : heldOut(home, main) };
  };
  return {
    digest() {
      const { files } = list();
      return files.length === 0 ? undefined : digestOf(files);
    },
    expected(command) {
      const { of, files } = list();
      return readCounts(home, of)[countKey(command, files)];
    },
    files() {
      const { of, files } = list();
      const folder = folderOf(home, of);
      return Object.fromEntries(files.map((file) => [file.path, contentOf(folder, file)]));
    },
  };
}

function digestOf(files: readonly HeldFile[]): string {
  return sha256(JSON.stringify(files.map((file) => [file.path, file.sha256])));
}

const countsFile = (home: Home, project: string) => join(folderOf(home, project), 'counts');
const countKey = (command: string, files: readonly HeldFile[]) =>
  sha256(JSON.stringify([command, digestOf(files)]));

/** Remembers how many tests a command runs, so that a run with fewer is noticed. */
export function keepCount(home: Home, project: string, command: string, count: number): void {
  const key = countKey(command, heldOut(home, project));
  const text = sealedJson({ [key]: count }, `${purposeOf(project)} counts`, readKey(home));
  writeWhole(countsFile(home, project), text);
}

function readCounts(home: Home, project: string): Record<string, number> {
  const text = readSmall(countsFile(home, project));
  if (text === undefined) return {};
  const counts = unsealedJson<Record<string, number>>(text, `${purposeOf(project)} counts`, readKey(home));
  if (!counts) throw new Unmeasurable('the number of held-out tests was damaged', DAMAGED);
  return counts;
}

function contentOf(folder: string, file: HeldFile): Uint8Array {
  try {
    const content = readFileSync(contentFile(folder, file.sha256));
    if (sha256(content) === file.sha256) return content;
  } catch {
    // It is missing, which is said below.
  }
  throw new Unmeasurable('a held-out test is missing or was damaged', DAMAGED);
}

/** The folder of the repository that a linked worktree belongs to, at the same place in it. */
function mainWorktree(project: string): string | undefined {
  const real = realPath(project);
  for (let folder = real; ; folder = dirname(folder)) {
    const text = readSafely(join(folder, '.git'));
    const [, main] = /^gitdir: (.+)\/\.git\/worktrees\/[^/\n]+\s*$/.exec(text ?? '') ?? [];
    if (main !== undefined) return join(main, relative(folder, real));
    if (text !== undefined || dirname(folder) === folder) return undefined;
  }
}

function readSafely(path: string): string | undefined {
  try {
    return readSmall(path, 4096);
  } catch {
    // The folder of a repository, which is no linked worktree.
    return '';
  }
}
