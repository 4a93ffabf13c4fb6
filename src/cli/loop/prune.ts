import { rmSync } from 'node:fs';
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { sayDuration } from '../../engine/core/text/duration.ts';
import { dateOf } from '../../engine/core/text/moment.ts';
import { isLocked } from '../../engine/files/lock.ts';
import type { Home } from '../../engine/home/layout.ts';
import { driverLock } from '../../engine/home/layout.ts';
import type { FileStore } from '../../engine/home/store.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import { readRunGitRecord } from '../../engine/run/git/record.ts';
import { type Found, parentOf, readLoops } from '../../engine/run/person/find-loop.ts';
import { byKind, oldRemains, type Remain, removeRemains } from './remains.ts';
import {
  bytesIn,
  claimedDirs,
  keptReceipt,
  removeLoop,
  sessionFilesByLoop,
  sweepHome,
  tidyTrees,
} from './remove-loops.ts';

export interface PruneOptions {
  olderThanMs: number;
  dryRun: boolean;
  /** Removes receipts, too. */
  receipts: boolean;
}

interface OldLoop {
  ref: LoopRef;
  state: LoopState;
  endedAt: number;
  bytes: number;
}

const MOST_LISTED = 20;
const TREES_MS = 10 * 60_000;

/** Removes loops that ended long ago, of all projects, what only they needed, and what was not used for as long. */
export async function prune(
  options: PruneOptions,
  { store, home, now }: { store: FileStore; home: Home; now: number },
  out: (line: string) => void,
): Promise<void> {
  const oldBefore = now - options.olderThanMs;
  const { old, stay } = oldLoops(store, home, oldBefore);
  const bytes = old.reduce((sum, loop) => sum + loop.bytes, 0);
  const age = sayDuration(options.olderThanMs);
  if (old.length === 0) out(`No loop ended more than ${age} ago that could be removed.`);
  else
    out(
      `${options.dryRun ? 'Would remove' : 'Removing'} ${counted(old.length, 'loop')} that ended more than ${age} ago (${sayBytes(bytes)}):`,
    );
  for (const { ref, state, endedAt } of old.slice(0, MOST_LISTED))
    out(
      `  ${ref.loop}  ${state.status}  ${dateOf(endedAt, now)}  ${oneLine(store.taskDigest(ref).preview, 60)}`,
    );
  if (old.length > MOST_LISTED) out(`  and ${old.length - MOST_LISTED} more`);
  for (const line of stay) out(line);
  const going = new Set(old.map(({ ref }) => ref.dir));
  if (options.dryRun) {
    const remains = remainsOf(home, { oldBefore, going }, out);
    for (const line of sayRemains(remains, 'Would remove')) out(line);
    out('Nothing was removed. Trees of the work that only these loops name would go as well.');
    return;
  }
  const sessions = sessionFilesByLoop(home);
  const removed = old.filter((loop) =>
    removeOld(loop, sessions.get(loop.ref.dir) ?? [], options, { store, home, oldBefore }),
  );
  const receipts = removed.filter(({ ref }) => bytesIn(keptReceipt(ref)) > 0).length;
  if (receipts > 0) out(`${counted(receipts, 'receipt')} stayed, in ${home.projects}/*/receipts.`);
  const older = await sweepHome(home, oldBefore);
  if (options.receipts && older.length > 0) {
    for (const file of older) rmSync(file, { force: true });
    out(`Removed ${counted(older.length, 'receipt')} of loops that were removed earlier.`);
  }
  // After the loops: what only they needed is needed no more.
  const remains = remainsOf(home, { oldBefore, going: new Set() }, out);
  for (const line of sayRemains(await removeRemains(remains, oldBefore), 'Removed')) out(line);
  await tidy(home, oldBefore, out);
}

function remainsOf(
  home: Home,
  asked: Parameters<typeof oldRemains>[1],
  out: (line: string) => void,
): Remain[] {
  try {
    return oldRemains(home, asked);
  } catch (error) {
    out(`What else the home keeps stays as it is: ${oneLine((error as Error).message, 300)}`);
    return [];
  }
}

function sayRemains(remains: readonly Remain[], verb: string): string[] {
  const kinds = byKind(remains);
  if (kinds.length === 0) return [];
  const all = kinds.map(({ what, count, bytes }) => `${what}: ${count} (${sayBytes(bytes)})`);
  return [`${verb} what was not used for as long: ${all.join(', ')}`];
}

function removeOld(
  { ref, endedAt }: OldLoop,
  sessionFiles: readonly string[],
  { receipts }: PruneOptions,
  { store, home, oldBefore }: { store: FileStore; home: Home; oldBefore: number },
): boolean {
  // Asked again under the lock of the loop, which may have been resumed since.
  const stillGone = () => !isLocked(driverLock(ref)) && endOf(store.read(ref), oldBefore) !== undefined;
  const { session } = store.read(ref);
  const removed = removeLoop(home, ref, { keepReceipt: !receipts, endedAt, sessionFiles, stillGone });
  if (removed) store.mark(session, false);
  return removed;
}

/** Returns when a loop ended; undefined when it has not, or not long enough ago. */
function endOf(state: LoopState, oldBefore: number): number | undefined {
  const at = state.ending?.at;
  return hasEnded(state) && at !== undefined && at < oldBefore ? at : undefined;
}

/** Finds the loops that can be removed, with a line for each kind of old loop that has to stay. */
function oldLoops(store: FileStore, home: Home, oldBefore: number): { old: OldLoop[]; stay: string[] } {
  const found = readLoops(store, store.loops());
  const claimed = claimedDirs(
    home,
    found.map(({ ref }) => ref),
  );
  const ended = found.filter((f) => 'state' in f && endOf(f.state, oldBefore) !== undefined);
  const unfinished = ended.filter(({ ref }) => isUnfinished(ref, home));
  const foreign = ended.filter(({ ref }) => claimed.has(ref.dir));
  const kept = new Set([...unfinished, ...foreign].map(({ ref }) => ref.loop));
  for (const f of found) if (!ended.includes(f)) kept.add(f.ref.loop);
  // The children of a run that stays are part of what it shows.
  const going = ended.filter((f) => !kept.has(f.ref.loop) && !kept.has(parentOf(f) ?? ''));
  const unreadable = found.filter((f) => 'problem' in f).length;
  return {
    old: going.flatMap((f) => asOld(f, oldBefore)),
    stay: [
      ...sayStaying(
        unfinished.length,
        'whose work is not committed or published yet: untildone run --resume ID',
      ),
      ...sayStaying(foreign.length, 'because state files of other systems still name them'),
      ...sayStaying(unreadable, 'that cannot be read'),
    ],
  };
}

function asOld(found: Found, oldBefore: number): OldLoop[] {
  const endedAt = 'state' in found ? endOf(found.state, oldBefore) : undefined;
  if (!('state' in found) || endedAt === undefined) return [];
  return [{ ref: found.ref, state: found.state, endedAt, bytes: bytesIn(found.ref.dir) }];
}

/** A run that is being driven, or whose work in git is not finished. */
function isUnfinished(ref: LoopRef, home: Home): boolean {
  if (isLocked(driverLock(ref))) return true;
  const record = readRunGitRecord(home, ref.loop);
  return record !== undefined && !record.finished;
}

function sayStaying(count: number, why: string): string[] {
  return count === 0 ? [] : [`${counted(count, 'loop')} ${count === 1 ? 'stays' : 'stay'} ${why}`];
}

async function tidy(home: Home, oldBefore: number, out: (line: string) => void): Promise<void> {
  const tidied = await tidyTrees(home, oldBefore, AbortSignal.timeout(TREES_MS));
  const sum = (of: 'packed' | 'objects' | 'bytes') => tidied.reduce((total, one) => total + one[of], 0);
  for (const { folder, problem } of tidied)
    if (problem !== undefined) out(`The trees in ${folder} stay as they are: ${oneLine(problem, 300)}`);
  if (sum('packed') > 0) out(`Packed ${counted(sum('packed'), 'object')} of trees of the work.`);
  if (sum('objects') > 0)
    out(
      `Dropped ${counted(sum('objects'), 'object')} that nothing names any more (${sayBytes(sum('bytes'))}).`,
    );
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function sayBytes(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.ceil(bytes / 1024)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
