/** Where SessionStart said that the transcript of a session lies, sealed. Another path at a Stop is a reason for doubt. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HookEvent } from '../../core/loop/event.ts';
import { isSafeId } from '../../core/text/paths.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import { type Home, readKey, sealedJson, unsealedJson } from '../layout.ts';

const TRANSCRIPT_RECORD = '.transcript';

/** `isProven`: Claude Code sent this event. Otherwise a record stands as long as its transcript is there. Never throws. */
export function recordTranscript(home: Home, { session, transcript }: HookEvent, isProven: boolean): void {
  if (transcript === undefined || !isSafeId(session)) return;
  const before = recordedTranscript(home, session);
  if (before === transcript || (before !== undefined && !isProven && existsSync(before))) return;
  try {
    writeWhole(fileOf(home, session), sealedJson(transcript, purposeOf(session), readKey(home)));
  } catch {
    // Without a record, no path is another one.
  }
}

export function isOtherTranscript(home: Home, { session, transcript }: HookEvent): boolean {
  const recorded = isSafeId(session) ? recordedTranscript(home, session) : undefined;
  return recorded !== undefined && transcript !== recorded;
}

function recordedTranscript(home: Home, session: string): string | undefined {
  try {
    const text = readSmall(fileOf(home, session));
    return text === undefined ? undefined : unsealedJson<string>(text, purposeOf(session), readKey(home));
  } catch {
    return undefined;
  }
}

function fileOf(home: Home, session: string): string {
  return join(home.sessions, `${session}${TRANSCRIPT_RECORD}`);
}

function purposeOf(session: string): string {
  return `transcript of session ${session}`;
}
