import { type Command, InvalidArgumentError } from 'commander';
import { collect, value } from '../flags.ts';
import { later } from '../later.ts';
import { addFleetOptions } from './load.ts';

export const RUN = 'the run, by its id or the beginning of it';

export function addLookingCommands(fleet: Command): void {
  addFleetOptions(
    fleet
      .command('status')
      .description('show workers, runs, what was spent today, what needs you and what is stuck'),
  ).action(later(async () => (await import('./looking.ts')).showStatus));
  addFleetOptions(
    fleet
      .command('list')
      .description('show the runs of the queue, those at work first')
      .option(
        '--state <state>',
        'only active, waiting, delayed, dead or ended ones; may be repeated',
        collect,
      )
      .option('--repo <url>', 'only those of this repository', value)
      .option('--limit <n>', 'at most so many', count, 50),
  ).action(later(async () => (await import('./looking.ts')).list));
  addFleetOptions(
    fleet
      .command('show')
      .description('show where a run stands, why it waits, and how to get its work')
      .argument('<run>', RUN),
  ).action(later(async () => (await import('./looking.ts')).show));
  addFleetOptions(
    fleet
      .command('logs')
      .description('show the journal of a run')
      .argument('<run>', RUN)
      .option('--follow', 'print new lines until the run has ended', false),
  ).action(later(async () => (await import('./looking.ts')).logs));
}

function count(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Type a whole number from 1.');
}
