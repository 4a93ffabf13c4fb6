/** Reads a command file (Markdown) line by line: stages, text, and where it asks you something. */
import { oneLine } from '../text/clip.ts';

export interface CommandFile {
  /** The path, as it is shown. */
  name: string;
  text: string;
}

/** What a line is. `text` of `asks` is the question: '' for a STOP without one. */
type CommandItem =
  | { kind: 'heading'; line: number; level: number; text: string; stage: string | undefined }
  | { kind: 'text' | 'asks'; line: number; text: string };

interface Line {
  number: number;
  text: string;
  /** In a code fence or a comment: it is only text. */
  hidden: boolean;
}

/** Everything in the file but its front matter; `note` is told what may have been misread. */
export function itemsOf(text: string, note: (line: number, what: string) => void): CommandItem[] {
  const lines = visibleLines(text);
  const items: CommandItem[] = [];
  for (let i = 0; i < lines.length; i++) {
    const { text: written, number: line, hidden } = lines[i] as Line;
    const asText: CommandItem = { kind: 'text', line, text: written };
    const block = hidden ? undefined : checkpointFrom(lines, i);
    const stop = hidden || block ? undefined : stopFrom(lines, i);
    if (block) {
      if (block.unclosed) note(line, '<checkpoint> is not closed: only this line of it is the question');
      const [before, after] = [block.before, block.after].map((part): CommandItem[] =>
        part.trim() === '' ? [] : [{ kind: 'text', line, text: part }],
      );
      items.push(
        ...(before ?? []),
        { kind: 'asks', line, text: questionFrom(block.inside) },
        ...(after ?? []),
      );
    } else if (stop && CONDITION.test(stop.question)) {
      note(line, `not taken for a question, because it depends on a condition: ${oneLine(written, 80)}`);
      items.push(asText);
      continue;
    } else if (stop) items.push({ kind: 'asks', line, text: stop.question });
    else items.push((hidden ? undefined : headingOf(written, line)) ?? asText);
    i = block?.end ?? stop?.end ?? i;
  }
  return items;
}

/** The lines behind the front matter, each with whether a code fence or a comment hides it. */
function visibleLines(text: string): Line[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no contract can hold them
    .map((line) => line.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ''));
  const matter = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  let fence: string | undefined;
  let comment = false;
  return lines.flatMap((line, i): Line[] => {
    if (i <= matter) return [];
    const wasHidden = fence !== undefined || comment;
    const [, mark] = /^[ \t>]*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim().replace(/^[> ]+/, '') === mark) fence = undefined;
    } else if (!comment && mark !== undefined) fence = mark;
    else {
      const from = comment ? 0 : line.indexOf('<!--');
      comment = from >= 0 && line.indexOf('-->', from) < 0;
    }
    const hidden = wasHidden || fence !== undefined || /^\s*<!--/.test(line);
    return [{ number: i + 1, text: line, hidden }];
  });
}

interface Block {
  before: string;
  inside: string;
  after: string;
  /** The index of its last line. */
  end: number;
  unclosed?: true;
}

/** The `<checkpoint>` block that begins in a line. */
function checkpointFrom(lines: readonly Line[], start: number): Block | undefined {
  const { text } = lines[start] as Line;
  const open = /<checkpoint\b[^>]{0,200}>/i.exec(text);
  if (!open) return undefined;
  const before = text.slice(0, open.index);
  const first = text.slice(open.index + open[0].length);
  if (open[0].endsWith('/>')) return { before, inside: '', after: first, end: start };
  const inside: string[] = [];
  for (let end = start; end < lines.length; end++) {
    const rest = end === start ? first : (lines[end]?.text ?? '');
    const close = lines[end]?.hidden ? null : /<\/checkpoint\s*>/i.exec(rest);
    inside.push(close ? rest.slice(0, close.index) : rest);
    if (close)
      return { before, inside: inside.join('\n'), after: rest.slice(close.index + close[0].length), end };
  }
  return { before, inside: first, after: '', end: start, unclosed: true };
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
  const isPlain = (line: Line | undefined) =>
    line !== undefined && !line.hidden && !BLOCK_MARK.test(line.text) && !STOP.test(line.text);
  let end = from;
  while (isPlain(lines[end]) && (end === from || !SENTENCE_END.test(lines[end - 1]?.text ?? ''))) end++;
  return end;
}

function textIn(lines: readonly Line[], from: number, to: number): string {
  const part = lines.slice(from, to);
  return part.map(({ text }) => text).join('\n');
}

export const QUESTION_LIMIT = 300;

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

function headingOf(text: string, line: number): CommandItem | undefined {
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
