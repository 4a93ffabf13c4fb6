import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { missedStop } from '../../../engine/core/loop/missed-stop.ts';
import { hasEnded, type LoopState } from '../../../engine/core/loop/state.ts';
import { oneLine } from '../../../engine/core/text/clip.ts';
import { defined } from '../../../engine/core/text/defined.ts';
import { isSafeId } from '../../../engine/core/text/paths.ts';
import { namesIn, readSmall } from '../../../engine/files/whole-file.ts';
import { readFrozenContract } from '../../../engine/home/frozen-contract.ts';
import { readCopyOfEnd } from '../../../engine/home/journal/copy-of-end.ts';
import { readTail, type Tail } from '../../../engine/home/journal/file.ts';
import { copyOfEndFile, type Home, projectFolder, readKey } from '../../../engine/home/layout.ts';
import { readLoopRecord } from '../../../engine/home/records/session-records.ts';
import { FileStore } from '../../../engine/home/store.ts';
import type { LoadedContract, LoopRef } from '../../../engine/ports/ports.ts';
import { type SeeingPorts, seenOf } from '../../loop/look-at-loop.ts';
import { lastContext } from '../view/last-context.ts';
import { needsOf, unreadableNeed } from '../view/needs.ts';
import type { LoopRow, Need, ProjectRow } from '../view/overview-types.ts';
import type { Since } from '../view/requests.ts';
import { type RowFacts, rowOf, sinceOf, unreadableRow } from '../view/row.ts';
import { TrustLook } from './trust.ts';
import type { DashboardPorts } from './world.ts';

/** What is kept of a loop. The state is kept only as long as it has not ended. */
interface Kept {
  ref: LoopRef;
  project: string;
  /** Identifies the content of its journal when it was read. */
  mark: string;
  task: string;
  row: LoopRow;
  needs: Need[];
  /** Of a loop that has not ended. */
  open?: {
    tail: Pick<Tail, 'line'>;
    contract?: LoadedContract;
    context?: number;
    turnEndedAt?: number;
    missedAt?: number;
  };
}

const TASK = 200;

/** All loops of the home, by the ends of their journals. */
export class Loops {
  private readonly kept = new Map<string, Kept>();
  private readonly folders = new Map<string, string | undefined>();
  private readonly only: ReadonlySet<string> | undefined;
  private readonly world: DashboardPorts;
  readonly trust: TrustLook;
  private key: string | undefined;
  private found = 0;
  /** What is wrong with the home itself. */
  problem: string | undefined;

  constructor(world: DashboardPorts) {
    this.world = world;
    this.trust = new TrustLook(world);
    const { only, home } = world;
    this.only =
      only.length > 0 ? new Set(only.map((folder) => basename(projectFolder(home, folder)))) : undefined;
  }

  /** Looks for loops that are new, changed or gone. Returns the ids of those whose row may have changed. */
  rescan(): string[] {
    return [...this.scan()].filter((id) => id !== undefined);
  }

  /**
   * The same, one at a time, so that others get their turn in between; undefined for one that has not changed. What is at
   * work comes first, then the newest.
   */
  *scan(): Generator<string | undefined, void> {
    this.problem = this.problemOfHome();
    const found = new Map<string, [LoopRef, string]>();
    for (const project of this.projectNames())
      for (const ref of loopsIn(join(this.world.home.projects, project))) found.set(ref.loop, [ref, project]);
    this.found = found.size;
    for (const id of [...this.kept.keys()].filter((known) => !found.has(known))) {
      this.kept.delete(id);
      yield id;
    }
    for (const [ref, project] of this.inOrder(found)) yield this.readEnd(ref, project) ? ref.loop : undefined;
  }

  private inOrder(found: ReadonlyMap<string, [LoopRef, string]>): [LoopRef, string][] {
    if (this.kept.size > 0) return [...found.values()];
    const atWork = loopsAtWork(this.world.home);
    const ids = [...found.keys()].sort((a, b) => (a < b ? 1 : -1));
    const first = ids.filter((id) => atWork.has(id));
    return [...first, ...ids.filter((id) => !atWork.has(id))].flatMap((id) => {
      const one = found.get(id);
      return one ? [one] : [];
    });
  }

  /** How many of the loops of the home were read. */
  get progress(): { read: number; of: number } {
    return { read: this.kept.size, of: Math.max(this.found, this.kept.size) };
  }

  private problemOfHome(): string | undefined {
    try {
      this.key = existsSync(this.world.home.root) ? readKey(this.world.home) : undefined;
      return this.key === undefined
        ? 'there is no untildone home yet; it is made by: untildone setup'
        : undefined;
    } catch (error) {
      this.key = undefined;
      return (error as Error).message;
    }
  }

  private projectNames(): string[] {
    return folderNames(this.world.home.projects).filter((name) => this.only?.has(name) ?? true);
  }

  /** Reads the end of one journal again, where it changed. False when nothing did. */
  refresh(id: string): boolean {
    const known = this.kept.get(id);
    return known ? this.readEnd(known.ref, known.project) : false;
  }

  has(id: string): boolean {
    return this.kept.has(id);
  }

  /** Other files have taken the place of what was read. */
  forget(id: string): void {
    const known = this.kept.get(id);
    if (known) this.kept.set(id, { ...known, mark: '' });
  }

  private readEnd(ref: LoopRef, project: string): boolean {
    const before = this.kept.get(ref.loop);
    const path = join(ref.dir, 'journal.jsonl');
    const stat = lstatSync(path, { throwIfNoEntry: false });
    const mark = stat ? `${stat.ino} ${stat.size} ${stat.ctimeMs}` : 'gone';
    if (before?.mark === mark) return false;
    const task = before?.task ?? taskOf(ref);
    try {
      if (stat && !stat.isFile()) throw new Error(`${path} is not a regular file`);
      const key = this.key ?? readKey(this.world.home);
      const copy = (check: Parameters<typeof readCopyOfEnd>[1]) =>
        readCopyOfEnd(copyOfEndFile(this.world.home, ref.loop), check);
      const { line } = readTail(path, key, undefined, copy);
      const kept = { ref, project, mark, task, row: {} as LoopRow, needs: [] };
      const open = hasEnded(line.state)
        ? undefined
        : { ...before?.open, tail: { line }, ...this.contractOf(ref, line.state, before) };
      this.kept.set(ref.loop, { ...kept, ...(open ? { open } : {}) });
      if (open) open.context = lastContext(path, line.entry) ?? open.context;
      this.makeRow(ref.loop, line);
    } catch (error) {
      const problem = (error as Error).message;
      const lastAt = Math.round(stat?.mtimeMs ?? this.world.clock.now());
      const row = unreadableRow({ id: ref.loop, project, task, lastAt }, problem);
      const needs = [unreadableNeed(ref.loop, project, problem, lastAt)];
      this.kept.set(ref.loop, { ref, project, mark, task, row, needs });
    }
    return true;
  }

  private contractOf(
    ref: LoopRef,
    state: LoopState,
    before: Kept | undefined,
  ): { contract?: LoadedContract } {
    const known = before?.open?.contract;
    if (known?.sha256 === state.contractSha256) return { contract: known };
    try {
      return { contract: readFrozenContract(ref.dir, state.contractSha256) };
    } catch {
      return {};
    }
  }

  /** Makes the row of a loop anew from what is known and what is seen now. */
  private makeRow(id: string, line: Tail['line'] | undefined = this.kept.get(id)?.open?.tail.line): void {
    const kept = this.kept.get(id);
    if (!kept || !line) return;
    const { state, entry, seq } = line;
    const contract = kept.open?.contract;
    const last = { entry, seq, at: Date.parse(line.at) };
    const seen = this.world.fleet?.seenOf(id) ?? seenOf(kept.ref, state, contract, this.seeing());
    const { context, turnEndedAt, missedAt } = kept.open ?? {};
    const known: RowFacts = {
      id,
      project: kept.project,
      task: kept.task,
      state,
      last,
      ...seen,
      ...defined({ contract: contract?.contract, folder: contract?.frozen.project }),
      ...defined({ context, turnEndedAt, missedAt }),
    };
    kept.row = rowOf(known, this.world.clock.now());
    kept.needs = needsOf(known);
  }

  private seeing(): SeeingPorts {
    const { home, clock, hooksAt } = this.world;
    return {
      store: new FileStore(home, clock),
      hooksAt,
      isTrusted: (project, fingerprint) => this.trust.isTrusted(project, fingerprint),
    };
  }

  /** Looks again at what no journal tells: processes, markers, the end of a turn. Returns the loops that have not ended. */
  lookAgain(ids: readonly string[] = this.unended()): void {
    for (const id of ids) this.makeRow(id);
  }

  /** Looks at the transcript of a session, which takes longer. */
  lookAtTurn(id: string): void {
    const kept = this.kept.get(id);
    const state = kept?.open?.tail.line.state;
    if (!kept?.open || !state || state.run) return;
    const turnEndedAt = this.world.turnEndOf(state.session);
    kept.open = {
      ...kept.open,
      turnEndedAt,
      missedAt: missedStop(state, state.status === 'active' ? turnEndedAt : undefined),
    };
  }

  unended(): string[] {
    return [...this.kept.values()].filter(({ open }) => open).map(({ ref }) => ref.loop);
  }

  ofSession(session: string): string[] {
    return this.unended().filter((id) => this.kept.get(id)?.open?.tail.line.state.session === session);
  }

  /** Of a loop that has not ended. */
  state(id: string): LoopState | undefined {
    return this.kept.get(id)?.open?.tail.line.state;
  }

  ref(id: string): LoopRef | undefined {
    return isSafeId(id) ? this.kept.get(id)?.ref : undefined;
  }

  row(id: string): LoopRow | undefined {
    return this.kept.get(id)?.row;
  }

  /** What is known of its session since the last request. */
  sinceOf(id: string): Since {
    const kept = this.kept.get(id);
    return sinceOf({ turnEndedAt: kept?.open?.turnEndedAt, alive: kept?.row.owner.alive });
  }

  needsOf(id: string): Need[] {
    return this.needs().filter(({ loop }) => loop === id);
  }

  rows(): LoopRow[] {
    return [...this.kept.values()].map(({ row }) => row);
  }

  needs(): Need[] {
    const ofFleet = this.world.fleet?.needs() ?? [];
    const dead = new Set(ofFleet.map(({ loop }) => loop));
    const ofLoops = [...this.kept.values()].flatMap(({ needs, ref }) => (dead.has(ref.loop) ? [] : needs));
    const told = new Set(ofLoops.flatMap(({ kind, project }) => (kind === 'trust' ? [project] : [])));
    const ofProjects = this.trust.needs().filter(({ project }) => !told.has(project));
    return [...ofFleet, ...ofLoops, ...ofProjects].sort((a, b) => a.since - b.since);
  }

  projects(): ProjectRow[] {
    const rows = new Map(this.trust.rows().map((row) => [row.id, row]));
    for (const { project, open, ref } of this.kept.values()) {
      const row = rows.get(project) ?? this.projectRow(project, ref);
      rows.set(project, { ...row, loops: row.loops + 1, unended: row.unended + (open ? 1 : 0) });
    }
    return [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  private projectRow(id: string, ref: LoopRef): ProjectRow {
    const repo = this.world.fleet?.repoOf(id);
    if (this.world.fleet)
      return { id, name: repo?.name ?? id, ...defined({ path: repo?.url }), loops: 0, unended: 0 };
    const path = this.folderOf(id, ref);
    const name = path === undefined ? id.replace(/-[0-9a-f]{12}$/, '') : basename(path) || path;
    const isGone = path !== undefined && !existsSync(path);
    return {
      id,
      name,
      ...defined({ path }),
      ...(isGone ? { gone: true as const } : {}),
      loops: 0,
      unended: 0,
    };
  }

  private folderOf(project: string, ref: LoopRef): string | undefined {
    if (!this.folders.has(project)) {
      try {
        this.folders.set(project, readFrozenContract(ref.dir, '').frozen.project);
      } catch {
        return undefined;
      }
    }
    return this.folders.get(project);
  }
}

/** The loops whose sessions have a marker: these may hold somebody, or wait for you. */
function loopsAtWork(home: Home): Set<string> {
  const found = new Set<string>();
  for (const name of namesIn(home.active)) {
    try {
      const record = name.includes('.') ? undefined : readLoopRecord(home, name);
      if (record) found.add(basename(record.loopDir));
    } catch {
      // It is read with the others.
    }
  }
  return found;
}

/** Folders only: a link could lead anywhere. */
function folderNames(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function loopsIn(projectDir: string): LoopRef[] {
  const dir = join(projectDir, 'loops');
  if (!lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return [];
  return folderNames(dir)
    .filter(isSafeId)
    .map((loop) => ({ loop, dir: join(dir, loop) }));
}

function taskOf({ dir }: LoopRef): string {
  const file = join(dir, 'task.md');
  try {
    if (!lstatSync(file).isFile()) return '(the task is not a regular file)';
    return oneLine((readSmall(file) ?? '').slice(0, 1000), TASK);
  } catch {
    return '(the task cannot be read)';
  }
}
