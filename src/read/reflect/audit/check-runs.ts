/** From a shell line and how it ended to the edits and check runs in it, in their order. */

import { type Check, checkOf } from '../../../engine/core/commands/checks.ts';
import { editedBy } from './bash-edits.ts';
import { type LineCall, lineCalls } from './line-calls.ts';
import { type CheckRun, resultOf } from './turn.ts';

/** How a call of the shell ended. */
export interface LineEnd {
  /** Undefined when its end was not seen. */
  well: boolean | undefined;
  /** The end of its output. */
  output: string;
}

export interface LineAt {
  command: string;
  at?: number;
  file: number;
  line: number;
}

export type LineEvent = { edits: string[] } | { run: CheckRun };

export function lineEvents(where: LineAt, end: LineEnd): LineEvent[] {
  const events: LineEvent[] = [];
  for (const call of lineCalls(where.command)) {
    const check = checkOf(call);
    // What a check prints into a file is no edit.
    const isOutput = call.piped === true && events.some((event) => 'run' in event);
    const edits = check || isOutput || end.well !== true ? [] : editedBy(call);
    if (edits.length > 0) events.push({ edits });
    if (check) addRun(events, runOf(check, call, where, end));
  }
  return events;
}

/** Several checks of one line that end alike are one run. */
function addRun(events: LineEvent[], run: CheckRun): void {
  const last = events.at(-1);
  if (last && 'run' in last && last.run.result === run.result && last.run.narrow === run.narrow) {
    last.run.kinds.push(...run.kinds);
    last.run.names.push(...run.names);
    last.run.masking = run.masking;
    last.run.by = run.by;
  } else events.push({ run });
}

function runOf(check: Check, call: LineCall, { command, at, file, line }: LineAt, end: LineEnd): CheckRun {
  const printed = call.hidden === 'later_command' ? printedCode(call, end.output) : undefined;
  const judged =
    printed === undefined
      ? resultOf(check, call, end.well)
      : resultOf(check, {}, end.well === undefined ? undefined : printed === 0);
  return {
    kinds: [check.kind],
    names: [check.name],
    narrow: check.narrow,
    ...judged,
    by: judged.masking === undefined ? undefined : call.by,
    command,
    at,
    file,
    line,
  };
}

/** The exit code that the line itself prints. */
function printedCode({ printed }: LineCall, output: string): number | undefined {
  if (!printed) return undefined;
  const before = printed.before.replaceAll('\\n', '').trimStart();
  for (const line of output.split('\n').reverse()) {
    if (!line.startsWith(before)) continue;
    const [, code] = /^(\d{1,3})(?!\d)/.exec(line.slice(before.length)) ?? [];
    if (code !== undefined && (before !== '' || line.trim() === code)) return Number(code);
  }
  return undefined;
}
