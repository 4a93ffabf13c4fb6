/** Looks back on the sessions that hooks have queued: one process at a time, each session once. ADR 35. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseFields, text } from '../../../engine/client/fields.ts';
import { holdLock } from '../../../engine/files/lock.ts';
import { renderProcessId, thisProcess } from '../../../engine/files/process-id.ts';
import { readSmall, writeWhole } from '../../../engine/files/whole-file.ts';
import { lockPaths } from '../../../engine/formats/lock/lock-files.ts';
import { recordsOf } from '../../../engine/formats/lock/records.ts';
import { isReflecting, pendingSession, reflectionPaths } from '../../../engine/formats/lock/reflection.ts';
import { isLockProject } from '../../../engine/formats/lock/reflection-config.ts';
import { filesLock, type Home } from '../../../engine/home/layout.ts';
import {
  dueReflections,
  hasTaken,
  putBackTaken,
  type QueuedReflection,
  queueReflection,
  reflectionsLock,
  takeOff,
} from '../../../engine/home/reflections.ts';
import type { FileStore } from '../../../engine/home/store.ts';
import type { StateChange } from '../../../engine/ports/ports.ts';
import { applyChanges, foreignFiles } from '../../../engine/project/files.ts';
import type { Report, SessionReport } from '../findings/report.ts';
import { homeSummary, isAbout, type SummaryPlace, saveSummary } from '../findings/summary.ts';

export interface QueuePorts {
  home: Home;
  store: Pick<FileStore, 'loopOfSession'>;
  now(): number;
  /** The report on a session, or on its loop with all sessions of it; undefined without a transcript. Reads files of any size. */
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
export async function reflectQueued(world: QueuePorts): Promise<Reflected[] | undefined> {
  const done: Reflected[] = [];
  const tried = new Set<string>();
  const next = () => dueIn(world).find(({ session, queuedAt }) => !tried.has(`${session} ${queuedAt}`));
  // Whoever queues a session while the lock is let go finds it held, and leaves it to this process.
  while (hasTaken(world.home) || next()) {
    const held = holdLock(reflectionsLock(world.home));
    if (!held) return done.length > 0 ? done : undefined;
    try {
      putBackTaken(world.home);
      for (let item = next(); item; item = next()) {
        tried.add(`${item.session} ${item.queuedAt}`);
        done.push(await attempt(item, world));
      }
    } finally {
      held.release();
    }
  }
  return done;
}

/** A transcript that ends this process each time is given up after so many. */
const ATTEMPTS = 3;

/** Counts the attempt before it is made, for a process that is killed cannot. */
async function attempt(item: QueuedReflection, world: QueuePorts): Promise<Reflected> {
  const { session, attempts = 0 } = item;
  const isLast = attempts + 1 >= ATTEMPTS;
  if (attempts < ATTEMPTS) queueReflection(world.home, { ...item, attempts: attempts + 1 });
  const reflected: Reflected =
    attempts < ATTEMPTS
      ? await reflectOn(item, world)
      : { session, outcome: 'failed', saved: [], problems: [`given up after ${attempts} attempts`] };
  log(item, reflected, world);
  if (reflected.outcome !== 'failed' || isLast) takeOff(world.home, item);
  return reflected;
}

/** A session that goes on is left alone until it ends; so is a project in which another tool reflects just now. */
function dueIn({ home, now }: QueuePorts): QueuedReflection[] {
  return dueReflections(home, now()).filter(({ project }) => !isReflecting(project, now(), foreignFiles));
}

async function reflectOn(item: QueuedReflection, world: QueuePorts): Promise<Reflected> {
  const { session, minTurns } = item;
  const sign = begin(item, world);
  try {
    if (isDone(item, world)) return { session, outcome: 'done', saved: [], problems: [] };
    const report = await world.reportOn(item);
    if (!report)
      return { session, outcome: 'no_transcript', saved: [], problems: ['there is no transcript of it'] };
    const turns = Math.max(0, ...report.sessions.filter((one) => one.session === session).map(turnsOf));
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
function turnsOf({ metrics }: SessionReport): number {
  return metrics.assistantMessages;
}

/** The summary of the session's loop, or else its own. */
function placeOf({ project, minTurns }: QueuedReflection, session: string, world: QueuePorts): SummaryPlace {
  const { home, store, now } = world;
  const isMeant = (one: SessionReport) => one.session === session || turnsOf(one) >= minTurns;
  return { home, project, now: now(), loopDir: store.loopOfSession(session)?.dir, isMeant };
}

/** The process before this one may have been killed between the last two steps, or a person has asked for the same. */
function isDone(item: QueuedReflection, world: QueuePorts): boolean {
  const path = homeSummary(placeOf(item, item.session, world), item.session);
  return isAbout(path, item.session, item.queuedAt);
}

/** That the project cannot be written is only told. The session stays queued until the home has its summary. */
function save(
  report: Report,
  item: QueuedReflection,
  world: QueuePorts,
): Pick<Reflected, 'saved' | 'problems'> {
  const place = placeOf(item, item.session, world);
  const { saved, problems } = saveSummary(report, place);
  if (!saved.includes(homeSummary(place, item.session))) throw new Error(problems.join('; '));
  return { saved, problems };
}

/** Shows in a project of document 004 that a reflection is under way, and afterwards that none is pending. */
function begin({ session, project }: QueuedReflection, { home }: QueuePorts): { end(): void } {
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
  // Written as a whole: a lock that names nobody would count for ten minutes.
  change([{ kind: 'edit', path: paths.lock, edit: () => renderProcessId(thisProcess()) }]);
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
function log({ project, queuedAt }: QueuedReflection, reflected: Reflected, world: QueuePorts): void {
  try {
    const path = join(dirname(reflectionsLock(world.home)), 'log.jsonl');
    const line = JSON.stringify({ at: new Date(world.now()).toISOString(), ...reflected });
    const before = (readSmall(path) ?? '').split('\n').filter((line) => line !== '');
    if (before.some((earlier) => saysDone(earlier, reflected.session, queuedAt))) return;
    writeWhole(path, `${[...before, line].slice(-LINES_KEPT).join('\n')}\n`);
    noteInProject(project, reflected, world);
  } catch {
    // The summary itself is what counts.
  }
}

/** Whether a line tells that this request was done: by a process that was killed right after it wrote so. */
function saysDone(line: string, session: string, queuedAt: number): boolean {
  const said = parseFields(line) ?? {};
  return said.session === session && said.outcome === 'done' && Date.parse(text(said, 'at') ?? '') > queuedAt;
}

/** One line in the logs of the session, where the project keeps them as document 004 says. */
function noteInProject(
  project: string,
  { session, outcome, problems }: Reflected,
  { home, now }: QueuePorts,
): void {
  if (!isLockProject(project, existsSync)) return;
  const words = `reflection: ${[outcome.replace('_', ' '), ...problems].join('; ')}`;
  const level = outcome === 'done' && problems.length === 0 ? 'INFO' : 'WARN';
  const changes = recordsOf(project, session, now(), foreignFiles).log(level, 'stop', words);
  applyChanges(changes, filesLock(home), [lockPaths(project).runtime]);
}
