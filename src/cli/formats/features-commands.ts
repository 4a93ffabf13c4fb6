import { type Command, InvalidArgumentError } from 'commander';
import { value } from '../flags.ts';
import { later } from '../later.ts';

export function addFeaturesCommands(cli: Command): void {
  cli
    .command('features')
    .description('make a feature list that a session works through, one feature at a time')
    .command('new')
    .description('make the files of a task in .claude/data/ralph-loops, and make it the current one')
    .argument('[task...]', 'the name of the task, in any words')
    .option('--prompt <text>', 'what is to be built, for RALPH_PROMPT.md', value)
    .option('--prompt-file <file>', 'the same, read from a file, - for stdin', value)
    .option('--max-iterations <n>', 'how often a session is held at most', wholeNumber, 15)
    .action(later(async () => (await import('./features-here.ts')).newFeaturesHere));
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1) return Number(text);
  throw new InvalidArgumentError('Type a whole number from 1, for example 20.');
}
