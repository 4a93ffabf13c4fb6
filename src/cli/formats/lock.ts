import { existsSync, lstatSync, mkdirSync, readFileSync, unlinkSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { oneLine } from '../../engine/core/text/clip.ts';
import { sayDuration } from '../../engine/core/text/duration.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { whenOf } from '../../engine/core/text/moment.ts';
import { isSafeId } from '../../engine/core/text/paths.ts';
import { jsonText } from '../../engine/core/text/visible.ts';
import { withLock } from '../../engine/files/lock.ts';
import { writeNew, writeWhole } from '../../engine/files/whole-file.ts';
import {
  isExpired,
  LOCK_LIFE_MS,
  type Lock,
  type LockPaths,
  type LockRead,
  lockIterations,
  lockPaths,
  readLock,
} from '../../engine/formats/lock/lock-files.ts';
import { claimFiles } from '../../engine/home/claims.ts';
import { type Home, projectFolder } from '../../engine/home/layout.ts';
import { foreignFiles } from '../../engine/project/files.ts';

/** Where a lock is looked for, and when. */
export interface LockPlace {
  /** The folder that the session was, or will be, started in. */
  folder: string;
  home: Home;
  now: number;
  /** How the loop in this folder of the home ended; undefined while it has not. */
  endingOf(loopDir: string): string | undefined;
}

export interface LockWishes {
  goal?: string;
  message?: string;
  continuation?: string;
  /** The only session that the lock holds; absent: the first that stops. */
  session?: string;
  /** Begin anew with a lock that is there. */
  renew: boolean;
}

type Say = (line: string) => void;

const MODE = 0o644;
const TEXT_LIMIT = 1024 * 1024;

export function lockOn(wishes: LockWishes, place: LockPlace, out: Say): void {
  const paths = lockPaths(place.folder);
  const texts = textsIn(wishes, paths);
  if (wishes.session !== undefined && !isSafeId(wishes.session))
    throw new UsageError(`"${wishes.session}" is not a session id; expected letters, digits, - and _`);
  // Two calls at the same time must not mix their texts.
  const renewed = withLock(join(place.home.root, 'lock-command.lock'), () => {
    const there = isThere(paths.active);
    if (there) refuseExisting(wishes, place, paths);
    else makeFolders(paths);
    for (const [path, text] of texts) writing(path, () => writeWhole(path, `${text}\n`, MODE));
    // Last: a session that stops now finds the lock with everything beside it, or none.
    writing(paths.active, () => (there ? renew(wishes, place, paths) : make(wishes, place, paths)));
    return there;
  });
  const whose = wishes.session ?? readOwner(place);
  out(`Lock ${renewed ? 'renewed' : 'on'}: ${paths.active}`);
  out(
    whose === undefined
      ? 'It holds the first Claude Code session that stops in this folder, and no other.'
      : `It holds session ${whose}, and no other.`,
  );
  for (const path of keptFrom(texts, paths)) out(`Kept from before: ${path}`);
  out(
    `At most ${lockIterations(process.env.AMPLIHACK_MAX_LOCK_ITERATIONS).most} iterations and ${sayHours(LOCK_LIFE_MS)}; to end it earlier, in a terminal: untildone lock off`,
  );
}

function textsIn(wishes: LockWishes, paths: LockPaths): [string, string][] {
  const given: [string, string, string | undefined][] = [
    ['goal', paths.goal, wishes.goal],
    ['message', paths.message, wishes.message],
    ['continuation', paths.continuation, wishes.continuation],
  ];
  return given.flatMap(([name, path, text]): [string, string][] => {
    if (text === undefined) return [];
    if (text.trim() === '') throw new UsageError(`the ${name} is empty; type it in quotes: --${name} "TEXT"`);
    if (Buffer.byteLength(text) > TEXT_LIMIT)
      throw new UsageError(
        `the ${name} is larger than 1 MiB; put it into a file of the project and name that`,
      );
    return [[path, text.trim()]];
  });
}

function refuseExisting({ renew }: LockWishes, place: LockPlace, paths: LockPaths): void {
  const read = readLock(place.folder, foreignFiles);
  if (read.kind !== 'lock') {
    const why = read.kind === 'unusable' ? read.problem : `${paths.active} leads nowhere; remove it`;
    throw new UsageError(why);
  }
  if (renew) return;
  const { since, owner } = read.lock;
  const of = owner === undefined ? '' : ` of session ${owner}`;
  const age = `${sayDuration(Math.max(0, place.now - since))} old`;
  throw new UsageError(
    `there is a lock${of} already, ${age}: in a terminal you can begin anew with "untildone lock on --renew", or end it with "untildone lock off"`,
  );
}

function makeFolders({ runtime, active }: LockPaths): void {
  writing(dirname(active), () => {
    const isNew = !existsSync(runtime);
    mkdirSync(dirname(active), { recursive: true });
    // Keeps locks, metrics and logs out of git: they are not part of the work.
    if (isNew) writeNew(join(runtime, '.gitignore'), '*\n', MODE);
  });
}

function make({ session }: LockWishes, { now }: LockPlace, { active }: LockPaths): void {
  if (!writeNew(active, content(session, now), MODE))
    throw new UsageError('another lock was made at the same moment; look at it with: untildone lock status');
}

/** A lock with a new time is a new lock: its limits count from the beginning. */
function renew({ session }: LockWishes, { now }: LockPlace, { active }: LockPaths): void {
  if (session === undefined) utimesSync(active, now / 1000, now / 1000);
  else writeWhole(active, content(session, now), MODE);
}

function content(session: string | undefined, now: number): string {
  const owner = session === undefined ? '' : `session_id: ${session}\n`;
  return `locked_at: ${new Date(now).toISOString()}\n${owner}`;
}

function readOwner({ folder }: LockPlace): string | undefined {
  const read = readLock(folder, foreignFiles);
  return read.kind === 'lock' ? read.lock.owner : undefined;
}

function keptFrom(texts: readonly [string, string][], paths: LockPaths): string[] {
  const written = texts.map(([path]) => path);
  return companions(paths).filter((path) => !written.includes(path) && existsSync(path));
}

function companions({ goal, message, continuation }: LockPaths): string[] {
  return [goal, message, continuation];
}

export function lockOff(place: LockPlace, out: Say): void {
  const paths = lockPaths(place.folder);
  const there = [paths.active, ...companions(paths)].filter(isThere);
  if (!there.includes(paths.active)) out(`There is no lock in ${place.folder}.`);
  for (const path of there) {
    const isFolder = lstatSync(path).isDirectory();
    if (!isFolder) {
      keepCopy(path, place);
      writing(path, () => unlinkSync(path));
    }
    out(isFolder ? `Left: ${path} is a folder; look into it and remove it yourself` : `Removed: ${path}`);
  }
  if (there.includes(paths.active)) out('Lock off: its session may stop.');
}

/** Keeps a copy of a removed text in the home. */
function keepCopy(path: string, { home, folder, now }: LockPlace): void {
  const text = readSmallText(path);
  if (text === '') return;
  const kept = join(projectFolder(home, folder), 'locks', new Date(now).toISOString().replaceAll(':', '-'));
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  writeWhole(join(kept, basename(path)), text);
}

function readSmallText(path: string): string {
  const read = foreignFiles.read(path);
  return read.kind === 'text' ? read.text : '';
}

export function lockStatus(json: boolean, place: LockPlace, out: Say): void {
  const read = readLock(place.folder, foreignFiles);
  if (json) out(jsonText(statusOf(read, place)));
  else for (const line of linesOf(read, place)) out(line);
}

function linesOf(read: LockRead, place: LockPlace): string[] {
  if (read.kind === 'none') return ['UNLOCKED'];
  if (read.kind === 'unusable') return [`UNUSABLE, so it holds no session: ${read.problem}`];
  const { lock } = read;
  const { session, ended } = holdOf(lock, place);
  const end = whenOf(lock.since + LOCK_LIFE_MS, place.now);
  const over = isExpired(lock, place.now) ? `expired: ${end}` : ended === undefined ? '' : `ended: ${ended}`;
  const texts = (['goal', 'message', 'continuation'] as const).flatMap((name) => {
    const text = lock[name];
    return text === undefined ? [] : [`  ${name}: ${oneLine(text, 200)}`];
  });
  return [
    'LOCKED',
    `  file: ${lockPaths(place.folder).active}`,
    `  age: ${sayDuration(Math.max(0, place.now - lock.since))}`,
    over === ''
      ? `  expires: ${end}`
      : `  ${over}, so it holds no session; begin anew with: untildone lock on --renew`,
    `  session: ${session ?? (over === '' ? 'none yet; the first that stops becomes its owner' : 'none')}`,
    ...texts,
    ...lock.problems.map((problem) => `  note: ${problem}`),
  ];
}

/** Finds the session that this lock holds, named in it or the first that stopped, and how its loop ended. */
function holdOf(
  { identity, owner }: Lock,
  { folder, home, endingOf }: LockPlace,
): { session: string | undefined; ended: string | undefined } {
  const kept = claimFiles(home).of(lockPaths(folder).active);
  const claim = kept?.identity === identity ? kept : undefined;
  const ended = claim?.loopDir === undefined ? undefined : endingOf(claim.loopDir);
  return { session: owner ?? claim?.session, ended };
}

function statusOf(read: LockRead, place: LockPlace): Record<string, unknown> {
  const path = lockPaths(place.folder).active;
  if (read.kind === 'none') return { state: 'unlocked', path };
  if (read.kind === 'unusable') return { state: 'unusable', path, problem: read.problem };
  const { lock } = read;
  const { session, ended } = holdOf(lock, place);
  return {
    state: 'locked',
    path,
    since: iso(lock.since),
    age_s: Math.max(0, Math.round((place.now - lock.since) / 1000)),
    expires: iso(lock.since + LOCK_LIFE_MS),
    expired: isExpired(lock, place.now),
    ended: ended ?? null,
    session: session ?? null,
    goal: lock.goal ?? null,
    message: lock.message ?? null,
    continuation: lock.continuation ?? null,
    problems: lock.problems,
  };
}

/** `-` is stdin. */
export function continuationFrom(text: string | undefined, file: string | undefined): string | undefined {
  if (file === undefined) return text;
  if (text !== undefined) throw new UsageError('give --continuation or --continuation-file, not both');
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the continuation file: ${(error as Error).message}`);
  }
}

/** Finds links that lead nowhere, too. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Part of the path is no folder, or may not be entered. Writing there will fail with the reason.
    return false;
  }
}

function writing(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot change ${basename(path)} in ${dirname(path)}: ${code ?? message}`);
  }
}

function sayHours(ms: number): string {
  return `${ms / 3_600_000} h`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
