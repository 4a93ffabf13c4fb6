/** Looks back on the sessions that hooks have queued: one process at a time, each session once. ADR 35. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { jsonText } from '../../core/text/visible.ts';
import { holdLock } from '../../files/lock.ts';
import { renderProcessId, thisProcess } from '../../files/process-id.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import { lockPaths } from '../../formats/lock/lock-files.ts';
import { recordsOf } from '../../formats/lock/records.ts';
import { isReflecting, pendingSession, reflectionPaths } from '../../formats/lock/reflection.ts';
import { filesLock, type Home, projectFolder } from '../../home/layout.ts';
import {
  dueReflections,
  type QueuedReflection,
  queueReflection,
  reflectionsLock,
  takeOff,
} from '../../home/reflections.ts';
import type { FileStore } from '../../home/store.ts';
import type { StateChange } from '../../ports/ports.ts';
import { applyChanges, foreignFiles } from '../../project/files.ts';
import type { Report } from '../findings/report.ts';
import { isLockProject, saveSummary, summaryJson } from '../findings/summary.ts';

export interface QueueWorld {
  home: Home;
  store: Pick<FileStore, 'loopOfSession'>;
  now(): number;
  /** The report on one session; undefined when there is no transcript of it. Reads files of any size. */
  reportOn(item: QueuedReflection): Promise<Report | undefined>;
}

/** What became of a queued session. */
export interface Reflected {
  session: string;
  outcome: 'done' | 'too_short' | 'no_transcript' | 'failed';
  saved: string[];
  problems: string[];
}

/** Undefined when another process does it already. */
export async function reflectQueued(world: QueueWorld): Promise<Reflected[] | undefined> {
  if (dueIn(world).length === 0) return [];
  const held = holdLock(reflectionsLock(world.home));
  if (!held) return undefined;
  const done: Reflected[] = [];
  try {
    const tried = new Set<string>();
    const next = () => dueIn(world).find(({ session, queuedAt }) => !tried.has(`${session} ${queuedAt}`));
    // More may be queued meanwhile, by hooks which found this one at work.
    for (let item = next(); item; item = next()) {
      tried.add(`${item.session} ${item.queuedAt}`);
      const reflected = await attempt(item, world);
      done.push(reflected);
      log(item.project, reflected, world);
      if (reflected.outcome !== 'failed' || (item.attempts ?? 0) + 1 >= ATTEMPTS) takeOff(world.home, item);
    }
    return done;
  } finally {
    held.release();
  }
}

/** A transcript that ends this process each time is given up after so many. */
const ATTEMPTS = 3;

/** Counts the attempt before it is made, for a process that is killed cannot. */
async function attempt(item: QueuedReflection, world: QueueWorld): Promise<Reflected> {
  const { session, attempts = 0 } = item;
  if (attempts >= ATTEMPTS) {
    takeOff(world.home, item);
    return { session, outcome: 'failed', saved: [], problems: [`given up after ${attempts} attempts`] };
  }
  queueReflection(world.home, { ...item, attempts: attempts + 1 });
  return reflectOn(item, world);
}

/** A session that goes on is left alone until it ends; so is a project in which another tool reflects just now. */
function dueIn({ home, now }: QueueWorld): QueuedReflection[] {
  return dueReflections(home, now()).filter(({ project }) => !isReflecting(project, now(), foreignFiles));
}

async function reflectOn(item: QueuedReflection, world: QueueWorld): Promise<Reflected> {
  const { session, minTurns } = item;
  if (isDone(item, world)) return { session, outcome: 'done', saved: [], problems: [] };
  const sign = begin(item, world);
  try {
    const report = await world.reportOn(item);
    if (!report)
      return { session, outcome: 'no_transcript', saved: [], problems: ['there is no transcript of it'] };
    const turns = turnsOf(report);
    if (turns < minTurns)
      return {
        session,
        outcome: 'too_short',
        saved: [],
        problems: [`${turns} turns; min_turns is ${minTurns}`],
      };
    return { session, outcome: 'done', ...save(report, item, world) };
  } catch (error) {
    return { session, outcome: 'failed', saved: [], problems: [(error as Error).message] };
  } finally {
    sign.end();
  }
}

/** A turn is one answer of the model, as Claude Code counts them in `num_turns`. */
function turnsOf({ metrics }: Report): number {
  return metrics.assistantMessages;
}

/** Where the summary is always kept: in the folder of the session's loop, or of its project, in the home. */
function ownFile({ session, project }: QueuedReflection, { home, store }: QueueWorld): string {
  const ref = store.loopOfSession(session);
  return ref
    ? join(ref.dir, 'reflection.json')
    : join(projectFolder(home, project), 'reflections', `${session}.json`);
}

/** The process before this one may have been killed between the last two steps. */
function isDone(item: QueuedReflection, world: QueueWorld): boolean {
  const saved = statSync(ownFile(item, world), { throwIfNoEntry: false });
  return saved !== undefined && saved.mtimeMs > item.queuedAt;
}

/** What is kept in the project comes first: whoever finds our own file knows that all is there. */
function save(
  report: Report,
  item: QueuedReflection,
  world: QueueWorld,
): Pick<Reflected, 'saved' | 'problems'> {
  const { saved, problems } = saveSummary(report, {
    home: world.home,
    project: item.project,
    now: world.now(),
  });
  const path = ownFile(item, world);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeWhole(path, `${jsonText(summaryJson(report, item.session, []), 2)}\n`);
  return { saved: [...saved, path], problems };
}

/** Shows in a project of document 004 that a reflection is under way, and afterwards that none is pending. */
function begin({ session, project }: QueuedReflection, { home }: QueueWorld): { end(): void } {
  const paths = reflectionPaths(project);
  const { runtime } = lockPaths(project);
  if (foreignFiles.look(paths.folder)?.kind !== 'folder') return { end: () => undefined };
  const change = (changes: StateChange[]) => {
    try {
      applyChanges(changes, filesLock(home), [runtime]);
    } catch {
      // The signs are for others: the queue and its lock lie in the home.
    }
  };
  change([
    { kind: 'append', path: paths.lock, text: '' },
    { kind: 'edit', path: paths.lock, edit: () => renderProcessId(thisProcess()) },
  ]);
  return {
    end() {
      const pending = foreignFiles.read(paths.pending);
      const isOurs = pending.kind === 'text' && pendingSession(pending.text) === session;
      change([
        { kind: 'remove', path: paths.lock },
        ...(isOurs ? [{ kind: 'remove', path: paths.pending } as const] : []),
      ]);
    },
  };
}

const LINES_KEPT = 200;

/** Keeps what became of the last sessions: nobody sees what a process in the background prints. */
function log(project: string, reflected: Reflected, world: QueueWorld): void {
  try {
    const path = join(dirname(reflectionsLock(world.home)), 'log.jsonl');
    const line = JSON.stringify({ at: new Date(world.now()).toISOString(), ...reflected });
    const before = (readSmall(path) ?? '').split('\n').filter((text) => text !== '');
    writeWhole(path, `${[...before, line].slice(-LINES_KEPT).join('\n')}\n`);
    noteInProject(project, reflected, world);
  } catch {
    // The summary itself is what counts.
  }
}

/** One line in the logs of the session, where the project keeps them as document 004 says. */
function noteInProject(
  project: string,
  { session, outcome, problems }: Reflected,
  { home, now }: QueueWorld,
): void {
  if (!isLockProject(project)) return;
  const words = `reflection: ${[outcome.replace('_', ' '), ...problems].join('; ')}`;
  const level = outcome === 'done' && problems.length === 0 ? 'INFO' : 'WARN';
  const changes = recordsOf(project, session, now(), foreignFiles).log(level, 'stop', words);
  applyChanges(changes, filesLock(home), [lockPaths(project).runtime]);
}
