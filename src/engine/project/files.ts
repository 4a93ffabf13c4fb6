import {
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { sha256 } from '../files/digest.ts';
import { withLock } from '../files/lock.ts';
import { readSmall, writeWhole } from '../files/whole-file.ts';
import { realPath } from '../home/layout.ts';
import type { FileLook, FileRead, ForeignFiles, StateChange } from '../ports/ports.ts';
import { encodeName } from './trees/git-output.ts';

export const foreignFiles: ForeignFiles = { read, look, list, realPath, sha256 };

function read(path: string): FileRead {
  try {
    const text = readSmall(path);
    return text === undefined ? { kind: 'none' } : { kind: 'text', text };
  } catch (error) {
    return { kind: 'unusable', problem: problemWith(path, error as Error) };
  }
}

function look(path: string): FileLook | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return undefined;
    const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other';
    return { kind, inode: stat.ino, mtimeMs: stat.mtimeMs, size: stat.size };
  } catch {
    // A folder that we may not enter counts as empty.
    return undefined;
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/**
 * Applies changes in their order and returns the problems of those that failed. `lockFile` keeps our own hooks from writing
 * at the same time. Nothing is written outside of `roots`, wherever links lead.
 */
export function applyChanges(
  changes: readonly StateChange[],
  lockFile: string,
  roots?: readonly string[],
): string[] {
  if (changes.length === 0) return [];
  return withLock(lockFile, () =>
    changes.flatMap((change) => {
      const path = change.kind === 'copy' ? change.to : change.path;
      try {
        if (roots) refuseOutside(path, roots);
        apply(change);
        return [];
      } catch (error) {
        return [problemWith(path, error as Error)];
      }
    }),
  );
}

function apply(change: StateChange): void {
  switch (change.kind) {
    case 'edit':
      edit(change.path, change.edit);
      break;
    case 'append':
      append(change.path, change.text);
      break;
    case 'copy':
      copy(change.from, change.to, change.maxBytes);
      break;
    case 'remove':
      remove(change.path, change.when);
      break;
  }
}

function edit(path: string, change: (text: string | undefined) => string | undefined): void {
  refuseLink(path);
  const before = readSmall(path);
  const after = change(before);
  if (after === undefined || after === before) return;
  const mode = before === undefined ? 0o644 : statSync(path).mode & 0o777;
  sweep(path);
  writeWhole(path, after, mode);
}

const SWEPT_AFTER_MS = 60_000;

/** Removes temporary files that a killed writer left beside the file. */
function sweep(path: string): void {
  const prefix = `${basename(path)}.`;
  for (const name of list(dirname(path))) {
    if (!name.startsWith(prefix) || !/^\d+\.[0-9a-z]{1,8}\.tmp$/.test(name.slice(prefix.length))) continue;
    const left = join(dirname(path), name);
    const age = Date.now() - (lstatSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > SWEPT_AFTER_MS) unlinkSync(left);
  }
}

function append(path: string, text: string): void {
  refuseLink(path);
  mkdirSync(dirname(path), { recursive: true });
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | NO_WAITING;
  const fd = openSync(path, flags, 0o644);
  try {
    appendFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** Opening a pipe for writing fails at once instead of waiting for a reader. */
const NO_WAITING = (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

function copy(from: string, to: string, maxBytes: number): void {
  const stat = statSync(from, { throwIfNoEntry: false });
  if (!stat?.isFile()) return;
  if (stat.size > maxBytes) throw new Error(`${from} is larger than ${maxBytes} bytes`);
  refuseLink(to);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

function remove(path: string, when: (text: string) => boolean = () => true): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isFile()) throw new Error('untildone did not remove it, because it is not a regular file');
  if (when(readSmall(path) ?? '')) unlinkSync(path);
}

function refuseOutside(path: string, roots: readonly string[]): void {
  const real = realPath(existingAbove(dirname(path)));
  if (!liesWithin(real, roots))
    throw new Error(`untildone did not write it, because a link leads to ${real}, where it does not belong`);
}

/** `real` has to be a path without links. */
export function liesWithin(real: string, roots: readonly string[]): boolean {
  return roots.some((root) => `${real}/`.startsWith(`${realPath(root)}/`));
}

/** The folder itself, or the nearest one above it that exists. */
function existingAbove(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existingAbove(dirname(folder));
}

/** Refuses a link: through it, a repository could make us write to any place. */
function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error('untildone did not write it, because it is a symbolic link');
}

function problemWith(path: string, { message }: Error): string {
  return message.includes(path) ? message : `${path}: ${message}`;
}

const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/**
 * The first `limit` bytes of a regular file of the project; undefined when there is none. Throws for a path that leads
 * out of the project, by dots or by links. Never waits on a pipe.
 */
export async function readProjectFile(
  root: string,
  path: string,
  limit: number,
): Promise<string | undefined> {
  const wanted = isAbsolute(path) ? path : join(root, path);
  if (!isInside(root, wanted)) throw new Error(`${path} leads out of the project`);
  const real = await unlessAbsent(realpath(encodeName(wanted), 'buffer'));
  if (real === undefined) return undefined;
  if (!isInside(root, real.toString('latin1'), 'latin1')) throw new Error(`${path} leads out of the project`);
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const file = await unlessAbsent(open(real, flags));
  if (file === undefined) return undefined;
  try {
    return (await file.stat()).isFile() ? await readStart(file, limit) : undefined;
  } finally {
    await file.close();
  }
}

async function readStart(file: FileHandle, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  for (let left = limit; left > 0; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(left, 64 * 1024)));
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function isInside(root: string, path: string, encoding: 'utf8' | 'latin1' = 'utf8'): boolean {
  const from = encoding === 'latin1' ? Buffer.from(root).toString('latin1') : root;
  const way = relative(from, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}

async function unlessAbsent<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    // A socket answers ENXIO: it exists, but cannot be read.
    if ([...ABSENT, 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
