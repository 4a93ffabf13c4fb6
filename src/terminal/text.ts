/** Text on its way to a terminal or a log: harmless, in one line, as wide as there is room. */
import stringWidth from 'string-width';
import { stripAnsi } from '../core/text/ansi.ts';
import { oneLine } from '../core/text/clip.ts';
import { redact } from '../core/text/redact.ts';

export function colourWanted(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** Never shown beyond this, so it need not be searched for secrets either. */
const MOST = 8_000;
/** Marks that turn the direction of writing: a line would read as another one. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** What others wrote, as one line without secrets that cannot steer the terminal. */
export function harmless(text: string): string {
  return oneLine(redact(stripAnsi(text.slice(0, MOST)).replace(DIRECTION_MARKS, '')), MOST);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns a text takes on a terminal, escape sequences aside. */
export function columnsOf(text: string): number {
  return stringWidth(text);
}

/** At most so many columns of a text; what was cut ends in `…`. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  return columns < 1 ? '' : `${text.slice(0, lengthWithin(text, columns - 1))}…`;
}

/** How many characters from the beginning of a text fit into so many columns. */
function lengthWithin(text: string, columns: number): number {
  let used = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    used += columnsOf(segment);
    if (used > columns) return index;
  }
  return text.length;
}

/** Broken between words; what belongs to a line begins where the line begins, its quotation mark included. */
export function wrapLine(line: string, width: number): string[] {
  const [lead = ''] = /^\s*(\| |[-+$] )?/.exec(line) ?? [];
  const next = lead.includes('|') ? lead : ' '.repeat(lead.length);
  const lines: string[] = [];
  let rest = line;
  while (columnsOf(rest) > width) {
    const space = rest.lastIndexOf(' ', lengthWithin(rest, width));
    if (space <= lead.length) break;
    lines.push(rest.slice(0, space));
    rest = next + rest.slice(space + 1);
  }
  return [...lines, rest];
}
