/** Audits one session: the task that is shared out to threads. */

import type { CheckKind } from '../../../engine/core/commands/check-names.ts';
import type { SessionFiles } from '../reading/files.ts';
import { readTranscript } from '../reading/read-transcript.ts';
import type { ReadingCounts } from '../reading/records.ts';
import { type SessionTurn, SessionTurns, type TimedEvent, WorkEvents } from './session-turns.ts';
import { isInside } from './worked-on.ts';

export interface AuditOptions {
  /** Leaves out turns that ended before. */
  since?: number;
  /** Only turns of these folders and what is inside of them. */
  projects?: string[];
}

/** A turn that edited files of the work. */
export interface AuditedTurn extends SessionTurn {
  session: string;
  /** The transcript and those of subagents; `file` of an edit or a run is an index into it. */
  files: string[];
}

export interface SessionAudit {
  turns: AuditedTurn[];
  /** Turns that edited nothing. */
  withoutEdits: number;
  /** Kinds of checks of which a run in this session looked at everything, by project. */
  wide: Record<string, CheckKind[]>;
  bytes: number;
  lines: number;
  badLines: number;
  problems: { path: string; why: string }[];
}

export function auditSession(
  files: SessionFiles,
  options: AuditOptions,
  progress: (bytes: number) => void,
): SessionAudit {
  const found: SessionAudit = {
    turns: [],
    withoutEdits: 0,
    wide: {},
    bytes: 0,
    lines: 0,
    badLines: 0,
    problems: [],
  };
  if (files.transcript === undefined) return found;
  const paths = [files.transcript, ...files.subagents];
  const wide = new Map<string, Set<CheckKind>>();
  const turns = new SessionTurns(subagentEvents(paths, found, progress), (turn) => {
    const kinds = wide.get(turn.cwd ?? '') ?? new Set();
    wide.set(turn.cwd ?? '', kinds);
    for (const kind of turn.wide) kinds.add(kind);
    if (!isWanted(turn, files.modified, options)) return;
    if (turn.judged) found.turns.push({ ...turn, session: files.session, files: paths });
    else found.withoutEdits++;
  });
  const counts = readTranscript(files.transcript, (record) => turns.see(record), progress);
  turns.end();
  addCounts(found, files.transcript, counts);
  for (const [project, kinds] of wide) found.wide[project] = [...kinds];
  return found;
}

/** What subagents edited and ran, oldest first. What has no time is left out: it belongs to no turn. */
function subagentEvents(
  [, ...paths]: readonly string[],
  found: SessionAudit,
  progress: (bytes: number) => void,
): TimedEvent[] {
  const events: TimedEvent[] = [];
  paths.forEach((path, i) => {
    let root: string | undefined;
    let at: number | undefined;
    const work = new WorkEvents(i + 1, {
      root: () => root,
      take: (event) => {
        if (at !== undefined) events.push({ at, event });
      },
    });
    const counts = readTranscript(
      path,
      (record) => {
        root ??= record.where.cwd;
        at = record.at ?? at;
        work.see(record);
      },
      progress,
    );
    work.endTurn();
    addCounts(found, path, counts);
  });
  return events.sort((a, b) => a.at - b.at);
}

function addCounts(found: SessionAudit, path: string, counts: ReadingCounts): void {
  found.bytes += counts.bytes;
  found.lines += counts.lines;
  found.badLines += counts.badLines;
  if (counts.problem !== undefined) found.problems.push({ path, why: counts.problem });
}

/** A turn without a time was written when its file was, as far as anybody can tell. */
function isWanted(turn: SessionTurn, modified: number, { since, projects }: AuditOptions): boolean {
  if (since !== undefined && (turn.endedAt ?? modified) < since) return false;
  return (
    projects === undefined || projects.some((folder) => turn.cwd !== undefined && isInside(turn.cwd, folder))
  );
}
