import stringWidth from 'string-width';
import { stripAnsi } from '../core/text/ansi.ts';
import { oneLine } from '../core/text/clip.ts';
import { redact } from '../core/text/redact.ts';

/** Text on its way to a terminal or a log: harmless, in one line, as wide as there is room. */

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

/** What is needed of a terminal; `columns` and `rows` are 0 or absent when nobody knows. */
export type Terminal = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows' | 'writableNeedDrain'>;

const KEEP_TO_THE_LINE = '\x1b[?7l';
const WRAP_LINES = '\x1b[?7h';
const CLEAR_LINE_REST = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/**
 * The last lines of a terminal, drawn again and again in place; what is said above them stays and scrolls away.
 * Every change is one write that leaves the cursor below and the terminal as it was: whoever is ended, nothing to mend.
 */
export class TerminalRegion {
  readonly #terminal: Terminal;
  #drawn: readonly string[] = [];
  #columns = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get columns(): number {
    // The last column is left free: a sign in it makes some terminals begin a new line.
    return (this.#terminal.columns || 80) - 1;
  }

  /** The most lines that can be drawn in place: the cursor needs one of its own. */
  get rows(): number {
    return (this.#terminal.rows || 24) - 1;
  }

  /** Lines above stay. Nothing is written when nothing changed, nor to a terminal that does not keep up. */
  draw(lines: readonly string[], above: readonly string[] = []): void {
    const same = this.#columns === this.columns && lines.join('\n') === this.#drawn.join('\n');
    if (above.length === 0 && (same || this.#terminal.writableNeedDrain)) return;
    const back = this.#toTheTop();
    const text = [...above, ...lines].map((line) => `${line}${CLEAR_LINE_REST}\n`).join('');
    this.#drawn = lines;
    this.#columns = this.columns;
    this.#terminal.write(`${KEEP_TO_THE_LINE}${back}${text}${CLEAR_BELOW}${WRAP_LINES}`);
  }

  /** Takes the region away and leaves lines in its place, whole: the terminal may break them. */
  finish(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}\n`).join('');
    const clear = this.#drawn.length > 0 ? `${this.#toTheTop()}${CLEAR_BELOW}` : '';
    this.#drawn = [];
    if (clear + text !== '') this.#terminal.write(clear + text);
  }

  /** Somebody else has written below: what is drawn next begins there. */
  forget(): void {
    this.#drawn = [];
  }

  /** A narrower terminal has broken the lines that were too long for it. */
  #toTheTop(): string {
    const height = this.#drawn.reduce((rows, line) => rows + this.#rowsOf(line), 0);
    return height === 0 ? '' : `\x1b[${height}A\r`;
  }

  #rowsOf(line: string): number {
    const columns = this.#terminal.columns || 80;
    return this.#columns < columns ? 1 : Math.max(1, Math.ceil(columnsOf(line) / columns));
  }
}
