/** Colours of our own. A text from outside cannot imitate them: it would have to know a random mark of this process. */
import { randomUUID } from 'node:crypto';
import { visible } from '../core/text/visible.ts';

/** What a colour means, as its number in a terminal. */
const STYLES = { good: 32, bad: 31, open: 33, quiet: 2, bold: 1, person: 34, model: 36, aside: 90 } as const;
export type Style = keyof typeof STYLES;

const MARK = `\u0000${randomUUID()}`;
const MARKED = new RegExp(`${MARK}(\\d+)m`);
const RESET = 0;

/** Marks a part of a line; `rendered` puts the colour in. */
export function styled(style: Style, text: string): string {
  return text.trim() === '' ? text : `${MARK}${STYLES[style]}m${text}${MARK}${RESET}m`;
}

/** A line as a terminal may get it: every control character is spelled out but those of our own colours. */
export function rendered(line: string): string {
  // Parts with an odd index are the numbers of colours.
  return line
    .replace(/\r$/, '')
    .split(MARKED)
    .map((part, index) => (index % 2 === 1 ? `\u001b[${part}m` : visible(part)))
    .join('');
}

let inColour = false;

/** Decides for all commands of this process. Without it `paint` paints nothing. */
export function useColour(wanted: boolean): void {
  inColour = wanted;
}

/** A part of a line in its colour, where colours are wanted. */
export function paint(style: Style, text: string): string {
  return inColour ? styled(style, text) : text;
}

/** The style of a verdict. */
export const VERDICT_STYLES = { pass: 'good', fail: 'bad', unproven: 'open', skip: 'quiet' } as const;

/** Only what was proven looks like success: the word of the agent alone, and an end by hand, do not. */
const STATUS_STYLES: Record<string, Style | undefined> = {
  verified_done: 'good',
  claimed_done: 'open',
  paused: 'open',
  cancelled: 'open',
  released: 'open',
  active: 'bold',
};

/** Every ending that is not named above is a failure. */
export function statusStyle(status: string): Style {
  return STATUS_STYLES[status] ?? 'bad';
}

/** The status of a loop in its colour. */
export function paintStatus(status: string): string {
  return paint(statusStyle(status), status);
}

/** Whether output to this stream is in colour. NO_COLOR has the last word. */
export function colourWanted(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}
