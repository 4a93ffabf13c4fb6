import { isSafeId } from '../../core/text/paths.ts';
import { jsonText } from '../../core/text/visible.ts';
import { livenessOf, parseProcessId } from '../../files/process-id.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import { lockPaths } from './lock-files.ts';
import { iso, leadsAway, recordsOf, reflectionTriggered } from './records.ts';

/** Where the format keeps what is queued, and a sign that a reflection is under way. */
export function reflectionPaths(folder: string): { folder: string; pending: string; lock: string } {
  const inner = `${lockPaths(folder).runtime}/reflection`;
  return { folder: inner, pending: `${inner}/.reflection_pending`, lock: `${inner}/.reflection_lock` };
}

/** What `.reflection_pending` says. */
interface PendingReflection {
  session_id: string;
  timestamp: string;
  trigger: 'session_end';
  transcript_path: string | null;
  min_turns: number;
}

/** A lock of others that is older is left over from a reflection that was killed. */
const LOCK_MS = 10 * 60_000;

/** Whether somebody reflects in this project just now. A lock of ours names its process. */
export function isReflecting(folder: string, now: number, files: ForeignFiles): boolean {
  const path = reflectionPaths(folder).lock;
  const there = files.look(path);
  if (there === undefined || now - there.mtimeMs >= LOCK_MS) return false;
  const read = files.read(path);
  const owner = read.kind === 'text' ? parseProcessId(read.text) : undefined;
  return owner === undefined || livenessOf(owner) !== 'dead';
}

/** The session that a marker names; undefined for a marker of others that names none. */
export function pendingSession(text: string): string | undefined {
  try {
    const { session_id } = JSON.parse(text) as { session_id?: unknown };
    return typeof session_id === 'string' && isSafeId(session_id) ? session_id : undefined;
  } catch {
    return undefined;
  }
}

/** The changes that queue a reflection as the format does: the marker, unless one is under way, and the count. */
export function pendingChanges(
  folder: string,
  {
    session,
    transcript,
    minTurns,
    now,
  }: { session: string; transcript?: string; minTurns: number; now: number },
  files: ForeignFiles,
): StateChange[] {
  const paths = reflectionPaths(folder);
  const { runtime } = lockPaths(folder);
  if (files.look(runtime)?.kind !== 'folder' || leadsAway(paths.folder, runtime, files)) return [];
  const records = recordsOf(folder, session, now, files);
  const pending: PendingReflection = {
    session_id: session,
    timestamp: iso(now),
    trigger: 'session_end',
    transcript_path: transcript ?? null,
    min_turns: minTurns,
  };
  const unseen: StateChange[] =
    files.look(paths.folder) === undefined
      ? [{ kind: 'append', path: `${paths.folder}/.gitignore`, text: '*\n' }]
      : [];
  const marker: StateChange[] = isReflecting(folder, now, files)
    ? []
    : [
        // The addition of nothing makes the folder.
        { kind: 'append', path: paths.pending, text: '' },
        { kind: 'edit', path: paths.pending, edit: () => `${jsonText(pending)}\n` },
      ];
  return [...unseen, ...marker, ...reflectionTriggered(records)];
}
