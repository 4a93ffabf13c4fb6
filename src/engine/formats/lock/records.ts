import { oneLine } from '../../core/text/clip.ts';
import { isSafeId } from '../../core/text/paths.ts';
import { redact } from '../../core/text/redact.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import { lockPaths } from './lock-files.ts';

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

/** Metrics and logs of one session below `.claude/runtime`. They are of now, unless another time is given. */
export interface Records {
  metric(metric: Metric, at?: number): StateChange[];
  log(level: 'INFO' | 'WARN', hook: HookName, note: string, at?: number): StateChange[];
  /** A file of this session beside its logs, as a whole. */
  keep(name: string, text: string): StateChange[];
  /** The folder of this session's logs; undefined where nothing may be written. */
  folder(): string | undefined;
}

export function recordsOf(folder: string, session: string, now: number, files: ForeignFiles): Records {
  const { runtime } = lockPaths(folder);
  const usable = files.look(runtime)?.kind === 'folder';
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
    metric({ hook, metric, value }, at = now) {
      if (!mayWrite(`${runtime}/metrics`)) return [];
      const line = {
        timestamp: iso(at),
        metric,
        value: typeof value === 'string' ? plain(value) : value,
        session_id: isSafeId(session) ? session : '',
        hook,
      };
      const path = `${runtime}/metrics/${hook}_hook_metrics.jsonl`;
      return [...unseen('metrics'), ...added(path, `${JSON.stringify(line)}\n`, files)];
    },
    log(level, hook, note, at = now) {
      const target = sessionFolder();
      if (target === undefined) return [];
      const line = `[${iso(at)}] [${level}] ${hook}: ${oneLine(redact(note), NOTE_LIMIT)}\n`;
      return [...unseen('logs'), ...added(`${target}/hook_logs.txt`, line, files)];
    },
    keep(name, text) {
      const target = sessionFolder();
      if (target === undefined) return [];
      const path = `${target}/${name}`;
      // The addition of nothing makes the folder.
      const made: StateChange[] = [{ kind: 'append', path, text: '' }];
      return [...unseen('logs'), ...made, { kind: 'edit', path, edit: () => text }];
    },
    folder: sessionFolder,
  };
}

/** Counts a reflection that a Stop or a SessionEnd has queued: one line a time, as `stop.py` wrote it. */
export function reflectionTriggered(records: Records): StateChange[] {
  return [
    ...records.metric({ hook: 'stop', metric: 'reflection_triggered', value: 1 }),
    ...records.log('INFO', 'stop', 'reflection triggered'),
  ];
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
export function leadsAway(inner: string, runtime: string, files: ForeignFiles): boolean {
  if (files.look(inner) === undefined) return false;
  return files.realPath(inner) !== `${files.realPath(runtime)}${inner.slice(runtime.length)}`;
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
