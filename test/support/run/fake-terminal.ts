import { EventEmitter } from 'node:events';

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const ESCAPE = /^\x1b\[(\??)(\d*)([A-Za-z])/;

/** As much of a terminal as the live view asks for; anything else that is written to it is an error. */
export class FakeTerminal extends EventEmitter {
  readonly isTTY = true;
  writableNeedDrain = false;
  readonly writes: string[] = [];
  columns: number;
  rows: number;
  /** The scroll-back and the screen. */
  #lines: string[] = [''];
  #row = 0;
  #column = 0;
  #top = 0;
  #wraps = true;

  constructor(columns = 80, rows = 24) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  /** Everything that can be read, the scroll-back first. */
  text(): string {
    return this.#lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  }

  get wraps(): boolean {
    return this.#wraps;
  }

  write(text: string): boolean {
    this.writes.push(text);
    for (let at = 0; at < text.length; ) {
      const command = ESCAPE.exec(text.slice(at, at + 12));
      if (command) this.#obey(command);
      else this.#print(text[at] ?? '');
      at += command?.[0].length ?? 1;
    }
    return true;
  }

  /** Narrower: lines that no longer fit are broken, as most terminals do. */
  resize(columns: number, rows = this.rows): void {
    const broken = this.#lines.map((line) => chunks(line.trimEnd(), columns));
    this.#row = broken.slice(0, this.#row).flat().length;
    this.#lines = broken.flat();
    this.columns = columns;
    this.rows = rows;
    this.#top = Math.max(0, this.#row - rows + 1);
    this.emit('resize');
  }

  #obey([whole, mode, figure, command]: RegExpExecArray): void {
    const line = this.#lines[this.#row] ?? '';
    if (command === 'm') return;
    if (command === 'A') this.#row = Math.max(this.#top, this.#row - Number(figure));
    else if (command === 'K') this.#lines[this.#row] = line.slice(0, this.#column);
    else if (command === 'J') {
      this.#lines[this.#row] = line.slice(0, this.#column);
      this.#lines.length = this.#row + 1;
    } else if (mode === '?' && figure === '7') this.#wraps = command === 'h';
    else throw new Error(`the terminal got ${JSON.stringify(whole)}`);
  }

  #print(sign: string): void {
    if (sign === '\r') this.#column = 0;
    else if (sign === '\n') this.#newLine();
    else if (sign < ' ' || sign === '\x7f') throw new Error(`the terminal got ${JSON.stringify(sign)}`);
    else {
      if (this.#column >= this.columns && this.#wraps) this.#newLine();
      const at = Math.min(this.#column, this.columns - 1);
      const line = (this.#lines[this.#row] ?? '').padEnd(at);
      this.#lines[this.#row] = line.slice(0, at) + sign + line.slice(at + 1);
      this.#column = at + 1;
    }
  }

  #newLine(): void {
    this.#row += 1;
    this.#column = 0;
    this.#lines[this.#row] ??= '';
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
  }
}

function chunks(line: string, columns: number): string[] {
  const parts = line.match(new RegExp(`.{1,${columns}}`, 'gu'));
  return parts ?? [''];
}
