/** Reads the stages of a command file (Markdown), each divided where it asks you something. */
import { oneLine } from '../text/clip.ts';

export interface CommandFile {
  /** The path, as it is shown. */
  name: string;
  text: string;
}

/** A part of a stage, and the question after it: '' for a STOP without one; absent when nothing is asked. */
export interface Piece {
  text: string;
  asks?: string;
}

export interface Stage {
  file: string;
  line: number;
  title: string;
  pieces: Piece[];
}

export interface Stages {
  stages: Stage[];
  /** What was left out, or what may have been misread. */
  notes: string[];
}

export function asksSomebody({ pieces }: Stage): boolean {
  return pieces.some(({ asks }) => asks !== undefined);
}

interface Line {
  number: number;
  text: string;
  /** In a code fence or a comment: it is only text. */
  hidden: boolean;
}

type Item =
  | { kind: 'heading'; line: number; level: number; text: string; stage: string | undefined }
  | { kind: 'text'; line: number; text: string }
  | { kind: 'asks'; line: number; text: string };

export function stagesOf(file: CommandFile): Stages {
  const notes: string[] = [];
  const note = (line: number, text: string) => void notes.push(`${file.name}:${line}: ${text}`);
  const items = itemsOf(visibleLines(file.text), note);
  const level = Math.min(
    ...items.flatMap((item) => (item.kind === 'heading' && item.stage !== undefined ? [item.level] : [])),
  );
  if (level === Number.POSITIVE_INFINITY) {
    const pieces = piecesOf(items);
    return { stages: [{ file: file.name, line: 1, title: titleOfFile(file.name), pieces }], notes };
  }
  return { stages: divided(items, level, file.name, note), notes };
}

type Note = (line: number, text: string) => void;

/** Divides at the headings of the highest level that has a stage; lower headings are part of their stage. */
function divided(items: readonly Item[], level: number, file: string, note: Note): Stage[] {
  const stages: (Omit<Stage, 'pieces'> & { items: Item[] })[] = [];
  let open: Item[] | undefined;
  for (const item of items) {
    if (item.kind === 'heading' && item.level <= level) {
      open = undefined;
      if (item.stage === undefined || item.level < level) continue;
      open = [];
      stages.push({ file, line: item.line, title: item.stage, items: open });
    } else if (open) open.push(item);
    else if (item.kind === 'asks')
      note(item.line, `left out, because it is in no stage: ${item.text === '' ? 'STOP' : item.text}`);
  }
  return stages.map(({ items: own, ...stage }) => ({ ...stage, pieces: piecesOf(own) }));
}

function piecesOf(items: readonly Item[]): Piece[] {
  const pieces: Piece[] = [];
  let text: string[] = [];
  for (const item of items) {
    if (item.kind !== 'asks') {
      text.push(item.kind === 'heading' ? `${'#'.repeat(item.level)} ${item.text}` : item.text);
      continue;
    }
    const before = tidied(text);
    text = [];
    const last = pieces.at(-1);
    // Two questions without work in between become one.
    if (last && before === '') last.asks = joined(last.asks ?? '', item.text);
    else pieces.push({ text: before, asks: item.text });
  }
  const rest = tidied(text);
  return rest === '' ? pieces : [...pieces, { text: rest }];
}

function joined(first: string, second: string): string {
  if (first.includes(second)) return first;
  return oneLine(`${first} ${second}`, QUESTION_LIMIT);
}

function tidied(lines: readonly string[]): string {
  return lines
    .filter((line) => !/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line))
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The lines behind the front matter, each with whether a code fence or a comment hides it. */
function visibleLines(text: string): Line[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no contract can hold them
    .map((line) => line.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ''));
  const matter = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  let after: Hiding = { comment: false };
  return lines.flatMap((line, i): Line[] => {
    if (i <= matter) return [];
    const before = after;
    after = hidingAfter(line, before);
    const isInside = before.comment || before.fence !== undefined || after.fence !== undefined;
    return [{ number: i + 1, text: line, hidden: isInside || isComment(line) }];
  });
}

/** The code fence or the comment that the lines so far leave open. */
interface Hiding {
  /** The mark that opened the fence. */
  fence?: string;
  comment: boolean;
}

function hidingAfter(line: string, before: Hiding): Hiding {
  const { fence, comment } = before;
  const [, mark] = /^[ \t>]*(`{3,}|~{3,})/.exec(line) ?? [];
  if (fence !== undefined) {
    const closes = mark?.startsWith(fence) && line.trim().replace(/^[> ]+/, '') === mark;
    return closes ? { comment: false } : before;
  }
  if (!comment && mark !== undefined) return { fence: mark, comment: false };
  const from = comment ? 0 : line.indexOf('<!--');
  return { comment: from >= 0 && line.indexOf('-->', from) < 0 };
}

function isComment(line: string): boolean {
  return /^\s*<!--/.test(line);
}

const OPEN = /<checkpoint\b[^>]{0,200}>/i;
const CLOSE = /<\/checkpoint\s*>/i;

function itemsOf(lines: readonly Line[], note: Note): Item[] {
  const items: Item[] = [];
  for (let i = 0; i < lines.length; i++) {
    const read = itemsAt(lines, i, note);
    items.push(...read.items);
    i = read.end;
  }
  return items;
}

/** What begins with a line, and the last line of it. */
function itemsAt(lines: readonly Line[], start: number, note: Note): { items: Item[]; end: number } {
  const { text, number: line, hidden } = lines[start] as Line;
  const asText: Item = { kind: 'text', line, text };
  if (hidden) return { items: [asText], end: start };
  const open = OPEN.exec(text);
  if (open) {
    const block = blockFrom(lines, start, open);
    if (block.unclosed) note(line, '<checkpoint> is not closed: it was read up to the next heading');
    return { items: itemsOfBlock(block, line), end: block.end };
  }
  const stop = stopFrom(lines, start);
  if (!stop) return { items: [headingOf(text, line) ?? asText], end: start };
  if (CONDITION.test(stop.question)) {
    note(line, `not taken for a question, because it depends on a condition: ${oneLine(text, 80)}`);
    return { items: [asText], end: start };
  }
  return { items: [{ kind: 'asks', line, text: stop.question }], end: stop.end };
}

function itemsOfBlock({ before, inside, after }: Block, line: number): Item[] {
  const textItem = (text: string): Item[] => (text.trim() === '' ? [] : [{ kind: 'text', line, text }]);
  return [...textItem(before), { kind: 'asks', line, text: questionFrom(inside) }, ...textItem(after)];
}

interface Block {
  before: string;
  inside: string;
  after: string;
  /** The index of its last line. */
  end: number;
  unclosed: boolean;
}

function blockFrom(lines: readonly Line[], start: number, open: RegExpExecArray): Block {
  const { text } = lines[start] as Line;
  const before = text.slice(0, open.index);
  const first = text.slice(open.index + open[0].length);
  if (open[0].endsWith('/>')) return { before, inside: '', after: first, end: start, unclosed: false };
  const inside: string[] = [];
  let end = start;
  for (let i = start; i < lines.length; i++) {
    const line = lines[i] as Line;
    const rest = i === start ? first : line.text;
    const close = line.hidden ? null : CLOSE.exec(rest);
    if (close) {
      inside.push(rest.slice(0, close.index));
      const after = rest.slice(close.index + close[0].length);
      return { before, inside: inside.join('\n'), after, end: i, unclosed: false };
    }
    inside.push(rest);
  }
  const next = lines.findIndex((line, i) => i > start && !line.hidden && /^#{1,6}\s/.test(line.text));
  end = (next < 0 ? lines.length : next) - 1;
  return { before, inside: inside.slice(0, end - start + 1).join('\n'), after: '', end, unclosed: true };
}

/** STOP at the beginning of a line, after marks of a list, quote or heading, emphasis, an emoji or a number. */
const STOP = /^(?:[\s>#*_+-]|\p{Extended_Pictographic}|\uFE0F)*(?:\d{1,3}[.)]\s+[*_]*)?STOP(?![\w-])/u;
const CONDITION = /^(?:if|when|whenever|unless|once|as soon)\b/i;
const BLOCK_MARK = /^\s*(?:[#>|<]|[-*+]\s|\d{1,3}[.)]\s|`{3}|~{3}|$)/;
const SENTENCE_END = /[^\s.?!*_][.?!]["')*_]*\s*$/;
const ABOUT_WAITING = /\b(?:wait|ask|confirm|approv|review|user|until|proceed|continue)/i;

/** A question that begins with STOP, up to the end of its sentence; of STOP alone, the sentence after it if it is about waiting. */
function stopFrom(lines: readonly Line[], start: number): { question: string; end: number } | undefined {
  const { text } = lines[start] as Line;
  if (!STOP.test(text)) return undefined;
  const goesOn = !/^#{1,6}\s/.test(text) && !SENTENCE_END.test(text);
  const end = goesOn ? sentenceFrom(lines, start + 1) : start + 1;
  const question = questionFrom(textIn(lines, start, end));
  if (question !== '') return { question, end: end - 1 };
  const from = lines[end]?.text.trim() === '' ? end + 1 : end;
  const more = sentenceFrom(lines, from);
  const words = textIn(lines, from, more);
  return ABOUT_WAITING.test(words)
    ? { question: questionFrom(words), end: more - 1 }
    : { question, end: end - 1 };
}

/** The index after the last line of a sentence; `from` where none begins. */
function sentenceFrom(lines: readonly Line[], from: number): number {
  let end = from;
  while (isPlain(lines[end]) && (end === from || !SENTENCE_END.test(lines[end - 1]?.text ?? ''))) end++;
  return end;
}

function isPlain(line: Line | undefined): boolean {
  return line !== undefined && !line.hidden && !BLOCK_MARK.test(line.text) && !STOP.test(line.text);
}

function textIn(lines: readonly Line[], from: number, to: number): string {
  return lines
    .slice(from, to)
    .map(({ text }) => text)
    .join('\n');
}

const QUESTION_LIMIT = 300;

/** The question for you: without marks, and without the words that tell the agent to stop. */
function questionFrom(text: string): string {
  const words = oneLine(
    text.replace(/^[ \t]*(?:#{1,6}|>+)[ \t]+/gm, '').replace(/\*\*|__/g, ''),
    2 * QUESTION_LIMIT,
  )
    .replace(STOP, '')
    .replace(/^\W*(?:checkpoint\b)?[\s:.!,;–—-]*/iu, '')
    .replace(/^STOP(?![\w-])[\s:.!,;–—-]*/, '')
    .replace(/^and\s+/i, '');
  return oneLine(words.charAt(0).toUpperCase() + words.slice(1), QUESTION_LIMIT);
}

function headingOf(text: string, line: number): Extract<Item, { kind: 'heading' }> | undefined {
  const [, marks, written] = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(text) ?? [];
  if (marks === undefined || written === undefined) return undefined;
  let end = written.length;
  while (end > 0 && ' \t#'.includes(written[end - 1] ?? '')) end--;
  const title = written.slice(0, end);
  const words = oneLine(title.replace(/[*_`]|\p{Extended_Pictographic}|\uFE0F/gu, ''), 120);
  return { kind: 'heading', line, level: marks.length, text: words, stage: stageTitle(words) };
}

const NUMBER = /^(?:\d{1,3}(?:\.\d{1,3})*|[A-Z]|[IVX]{1,5})(?=$|[\s:.)–—-])[\s:.)–—-]*(.*)$/;

/** `Phase 1: Plan`, `Stage 2 - Build`, `Step 3. Test`, `Phase: Plan`, `1. Plan`; undefined for other headings. */
function stageTitle(words: string): string | undefined {
  const [, rest] = /^(?:phase|stage|step)\b\s*(.*)$/i.exec(words) ?? [];
  if (rest === undefined) return /^\d{1,3}(?:\.\d{1,3})*\s*[.):–—-]\s*(\S.*)$/.exec(words)?.[1];
  const [, title] = NUMBER.exec(rest) ?? /^[:–—-]\s*(.+)$/.exec(rest) ?? [];
  return title === '' ? words : title;
}

/** `commands/plan.md` is "plan", `agents/planner/AGENT.md` is "planner". */
function titleOfFile(file: string): string {
  const [last = '', folder] = file.split(/[/\\]/).reverse();
  const name = last.replace(/\.[^.]*$/, '');
  return /^(?:agent|skill|readme|index)$/i.test(name) && folder ? folder : name;
}
