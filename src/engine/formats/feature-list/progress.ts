/**
 * `progress.txt`: notes in free form with three lines that count. A line that begins with the key (indentation and a
 * list mark aside) counts before one that only mentions it, a list item before a plain line; of several the last one.
 */

export interface Progress {
  maxIterations: number;
  /** The maximum that the text names. */
  namedMax?: number;
  /** Absent where there is no such line, or nothing in it that is a number. */
  iteration?: number;
  status: string;
  /** False for a text that would lose bytes if it were written. */
  writable: boolean;
  /** Values that could not be used, and what is used instead. */
  problems: string[];
}

type Key = 'Max Iterations' | 'Iteration' | 'Status';

const DEFAULT_MAX = 15;
const UNKNOWN = 'UNKNOWN';
export const COMPLETE = 'COMPLETE';
const LINE_BREAK = /(\r\n|\n|\r)/;
/** A number with more digits would not be exact. */
const COUNT = /^\d{1,15}$/;
/** Stands for bytes that are not UTF-8. Writing such a text back would lose them. */
const LOST_BYTES = '\uFFFD';

export function parseProgress(text: string | undefined): Progress {
  const lines = (text ?? '').split(LINE_BREAK);
  const max = countOf(lines, 'Max Iterations', `${DEFAULT_MAX} is used`);
  const iteration = countOf(lines, 'Iteration', "untildone's own count is used");
  return {
    maxIterations: max.count ?? DEFAULT_MAX,
    namedMax: max.count,
    iteration: iteration.count,
    status: valueFor(lines, 'Status')?.split(':')[0]?.trim() || UNKNOWN,
    writable: !isLossy(text),
    problems: [...max.problems, ...iteration.problems, ...(isLossy(text) ? [NOT_UTF8] : [])],
  };
}

const NOT_UTF8 = 'is not UTF-8, so it is read but not written';

function countOf(lines: string[], key: Key, instead: string): { count?: number; problems: string[] } {
  const value = valueFor(lines, key);
  if (value === undefined) return { problems: [] };
  const word = firstWord(value);
  if (COUNT.test(word)) return { count: Number(word), problems: [] };
  return { problems: [`"${key}: ${word.slice(0, 40)}" is no whole number; ${instead}`] };
}

function valueFor(lines: string[], key: Key): string | undefined {
  const line = lines[ownLine(lines, key)] ?? lines.findLast((l) => mentions(l, key));
  return line?.slice(line.indexOf(`${key}:`) + key.length + 1);
}

/** The index of the key's own line, a list item before a plain line; -1 without any. */
function ownLine(lines: string[], key: Key): number {
  const isOwn = (line: string) => OWN_LINE[key].test(line);
  const item = lines.findLastIndex((line) => /^\s*[-*+]\s/.test(line) && isOwn(line));
  return item >= 0 ? item : lines.findLastIndex(isOwn);
}

/** Everything before the value, the value's first word, and what follows it. */
const OWN_LINE: Record<Key, RegExp> = {
  'Max Iterations': /^(\s*(?:[-*+]\s+)?Max Iterations:)(\s*)(\S*)(.*)$/s,
  Iteration: /^(\s*(?:[-*+]\s+)?Iteration:)(\s*)(\S*)(.*)$/s,
  Status: /^(\s*(?:[-*+]\s+)?Status:)(\s*)(\S*)(.*)$/s,
};

function mentions(line: string, key: Key): boolean {
  if (!line.includes(`${key}:`) || (key === 'Iteration' && line.includes('Max'))) return false;
  return !Object.values(OWN_LINE).some((own) => own.test(line));
}

function firstWord(value: string): string {
  return value.trim().split(/\s/, 1)[0] ?? '';
}

/** The text with the iteration that begins. A status that an earlier ending left becomes IN_PROGRESS. */
export function withIteration(text: string | undefined, iteration: number): string | undefined {
  if (text === undefined || isLossy(text)) return undefined;
  const counted = withLine(text, 'Iteration', (head, space, word, rest) =>
    COUNT.test(word) ? `${head}${space}${iteration}${rest}` : `${head} ${iteration}`,
  );
  return LEFT_BY_ENDINGS.includes(parseProgress(counted).status)
    ? withStatus(counted, 'IN_PROGRESS')
    : counted;
}

const LEFT_BY_ENDINGS = ['REACHED_LIMIT', 'STALLED', 'IDLE', 'CAPPED', 'RELEASED', 'CANCELLED', 'FAILED'];

/** The text with the final status and one more line at its end. The line is written only once. */
export function withEnding(text: string | undefined, status: string, line: string): string | undefined {
  if (isLossy(text)) return undefined;
  const settled = withOwnStatus(text ?? '', status);
  if (settled.split(LINE_BREAK).includes(line)) return settled;
  const lineBreak = settled.includes('\r\n') ? '\r\n' : '\n';
  const gap = settled === '' || /[\r\n]$/.test(settled) ? '' : lineBreak;
  return `${settled}${gap}${line}${lineBreak}`;
}

/** The text with this status. COMPLETE gets a line of its own where there was none: others read it there. */
function withOwnStatus(text: string, status: string): string {
  if (status !== COMPLETE || ownLine(text.split(LINE_BREAK), 'Status') >= 0) return withStatus(text, status);
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || /[\r\n]$/.test(text) ? '' : lineBreak;
  return `${text}${gap}- Status: ${status}${lineBreak}`;
}

function withStatus(text: string, status: string): string {
  return withLine(text, 'Status', (head, space) => `${head}${space || ' '}${status}`);
}

/** Changes the key's own line and keeps every other byte. Without such a line the text stays as it is. */
function withLine(
  text: string,
  key: Key,
  change: (head: string, space: string, word: string, rest: string) => string,
): string {
  const parts = text.split(LINE_BREAK);
  const index = ownLine(parts, key);
  const match = OWN_LINE[key].exec(parts[index] ?? '');
  if (!match) return text;
  const [, head = '', space = '', word = '', rest = ''] = match;
  return parts.with(index, change(head, space, word, rest)).join('');
}

function isLossy(text: string | undefined): boolean {
  return text?.includes(LOST_BYTES) ?? false;
}
