import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseFields } from '../../engine/client/fields.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { readKey, realPath } from '../../engine/home/layout.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import { analyseSession, traceOf, traceParts } from '../../read/reflect/findings/analyse.ts';
import { analyseLoop } from '../../read/reflect/findings/analyse-loop.ts';
import { readSessions } from '../../read/reflect/findings/read-sessions.ts';
import {
  type LoopReport,
  type Report,
  reportOf,
  type Scope,
  type SessionReport,
} from '../../read/reflect/findings/report.ts';
import { noTrace } from '../../read/reflect/findings/trace.ts';
import { firstLine, isTraceLine, readTrace, readTraces } from '../../read/reflect/findings/trace-files.ts';
import { folderNameOf, type SessionFiles } from '../../read/reflect/reading/files.ts';
import type { Target } from './target.ts';

export interface LookOptions {
  frustration: boolean;
  /** For the sessions of a project: how long ago at most. */
  sinceMs: number;
  /** Reading begins: how many bytes there are, and of what. */
  begin: (bytes: number, what: string) => void;
  /** Reports the bytes that were read since the last call. */
  progress: (bytes: number) => void;
}

/** What was found, and where its summary belongs. */
export interface Looked {
  report: Report;
  loopDir?: string;
  /** The folder of the sessions; absent: the project that the command was called in. */
  project?: string;
}

/** Looks back on what was named. */
export async function lookAt(
  target: Target,
  world: ProjectPorts,
  sessions: readonly SessionFiles[],
  options: LookOptions,
): Promise<Looked> {
  const now = world.clock.now();
  if (target.kind === 'loop') return lookAtLoop(target.ref, world, sessions, options);
  if (target.kind === 'file') {
    const report = lookAtFile(target.path, now, options);
    // A file from anywhere does not decide where something is written.
    const isOurs = report.sessions.every(({ cwd }) => cwd !== undefined && realPath(cwd) === world.project);
    return isOurs ? { report } : { report, project: '' };
  }
  const read = await readAll([target.files], options);
  return {
    project: read[0]?.cwd,
    report: reportOf({
      scope: { kind: 'session', id: target.files.session },
      at: now,
      sessions: read,
      trace: traceOf(read[0]?.cwd ?? world.project, read),
    }),
  };
}

function lookAtFile(path: string, now: number, options: LookOptions): Report {
  const scope: Scope = { kind: 'file', id: path };
  let first: string | undefined;
  try {
    first = firstLine(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (first === undefined) throw new NothingToReflectOn(`${path} is empty: there is nothing to reflect on`);
  if (isTraceLine(parseFields(first))) {
    const reading = { figures: noTrace(), problems: [] };
    readTrace(path, reading);
    return reportOf({ scope, at: now, sessions: [], trace: traceParts(reading) });
  }
  options.begin(statSync(path).size, 'one file');
  const session = analyseSession(
    { transcript: path },
    { frustration: options.frustration },
    options.progress,
  );
  const { problems } = session.reading;
  if (problems.length > 0) throw new UsageError(`${problems.join('; ')}`);
  const { userMessages, assistantMessages, toolUses } = session.metrics;
  if (userMessages + assistantMessages + toolUses === 0)
    throw new UsageError(
      `${path} is no transcript of Claude Code: none of its ${session.reading.lines} lines is a message. Transcripts are the .jsonl files below ~/.claude/projects`,
    );
  return reportOf({ scope, at: now, sessions: [session] });
}

async function lookAtLoop(
  ref: LoopRef,
  { store, home, clock, project }: ProjectPorts,
  sessions: readonly SessionFiles[],
  options: LookOptions,
): Promise<Looked> {
  // What is written while it is read belongs to the next reflection.
  const at = clock.now();
  const loop = await analyseLoop(ref.loop, store.journalFile(ref), readKey(home));
  const wanted = new Set(loop.sessions);
  const read = await readAll(
    sessions.filter(({ session }) => wanted.has(session)),
    options,
  );
  const missing = loop.sessions.filter((id) => !read.some(({ session }) => session === id));
  const problems = missing.map((id) => `session ${id}: Claude Code keeps no transcript of it (any more)`);
  return {
    loopDir: ref.dir,
    project: projectOfLoop(ref, store),
    report: reportOf({
      scope: { kind: 'loop', id: ref.loop },
      at,
      sessions: read,
      loops: [{ ...loop, problems: [...loop.problems, ...problems] }],
      trace: traceOf(projectOfLoop(ref, store) ?? project, read),
    }),
  };
}

function projectOfLoop(ref: LoopRef, store: ProjectPorts['store']): string | undefined {
  try {
    return store.contract(ref).frozen.project;
  } catch {
    return undefined;
  }
}

/** The sessions and loops of this project since a while. */
export async function lookAtProject(
  world: ProjectPorts,
  sessions: readonly SessionFiles[],
  options: LookOptions,
): Promise<Looked> {
  const now = world.clock.now();
  const since = now - options.sinceMs;
  const recent = await readAll(
    sessions.filter(({ modified }) => modified >= since),
    options,
  );
  const read = recent.filter(
    (session) => (session.metrics.endedAt ?? since) >= since && isOf(world.project, session),
  );
  const loops = await loopsSince(world, since);
  if (read.length === 0 && loops.length === 0)
    throw new NothingToReflectOn(
      `no session and no loop of ${world.project} since ${new Date(since).toISOString().slice(0, 10)}: look further back with --since 30d, or name a session, a loop or a file`,
    );
  const trace = readTraces(world.project, since);
  return {
    report: reportOf({
      scope: { kind: 'project', id: world.project, since },
      at: now,
      sessions: read,
      loops,
      trace: traceParts(trace),
    }),
  };
}

/**
 * Names of folders in `projects` do not tell `a/b` from `a-b`: the folder that a session began in does. That of a transcript
 * which was moved here says nothing.
 */
function isOf(project: string, { cwd, file }: SessionReport): boolean {
  if (cwd === undefined) return true;
  const begun = realPath(cwd);
  if (begun === project || begun.startsWith(`${project}/`)) return true;
  const folder = basename(dirname(file));
  return folder === folderNameOf(project) && folder !== folderNameOf(cwd);
}

async function readAll(
  files: readonly SessionFiles[],
  { frustration, begin, progress }: LookOptions,
): Promise<SessionReport[]> {
  const what = files.length === 1 ? 'one session' : `${files.length} sessions`;
  begin(
    files.reduce((sum, { bytes }) => sum + bytes, 0),
    what,
  );
  return readSessions(files, { frustration }, progress);
}

async function loopsSince({ store, home, project }: ProjectPorts, since: number): Promise<LoopReport[]> {
  const recent = store.loops(project).filter((ref) => {
    try {
      return store.read(ref).lastAt >= since;
    } catch {
      return false;
    }
  });
  const reports: LoopReport[] = [];
  for (const ref of recent) reports.push(await analyseLoop(ref.loop, store.journalFile(ref), readKey(home)));
  return reports;
}

/** There is nothing to look back on, which is no mistake: exit code 1. */
export class NothingToReflectOn extends Error {
  override name = 'NothingToReflectOn';
}
