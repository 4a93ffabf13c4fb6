import stringWidth from 'string-width';
import { stripAnsi } from '../core/text/ansi.ts';
import { oneLine } from '../core/text/clip.ts';
import { redact } from '../core/text/redact.ts';
import { visible } from '../core/text/visible.ts';
import { rendered } from './style.ts';

/** The most characters of a text that are shown, and so searched for secrets. */
const MOST = 8_000;

/** A text of others as one line, without secrets and colours; other characters that steer a terminal are spelled out. */
export function harmless(text: string): string {
  return visible(oneLine(redact(stripAnsi(text.slice(0, MOST))), MOST));
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The columns that a text takes on a terminal, without its escape sequences. */
export function columnsOf(text: string): number {
  return stringWidth(text);
}

/** Cuts a text to a number of columns; a text that was cut ends in `…`. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  return columns < 1 ? '' : `${text.slice(0, lengthWithin(text, columns - 1))}…`;
}

/** The number of characters from the start of a text that fit into so many columns. */
function lengthWithin(text: string, columns: number): number {
  let used = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    used += columnsOf(segment);
    if (used > columns) return index;
  }
  return text.length;
}

/** Breaks a line between words. The next lines are indented like the first, and repeat its quotation mark `| `. */
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

/** The terminal of a region. `columns` and `rows` are 0 or absent when they are not known. */
export type Terminal = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows' | 'writableNeedDrain'>;

const KEEP_TO_THE_LINE = '\x1b[?7l';
const WRAP_LINES = '\x1b[?7h';
const CLEAR_LINE_REST = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/**
 * The last lines of a terminal, drawn again in place; lines above them stay and scroll away. Every change is one write that
 * leaves the cursor below and the terminal's modes as they were, so that a killed process leaves nothing to repair.
 */
export class TerminalRegion {
  readonly #terminal: Terminal;
  #drawn: readonly string[] = [];
  #columns = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get columns(): number {
    // The last column is left free, because a character in it makes some terminals begin a new line.
    return (this.#terminal.columns || 80) - 1;
  }

  /** The most lines that can be drawn in place. The cursor needs one more. */
  get rows(): number {
    return (this.#terminal.rows || 24) - 1;
  }

  /** Draws the region, and prints `above` over it. Skips a redraw that changes nothing, or when the terminal is slow. */
  draw(marked: readonly string[], above: readonly string[] = []): void {
    const lines = marked.map(rendered);
    const same = this.#columns === this.columns && lines.join('\n') === this.#drawn.join('\n');
    if (above.length === 0 && (same || this.#terminal.writableNeedDrain)) return;
    const back = this.#toTheTop();
    const text = [...above.map(rendered), ...lines].map((line) => `${line}${CLEAR_LINE_REST}\n`).join('');
    this.#drawn = lines;
    this.#columns = this.columns;
    this.#terminal.write(`${KEEP_TO_THE_LINE}${back}${text}${CLEAR_BELOW}${WRAP_LINES}`);
  }

  /** Removes the region and prints lines in its place, which the terminal may wrap. */
  finish(lines: readonly string[]): void {
    const text = lines.map((line) => `${rendered(line)}\n`).join('');
    const clear = this.#drawn.length > 0 ? `${this.#toTheTop()}${CLEAR_BELOW}` : '';
    this.#drawn = [];
    if (clear + text !== '') this.#terminal.write(clear + text);
  }

  /** Forgets the drawn lines: another writer has written below them, so the next ones are drawn there. */
  forget(): void {
    this.#drawn = [];
  }

  /** Moves the cursor to the first drawn line. A terminal that became narrower has wrapped long lines. */
  #toTheTop(): string {
    const height = this.#drawn.reduce((rows, line) => rows + this.#rowsOf(line), 0);
    return height === 0 ? '' : `\x1b[${height}A\r`;
  }

  #rowsOf(line: string): number {
    const columns = this.#terminal.columns || 80;
    return this.#columns < columns ? 1 : Math.max(1, Math.ceil(columnsOf(line) / columns));
  }
}
