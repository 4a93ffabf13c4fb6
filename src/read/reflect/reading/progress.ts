import { sayBytes } from '../../../engine/core/text/bytes.ts';
import { type Terminal, TerminalRegion } from '../../../engine/terminal/text.ts';
import type { Printer } from '../printer.ts';

/** The least time between two drawings. */
const EVERY_MS = 100;

/** How far the reading is, on a terminal only. `what`: `12 sessions`. */
export function readingProgress(
  all: number,
  what: string,
  terminal: Terminal & { isTTY?: boolean },
  paint: Printer['paint'],
): { add(bytes: number): void; end(): void } {
  if (!terminal.isTTY) return { add: () => {}, end: () => {} };
  const region = new TerminalRegion(terminal);
  let read = 0;
  let drawn = 0;
  return {
    add(bytes) {
      read += bytes;
      const now = performance.now();
      if (now - drawn < EVERY_MS) return;
      drawn = now;
      const share = all === 0 ? 1 : Math.min(1, read / all);
      const bar = '━'.repeat(Math.round(share * 30));
      const rest = '─'.repeat(30 - bar.length);
      const said = `${sayBytes(read)} of ${sayBytes(all)}, ${what}`;
      region.draw([`Reading ${paint('good', bar)}${paint('quiet', rest)} ${said}`]);
    },
    end: () => region.finish([]),
  };
}
