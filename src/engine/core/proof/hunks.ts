/** The changed places of a file, and its text without some of them. */
import { diffArrays } from 'diff';
import { groupBy } from '../text/lists.ts';
import { countedLines, programLanguage } from './counted-code.ts';
import { indentOf, probeOf } from './spoil.ts';

/** Lines that were added, or that stand in place of others. */
export interface Hunk {
  path: string;
  /** The first of its lines in the text as it is now, counted from 1. */
  from: number;
  /** Its lines, with their ends. */
  now: readonly string[];
  /** What stood there at the start. */
  old: readonly string[];
  /** How many of its lines a test could miss. */
  lines: number;
  /** What shows whether tests miss it: `back` takes it back, `spoil` puts a failure into it. */
  probe: 'back' | 'spoil';
}

/** A file before and after the change. */
export interface ChangedText {
  path: string;
  /** Absent: the file is new. */
  before?: string;
  now: string;
}

/** Files that differ in more lines are one hunk each. */
const MOST_CHANGES = 1_000;
/** Added parts up to this length are not split any further. */
const SMALL_PART = 8;

/**
 * The hunks of a change. Lines that only moved do not count: `removed` are lines that other files of the change lost.
 * A file that holds no program has none.
 */
export function hunksOf(texts: readonly ChangedText[], removed: readonly string[] = []): Hunk[] {
  const rough = texts.flatMap((text) => {
    const language = programLanguage(text.path, text.now);
    return language === undefined ? [] : [{ text, language, ranges: rangesOf(text) }];
  });
  const moved = new Map<string, number>();
  const lost = [...removed, ...rough.flatMap(({ ranges }) => ranges.flatMap(({ old }) => old))];
  for (const line of lost.map(bare)) moved.set(line, (moved.get(line) ?? 0) + 1);
  const isMoved = (line: string) => {
    const left = moved.get(bare(line)) ?? 0;
    if (left > 0) moved.set(bare(line), left - 1);
    return left > 0;
  };
  return rough.flatMap(({ text: { path, now }, language, ranges }) => {
    const counts = countedLines(now, language);
    return ranges.map(({ from, now: lines, old, frame }) => {
      const isFormatting = squeezed(lines) === squeezed(old);
      const counted = lines.filter((line, i) => counts[from - 1 + i] && !isMoved(line)).length;
      const hunk = { path, from, now: lines, old, lines: isFormatting || frame ? 0 : counted };
      return { ...hunk, probe: probeOf(hunk, language) };
    });
  });
}

function bare(line: string): string {
  return line.trim();
}

function squeezed(lines: readonly string[]): string {
  return lines.join('').replace(/\s+/g, '');
}

interface Range {
  from: number;
  now: string[];
  old: string[];
  /** The first and last lines of a part that is split: without them the rest cannot stand. */
  frame?: boolean;
}

export function linesIn(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function rangesOf({ before = '', now }: ChangedText): Range[] {
  const [old, lines] = [linesIn(before), linesIn(now)];
  const middle = replacedMiddle(old, lines);
  if (middle.old.length === 0) return middle.now.length > 0 ? partsOf(slid(middle, lines), 0) : [];
  const found = diffArrays(old, lines, { maxEditLength: MOST_CHANGES });
  if (!found) return [middle];
  const ranges: Range[] = [];
  let from = 1;
  let last: Range | undefined;
  for (const { added, removed, value } of found) {
    if (!added && !removed) last = undefined;
    else if (!last) {
      last = { from, now: [], old: [] };
      ranges.push(last);
    }
    if (removed) last?.old.push(...value);
    else {
      if (added) last?.now.push(...value);
      from += value.length;
    }
  }
  return ranges.flatMap((range) =>
    range.old.length > 0 ? replacementIn(range) : partsOf(slid(range, lines), 0),
  );
}

/** Tells what replaces the old lines from what was added beside it: the part that is most like them. */
function replacementIn(range: Range): Range[] {
  const parts = cutAt(range, boundaries(range.now));
  const words = new Set(wordsIn(range.old));
  const likeness = ({ now }: Range) => new Set(wordsIn(now).filter((word) => words.has(word))).size;
  const most = Math.max(...parts.map(likeness));
  const chosen = parts.find((part) => likeness(part) === most);
  return parts.flatMap((part) => (part === chosen ? [{ ...part, old: range.old }] : partsOf(part, 0)));
}

function wordsIn(lines: readonly string[]): string[] {
  return lines.join('').match(/\w+/g) ?? [];
}

/** Everything between the equal lines at the beginning and at the end. */
function replacedMiddle(old: readonly string[], now: readonly string[]): Range {
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  return {
    from: start + 1,
    now: now.slice(start, now.length - end),
    old: old.slice(start, old.length - end),
  };
}

/**
 * Moves an addition up or down among equal lines, which changes nothing but where it begins: a function that was added
 * after another begins with its own head, not with the bracket that closes the other.
 */
function slid(range: Range, all: readonly string[]): Range {
  const size = range.now.length;
  let first = range.from - 1;
  while (first > 0 && all[first - 1] === all[first + size - 1]) first--;
  let best = { start: range.from - 1, cost: Number.POSITIVE_INFINITY };
  for (let start = first; ; start++) {
    const cost = clumsiness(all.slice(start, start + size));
    if (cost <= best.cost) best = { start, cost };
    if (start + size >= all.length || all[start] !== all[start + size]) break;
  }
  return { from: best.start + 1, now: all.slice(best.start, best.start + size), old: [] };
}

/** High for a part that closes what it did not open, or begins inside of something. */
function clumsiness(lines: readonly string[]): number {
  let depth = 0;
  let lowest = 0;
  for (const character of lines.join('')) {
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) lowest = Math.min(lowest, --depth);
  }
  const first = lines.find((line) => bare(line) !== '');
  return (depth - lowest) * 1_000 - lowest * 1_000 + (first === undefined ? 0 : indentOf(first));
}

const CLOSER = /^\s*(?:[)\]}]|end\b)/;
const DEEPEST_SPLIT = 4;

/** Splits an addition at blank lines into parts that can be taken back one by one: functions, methods, steps. */
function partsOf(range: Range, depth: number): Range[] {
  if (depth > DEEPEST_SPLIT) return [range];
  const parts = cutAt(range, boundaries(range.now));
  if (parts.length > 1) return parts.flatMap((part) => partsOf(part, depth));
  if (range.now.length <= SMALL_PART) return [range];
  return withinFrame(range, depth);
}

/** Splits what is inside of a class or a long function. */
function withinFrame(range: Range, depth: number): Range[] {
  const outer = leastIndent(range.now);
  const isInside = (line: string) => bare(line) !== '' && indentOf(line) > outer;
  const start = range.now.findIndex(isInside);
  const end = range.now.findLastIndex(isInside) + 1;
  if (start < 1) return [range];
  const isFramed = range.now.slice(start, end).every((line) => bare(line) === '' || isInside(line));
  const inner = { from: range.from + start, now: range.now.slice(start, end), old: [] };
  const parts = isFramed ? partsOf(inner, depth + 1) : [];
  if (parts.length < 2) return [range];
  const head = { from: range.from, now: range.now.slice(0, start), old: [], frame: true };
  const tail = { from: range.from + end, now: range.now.slice(end), old: [], frame: true };
  return [head, ...parts, ...(tail.now.length > 0 ? [tail] : [])];
}

function leastIndent(lines: readonly string[]): number {
  return Math.min(...lines.filter((line) => bare(line) !== '').map(indentOf));
}

/** Where parts begin: lines after a blank one that stand as far left as any. */
function boundaries(lines: readonly string[]): number[] {
  const least = leastIndent(lines);
  return lines.flatMap((line, i) => {
    const isStart = i > 0 && bare(line) !== '' && bare(lines[i - 1] ?? '') === '';
    return isStart && indentOf(line) === least && !CLOSER.test(line) ? [i] : [];
  });
}

function cutAt({ from, now }: Range, starts: readonly number[]): Range[] {
  const all = [0, ...starts.filter((start) => now.slice(0, start).some((line) => bare(line) !== ''))];
  return all.map((start, i) => ({ from: from + start, now: now.slice(start, all[i + 1]), old: [] }));
}

/** A line that is put before another one; `before` counts from 0. */
interface PutLine {
  before: number;
  text: string;
}

/** The text of a file without these hunks of it: what stood there at the start stands there again. */
export function withoutHunks(text: string, hunks: readonly Hunk[], put: readonly PutLine[] = []): string {
  const lines = linesIn(text);
  const taken = hunks.map(({ from, now, old }) => ({ at: from - 1, size: now.length, lines: old }));
  const added = put.map(({ before, text: line }) => {
    const around = taken.find(({ at, size }) => at < before && before < at + size);
    return { at: around?.at ?? before, size: 0, lines: [line] };
  });
  // At the same line the hunk goes first: what is put there then stands before it.
  for (const { at, size, lines: instead } of [...taken, ...added].sort(
    (a, b) => b.at - a.at || b.size - a.size,
  ))
    lines.splice(at, size, ...instead);
  return lines.join('');
}

export function byPath(hunks: readonly Hunk[]): Map<string, Hunk[]> {
  return groupBy(hunks, ({ path }) => path);
}
