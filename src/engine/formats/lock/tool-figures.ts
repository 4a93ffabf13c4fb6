import type { HookEvent } from '../../core/loop/event.ts';
import { categoryOf } from '../../core/tools/tool-categories.ts';
import type { ForeignFiles, StateChange, ToolCalls } from '../../ports/ports.ts';
import type { Records } from './records.ts';

/**
 * Figures of tool calls, from the transcript. The hooks of the format were called after every tool; ours would have to start
 * a process for each. So the calls are read when a turn, a session or a context ends, from where the last reading ended.
 */

/** Reads the tool calls of a transcript from a byte offset on. */
export type ReadToolCalls = (transcript: string, from: number) => ToolCalls;

/** What is kept of a session between two readings, beside its logs. */
interface Counted {
  transcript_offset: number;
  /** Calls whose results were not read yet, by id. */
  open: Record<string, string>;
}

const COUNTED = '.counted.json';
const MOST_OPEN = 100;

export function toolUsed(tool: string, records: Records, at?: number): StateChange[] {
  const hook = 'post_tool_use';
  const category = categoryOf(tool);
  return [
    ...records.metric({ hook, metric: 'tool_usage', value: tool }, at),
    ...(category === undefined ? [] : records.metric({ hook, metric: category, value: 1 }, at)),
  ];
}

export function toolFailed(tool: string, records: Records, at?: number): StateChange[] {
  return [
    ...records.metric({ hook: 'post_tool_use', metric: 'tool_errors', value: tool }, at),
    ...records.log('WARN', 'post_tool_use', `${tool} failed`, at),
  ];
}

/** The figures of what was called since the last reading. */
export function figuresSince(
  { transcript }: HookEvent,
  records: Records,
  files: ForeignFiles,
  readCalls: ReadToolCalls,
): StateChange[] {
  const folder = records.folder();
  if (transcript === undefined || folder === undefined) return [];
  const before = countedIn(`${folder}/${COUNTED}`, files);
  const { offset, calls, failed } = readCalls(transcript, before.transcript_offset);
  if (offset === before.transcript_offset) return [];
  const named = new Map([
    ...Object.entries(before.open),
    ...calls.map(({ id, tool }) => [id, tool] as const),
  ]);
  const changes = [
    ...calls.flatMap(({ tool, at }) => toolUsed(tool, records, at)),
    ...failed.flatMap(({ id, at }) => toolFailed(named.get(id) ?? 'a tool', records, at)),
  ];
  const over = new Set(failed.map(({ id }) => id));
  const open = [...named].filter(([id]) => id !== '' && !over.has(id)).slice(-MOST_OPEN);
  return [
    ...joined(changes),
    ...keep({ transcript_offset: offset, open: Object.fromEntries(open) }, records),
  ];
}

/** At the start of a session that is resumed: what came before is not counted again. */
export function beginAt({ transcript }: HookEvent, records: Records, files: ForeignFiles): StateChange[] {
  const folder = records.folder();
  const size = transcript === undefined ? undefined : files.look(transcript)?.size;
  if (folder === undefined || !size || files.look(`${folder}/${COUNTED}`) !== undefined) return [];
  return keep({ transcript_offset: size, open: {} }, records);
}

function keep(counted: Counted, records: Records): StateChange[] {
  return records.keep(COUNTED, `${JSON.stringify(counted)}\n`);
}

function countedIn(path: string, files: ForeignFiles): Counted {
  const read = files.read(path);
  try {
    const { transcript_offset: offset, open } = JSON.parse(
      read.kind === 'text' ? read.text : '{}',
    ) as Partial<Counted>;
    const isOpen = typeof open === 'object' && open !== null;
    return { transcript_offset: Number.isSafeInteger(offset) ? Number(offset) : 0, open: isOpen ? open : {} };
  } catch {
    return { transcript_offset: 0, open: {} };
  }
}

/** Lines for the same file become one addition: a turn may call hundreds of tools. */
function joined(changes: readonly StateChange[]): StateChange[] {
  const byPath = new Map<string, StateChange & { kind: 'append' }>();
  const rest: StateChange[] = [];
  for (const change of changes) {
    if (change.kind !== 'append') rest.push(change);
    else {
      const text = (byPath.get(change.path)?.text ?? '') + change.text;
      byPath.set(change.path, { ...change, text });
    }
  }
  return [...byPath.values(), ...rest];
}
