import { Argument, type Command, InvalidArgumentError } from 'commander';
import { age, value } from '../flags.ts';
import { later } from '../later.ts';

const ACTIONS = ['list', 'show', 'drop', 'pin'] as const;

export function addLessonsCommand(cli: Command): void {
  cli
    .command('lessons')
    .description('show what sessions are told of earlier loops, and whether it helps; drop or pin a lesson')
    .addArgument(new Argument('[action]', 'what to do').choices(ACTIONS).default('list'))
    .argument('[id]', 'the lesson, by its id or the beginning of it')
    .option('--json', 'print JSON', false)
    .action(later(async () => (await import('./actions.ts')).lessons));
}

export function addReplayCommand(cli: Command): void {
  cli
    .command('replay')
    .description('show what a changed contract would have said to the loops of the past; changes nothing')
    .requiredOption('--contract <file>', 'the contract to try', value)
    .option('--since <time>', 'only loops that began within this time, like 30d', age)
    .option('--loop <id>', 'one loop, by its id or the beginning of it', value)
    .option('--last <n>', 'at most so many loops, the newest', count, 10)
    .option('--most <n>', 'judge at most so many trees', count, 50)
    .option(
      '--prepare <command>',
      'run this in every copy first, for example "npm ci" (default: setup of the contract)',
    )
    .option('--models', 'ask models, too, which costs money', false)
    .option('--fingerprint <hash>', 'run what this fingerprint names without asking')
    .option('--json', 'print JSON', false)
    .action(later(async () => (await import('./replay.ts')).replayHere));
}

function count(text: string): number {
  const number = Number(text);
  if (/^\d{1,5}$/.test(text) && number >= 1) return number;
  throw new InvalidArgumentError('Type a whole number from 1, for example 10.');
}
