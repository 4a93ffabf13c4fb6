import { existsSync, mkdirSync, readdirSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FrozenContract } from '../core/contract/contract.ts';
import type { Entry } from '../core/loop/entry.ts';
import { hasEnded, type LoopState } from '../core/loop/state.ts';
import { oneLine } from '../core/text/clip.ts';
import { isSafeId } from '../core/text/paths.ts';
import { redact } from '../core/text/redact.ts';
import { sha256 } from '../files/digest.ts';
import { withLock } from '../files/lock.ts';
import { wasRunningAt } from '../files/process-id.ts';
import { readSmall, writeWhole } from '../files/whole-file.ts';
import type { Clock, LoadedContract, LoopRef, NewLoop, Store, VerdictCache } from '../ports/ports.ts';
import { livingLoops, noteLoop } from './active-loops.ts';
import { isTrusted } from './approvals.ts';
import { claimsOfSession } from './claims.ts';
import { parseSessionRecord } from './hook-line.ts';
import { appendAfter, JournalError, readTail, type Tail } from './journal/file.ts';
import { type Home, projectFolder, readKey, realPath } from './layout.ts';
import { verdictCache } from './verdicts.ts';

const TASK_FILE = 'task.md';
const CONTRACT_FILE = 'contract.json';
/** A contract on its way in: written first, named by the journal next, put in place last. */
const NEXT_CONTRACT_FILE = 'contract.next.json';
const JOURNAL_FILE = 'journal.jsonl';
const PREVIEW = 120;

/** What `sessions/<id>.json` says. */
export interface SessionRecord {
  v: 1;
  session: string;
  project: string;
  /** The folder of the loop that the session owns, or owned last. */
  loopDir: string;
}

export class FileStore implements Store {
  private readonly home: Home;
  private readonly clock: Clock;
  /** One hook call asks for these again and again; checking a seal or parsing a contract once is enough. */
  private readonly tails = new Map<string, Tail>();
  private keyRead: string | undefined;
  private contractRead: { dir: string; contract: LoadedContract } | undefined;

  constructor(home: Home, clock: Clock) {
    this.home = home;
    this.clock = clock;
  }

  loopOfSession(session: string): LoopRef | undefined {
    const record = this.sessionRecord(session);
    return record ? { loop: basename(record.loopDir), dir: record.loopDir } : undefined;
  }

  read(ref: LoopRef): LoopState {
    return this.tail(ref).line.state;
  }

  /** The contract that the state names; where none fits, the one that lies there, for the caller to find out. */
  contract(ref: LoopRef): LoadedContract {
    const wanted = this.read(ref).contractSha256;
    const known = this.contractRead;
    if (known?.dir === ref.dir && known.contract.sha256 === wanted) return known.contract;
    const first = digested(join(ref.dir, CONTRACT_FILE));
    const next = first?.sha256 === wanted ? undefined : digested(join(ref.dir, NEXT_CONTRACT_FILE));
    const chosen = next?.sha256 === wanted ? next : (first ?? next);
    if (!chosen) throw new JournalError(`${join(ref.dir, CONTRACT_FILE)} is missing`);
    const contract = { ...parseContract(chosen.text, ref), sha256: chosen.sha256 };
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

  journalEnd(ref: LoopRef): { lines: number; lastLineSha256: string } {
    const { line, text } = this.tail(ref);
    return { lines: line.seq, lastLineSha256: sha256(text) };
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
    { durable = true }: { durable?: boolean | ((entry: Entry) => boolean) } = {},
  ): LoopState {
    const key = this.key();
    return withLock(join(ref.dir, 'lock'), () => {
      const path = this.journalFile(ref);
      let tail = this.tail(ref);
      if (tail.bad > 0) {
        appendAfter(path, key, tail, { kind: 'foreign', lines: tail.bad }, this.clock.now(), true);
        tail = this.tail(ref);
      }
      const entry = build(tail.line.state);
      if (!entry) return tail.line.state;
      const isDurable = typeof durable === 'boolean' ? durable : durable(entry);
      return appendAfter(path, key, tail, entry, this.clock.now(), isDurable);
    });
  }

  noticeForeignLines(ref: LoopRef): LoopState {
    const tail = this.tail(ref);
    return tail.bad === 0 ? tail.line.state : this.append(ref, () => undefined);
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
      else if (existsSync(marker) && !this.hasLivingLoop(session)) unlinkSync(marker);
    } catch (error) {
      if (wanted) throw error;
      // Gone already; and one that cannot be removed only costs the session's hooks a look at the state.
    }
  }

  /** Starts a loop for a session that has none alive. The record comes last: before it, nothing is held. */
  create(loop: NewLoop): LoopRef {
    const sessionFile = this.sessionFile(loop.session);
    return withLock(`${sessionFile}.lock`, () => {
      const alive = this.aliveLoopOf(loop.session);
      if (alive) throw new LoopExists(alive.loop);
      const ref = this.layDown(loop);
      this.bind(loop.session, loop.project, ref);
      return ref;
    });
  }

  /** From now on the session's events belong to this loop. */
  bind(session: string, project: string, ref: LoopRef): void {
    const record: SessionRecord = { v: 1, session, project: realPath(project), loopDir: ref.dir };
    noteLoop(this.home, project, ref);
    writeWhole(this.sessionFile(session), `${JSON.stringify(record)}\n`);
    this.mark(session, true);
  }

  unendedLoops(project: string): LoopRef[] {
    return livingLoops(this.home, project, (ref) => this.isAlive(ref));
  }

  /** The files of a loop that nobody owns yet: a session's record, or a claim on a foreign state, comes after. */
  layDown(loop: NewLoop): LoopRef {
    const dir = join(projectFolder(this.home, loop.project), 'loops', loop.loop);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const ref = { loop: loop.loop, dir };
    const contract = renderContract(loop.contract);
    writeWhole(this.taskFile(ref), loop.task);
    writeWhole(join(dir, CONTRACT_FILE), contract);
    for (const { name, text } of loop.files ?? []) writeWhole(join(dir, name), text);
    const entry = startedEntry(loop, contract);
    appendAfter(this.journalFile(ref), this.key(), undefined, entry, this.clock.now(), true);
    return ref;
  }

  private hasLivingLoop(session: string): boolean {
    return this.aliveLoopOf(session) !== undefined || this.claimedLoopsOf(session).length > 0;
  }

  /** The living loops that a session pursues for foreign states. */
  claimedLoopsOf(session: string): LoopRef[] {
    return claimsOfSession(this.home, session).flatMap(({ loopDir }) => {
      const ref = loopDir === undefined ? undefined : { loop: basename(loopDir), dir: loopDir };
      return ref && this.isAlive(ref) ? [ref] : [];
    });
  }

  aliveLoopOf(session: string): LoopRef | undefined {
    try {
      const ref = this.loopOfSession(session);
      return ref && this.isAlive(ref) ? ref : undefined;
    } catch (error) {
      if (error instanceof JournalError) return undefined;
      throw error;
    }
  }

  private isAlive(ref: LoopRef): boolean {
    try {
      return !hasEnded(this.read(ref));
    } catch (error) {
      if (error instanceof JournalError) return false;
      throw error;
    }
  }

  /** Every loop of a project, or of all projects; in no particular order. */
  loops(project?: string): LoopRef[] {
    const folders = project ? [projectFolder(this.home, project)] : subfolders(this.home.projects);
    return folders.flatMap((folder) =>
      subfolders(join(folder, 'loops')).map((dir) => ({ loop: basename(dir), dir })),
    );
  }

  sessionRecord(session: string): SessionRecord | undefined {
    if (!isSafeId(session)) return undefined;
    const text = readSmall(this.sessionFile(session));
    if (text === undefined) return undefined;
    const record = parseRecord(text);
    // Silence would look like a session without a loop.
    if (record?.session !== session) throw new JournalError(`${this.sessionFile(session)} is damaged`);
    return record;
  }

  isMarked(session: string): boolean {
    return isSafeId(session) && existsSync(join(this.home.active, session));
  }

  /** Whether the client that the session's SessionStart recorded is still there. */
  clientOf(session: string): 'there' | 'gone' | 'unknown' {
    const record = this.clientRecord(session);
    if (!record) return 'unknown';
    return wasRunningAt(record.pid, record.since) ? 'there' : 'gone';
  }

  /** When the session's SessionStart was recorded. */
  sessionSince(session: string): number | undefined {
    return this.clientRecord(session)?.since;
  }

  /** The project that the session's SessionStart recorded (a line of the installed hook writes it). */
  projectOfSession(session: string): string | undefined {
    return this.clientRecord(session)?.project;
  }

  /** What is no such record (torn, a folder, not readable) is none: nothing depends on it alone. */
  private clientRecord(session: string): { project: string; pid: number; since: number } | undefined {
    if (!isSafeId(session)) return undefined;
    const file = join(this.home.sessions, `${session}.at`);
    try {
      const record = parseSessionRecord(readSmall(file) ?? '');
      return record ? { ...record, since: statSync(file).mtimeMs } : undefined;
    } catch {
      return undefined;
    }
  }

  tail(ref: LoopRef): Tail {
    const path = this.journalFile(ref);
    const tail = readTail(path, this.key(), this.tails.get(path));
    this.tails.set(path, tail);
    return tail;
  }

  private key(): string {
    this.keyRead ??= readKey(this.home);
    return this.keyRead;
  }

  private sessionFile(session: string): string {
    return join(this.home.sessions, `${session}.json`);
  }
}

export class LoopExists extends Error {
  readonly loop: string;
  constructor(loop: string) {
    super(`this session already has a living loop: ${loop}`);
    this.loop = loop;
  }
}

function parseRecord(text: string): SessionRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<SessionRecord> | null;
    return typeof record?.loopDir === 'string' ? (record as SessionRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** Changes a loop's contract so that a crash at any point leaves one that the journal names. */
export function writeFrozenContract(
  ref: LoopRef,
  contract: FrozenContract,
  journal: (contractSha256: string) => void,
): void {
  const text = renderContract(contract);
  writeWhole(join(ref.dir, NEXT_CONTRACT_FILE), text);
  journal(sha256(text));
  renameSync(join(ref.dir, NEXT_CONTRACT_FILE), join(ref.dir, CONTRACT_FILE));
}

function digested(file: string): { text: string; sha256: string } | undefined {
  const text = readSmall(file);
  return text === undefined ? undefined : { text, sha256: sha256(text) };
}

function renderContract(contract: FrozenContract): string {
  return `${JSON.stringify(contract)}\n`;
}

function parseContract(text: string, ref: LoopRef): FrozenContract {
  try {
    const value = JSON.parse(text) as Partial<FrozenContract>;
    if (value.contract?.limits && Array.isArray(value.contract.done) && value.frozen)
      return value as FrozenContract;
  } catch {
    // Said below, like every other damage.
  }
  throw new JournalError(`${join(ref.dir, CONTRACT_FILE)} is damaged`);
}

function startedEntry(loop: NewLoop, contract: string): Entry {
  return {
    kind: 'started',
    loop: loop.loop,
    session: loop.session,
    project: realPath(loop.project),
    dialect: loop.dialect,
    task: {
      preview: oneLine(redact(loop.task.slice(0, 1000)), PREVIEW),
      bytes: Buffer.byteLength(loop.task),
      sha256: sha256(loop.task),
    },
    contractSha256: sha256(contract),
    maxIterations: loop.contract.contract.limits.iterations,
    transcriptOffset: loop.transcriptOffset,
    baseTree: loop.baseTree,
    baseCommit: loop.baseCommit,
    basePassing: loop.basePassing ? (true as const) : undefined,
    costTotalUsd: loop.costTotalUsd,
    run: loop.run,
  };
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
