import { oneLine } from '../../core/text/clip.ts';
import { redact } from '../../core/text/redact.ts';
import { isSafeId } from '../../core/text/safe-id.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import { lockPaths } from './lock-files.ts';

/** The hooks of the format, by the names that their metrics files and log lines carry. */
export type HookName = 'stop' | 'session_start' | 'post_tool_use' | 'pre_compact';

export interface Metric {
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
export function leadsAway(inner: string, runtime: string, files: ForeignFiles): boolean {
  if (files.look(inner) === undefined) return false;
  return files.realPath(inner) !== `${files.realPath(runtime)}${inner.slice(runtime.length)}`;
}
