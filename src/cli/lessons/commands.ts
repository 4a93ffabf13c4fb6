import { Argument, type Command } from 'commander';
import { later } from '../later.ts';

const ACTIONS = ['list', 'show', 'drop', 'pin'] as const;

export function addLessonsCommand(cli: Command): void {
  cli
    .command('lessons')
    .description('show what sessions are told of earlier loops; drop or pin a lesson')
    .addArgument(new Argument('[action]', 'what to do').choices(ACTIONS).default('list'))
    .argument('[id]', 'the lesson, by its id or the beginning of it')
    .option('--json', 'print JSON', false)
    .action(later(async () => (await import('./actions.ts')).lessons));
}
