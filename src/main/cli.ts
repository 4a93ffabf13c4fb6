import { readFileSync } from 'node:fs';
import { main } from '../cli/cli.ts';
import { out } from '../engine/terminal/print.ts';

/** The plugin asks for `slash` when you type one of its commands; everything else is a command of untildone. */
if (process.argv[2] === 'slash' && process.argv.length === 3) {
  const { answerSlash } = await import('../cli/slash/slash.ts');
  void slash(answerSlash);
} else void main(process.argv);

async function slash(answerSlash: typeof import('../cli/slash/slash.ts').answerSlash): Promise<void> {
  const run = (words: readonly string[]) => {
    // A command that is refused here names this line for a terminal.
    process.argv = [...process.argv.slice(0, 2), ...words];
    return main(process.argv);
  };
  const answer = await answerSlash(readFileSync(0, 'utf8'), run, process.env);
  if (answer !== '') out(answer);
}
