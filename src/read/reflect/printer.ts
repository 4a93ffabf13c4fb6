import type { Style } from '../../engine/terminal/style.ts';

/** What prints for the bundle that looks back. The program brings it, because colours are decided there. */
export interface Printer {
  out(line: string): void;
  warn(line: string): void;
  paint(style: Style, text: string): string;
}
