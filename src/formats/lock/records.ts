import type { HookEvent, PromptEvent, ToolEvent } from '../../core/loop/event.ts';
import { keepShort, oneLine } from '../../core/text/clip.ts';
import { isSafeId } from '../../core/text/paths.ts';
import { redact } from '../../core/text/redact.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import type { StatePlace } from '../format.ts';
import { isExpired, lockPaths, readLock } from './lock-files.ts';

/** The hooks of the format, by the names in their metrics files and log lines. */
type HookName = 'stop' | 'session_start' | 'post_tool_use' | 'pre_compact';

interface Metric {
  hook: HookName;
  metric: string;
  value: number | string;
}

/** Beyond this size nothing is added to a file: nobody empties it. */
const MOST_BYTES = 16 * 1024 * 1024;
const VALUE_LIMIT = 100;
const NOTE_LIMIT = 300;

/** Metrics and logs of one session below `.claude/runtime`. They are written only while a lock is there. */
export interface Records {
  metric(metric: Metric): StateChange[];
  log(level: 'INFO' | 'WARN', hook: HookName, note: string): StateChange[];
  /** The folder of this session's logs; undefined where nothing may be written. */
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
  // A new folder gets a .gitignore: records of the work must not count as changes or as progress.
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

/** Makes a short line of plain characters of a name, such as that of a tool. */
function plain(value: string): string {
  return oneLine(redact(value).replace(/[^ -~]+/g, '?'), VALUE_LIMIT);
}

function added(path: string, text: string, files: ForeignFiles): StateChange[] {
  const there = files.look(path);
  if (there && (there.kind !== 'file' || there.size + text.length > MOST_BYTES)) return [];
  return [{ kind: 'append', path, text }];
}

/** Whether a link leads out of the folder: a repository must not decide where untildone writes. */
function leadsAway(inner: string, runtime: string, files: ForeignFiles): boolean {
  if (files.look(inner) === undefined) return false;
  return files.realPath(inner) !== `${files.realPath(runtime)}${inner.slice(runtime.length)}`;
}

/** What the hooks of the format record of events other than Stop, while a lock is there. */
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
    // The log line comes first, because it makes the folder.
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

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
