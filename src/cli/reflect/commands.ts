import type { Command } from 'commander';
import { age } from '../flags.ts';
import { later } from '../later.ts';

export function addReflectCommand(cli: Command): void {
  cli
    .command('reflect')
    .description(
      'look back on sessions and loops: what repeats, fails or takes long, and what to do about it',
    )
    .argument(
      '[what]',
      'a session or a loop, by its id or the beginning of it, or a transcript (default: the sessions of this project)',
    )
    .option('--since <time>', 'without a name: how far to look back, like 30d or 12h (default: 7d)', age)
    .option('--json', 'print JSON', false)
    .option('--markdown', 'print Markdown', false)
    .option('--issues', 'offer to file GitHub issues about what was found (by gh), at most three', false)
    .option('--frustration', 'look for signs of frustration in your prompts, too', false)
    .action(later(async () => (await import('./look-back.ts')).lookBack));
}

/** Started in the background by hooks and commands, when sessions are queued. */
export function addReflectQueuedCommand(cli: Command): void {
  cli
    .command('reflect-queued', { hidden: true })
    .description('look back on the sessions that ended and are queued for it')
    .action(later(async () => (await import('./queued.ts')).reflectOnQueued));
}
