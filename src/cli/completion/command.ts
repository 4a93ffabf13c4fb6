import { Argument, type Command, Option } from 'commander';
import { later } from '../later.ts';
import { completedCommands, SHELLS } from './model.ts';

/** Adds `completion`, which prints a script for a shell. The script asks it for ids of loops while you type. */
export function addCompletionCommand(cli: Command): void {
  cli
    .command('completion')
    .description('print a script with which your shell completes commands, options, their values and loops')
    .addArgument(new Argument('[shell]', 'your shell (default: the one that SHELL names)').choices(SHELLS))
    .addOption(new Option('--loops <which>').choices(['unfinished', 'all']).hideHelp())
    .action(later(async () => (await import('./print-script.ts')).printScript(() => completedCommands(cli))));
}
