/** Text on its way to a terminal or a log: harmless, in one line, as wide as there is room. */
import { stripAnsi } from '../core/ansi.ts';
import { oneLine } from '../core/clip.ts';
import { redact } from '../core/redact.ts';

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

const ONE_COLUMN_EACH = /^[\x20-\x7e]*$/;
const NO_COLUMN = /^[\p{M}\p{Cf}]+$/u;
const TWO_COLUMNS =
  /^(?![\uff61-\uffdc])[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|^\p{Extended_Pictographic}\ufe0f/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns a text takes on a terminal; terminals differ about the newest signs. */
export function columnsOf(text: string): number {
  if (ONE_COLUMN_EACH.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += columnsOfSign(segment);
  return columns;
}

function columnsOfSign(sign: string): number {
  if (NO_COLUMN.test(sign)) return 0;
  return TWO_COLUMNS.test(sign) ? 2 : 1;
}

/** At most so many columns of a text; what was cut ends in `…`. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += columnsOfSign(segment);
    if (used > columns - 1) break;
    kept += segment;
  }
  return columns < 1 ? '' : `${kept}…`;
}

/** Broken between words; what belongs to a line begins where the line begins, its quotation mark included. */
export function wrapLine(line: string, width: number): string[] {
  const [lead = ''] = /^\s*(\| |[-+$] )?/.exec(line) ?? [];
  const next = lead.includes('|') ? lead : ' '.repeat(lead.length);
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    if (space <= lead.length) break;
    lines.push(rest.slice(0, space));
    rest = next + rest.slice(space + 1);
  }
  return [...lines, rest];
}
