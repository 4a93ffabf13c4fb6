/** The only way to stdout and stderr for what people read: it prints nothing that steers their terminal. */

import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { EXIT } from '../core/words/exit-codes.ts';
import { rendered } from './style.ts';

/** Takes lines instead of stdout and stderr. */
let taken: string[] | undefined;

/** Prints one line to stdout. A line break in it is spelled out like every other control character. */
export function out(line: string): void {
  if (taken) taken.push(rendered(line));
  else process.stdout.write(`${rendered(line)}\n`);
}

/** Shows a line that the next one takes the place of; empty: it goes. Undefined where nothing can be overwritten. */
export function live(): ((line: string) => void) | undefined {
  const { stdout } = process;
  if (taken || stdout.isTTY !== true || process.env.TERM === 'dumb') return undefined;
  // A line that wraps could not be taken back.
  return (line) => stdout.write(`\r\u001b[2K${rendered(line.slice(0, (stdout.columns ?? 80) - 1))}`);
}

/** Prints one line to stderr. */
export function warn(line: string): void {
  if (taken) taken.push(rendered(line));
  else process.stderr.write(`${rendered(line)}\n`);
}

/** Returns the lines that a command prints, in the place of printing them. One command at a time. */
export async function printedBy(command: () => Promise<void>): Promise<string[]> {
  const before = taken;
  const lines: string[] = [];
  taken = lines;
  try {
    await command();
  } finally {
    taken = before;
  }
  return lines;
}

/** Whether stdin and stdout are a terminal, so that there is somebody to ask. */
export function onTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** Asks for a line on the terminal. Undefined after Ctrl-C; the end of input is an empty line. */
export async function question(text: string): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  let interrupted = false;
  const closed = once(terminal, 'close').then(() => '');
  terminal.once('SIGINT', () => {
    interrupted = true;
    out('');
    terminal.close();
  });
  const answered = terminal.question(rendered(text)).catch(() => '');
  const answer = await Promise.race([answered, closed]);
  terminal.close();
  return interrupted ? undefined : answer;
}

/** Asks on the terminal. Only `y` or `yes` is a yes; the end of input is a no. */
export async function ask(text: string): Promise<'yes' | 'no' | 'interrupted'> {
  const answer = await question(`${text} [y/N] `);
  if (answer === undefined) return 'interrupted';
  return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no';
}

/** Asks for a yes. Ctrl-C ends the program, so this is for commands that have nothing to clean up. */
export async function confirm(question: string): Promise<boolean> {
  const answer = await ask(question);
  if (answer === 'interrupted') process.exit(EXIT.interrupted);
  return answer === 'yes';
}
