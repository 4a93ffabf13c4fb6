import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { groupBy } from '../../engine/core/text/lists.ts';
import { withLock } from '../../engine/files/lock.ts';
import { wasRunningAt } from '../../engine/files/process-id.ts';
import { namesIn, readSmall, writeWhole } from '../../engine/files/whole-file.ts';
import { baselinesIn, removeOldBaselines } from '../../engine/home/baselines.ts';
import { parseSessionRecord } from '../../engine/home/hook-line.ts';
import { copyOfEndFile, type Home, projectFolder, removeCompiledCode } from '../../engine/home/layout.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import { type Dropped, dropUnnamed, packLoose } from '../../engine/project/trees/pack-trees.ts';
import { removeWhole } from '../../engine/project/trees/scratch.ts';
import { removeRunGitRecord } from '../../engine/run/git/record.ts';

/** Removes loops that ended long ago, and trees that nothing names, from the home. */

/** Folder for loops that are being removed: nothing lists loops in it, and it is on the same disk. */
export const TRASH = 'removed';
const RECEIPTS = 'receipts';
const SHADOW = 'shadow.git';

function projectOfLoop({ dir }: LoopRef): string {
  return dirname(dirname(dir));
}

/** Where the receipt of a loop lies after the loop was removed. */
export function keptReceipt(ref: LoopRef): string {
  return join(projectOfLoop(ref), RECEIPTS, `${ref.loop}.json`);
}

export interface Removal {
  keepReceipt: boolean;
  endedAt: number;
  /** Records of sessions that may lead to it; see sessionFilesByLoop. */
  sessionFiles: readonly string[];
  stillGone: () => boolean;
}

/**
 * Removes a loop that has ended: first the session records that lead to it, then its folder by one rename, then the files.
 * A kill in between leaves the loop whole or gone. `stillGone` is asked under the loop's lock.
 */
export function removeLoop(
  home: Home,
  ref: LoopRef,
  { keepReceipt, endedAt, sessionFiles, stillGone }: Removal,
): boolean {
  const trash = join(projectOfLoop(ref), TRASH);
  const away = join(trash, `${ref.loop}.${process.pid}-${Date.now()}`);
  const removed = withLock(join(ref.dir, 'lock'), () => {
    if (!stillGone()) return false;
    if (keepReceipt) saveReceiptOf(ref, endedAt);
    forgetSessions(sessionFiles, ref);
    mkdirSync(trash, { recursive: true, mode: 0o700 });
    renameSync(ref.dir, away);
    return true;
  });
  if (!removed) return false;
  removeRunGitRecord(home, ref.loop);
  rmSync(copyOfEndFile(home, ref.loop), { force: true });
  rmSync(away, { recursive: true, force: true });
  removeIfEmpty(trash);
  return true;
}

/** Another process may be removing something in it. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is in use, or gone.
  }
}

function saveReceiptOf(ref: LoopRef, endedAt: number): void {
  const text = readSmall(join(ref.dir, 'receipt.json'));
  if (text === undefined) return;
  const file = keptReceipt(ref);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, text);
  utimesSync(file, endedAt / 1000, endedAt / 1000);
}

/** Removes the records of sessions that lead to the loop: a hook cannot answer for a loop whose folder is gone. */
function forgetSessions(files: readonly string[], { dir }: LoopRef): void {
  for (const file of files) {
    withLock(`${file}.lock`, () => {
      if (loopDirIn(file) === dir) rmSync(file, { force: true });
    });
  }
}

/** Groups the records of sessions by the folder of the loop that they lead to. */
export function sessionFilesByLoop(home: Home): Map<string, string[]> {
  const files = namesIn(home.sessions).flatMap((name) => {
    const file = join(home.sessions, name);
    const dir = name.endsWith('.json') ? loopDirIn(file) : undefined;
    return dir === undefined ? [] : [{ file, dir }];
  });
  const byDir = groupBy(files, ({ dir }) => dir);
  return new Map([...byDir].map(([dir, each]) => [dir, each.map(({ file }) => file)]));
}

function loopDirIn(file: string): string | undefined {
  try {
    const dir = (JSON.parse(readSmall(file) ?? '') as { loopDir?: unknown } | null)?.loopDir;
    return typeof dir === 'string' ? dir : undefined;
  } catch {
    return undefined;
  }
}

/** Finds loops that stand for a state file of another system: without such a loop the file would start a new one. */
export function claimedDirs(home: Home, refs: readonly LoopRef[]): Set<string> {
  const claims = namesIn(home.claims)
    .map((name) => readFileSync(join(home.claims, name), 'utf8'))
    .join('\n');
  return new Set(refs.map(({ dir }) => dir).filter((dir) => claims.includes(JSON.stringify(dir))));
}

/** Removes compiled code and what an earlier removal left. Returns the kept receipts that are older. */
export async function sweepHome(home: Home, oldBefore: number): Promise<string[]> {
  removeCompiledCode(home.root);
  for (const folder of projectFolders(home)) await removeWhole(join(folder, TRASH));
  return projectFolders(home).flatMap((folder) => {
    removeOldBaselines(folder, oldBefore);
    return namesIn(join(folder, RECEIPTS))
      .map((name) => join(folder, RECEIPTS, name))
      .filter((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? oldBefore) < oldBefore);
  });
}

interface Tidied extends Dropped {
  /** The project's folder in the home. */
  folder: string;
  packed: number;
  problem?: string;
}

/** Packs the trees of all projects, and drops those that no loop, receipt or session names and that are old. */
export async function tidyTrees(home: Home, oldBefore: number, signal: AbortSignal): Promise<Tidied[]> {
  const found: Tidied[] = [];
  for (const folder of projectFolders(home)) {
    const shadowDir = join(folder, SHADOW);
    if (!existsSync(shadowDir)) continue;
    const nothing = { folder, packed: 0, objects: 0, bytes: 0 };
    try {
      const packed = await packLoose(shadowDir, { atLeast: 1, oldBefore, signal });
      const dropped = await dropUnnamed(shadowDir, {
        named: namingTexts(home, folder),
        indexFiles: indexFilesIn(folder),
        oldBefore,
        signal,
      });
      found.push({ ...nothing, packed, ...dropped });
    } catch (error) {
      found.push({ ...nothing, problem: (error as Error).message });
    }
  }
  return found;
}

/** You wait for the command that packs. */
const PACKING_MS = 15_000;

/** Packs the loose objects that many Stops left, when there are many. Never throws. */
export async function packManyLoose(home: Home, project: string): Promise<void> {
  const signal = AbortSignal.timeout(PACKING_MS);
  const some = { atLeast: MANY_LOOSE, atMost: MANY_LOOSE, signal };
  await packLoose(join(projectFolder(home, project), SHADOW), some).catch(() => undefined);
}

const MANY_LOOSE = 4000;

/** Yields every text that may name a tree. Throws when a file cannot be read: then no tree may be dropped. */
function* namingTexts(home: Home, folder: string): Iterable<string> {
  for (const loop of namesIn(join(folder, 'loops')))
    for (const name of ['journal.jsonl', 'receipt.json', 'contract.json'])
      yield textOf(join(folder, 'loops', loop, name));
  for (const name of namesIn(join(folder, RECEIPTS))) yield textOf(join(folder, RECEIPTS, name));
  for (const file of baselinesIn(folder)) yield textOf(file);
  for (const name of namesIn(home.sessions))
    if (name.endsWith('.standing')) yield textOf(join(home.sessions, name));
  for (const index of indexFilesIn(folder)) yield textOf(`${index}.settled`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** Lists the git index of the project and those of the worktrees of its agents. */
function indexFilesIn(folder: string): string[] {
  const worktrees = join(folder, 'worktrees');
  const own = namesIn(worktrees).filter((name) => /^[0-9a-f]{32}$/.test(name));
  return [join(folder, 'index'), ...own.map((name) => join(worktrees, name))];
}

export function bytesIn(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.size;
  return namesIn(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

export function projectFolders(home: Home): string[] {
  return namesIn(home.projects).map((name) => join(home.projects, basename(name)));
}

const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * What is kept beside `<session>.at`: who answered which event, the proof of what you type, where its transcript lies, and,
 * of older versions, the lessons that it was told.
 */
const OF_A_SESSION = ['.turns', '.typed', '.lessons', '.transcript'];

function removeOld(path: string, before: number): void {
  try {
    if (statSync(path).mtimeMs < before) rmSync(path, { force: true });
  } catch {
    // Gone already.
  }
}

/**
 * Removes what SessionStart recorded of sessions that are long over: every session of a machine leaves such a file. One
 * that is resumed later records itself anew. Never throws: nothing depends on it.
 */
export function forgetOldSessions(home: Home, now: number): void {
  for (const folder of projectFolders(home)) forgetBaselines(folder, now - KEPT_MS);
  const counts = join(home.root, 'counts');
  for (const name of namesIn(counts)) removeOld(join(counts, name), now - KEPT_MS);
  for (const name of namesIn(home.sessions)) {
    if (!name.endsWith('.at')) continue;
    const file = join(home.sessions, name);
    try {
      const { mtimeMs } = statSync(file);
      if (now - mtimeMs < KEPT_MS || isOwner(home, name.slice(0, -'.at'.length))) continue;
      const pid = parseSessionRecord(readSmall(file) ?? '')?.pid;
      if (pid !== undefined && wasRunningAt(pid, mtimeMs)) continue;
      const session = file.slice(0, -'.at'.length);
      for (const kept of [file, ...OF_A_SESSION.map((end) => `${session}${end}`)])
        rmSync(kept, { force: true });
    } catch {
      // Gone already, or not ours to remove.
    }
  }
}

function forgetBaselines(folder: string, oldBefore: number): void {
  try {
    removeOldBaselines(folder, oldBefore);
  } catch {
    // Not ours to remove.
  }
}

/** A session with an active loop has a marker. */
function isOwner({ active }: Home, session: string): boolean {
  return statSync(join(active, session), { throwIfNoEntry: false }) !== undefined;
}
