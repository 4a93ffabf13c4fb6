import { existsSync, mkdirSync, readdirSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Entry } from '../core/loop/entry.ts';
import { hasEnded, type LoopState } from '../core/loop/state.ts';
import { oneLine } from '../core/text/clip.ts';
import { isSafeId } from '../core/text/paths.ts';
import { redact } from '../core/text/redact.ts';
import { sha256 } from '../files/digest.ts';
import { withLock } from '../files/lock.ts';
import { wasRunningAt } from '../files/process-id.ts';
import { readSmall, writeWhole } from '../files/whole-file.ts';
import type {
  AppendOptions,
  Clock,
  LoadedContract,
  LoopRef,
  NewLoop,
  Store,
  VerdictCache,
} from '../ports/ports.ts';
import { activeLoops, recordLoop } from './active-loops.ts';
import { claimsOfSession } from './claims.ts';
import { readFrozenContract, writeFirstContract } from './frozen-contract.ts';
import { isOlderThanBoot, readCopyOfEnd, writeCopyOfEnd } from './journal/copy-of-end.ts';
import {
  appendLine,
  JournalError,
  type LastLine,
  type LineCheck,
  nextLine,
  readTail,
  type Tail,
} from './journal/file.ts';
import { PREVIEW, startedEntry } from './journal/started-entry.ts';
import { copyOfEndFile, type Home, projectFolder, readKey, realPath } from './layout.ts';
import { learnFromEnd } from './lessons/files.ts';
import {
  loopRecordFile,
  readLoopRecord,
  readStartRecord,
  writeLoopRecord,
} from './records/session-records.ts';
import { isTrusted } from './trust.ts';
import { verdictCache } from './verdicts.ts';

const TASK_FILE = 'task.md';
const JOURNAL_FILE = 'journal.jsonl';

/** The loops and sessions in the untildone home. */
export class FileStore implements Store {
  readonly home: Home;
  private readonly clock: Clock;
  /** What was read last, because one hook call asks for the same things many times. */
  private readonly tails = new Map<string, Tail>();
  private keyRead: string | undefined;
  private contractRead: { dir: string; contract: LoadedContract } | undefined;

  constructor(home: Home, clock: Clock) {
    this.home = home;
    this.clock = clock;
  }

  loopOfSession(session: string): LoopRef | undefined {
    let damaged: Error | undefined;
    try {
      const record = readLoopRecord(this.home, session);
      if (record) return { loop: basename(record.loopDir), dir: record.loopDir };
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      damaged = error;
    }
    return damaged || this.isWithoutRecord(session) ? this.foundLoopOf(session, damaged) : undefined;
  }

  /** Whether hooks of the session have work to do, although no record says what. */
  private isWithoutRecord(session: string): boolean {
    return this.isMarked(session) && claimsOfSession(this.home, session).length === 0;
  }

  /** Looks for the loop of a session whose record is lost, among all loops, and writes the record again. */
  private foundLoopOf(session: string, damaged: Error | undefined): LoopRef | undefined {
    const own = this.loops().filter((ref) => this.isActive(ref) && this.read(ref).session === session);
    // The newest, by its name. Loops of foreign formats are found by their claims.
    const found = own
      .filter((ref) => this.read(ref).dialect === 'native')
      .sort((a, b) => (a.loop < b.loop ? 1 : -1))[0];
    if (!found) {
      if (damaged && this.isMarked(session)) throw damaged;
      return undefined;
    }
    try {
      const { project } = this.contract(found).frozen;
      writeLoopRecord(this.home, { v: 1, session, project: realPath(project), loopDir: found.dir });
    } catch {
      // It is looked for again the next time.
    }
    return found;
  }

  read(ref: LoopRef): LoopState {
    return this.tail(ref).line.state;
  }

  /** The contract that the state names. When there is none, another one: the caller compares the digests. */
  contract(ref: LoopRef): LoadedContract {
    const wanted = this.read(ref).contractSha256;
    const known = this.contractRead;
    if (known?.dir === ref.dir && known.contract.sha256 === wanted) return known.contract;
    const contract = readFrozenContract(ref.dir, wanted);
    this.contractRead = { dir: ref.dir, contract };
    return contract;
  }

  task(ref: LoopRef): string {
    try {
      return readSmall(this.taskFile(ref)) ?? `(the task is gone: ${this.taskFile(ref)} is missing)`;
    } catch (error) {
      return `(the task cannot be read: ${(error as Error).message})`;
    }
  }

  taskFile(ref: LoopRef): string {
    return join(ref.dir, TASK_FILE);
  }

  taskDigest(ref: LoopRef): { sha256: string; preview: string } {
    const task = this.task(ref);
    return { sha256: sha256(task), preview: oneLine(redact(task.slice(0, 1000)), PREVIEW) };
  }

  receiptFile(ref: LoopRef): string {
    return join(ref.dir, 'receipt.json');
  }

  journalFile(ref: LoopRef): string {
    return join(ref.dir, JOURNAL_FILE);
  }

  append(
    ref: LoopRef,
    build: (state: LoopState) => Entry | undefined,
    { durable = true, first }: AppendOptions = {},
  ): LoopState {
    let endsHere = false;
    const after = withLock(join(ref.dir, 'lock'), () => {
      const { line, text } = this.mendedTail(ref);
      const entry = build(line.state);
      if (!entry) return line.state;
      const isDurable = typeof durable === 'boolean' ? durable : durable(entry);
      const state = this.write(ref, { line, text }, entry, isDurable, first);
      endsHere = hasEnded(state) && !hasEnded(line.state);
      return state;
    });
    if (endsHere) learnFromEnd(this.home, ref, this);
    return after;
  }

  /** The end of the journal, once everything that is wrong with it is mended and recorded. */
  private mendedTail(ref: LoopRef): Tail {
    const tail = this.tail(ref);
    if (!needsMending(tail)) return tail;
    const wasPowerCut = tail.cut > 0 && isOlderThanBoot(this.copyOfEnd(ref));
    if (tail.cut > 0) appendLine(this.journalFile(ref), tail.text, true);
    this.write(ref, tail, entryAbout(tail, wasPowerCut), true);
    return this.tail(ref);
  }

  private write(
    ref: LoopRef,
    last: LastLine | undefined,
    entry: Entry,
    durable: boolean,
    first?: AppendOptions['first'],
  ): LoopState {
    const { text, seq, state } = nextLine(this.key(), last, entry, this.clock.now());
    first?.(state, { lines: seq, lastLineSha256: sha256(text) });
    appendLine(this.journalFile(ref), text, durable);
    writeCopyOfEnd(this.copyOfEnd(ref), text);
    return state;
  }

  private copyOfEnd({ loop }: LoopRef): string {
    return copyOfEndFile(this.home, loop);
  }

  noticeForeignLines(ref: LoopRef): LoopState {
    const tail = this.tail(ref);
    return needsMending(tail) ? this.append(ref, () => undefined) : tail.line.state;
  }

  cache(ref: LoopRef): VerdictCache {
    return verdictCache(join(ref.dir, 'verdicts'), this.key());
  }

  outputDir(ref: LoopRef): string {
    return join(ref.dir, 'output');
  }

  isTrusted(project: string, fingerprint: string): boolean {
    return isTrusted(this.home, project, fingerprint);
  }

  mark(session: string, wanted: boolean): void {
    if (!isSafeId(session)) return;
    const marker = join(this.home.active, session);
    try {
      if (wanted) writeWhole(marker, '');
      else if (existsSync(marker) && !this.hasActiveLoop(session)) unlinkSync(marker);
    } catch (error) {
      // A marker that cannot be removed only costs time: the session's hooks go on to look at the state.
      if (wanted) throw error;
    }
  }

  /**
   * Starts a loop for a session. Throws `LoopExists` when the session owns one that has not ended. The session's record and
   * marker are written last, so that a crash before leaves nobody held.
   */
  create(loop: NewLoop): LoopRef {
    return withLock(`${loopRecordFile(this.home, loop.session)}.lock`, () => {
      const active = this.activeLoopOf(loop.session);
      if (active) throw new LoopExists(active.loop);
      const ref = this.createLoopFiles(loop);
      this.bind(loop.session, loop.project, ref);
      return ref;
    });
  }

  /** Makes the session the owner of this loop: from now on its events belong to it. */
  bind(session: string, project: string, ref: LoopRef): void {
    recordLoop(this.home, project, ref);
    writeLoopRecord(this.home, { v: 1, session, project: realPath(project), loopDir: ref.dir });
    this.mark(session, true);
  }

  unendedLoops(project: string): LoopRef[] {
    return activeLoops(this.home, project, (ref) => this.isActive(ref));
  }

  /** Creates the files of a loop. No session is held yet: that takes `bind`, or a claim on a foreign state. */
  createLoopFiles(loop: NewLoop): LoopRef {
    const dir = join(projectFolder(this.home, loop.project), 'loops', loop.loop);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const ref = { loop: loop.loop, dir };
    writeWhole(this.taskFile(ref), loop.task);
    const contractSha256 = writeFirstContract(dir, loop.contract);
    for (const { name, text } of loop.files ?? []) writeWhole(join(dir, name), text);
    this.write(ref, undefined, startedEntry(loop, contractSha256), true);
    return ref;
  }

  private hasActiveLoop(session: string): boolean {
    return this.activeLoopOf(session) !== undefined || this.claimedLoopsOf(session).length > 0;
  }

  /** The loops that a session pursues for foreign states and that have not ended. */
  claimedLoopsOf(session: string): LoopRef[] {
    return claimsOfSession(this.home, session).flatMap(({ loopDir }) => {
      const ref = loopDir === undefined ? undefined : { loop: basename(loopDir), dir: loopDir };
      return ref && this.isActive(ref) ? [ref] : [];
    });
  }

  activeLoopOf(session: string): LoopRef | undefined {
    try {
      const ref = this.loopOfSession(session);
      return ref && this.isActive(ref) ? ref : undefined;
    } catch (error) {
      if (error instanceof JournalError) return undefined;
      throw error;
    }
  }

  /** Whether a loop has not ended. A paused one counts; one whose journal cannot be read does not. */
  private isActive(ref: LoopRef): boolean {
    try {
      return !hasEnded(this.read(ref));
    } catch (error) {
      if (error instanceof JournalError) return false;
      throw error;
    }
  }

  /** All loops of a project, or of all projects, ended ones included, in no particular order. */
  loops(project?: string): LoopRef[] {
    const folders = project ? [projectFolder(this.home, project)] : subfolders(this.home.projects);
    return folders.flatMap((folder) => this.loopsIn(folder));
  }

  /** All loops of a project, by its folder in the home. */
  loopsIn(folder: string): LoopRef[] {
    return subfolders(join(folder, 'loops')).map((dir) => ({ loop: basename(dir), dir }));
  }

  /** The loop of a Stop that has to be judged; undefined when the session has none that is active. */
  loopToJudge(session: string): LoopRef | undefined {
    const own = this.loopOfSession(session);
    const refs = own ? [own, ...this.claimedLoopsOf(session)] : this.claimedLoopsOf(session);
    return refs.find((ref) => this.read(ref).status === 'active');
  }

  /** What the marker of a session is; `unknown` when that cannot be told. Needs no free file descriptor. */
  markOf(session: string): 'none' | 'empty' | 'measures' | 'unknown' {
    try {
      const stat = isSafeId(session)
        ? statSync(join(this.home.active, session), { throwIfNoEntry: false })
        : undefined;
      if (!stat?.isFile()) return 'none';
      return stat.size > 0 ? 'measures' : 'empty';
    } catch {
      return 'unknown';
    }
  }

  isMarked(session: string): boolean {
    return isSafeId(session) && existsSync(join(this.home.active, session));
  }

  /** Whether the Claude Code process that the session's SessionStart recorded still runs. */
  clientOf(session: string): 'there' | 'gone' | 'unknown' {
    const record = readStartRecord(this.home, session);
    if (!record) return 'unknown';
    return wasRunningAt(record.pid, record.since) ? 'there' : 'gone';
  }

  /** When the session began, as its SessionStart recorded it. */
  sessionSince(session: string): number | undefined {
    return readStartRecord(this.home, session)?.since;
  }

  /** The project of the session, as its SessionStart recorded it. */
  projectOfSession(session: string): string | undefined {
    return readStartRecord(this.home, session)?.project;
  }

  tail(ref: LoopRef): Tail {
    const path = this.journalFile(ref);
    const copy = (check: LineCheck) => readCopyOfEnd(this.copyOfEnd(ref), check);
    const tail = readTail(path, this.key(), this.tails.get(path), copy);
    this.tails.set(path, tail);
    return tail;
  }

  private key(): string {
    this.keyRead ??= readKey(this.home);
    return this.keyRead;
  }
}

function needsMending({ bad, cut, unwritten }: Tail): boolean {
  return bad > 0 || cut > 0 || unwritten;
}

/** What the journal records of its own damage. Nobody is blamed for a power cut. */
function entryAbout({ bad, cut, unwritten }: Tail, wasPowerCut: boolean): Entry {
  const removed = wasPowerCut ? 0 : cut;
  if (bad + removed > 0) return { kind: 'foreign', lines: bad + removed, cut: removed || undefined };
  const lost =
    cut > 0 ? `${cut} lines at the end of this journal were lost` : 'the end of this journal was cut short';
  const mended = unwritten && cut === 0 ? 'the journal goes on after it' : 'the journal goes on from a copy';
  return { kind: 'error', message: `${lost}, probably by a power cut; ${mended}` };
}

export class LoopExists extends Error {
  readonly loop: string;
  constructor(loop: string) {
    super(`this session already has a loop that has not ended: ${loop}`);
    this.loop = loop;
  }
}

function subfolders(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((e) => e.isDirectory())
      .map((e) => join(path, e.name));
  } catch {
    return [];
  }
}
