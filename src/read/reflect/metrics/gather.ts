/** Reads what the figures are made of: journals, lines of hook calls, transcripts. A line at a time, in bounded memory. */

import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { figureFiles, type HookFigure, parseFigure } from '../../../engine/home/hook-figures.ts';
import { JournalScan } from '../../../engine/home/journal/scan.ts';
import { type Home, readKey, realPath } from '../../../engine/home/layout.ts';
import type { FileStore } from '../../../engine/home/store.ts';
import type { LoopRef } from '../../../engine/ports/ports.ts';
import type { SessionFiles } from '../reading/files.ts';
import type { ReadingCounts, SeeRecord } from '../reading/records.ts';
import { Figures } from './figures.ts';

export interface StatsScope {
  /** Lines before this time do not count. */
  since: number;
  /** Absent: all projects. */
  project?: string;
  loops: readonly LoopRef[];
}

export interface StatsPorts {
  home: Home;
  store: Pick<FileStore, 'journalFile'>;
  /** The transcripts of a session and of its subagents; undefined when there are none. */
  filesOf(session: string): Pick<SessionFiles, 'transcript' | 'subagents'> | undefined;
  readTranscript(path: string, see: SeeRecord): ReadingCounts;
}

/** What was read, and what could not be. */
export interface StatsRead {
  journals: number;
  /** Journals, or lines of them, that could not be read. */
  unreadable: number;
  transcripts: number;
  bytes: number;
  hookLines: number;
  badLines: number;
}

export interface Gathered {
  figures: Figures;
  read: StatsRead;
}

export async function gatherFigures(scope: StatsScope, world: StatsPorts): Promise<Gathered> {
  const figures = new Figures();
  const read: StatsRead = {
    journals: 0,
    unreadable: 0,
    transcripts: 0,
    bytes: 0,
    hookLines: 0,
    badLines: 0,
  };
  for (const ref of scope.loops) await readJournal(ref, scope, world, { figures, read });
  await readHookLines(scope, world, { figures, read });
  for (const session of [...figures.sessions]) readSession(session, scope, world, { figures, read });
  return { figures, read };
}

async function readJournal(
  ref: LoopRef,
  { since }: StatsScope,
  world: StatsPorts,
  into: Gathered,
): Promise<void> {
  const path = world.store.journalFile(ref);
  if (writtenAt(path) < since) return;
  const loop = into.figures.loop(since);
  try {
    for await (const scanned of new JournalScan(path, readKey(world.home)).next()) {
      if (scanned.ok) loop.line(scanned.line);
      else into.read.unreadable++;
    }
    into.read.journals++;
  } catch {
    into.read.unreadable++;
  }
  loop.end();
}

function writtenAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

async function readHookLines(
  { since, project }: StatsScope,
  { home }: StatsPorts,
  { figures, read }: Gathered,
) {
  const isMeant = meantBy(project === undefined ? undefined : [project]);
  const { badLines, unreadable } = await eachHookCall(home, since, (figure) => {
    if (!isMeant(figure.project)) return;
    read.hookLines++;
    figures.hookCall(figure);
  });
  read.badLines += badLines;
  read.unreadable += unreadable;
}

/** Reads the lines of hook calls since a time. Returns what could not be read. */
export async function eachHookCall(
  home: Home,
  since: number,
  take: (figure: HookFigure) => void,
): Promise<Pick<StatsRead, 'badLines' | 'unreadable'>> {
  const read = { badLines: 0, unreadable: 0 };
  for (const path of figureFiles(home)) {
    if (writtenAt(path) < since) continue;
    try {
      for await (const line of createInterface({
        input: createReadStream(path),
        crlfDelay: Number.POSITIVE_INFINITY,
      })) {
        const figure = parseFigure(line);
        if (!figure) read.badLines += line === '' ? 0 : 1;
        else if (figure.at >= since) take(figure);
      }
    } catch {
      read.unreadable++;
    }
  }
  return read;
}

/** Whether a session that was started in a folder belongs to one of these projects: there, or below it. */
export function meantBy(projects: readonly string[] | undefined): (folder: string) => boolean {
  const known = new Map<string, boolean>();
  return (folder) => {
    if (projects === undefined) return true;
    const before = known.get(folder);
    if (before !== undefined) return before;
    const real = realPath(folder);
    const isMeant = projects.some((project) => real === project || real.startsWith(`${project}/`));
    if (known.size < 10_000) known.set(folder, isMeant);
    return isMeant;
  };
}

function readSession(
  session: string,
  { since }: StatsScope,
  world: StatsPorts,
  { figures, read }: Gathered,
): void {
  const { transcript, subagents = [] } = world.filesOf(session) ?? {};
  for (const path of [...(transcript === undefined ? [] : [transcript]), ...subagents]) {
    if (writtenAt(path) < since) continue;
    const open = new Map<string, string>();
    const { bytes, badLines, problem } = world.readTranscript(path, (record) => {
      // A subagent has a context of its own: that of the session did not run full.
      if (path !== transcript && record.kind === 'compaction') return;
      if ((record.at ?? Number.POSITIVE_INFINITY) >= since) figures.record(record, open);
    });
    read.bytes += bytes;
    read.badLines += badLines;
    if (problem === undefined) read.transcripts++;
    else read.unreadable++;
  }
}
