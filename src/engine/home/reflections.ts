/** Sessions that are to be looked back on, a sealed file each. The hook writes one in a moment; the work is done elsewhere. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSafeId } from '../core/text/paths.ts';
import { wasRunningAt } from '../files/process-id.ts';
import { namesIn, readSmall, writeNew, writeWhole } from '../files/whole-file.ts';
import { type Home, readKey, sealedJson, unsealedJson } from './layout.ts';
import { readStartRecord } from './records/session-records.ts';

export interface QueuedReflection {
  v: 1;
  session: string;
  /** The folder that the session was started in. */
  project: string;
  transcript?: string;
  minTurns: number;
  /** When it was asked for last. */
  queuedAt: number;
  /** The session has ended. Without it, the end of its Claude Code says so. */
  ended: boolean;
  /** How often the work was begun. */
  attempts?: number;
}

function folderOf(home: Home): string {
  return join(home.root, 'reflections');
}

function fileOf(home: Home, session: string): string {
  return join(folderOf(home), `${session}.json`);
}

const purposeOf = (session: string) => `reflection of session ${session}`;

export function queueReflection(home: Home, item: QueuedReflection): void {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  writeWhole(fileOf(home, item.session), sealedJson(item, purposeOf(item.session), readKey(home)));
}

export function isQueued(home: Home, session: string): boolean {
  return isSafeId(session) && existsSync(fileOf(home, session));
}

/** The files of the queue. */
export function queueFiles(home: Home): string[] {
  return namesIn(folderOf(home))
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folderOf(home), name));
}

/** What is queued, the oldest first. Files that are not ours count for nothing. */
export function queuedReflections(home: Home): QueuedReflection[] {
  return namesIn(folderOf(home))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => queuedReflection(home, name.slice(0, -'.json'.length)) ?? [])
    .sort((a, b) => a.queuedAt - b.queuedAt);
}

export function queuedReflection(home: Home, session: string): QueuedReflection | undefined {
  if (!isSafeId(session)) return undefined;
  try {
    return itemIn(readSmall(fileOf(home, session)) ?? '', session, home);
  } catch {
    return undefined;
  }
}

function itemIn(text: string, session: string, home: Home): QueuedReflection | undefined {
  const item = text && unsealedJson<QueuedReflection>(text, purposeOf(session), readKey(home));
  return item && item.session === session ? item : undefined;
}

/** When nobody knows whether a session goes on, it is taken for ended at this age of its last Stop. */
const UNKNOWN_MS = 10 * 60_000;

/** The sessions that have ended. Those that go on are left alone. */
export function dueReflections(home: Home, now: number): QueuedReflection[] {
  return queuedReflections(home).filter(({ session, ended, queuedAt }) => {
    if (ended) return true;
    const record = readStartRecord(home, session);
    return record ? !wasRunningAt(record.pid, record.since) : now - queuedAt > UNKNOWN_MS;
  });
}

/** Quick where nothing is queued. */
export function hasDue(home: Home, now: number): boolean {
  return hasTaken(home) || dueReflections(home, now).length > 0;
}

/**
 * Takes a session off the queue, unless it was asked for again meanwhile. It is moved away first: a hook may write the file
 * between a look at it and its removal.
 */
export function takeOff(home: Home, item: QueuedReflection): void {
  if (queuedReflection(home, item.session)?.queuedAt !== item.queuedAt) return;
  const path = fileOf(home, item.session);
  const taken = `${path}${TAKEN}`;
  renameSync(path, taken);
  const text = readSmall(taken) ?? '';
  const isThat = itemIn(text, item.session, home)?.queuedAt === item.queuedAt;
  if (isThat) rmSync(taken, { force: true });
  else putBackTaken(home);
}

const TAKEN = '.taken';

/** Puts back what a process that was killed had taken away, unless it was queued again. For the holder of the lock. */
export function putBackTaken(home: Home): void {
  for (const name of takenIn(home)) {
    const path = join(folderOf(home), name);
    writeNew(path.slice(0, -TAKEN.length), readSmall(path) ?? '', 0o600);
    rmSync(path, { force: true });
  }
}

export function hasTaken(home: Home): boolean {
  return takenIn(home).length > 0;
}

function takenIn(home: Home): string[] {
  return namesIn(folderOf(home)).filter((name) => name.endsWith(TAKEN));
}

/** Held by whoever does the work: one at a time. */
export function reflectionsLock(home: Home): string {
  return join(folderOf(home), 'lock');
}
