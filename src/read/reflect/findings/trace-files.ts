import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Fields, isFields, parseFields } from '../../../engine/client/fields.ts';
import { noTrace, seeTraceLine, type TraceFigures } from './trace.ts';

const CHUNK = 1024 * 1024;
/** A request holds the whole conversation; a longer one is passed over, and said so. */
const LONGEST_LINE = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface TraceReading {
  figures: TraceFigures;
  problems: string[];
}

/** Reads the logs that claude-trace left in a project, as far as they are of this time. */
export function readTraces(project: string, from: number, until = Number.POSITIVE_INFINITY): TraceReading {
  const folder = join(project, '.claude-trace');
  const reading: TraceReading = { figures: noTrace(), problems: [] };
  for (const name of namesIn(folder).filter((file) => file.endsWith('.jsonl'))) {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && stat.mtimeMs >= from) readTrace(path, reading, from, until);
  }
  return reading;
}

/** Reads one log. What cannot be read is a problem, never an error. */
export function readTrace(
  path: string,
  reading: TraceReading,
  from = 0,
  until = Number.POSITIVE_INFINITY,
): void {
  const { figures, problems } = reading;
  let skipped = 0;
  try {
    const before = figures.requests;
    forEachLine(path, (text, number) => {
      const line = text === undefined ? undefined : parseFields(text);
      if (line) seeTraceLine(figures, line, path, number, { from, until });
      else skipped++;
    });
    if (figures.requests > before) figures.files++;
  } catch (error) {
    problems.push(`${path}: ${(error as Error).message}`);
  }
  if (skipped > 0) problems.push(`${path}: ${skipped} lines are no JSON, or too long`);
}

/** Whether a line is one of claude-trace, and none of a transcript. */
export function isTraceLine(line: unknown): line is Fields {
  return isFields(line) && isFields(line.request) && ('response' in line || 'logged_at' in line);
}

/** The first line of a file, when it is not too long; undefined for a file that has none. */
export function firstLine(path: string): string | undefined {
  let first: string | undefined;
  forEachLine(path, (text) => {
    first = text;
    return false;
  });
  return first;
}

/** Calls for each line that is not empty; with undefined for one that is too long. `false` ends it. */
function forEachLine(path: string, see: (text: string | undefined, number: number) => unknown): void {
  // Opening a pipe would wait for its other end.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is not a regular file');
    const chunk = Buffer.allocUnsafe(CHUNK);
    let parts: Buffer[] = [];
    let length = 0;
    let number = 0;
    const finish = () => {
      number++;
      const text = length > LONGEST_LINE ? undefined : Buffer.concat(parts).toString('utf8');
      parts = [];
      length = 0;
      return text?.trim() === '' ? undefined : see(text, number);
    };
    const add = (piece: Buffer) => {
      length += piece.length;
      if (length <= LONGEST_LINE) parts.push(Buffer.from(piece));
      else parts = [];
    };
    for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk)) {
      let at = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < count; end = chunk.indexOf(NEWLINE, at)) {
        add(chunk.subarray(at, end));
        at = end + 1;
        if (finish() === false) return;
      }
      add(chunk.subarray(at, count));
    }
    if (length > 0) finish();
  } finally {
    closeSync(fd);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
