import type { Command } from 'commander';
import { value } from '../flags.ts';
import { later } from '../later.ts';

export function addLockCommands(cli: Command): void {
  const lock = cli.command('lock').description('hold a session until you unlock it (lock mode)');
  lock
    .command('on')
    .description('hold a session: makes .claude/runtime/locks/.lock_active')
    .option('--goal <text>', 'the goal of the session', value)
    .option('--message <text>', 'what else the agent is told each time', value)
    .option('--continuation <text>', 'what the agent is told instead of the usual sentence', value)
    .option('--continuation-file <file>', 'the same, read from a file, - for stdin', value)
    .option('--session <id>', 'the session it holds (default: this one, else the first that stops)', value)
    .option('--renew', 'begin anew with the lock that is there: its time and iterations count from 0', false)
    .action(later(async () => (await import('./lock-here.ts')).on));
  lock
    .command('off')
    .description('remove the lock and the files beside it (for you, not for the agent)')
    .action(later(async () => (await import('./lock-here.ts')).off));
  lock
    .command('status')
    .description('show whether there is a lock, since when, until when, and which session it holds')
    .option('--json', 'print JSON', false)
    .action(later(async () => (await import('./lock-here.ts')).show));
}
