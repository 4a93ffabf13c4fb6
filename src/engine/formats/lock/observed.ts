import type { HookEvent, PromptEvent } from '../../core/loop/event.ts';
import { keepShort } from '../../core/text/clip.ts';
import { redact } from '../../core/text/redact.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import type { StatePlace } from '../format.ts';
import { isExpired, lockPaths, readLock } from './lock-files.ts';
import { iso, leadsAway, type Records, recordsOf } from './records.ts';
import { beginAt, figuresSince, type ReadToolCalls, toolFailed, toolUsed } from './tool-figures.ts';

/** What the hooks of the format record of the events of every session. A held Stop is recorded when it is decided. */
export function observeInProject(
  event: HookEvent,
  place: StatePlace,
  files: ForeignFiles,
  readCalls: ReadToolCalls,
): StateChange[] {
  const records = recordsOf(place.folder, event.session, place.now, files);
  const figures = () => figuresSince(event, records, files, readCalls);
  switch (event.name) {
    case 'SessionStart':
      return [
        ...records.metric({ hook: 'session_start', metric: 'session_start', value: event.source }),
        ...(event.source === 'resume' ? beginAt(event, records, files) : []),
      ];
    case 'UserPromptSubmit':
      return [...figures(), ...promptSeen(event, place, records, files)];
    // Without a transcript, only the calls that our hooks see are counted.
    case 'PreToolUse':
      return event.transcript === undefined ? toolUsed(event.tool, records) : [];
    case 'PostToolUseFailure':
      return event.transcript === undefined ? toolFailed(event.tool, records) : [];
    case 'Stop':
      return event.agentId === undefined ? [...figures(), ...stopSeen(place, records, files)] : [];
    case 'SessionEnd':
      return figures();
    case 'other':
      return event.eventName === 'PreCompact'
        ? [...figures(), ...beforeCompaction(event, place, records, files)]
        : [];
    default:
      return [];
  }
}

/** A Stop that no lock holds. */
function stopSeen(place: StatePlace, records: Records, files: ForeignFiles): StateChange[] {
  const read = readLock(place.folder, files);
  if (read.kind === 'none') return records.log('INFO', 'stop', 'approved, no lock is active');
  if (read.kind === 'unusable')
    return records.log('WARN', 'stop', `approved, the lock cannot be used: ${read.problem}`);
  return isExpired(read.lock, place.now) ? records.log('WARN', 'stop', 'approved, the lock has expired') : [];
}

const SHORTEST_REQUEST = 20;
const REQUEST_LIMIT = 100_000;

function promptSeen(
  { prompt, session }: PromptEvent,
  place: StatePlace,
  records: Records,
  files: ForeignFiles,
): StateChange[] {
  const text = prompt.trim();
  if (text.startsWith('<task-notification>')) return [];
  const length = records.metric({ hook: 'session_start', metric: 'prompt_length', value: prompt.length });
  const folder = records.folder();
  const path = `${folder}/ORIGINAL_REQUEST.md`;
  if (folder === undefined || !isSubstantial(text) || files.look(path) !== undefined) return length;
  const page = `# Original request\n\nSession: ${session}\nKept: ${iso(place.now)}\n\n${keepShort(redact(text), REQUEST_LIMIT)}\n`;
  return [
    ...length,
    // The log line comes first, because it makes the folder.
    ...records.log('INFO', 'session_start', 'the original request is kept in ORIGINAL_REQUEST.md'),
    { kind: 'edit', path, edit: (before) => (before === undefined ? page : undefined) },
  ];
}

function isSubstantial(text: string): boolean {
  return text.length >= SHORTEST_REQUEST && !/^\/[\w:-]+(?:\s|$)/.test(text);
}

const MOST_COPIED = 64 * 1024 * 1024;
const COPIES_KEPT = 5;
const COPY_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.jsonl$/;

/** Keeps a copy of the transcript. Of earlier copies only those that untildone made are removed. */
function beforeCompaction(
  { transcript }: HookEvent,
  place: StatePlace,
  records: Records,
  files: ForeignFiles,
): StateChange[] {
  const folder = records.folder();
  const copies = `${folder}/transcripts`;
  if (folder === undefined || leadsAway(copies, lockPaths(place.folder).runtime, files)) return [];
  const there = transcript === undefined ? undefined : files.look(transcript);
  if (transcript === undefined || there?.kind !== 'file')
    return records.log('WARN', 'pre_compact', 'there is no transcript to export');
  if (there.size > MOST_COPIED)
    return records.log(
      'WARN',
      'pre_compact',
      `the transcript is larger than ${MOST_COPIED} bytes: not exported`,
    );
  const name = `${iso(place.now).replace(/[:.]/g, '-')}.jsonl`;
  const old = files.list(copies).filter((file) => COPY_NAME.test(file) && file !== name);
  return [
    { kind: 'copy', from: transcript, to: `${copies}/${name}`, maxBytes: MOST_COPIED },
    ...old
      .slice(0, Math.max(0, old.length + 1 - COPIES_KEPT))
      .map((file): StateChange => ({ kind: 'remove', path: `${copies}/${file}` })),
    ...records.metric({ hook: 'pre_compact', metric: 'conversation_exports', value: 1 }),
    ...records.log('INFO', 'pre_compact', `the transcript is exported to transcripts/${name}`),
  ];
}
