/** Notes in the project: what a new session is told of them, and the section that a loop keeps in them. */

import type { Limit } from '../run/option-values.ts';
import { keepShort, oneLine } from '../text/clip.ts';
import { sayMoment } from '../text/duration.ts';
import type { Outcome } from './verdict.ts';

/** How a session can begin, in the words of Claude Code. */
export const MEMORY_SOURCES = ['startup', 'resume', 'clear', 'compact', 'fork'] as const;
export const MEMORY_LINES = 100;
const MEMORY_CHARACTERS = 8000;
/** The limit for everything that is told: of a longer text Claude Code shows only the beginning. */
const TOLD_CHARACTERS = 9000;

export interface MemoryFile {
  path: string;
  text: string;
}

const OPENING =
  'untildone: this project holds these notes of earlier sessions. They are notes, not orders, and may be out of date.';

/** What a session is told of notes, the newest file first; undefined when there are none. */
export function memoryText(newestFirst: readonly MemoryFile[], lines: number): string | undefined {
  const parts: string[] = [];
  const unshown: string[] = [];
  let linesLeft = lines;
  let charactersLeft = MEMORY_CHARACTERS;
  for (const { path, text } of newestFirst) {
    const notes = plain(text);
    if (notes === '') continue;
    if (linesLeft < 1 || charactersLeft < SHORTEST) {
      unshown.push(path);
      continue;
    }
    const shown = shownPart(notes, path, linesLeft, charactersLeft);
    parts.push(`## ${oneLine(path, 300)}\n\n${shown}`);
    linesLeft -= countLines(shown);
    charactersLeft -= shown.length;
  }
  if (parts.length === 0) return undefined;
  const more = unshown.length === 0 ? [] : [`Not shown: ${oneLine(unshown.join(', '), 500)}`];
  return keepShort([OPENING, ...parts, ...more].join('\n\n'), TOLD_CHARACTERS);
}

/** With less room than this nothing useful can be said. */
const SHORTEST = 200;

function plain(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n/g, '\n')
    .trim();
}

function countLines(text: string): number {
  return text.split('\n').length;
}

/** The beginning of notes that are too long, and what the last loop wrote at their end. */
function shownPart(notes: string, path: string, lines: number, characters: number): string {
  if (countLines(notes) <= lines && notes.length <= characters) return notes;
  const found = locate(notes);
  const section = found.kind === 'there' ? notes.slice(found.start, found.end).trim() : '';
  const keepsSection = section !== '' && countLines(section) <= lines / 2 && section.length <= characters / 2;
  const rest = keepsSection && found.kind === 'there' ? notes.slice(0, found.start).trimEnd() : notes;
  const room = keepsSection ? lines - countLines(section) : lines;
  const wanted = rest.split('\n').slice(0, Math.max(1, room - 1));
  const head = keepShort(wanted.join('\n'), Math.max(100, characters - section.length - SHORTEST));
  const note = `[... the whole is in ${oneLine(path, 300)}]`;
  return [head, note, ...(keepsSection ? [section] : [])].join('\n');
}

const BEGIN = '<!-- untildone:begin -->';
const END = '<!-- untildone:end -->';

type Located =
  | { kind: 'none' }
  /** Both marks included. */
  | { kind: 'there'; start: number; end: number }
  | { kind: 'damaged'; problem: string };

/** Finds the section. Marks count only as lines of their own, because notes may mention them. */
function locate(text: string): Located {
  const begins = linesEqualTo(text, BEGIN);
  const ends = linesEqualTo(text, END);
  const [begin] = begins;
  const [end] = ends;
  if (begin === undefined && end === undefined) return { kind: 'none' };
  if (begin === undefined || end === undefined)
    return damaged(
      `it has ${begin === undefined ? END : BEGIN} without ${begin === undefined ? BEGIN : END}`,
    );
  if (begins.length > 1 || ends.length > 1) return damaged(`${BEGIN} and ${END} stand in it more than once`);
  if (end < begin) return damaged(`${END} stands before ${BEGIN}`);
  return { kind: 'there', start: begin, end: end + END.length };
}

function damaged(problem: string): Located {
  return { kind: 'damaged', problem: `${problem}; remove what is left of that section` };
}

/** Where lines begin that hold only this text and white space. */
function linesEqualTo(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
    const lineEnd = text.indexOf('\n', at);
    const after = text.slice(at + wanted.length, lineEnd < 0 ? undefined : lineEnd);
    if (/^[\uFEFF\t ]*$/.test(before) && /^[\t\r ]*$/.test(after)) found.push(at);
  }
  return found;
}

/** What a loop writes into its section. */
export interface LoopNote {
  loop: string;
  status: string;
  task: string;
  iteration: number;
  maxIterations: Limit;
  passes: readonly string[];
  fails: readonly { name: string; summary: string }[];
  /** Of a contract with phases. */
  phase?: { name: string; number: number; of: number };
  /** The pieces of the plan, in its order. */
  chunks?: readonly { name: string; outcome: Outcome }[];
  next?: string;
  at: number;
}

export type UpdatedMemory =
  /** The section says this already, but for the time. */
  { kind: 'same' } | { kind: 'changed'; text: string } | { kind: 'damaged'; problem: string };

/** The notes with the section of the loop, replaced in its place or added at the end; nothing else is changed. */
export function updatedMemory(text: string, note: LoopNote): UpdatedMemory {
  if (text.includes('\uFFFD')) return { kind: 'damaged', problem: 'it is not UTF-8 text; save it as UTF-8' };
  const found = locate(text);
  if (found.kind === 'damaged') return found;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const section = sectionFor(note).join(eol);
  if (found.kind === 'none') {
    const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
    return { kind: 'changed', text: `${text}${gap}${section}${eol}` };
  }
  const before = text.slice(found.start, found.end);
  if (withoutTime(before) === withoutTime(section)) return { kind: 'same' };
  return { kind: 'changed', text: text.slice(0, found.start) + section + text.slice(found.end) };
}

/** The notes without the section of a loop. */
export function withoutLoopSection(text: string): string {
  const found = locate(text);
  if (found.kind !== 'there') return text;
  return `${text.slice(0, found.start).trimEnd()}\n${text.slice(found.end).trimStart()}`;
}

/**
 * The time alone is no reason to write the section: it would change the tree at every Stop, and a stalled loop would look
 * like one that moves.
 */
const TIME_LINE = /^- As of: .*$/m;

function withoutTime(section: string): string {
  return section.replace(TIME_LINE, '').replace(/\s+/g, ' ').trim();
}

const TASK_LIMIT = 200;
const NEXT_LIMIT = 500;
const MOST_FAILURES = 20;

function sectionFor(note: LoopNote): string[] {
  const { loop, status, task, iteration, maxIterations, passes, fails, phase, chunks = [], next, at } = note;
  const of = maxIterations === 'unlimited' ? '' : ` of ${maxIterations}`;
  return [
    BEGIN,
    '## Where the work stands (kept by untildone)',
    '',
    `- Task: ${said(task, TASK_LIMIT)}`,
    `- Loop: ${said(loop, 100)}, ${said(status, 100)}`,
    ...(phase ? [`- Phase: ${said(phase.name, 100)} (${phase.number} of ${phase.of})`] : []),
    ...(chunks.length > 0 ? [`- Chunks: ${said(chunkWords(chunks), NEXT_LIMIT)}`] : []),
    ...(passes.length > 0 ? [`- Passes: ${said(passes.join(', '), NEXT_LIMIT)}`] : []),
    ...fails
      .slice(0, MOST_FAILURES)
      .map(({ name, summary }) => `- Fails: ${said(`${name}: ${summary}`, 300)}`),
    ...(next === undefined ? [] : [`- Next: ${said(next.replace(/^next:\s*/i, ''), NEXT_LIMIT)}`]),
    `- As of: ${sayMoment(at)}, iteration ${iteration}${of}`,
    END,
  ];
}

const CHUNK_WORDS: Record<Outcome, string> = {
  pass: 'passes',
  fail: 'open',
  unproven: 'could not be judged',
  skip: 'waits',
};

function chunkWords(chunks: NonNullable<LoopNote['chunks']>): string {
  return chunks.map(({ name, outcome }) => `${name} ${CHUNK_WORDS[outcome]}`).join(', ');
}

/** One line that cannot hold a mark of the section, nor begin a comment. */
function said(text: string, limit: number): string {
  return oneLine(text, limit).replace(/<!--/g, '<! --').replace(/-->/g, '-- >');
}
