/** What stands on the screen of a terminal: enough of one for programs that redraw parts of it. */

export interface Screen {
  write(text: string): void;
  /** The rows, without blanks at their ends. */
  text(): string;
}

const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
/** A control sequence with its numbers and its letter, another escape, or one character. */
const PIECE = new RegExp(
  `${ESCAPE}\\[([0-9;?<>=!]*)[ -/]*([@-~])|${ESCAPE}\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)|${ESCAPE}[()].|${ESCAPE}[^[\\]]|[^]`,
  'gu',
);

const CUT = new RegExp(`${ESCAPE}(?:\\[[0-9;?<>=!]*|\\][^${BELL}${ESCAPE}]*)?$`);

export function screenOf(columns: number, rows: number): Screen {
  let cells = Array.from({ length: rows }, () => blankRow(columns));
  let [row, column] = [0, 0];
  let rest = '';

  const newLine = () => {
    if (row < rows - 1) row += 1;
    else cells = [...cells.slice(1), blankRow(columns)];
  };
  const put = (character: string) => {
    if (column >= columns) {
      column = 0;
      newLine();
    }
    const line = cells[row];
    if (line) line[column] = character;
    column += 1;
  };
  const erase = (fromRow: number, fromColumn: number, toRow: number, toColumn: number) => {
    for (let r = fromRow; r <= toRow; r++) {
      const end = r === toRow ? toColumn : columns;
      cells[r]?.fill(' ', r === fromRow ? fromColumn : 0, end);
    }
  };
  const moves: Record<string, (n: number, m: number) => unknown> = {
    A: (n) => (row = Math.max(0, row - (n || 1))),
    B: (n) => (row = Math.min(rows - 1, row + (n || 1))),
    C: (n) => (column = Math.min(columns - 1, column + (n || 1))),
    D: (n) => (column = Math.max(0, column - (n || 1))),
    E: (n) => ([row, column] = [Math.min(rows - 1, row + (n || 1)), 0]),
    F: (n) => ([row, column] = [Math.max(0, row - (n || 1)), 0]),
    G: (n) => (column = Math.min(columns, n || 1) - 1),
    H: (n, m) => ([row, column] = [Math.min(rows, n || 1) - 1, Math.min(columns, m || 1) - 1]),
    J: (n) => (n === 0 ? erase(row, column, rows - 1, columns) : erase(0, 0, rows - 1, columns)),
    K: (n) => erase(row, n === 0 ? column : 0, row, n === 1 ? column + 1 : columns),
  };

  return {
    write(text) {
      const all = rest + text;
      // A sequence may be cut in two.
      const cut = CUT.exec(all)?.index ?? all.length;
      rest = all.slice(cut);
      for (const [whole, numbers = '', letter] of all.slice(0, cut).matchAll(PIECE)) {
        const [n = 0, m = 0] = numbers.split(';').map(Number);
        if (letter !== undefined) {
          if (!/[?<>=!]/.test(numbers)) moves[letter]?.(n, m);
        } else if (whole === '\r') column = 0;
        else if (whole === '\n') newLine();
        else if (whole === '\b') column = Math.max(0, column - 1);
        else if (whole >= ' ' && !whole.startsWith(ESCAPE)) put(whole);
      }
    },
    text: () => cells.map((line) => line.join('').trimEnd()).join('\n'),
  };
}

function blankRow(columns: number): string[] {
  return Array.from({ length: columns }, () => ' ');
}
