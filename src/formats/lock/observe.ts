import type { HookEvent, PromptEvent, ToolEvent } from '../../core/loop/event.ts';
import { keepShort } from '../../core/text/clip.ts';
import { redact } from '../../core/text/redact.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import type { Place } from '../format.ts';
import { isExpired, lockPaths, readLock } from './lock-files.ts';
import { leadsAway, type Records, recordsOf } from './records.ts';

/** What the hooks of the format keep of events other than Stop, while a lock is there. */
export function observeEvent(event: HookEvent, place: Place, files: ForeignFiles): StateChange[] {
  const read = readLock(place.folder, files);
  if (read.kind !== 'lock' || isExpired(read.lock, place.now)) return [];
  if (read.lock.owner !== undefined && read.lock.owner !== event.session) return [];
  const records = recordsOf(place.folder, event.session, place.now, files);
  switch (event.name) {
    case 'SessionStart':
      return records.metric({ hook: 'session_start', metric: 'session_start', value: event.source });
    case 'UserPromptSubmit':
      return promptSeen(event, place, records, files);
    case 'PreToolUse':
      return toolUsed(event, records);
    case 'PostToolUseFailure':
      return [
        ...records.metric({ hook: 'post_tool_use', metric: 'tool_errors', value: event.tool }),
        ...records.log('WARN', 'post_tool_use', `${event.tool} failed`),
      ];
    case 'other':
      return event.eventName === 'PreCompact' ? beforeCompaction(event, place, records, files) : [];
    default:
      return [];
  }
}

const SHORTEST_REQUEST = 20;
const REQUEST_LIMIT = 100_000;

function promptSeen(
  { prompt, session }: PromptEvent,
  place: Place,
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
    // First: it makes the folder.
    ...records.log('INFO', 'session_start', 'the original request is kept in ORIGINAL_REQUEST.md'),
    { kind: 'edit', path, edit: (before) => (before === undefined ? page : undefined) },
  ];
}

function isSubstantial(text: string): boolean {
  return text.length >= SHORTEST_REQUEST && !/^\/[\w:-]+(?:\s|$)/.test(text);
}

const CATEGORIES: [RegExp, string][] = [
  [/^Bash$/, 'bash_commands'],
  [/^(?:Read|Write|Edit|MultiEdit|NotebookEdit)$/, 'file_operations'],
  [/^(?:Grep|Glob|WebSearch)$/, 'search_operations'],
];

function toolUsed({ tool }: ToolEvent, records: Records): StateChange[] {
  const hook = 'post_tool_use';
  const category = CATEGORIES.find(([names]) => names.test(tool))?.[1];
  return [
    ...records.metric({ hook, metric: 'tool_usage', value: tool }),
    ...(category === undefined ? [] : records.metric({ hook, metric: category, value: 1 })),
  ];
}

const MOST_COPIED = 64 * 1024 * 1024;
const COPIES_KEPT = 5;
const COPY_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.jsonl$/;

/** Only our own copies are taken away again: other exports in that folder are somebody's. */
function beforeCompaction(
  { transcript }: HookEvent,
  place: Place,
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

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
