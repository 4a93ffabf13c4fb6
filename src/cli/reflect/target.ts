import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../engine/core/text/errors.ts';
import type { FileStore } from '../../engine/home/store.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import type { SessionFiles } from '../../read/reflect/reading/files.ts';

/** What `untildone reflect` is asked to look at. */
export type Target =
  | { kind: 'file'; path: string }
  | { kind: 'session'; files: SessionFiles }
  | { kind: 'loop'; ref: LoopRef };

export interface Places {
  store: FileStore;
  cwd: string;
  /** All sessions of this machine. */
  sessions: readonly SessionFiles[];
}

const MOST_NAMED = 8;

/** The file, session or loop that somebody named; an id may be cut short. Throws when there is none, or more than one. */
export function targetOf(what: string, { store, cwd, sessions }: Places): Target {
  if (what.trim() === '') throw new UsageError('the name is empty: type a session, a loop, or a file');
  const path = resolve(cwd, what);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile()) return { kind: 'file', path };
  if (there) throw new UsageError(`${path} is no file: name the transcript itself, a session, or a loop`);
  if (/[/\\]|\.jsonl$/.test(what)) throw new UsageError(`there is no file ${path}`);
  const candidates: { id: string; target: Target }[] = [
    ...store.loops().map((ref) => ({ id: ref.loop, target: { kind: 'loop' as const, ref } })),
    ...sessions.map((files) => ({ id: files.session, target: { kind: 'session' as const, files } })),
  ];
  const exact = candidates.filter(({ id }) => id === what);
  const found = exact.length > 0 ? exact : candidates.filter(({ id }) => id.startsWith(what));
  const [only] = found;
  if (!only)
    throw new UsageError(
      `there is no session, loop or file "${what}"; see: untildone reflect (the sessions of this project), untildone status --all (loops)`,
    );
  // A session that was resumed in another folder has a transcript in each.
  if (found.length > 1 && new Set(found.map(({ id }) => id)).size === 1)
    return newest(found.map(({ target }) => target)) ?? only.target;
  if (found.length > 1)
    throw new UsageError(
      `"${what}" could be any of: ${found
        .slice(0, MOST_NAMED)
        .map(({ id, target }) => `${id} (${target.kind})`)
        .join(', ')}${found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : ''}`,
    );
  return only.target;
}

function newest(targets: readonly Target[]): Target | undefined {
  const at = (target: Target) =>
    target.kind === 'session' ? target.files.modified : Number.POSITIVE_INFINITY;
  return [...targets].sort((a, b) => at(b) - at(a))[0];
}
