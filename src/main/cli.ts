import { readFileSync } from 'node:fs';
import { main } from '../cli/cli.ts';
import { answerSlash } from '../cli/slash/slash.ts';
import { out } from '../terminal/print.ts';

/** The plugin asks for `slash` when you type one of its commands; everything else is a command of untildone. */
if (process.argv[2] === 'slash' && process.argv.length === 3) void slash();
else void main(process.argv);

async function slash(): Promise<void> {
  const run = (words: readonly string[]) => main([...process.argv.slice(0, 2), ...words]);
  const answer = await answerSlash(readFileSync(0, 'utf8'), run, process.env);
  if (answer !== '') out(answer);
}
