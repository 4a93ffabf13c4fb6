/** What the home records of a session: the loop that it owns, and the process that its SessionStart saw. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isSafeId } from '../../core/text/paths.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import { parseSessionRecord } from '../hook-line.ts';
import { JournalError } from '../journal/file.ts';
import type { Home } from '../layout.ts';

/** The content of `sessions/<id>.json`. */
export interface LoopRecord {
  v: 1;
  session: string;
  project: string;
  /** The folder of the loop that the session owns, or owned last. */
  loopDir: string;
}

export function loopRecordFile(home: Home, session: string): string {
  return join(home.sessions, `${session}.json`);
}

export function writeLoopRecord(home: Home, record: LoopRecord): void {
  writeWhole(loopRecordFile(home, record.session), `${JSON.stringify(record)}\n`);
}

/** Undefined for a session that never owned a loop. Throws for a damaged record, which must not look like none. */
export function readLoopRecord(home: Home, session: string): LoopRecord | undefined {
  if (!isSafeId(session)) return undefined;
  const file = loopRecordFile(home, session);
  const text = readSmall(file);
  if (text === undefined) return undefined;
  const record = parseLoopRecord(text);
  if (record?.session !== session) throw new JournalError(`the record of this session, ${file}, is damaged`);
  return record;
}

function parseLoopRecord(text: string): LoopRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<LoopRecord> | null;
    return typeof record?.loopDir === 'string' ? (record as LoopRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** The content of `sessions/<id>.at`, which the installed line writes at SessionStart. */
export interface StartRecord {
  project: string;
  /** The process of Claude Code. */
  pid: number;
  /** When it was written. */
  since: number;
}

/** Undefined for a record that is missing, damaged or cannot be read: nothing depends on it alone. */
export function readStartRecord(home: Home, session: string): StartRecord | undefined {
  if (!isSafeId(session)) return undefined;
  const file = join(home.sessions, `${session}.at`);
  try {
    const record = parseSessionRecord(readSmall(file) ?? '');
    return record ? { ...record, since: statSync(file).mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}
