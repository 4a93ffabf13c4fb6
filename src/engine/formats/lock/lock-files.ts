import { oneLine } from '../../core/text/clip.ts';
import { isSafeId } from '../../core/text/paths.ts';
import type { FileRead, ForeignFiles } from '../../ports/ports.ts';

/** How long a lock holds that nobody removes. */
export const LOCK_ITERATIONS = 50;
export const LOCK_LIFE_MS = 24 * 3_600_000;

/** The most iterations of a lock: `AMPLIHACK_MAX_LOCK_ITERATIONS`, else 50. */
export function lockIterations(given: string | undefined): { most: number; problem?: string } {
  if (given === undefined) return { most: LOCK_ITERATIONS };
  const most = Number(given.trim());
  if (/^\d{1,15}$/.test(given.trim()) && most >= 1) return { most };
  const said = oneLine(given, 40);
  return {
    most: LOCK_ITERATIONS,
    problem: `AMPLIHACK_MAX_LOCK_ITERATIONS is "${said}", which is no whole number from 1: ${LOCK_ITERATIONS} is used`,
  };
}

export interface LockPaths {
  runtime: string;
  /** Where it is, the project uses lock mode, locked or not. */
  locks: string;
  active: string;
  goal: string;
  message: string;
  continuation: string;
}

export function lockPaths(folder: string): LockPaths {
  const runtime = `${folder}/.claude/runtime`;
  const locks = `${runtime}/locks`;
  return {
    runtime,
    locks,
    active: `${locks}/.lock_active`,
    goal: `${locks}/.lock_goal`,
    message: `${locks}/.lock_message`,
    continuation: `${locks}/.continuation_prompt`,
  };
}

export interface Lock {
  identity: string;
  /** When the lock was made or last touched. */
  since: number;
  owner?: string;
  goal?: string;
  message?: string;
  continuation?: string;
  /** Problems of the files beside the lock. */
  problems: string[];
}

export type LockRead =
  | { kind: 'none' }
  | { kind: 'unusable'; problem: string }
  | { kind: 'lock'; lock: Lock };

/** Reads a lock. Never throws. The file may be empty or hold any text: that it exists is what counts. */
export function readLock(folder: string, files: ForeignFiles): LockRead {
  const paths = lockPaths(folder);
  const there = files.look(paths.active);
  if (there && there.kind !== 'file') {
    const what = there.kind === 'folder' ? 'a folder' : 'neither a file nor a folder';
    return unusable(`${paths.active} is ${what}`);
  }
  // That the file exists is what counts: of one that is too large to be read, the owner is not looked for.
  const isLarge = there !== undefined && there.size > LARGE;
  const content: FileRead = isLarge ? { kind: 'text', text: '' } : files.read(paths.active);
  if (content.kind === 'unusable') return unusable(content.problem);
  if (content.kind === 'none' || !there) return { kind: 'none' };
  const owner = ownerIn(content.text);
  if (owner !== undefined && !isSafeId(owner))
    return unusable(`${paths.active} names "${owner.slice(0, 60)}" as its session, which is no session id`);
  const problems: string[] = [];
  const texts = {
    goal: optionalText(paths.goal, files, problems),
    message: optionalText(paths.message, files, problems),
    continuation: optionalText(paths.continuation, files, problems),
  };
  const lock: Lock = {
    identity: `${there.inode}-${there.mtimeMs}`,
    since: there.mtimeMs,
    owner,
    goal: texts.goal,
    message: texts.message,
    continuation: texts.continuation,
    problems,
  };
  return { kind: 'lock', lock };
}

function unusable(what: string): LockRead {
  return { kind: 'unusable', problem: `${what}; remove it, and make a lock with: untildone lock on` };
}

/** A lock with a time in the future is not expired: the clock may have been set back. */
export function isExpired(lock: Lock, now: number): boolean {
  return now - lock.since > LOCK_LIFE_MS;
}

const LARGE = 8 * 1024 * 1024;
/** The owner is looked for in this many characters. */
const OWNER_WITHIN = 65_536;
const OWNER = /^[ \t]*["']?(session(?:_id)?)["']?[ \t]*:[ \t]*(.*)$/im;

/** The owner in a line `session_id: ID` or `session: ID`. An empty id names nobody, and `session: ...` may be plain text. */
function ownerIn(text: string): string | undefined {
  const [, key = '', value = ''] = OWNER.exec(text.slice(0, OWNER_WITHIN).replace(/^\uFEFF/, '')) ?? [];
  const bare = /^(["']?)(.*?)\1,?$/.exec(value.trim())?.[2]?.trim() ?? '';
  if (bare === '' || bare === 'null') return undefined;
  return /^session$/i.test(key) && !isSafeId(bare) ? undefined : bare;
}

/** Reads a file beside the lock. It only adds words, so a problem with it does not make the lock unusable. */
function optionalText(path: string, files: ForeignFiles, problems: string[]): string | undefined {
  const content = files.read(path);
  if (content.kind === 'unusable') problems.push(`${content.problem}: it is left out`);
  const text = content.kind === 'text' ? content.text.replace(/^\uFEFF/, '').trim() : '';
  return text === '' ? undefined : text;
}
