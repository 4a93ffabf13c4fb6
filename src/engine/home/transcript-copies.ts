import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncFolder, writeAll } from '../files/whole-file.ts';
import type { KeptTranscript, LoopRef } from '../ports/ports.ts';

export const COPIES_KEPT = 3;
const MOST_BYTES = 50 * 1024 * 1024;
/** The longest time that a copy may take, because a compaction waits for it. */
const MOST_MS = 5_000;
const CHUNK = 1024 * 1024;
const COPY_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.jsonl$/;
const UNFINISHED = /^\d{4}-[\dTZ-]+\.jsonl\.\d+\.tmp$/;
const SWEPT_AFTER_MS = 60_000;
const NEWLINE = 0x0a;

export interface CopyLimits {
  maxBytes?: number;
  maxMs?: number;
}

/** Copies a transcript into the loop's folder, whole or not at all, and removes the oldest copies. */
export function keepTranscript(
  path: string,
  ref: LoopRef,
  now: number,
  { maxBytes = MOST_BYTES, maxMs = MOST_MS }: CopyLimits = {},
): KeptTranscript {
  const folder = join(ref.dir, 'transcripts');
  const name = `${new Date(now).toISOString().replace(/[:.]/g, '-')}.jsonl`;
  const temp = join(folder, `${name}.${process.pid}.tmp`);
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return none('there is no transcript');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    sweep(folder, now);
    const { bytes, cut } = copyEnd(path, temp, maxBytes, performance.now() + maxMs);
    renameSync(temp, join(folder, name));
    syncFolder(folder);
    rotate(folder);
    return { kind: 'kept', name: `transcripts/${name}`, bytes, cut: cut > 0 ? cut : undefined };
  } catch (error) {
    discard(temp);
    return none((error as Error).message);
  }
}

function none(problem: string): KeptTranscript {
  return { kind: 'none', problem: `no copy of the transcript was kept: ${problem}` };
}

function copyEnd(
  from: string,
  to: string,
  maxBytes: number,
  deadline: number,
): { bytes: number; cut: number } {
  const source = openSync(from, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(source);
    if (!stat.isFile()) throw new Error('it is not a regular file');
    // Lines that are written while it is copied go into the next copy.
    const start = stat.size > maxBytes ? lineAfter(source, stat.size - maxBytes, stat.size) : 0;
    const target = openSync(to, 'wx', 0o600);
    try {
      const bytes = copyRange(source, target, start, stat.size, deadline);
      fsyncSync(target);
      return { bytes, cut: start };
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

function copyRange(source: number, target: number, start: number, end: number, deadline: number): number {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let at = start;
  while (at < end) {
    if (performance.now() > deadline) throw new Error('copying it took too long');
    const got = readSync(source, chunk, 0, Math.min(CHUNK, end - at), at);
    // The transcript has become shorter meanwhile.
    if (got === 0) break;
    writeAll(target, chunk.subarray(0, got));
    at += got;
  }
  return at - start;
}

/** The offset of the first line that begins at or after `from`; `end` when there is none. */
function lineAfter(source: number, from: number, end: number): number {
  const chunk = Buffer.allocUnsafe(CHUNK);
  // The byte before `from` shows whether a line begins there.
  for (let at = Math.max(0, from - 1); at < end; ) {
    const got = readSync(source, chunk, 0, Math.min(CHUNK, end - at), at);
    if (got === 0) break;
    const newline = chunk.subarray(0, got).indexOf(NEWLINE);
    if (newline >= 0) return at + newline + 1;
    at += got;
  }
  return end;
}

function rotate(folder: string): void {
  const copies = readdirSync(folder)
    .filter((name) => COPY_NAME.test(name))
    .sort();
  for (const name of copies.slice(0, -COPIES_KEPT)) discard(join(folder, name));
}

/** Removes what killed copies left behind. */
function sweep(folder: string, now: number): void {
  for (const name of readdirSync(folder).filter((each) => UNFINISHED.test(each))) {
    const age = now - (lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now);
    if (age > SWEPT_AFTER_MS) discard(join(folder, name));
  }
}

function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The file is gone, or not ours; the new copy matters more.
  }
}
