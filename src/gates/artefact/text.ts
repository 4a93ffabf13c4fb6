import { withoutLoopSection } from '../../core/loop/notes.ts';
import { linesUnder, type MarkdownLine } from '../shared/markdown.ts';

/** What somebody wrote down, without what a template or untildone itself put there. */
export interface WrittenText {
  /** The lines as they stand, comments aside. */
  lines: string[];
  /** Their words; headings, rulers and placeholders are none. */
  words: number;
}

/** Of a file, or of the section below a heading; undefined when there is no such heading. */
export function writtenText(file: string, section?: string): WrittenText | undefined {
  const lines = linesUnder(withoutLoopSection(file), section);
  if (!lines) return undefined;
  return {
    lines: lines.map(({ text }) => text.trimEnd()),
    words: lines.reduce((sum, line) => sum + wordsIn(line), 0),
  };
}

export function asOneText({ lines }: WrittenText): string {
  return lines.join('\n').trim();
}

/** A longer line is cut: a pattern takes its time with every character. */
const LONGEST_LINE = 2000;

/** Whether one of the lines fits; a line of nothing but placeholders says nothing. */
export function hasLine({ lines }: WrittenText, pattern: RegExp): boolean {
  return lines.some((line) => {
    const text = line.slice(0, LONGEST_LINE);
    return pattern.test(text) && countWords(withoutPlaceholders(text)) > 0;
  });
}

function wordsIn({ text, isHeading }: MarkdownLine): number {
  return isHeading ? 0 : countWords(withoutPlaceholders(text));
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
}

const MARKERS = 'TODO|TBD|TBA|FIXME|XXX';
/** A value that is still to come: what stands behind the marker describes it. */
const YET_TO_COME = new RegExp(`^([^:|]*[:|]|)[\\s\\W]*\\b(?:${MARKERS})\\b.*$`);
const SINGLE_MARKER = new RegExp(`\\b(?:${MARKERS})\\b`, 'g');
const BRACKETED =
  /<[^\s<>][^<>]{0,200}>|<[^\s<>]>|\{\{[^{}]{0,200}\}\}|\[(?:\.{2,}|\u2026|TODO|TBD)[^[\]]{0,200}\]/g;
const DOTS = /\.{3,}|\u2026|_{3,}/g;

function withoutPlaceholders(line: string): string {
  return line
    .replace(BRACKETED, ' ')
    .replace(YET_TO_COME, '$1')
    .replace(SINGLE_MARKER, ' ')
    .replace(DOTS, ' ');
}
