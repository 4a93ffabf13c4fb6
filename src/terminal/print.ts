/** The only way to stdout and stderr for what people read: it prints nothing that steers their terminal. */

import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { EXIT } from '../core/words/exit-codes.ts';
import { rendered } from './style.ts';

/** Prints one line to stdout. A line break in it is spelled out like every other control character. */
export function out(line: string): void {
  process.stdout.write(`${rendered(line)}\n`);
}

/** Prints one line to stderr. */
export function warn(line: string): void {
  process.stderr.write(`${rendered(line)}\n`);
}

/** Whether stdin and stdout are a terminal, so that there is somebody to ask. */
export function onTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** Asks on the terminal. Only `y` or `yes` is a yes; the end of input is a no. */
export async function ask(question: string): Promise<'yes' | 'no' | 'interrupted'> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  let interrupted = false;
  const closed = once(terminal, 'close').then(() => '');
  terminal.once('SIGINT', () => {
    interrupted = true;
    out('');
    terminal.close();
  });
  const answered = terminal.question(`${rendered(question)} [y/N] `).catch(() => '');
  const answer = await Promise.race([answered, closed]);
  terminal.close();
  if (interrupted) return 'interrupted';
  return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no';
}

/** Asks for a yes. Ctrl-C ends the program, so this is for commands that have nothing to clean up. */
export async function confirm(question: string): Promise<boolean> {
  const answer = await ask(question);
  if (answer === 'interrupted') process.exit(EXIT.interrupted);
  return answer === 'yes';
}
