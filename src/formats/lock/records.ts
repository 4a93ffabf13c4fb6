import type { HookEvent, PromptEvent, ToolEvent } from '../../core/loop/event.ts';
import { keepShort, oneLine } from '../../core/text/clip.ts';
import { isSafeId } from '../../core/text/paths.ts';
import { redact } from '../../core/text/redact.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import type { StatePlace } from '../format.ts';
import { isExpired, lockPaths, readLock } from './lock-files.ts';

/** The hooks of the format, by the names that their metrics files and log lines carry. */
type HookName = 'stop' | 'session_start' | 'post_tool_use' | 'pre_compact';

interface Metric {
  hook: HookName;
  metric: string;
  value: number | string;
}

/** Nobody empties these files: beyond this size nothing is added. */
const MOST_BYTES = 16 * 1024 * 1024;
const VALUE_LIMIT = 100;
const NOTE_LIMIT = 300;

/** Metrics and logs of one session below `.claude/runtime`, which is only written to where a lock lies in it. */
export interface Records {
  metric(metric: Metric): StateChange[];
  log(level: 'INFO' | 'WARN', hook: HookName, note: string): StateChange[];
  /** The folder of this session's logs; undefined where nothing is to be written. */
  folder(): string | undefined;
}

export function recordsOf(folder: string, session: string, at: number, files: ForeignFiles): Records {
  const { runtime } = lockPaths(folder);
  const usable = files.look(runtime)?.kind === 'folder';
  const time = new Date(at).toISOString();
  const logs = `${runtime}/logs/${session}`;
  const mayWrite = (inner: string) => usable && !leadsAway(inner, runtime, files);
  const sessionFolder = () =>
    isSafeId(session) && mayWrite(`${runtime}/logs`) && mayWrite(logs) ? logs : undefined;
  const made = new Set<string>();
  // What we write about the work is no work: in a folder of our making git does not see it, and it is no progress.
  const unseen = (name: string): StateChange[] => {
    const path = `${runtime}/${name}`;
    if (made.has(path) || files.look(path) !== undefined) return [];
    made.add(path);
    return [{ kind: 'append', path: `${path}/.gitignore`, text: '*\n' }];
  };
  return {
    metric({ hook, metric, value }) {
      if (!mayWrite(`${runtime}/metrics`)) return [];
      const line = {
        timestamp: time,
        metric,
        value: typeof value === 'string' ? plain(value) : value,
        session_id: isSafeId(session) ? session : '',
        hook,
      };
      const path = `${runtime}/metrics/${hook}_hook_metrics.jsonl`;
      return [...unseen('metrics'), ...added(path, `${JSON.stringify(line)}\n`, files)];
    },
    log(level, hook, note) {
      const target = sessionFolder();
      if (target === undefined) return [];
      const line = `[${time}] [${level}] ${hook}: ${oneLine(redact(note), NOTE_LIMIT)}\n`;
      return [...unseen('logs'), ...added(`${target}/hook_logs.txt`, line, files)];
    },
    folder: sessionFolder,
  };
}

/** Names of tools and the like: what else they may hold is not worth a long line. */
function plain(value: string): string {
  return oneLine(redact(value).replace(/[^ -~]+/g, '?'), VALUE_LIMIT);
}

function added(path: string, text: string, files: ForeignFiles): StateChange[] {
  const there = files.look(path);
  if (there && (there.kind !== 'file' || there.size + text.length > MOST_BYTES)) return [];
  return [{ kind: 'append', path, text }];
}

/** A link inside the folder would carry our writing to wherever the repository wants it. */
function leadsAway(inner: string, runtime: string, files: ForeignFiles): boolean {
  if (files.look(inner) === undefined) return false;
  return files.realPath(inner) !== `${files.realPath(runtime)}${inner.slice(runtime.length)}`;
}

/** What the hooks of the format keep of events other than Stop, while a lock is there. */
export function observeEvent(event: HookEvent, place: StatePlace, files: ForeignFiles): StateChange[] {
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

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
