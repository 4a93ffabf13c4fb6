import type { Command } from 'commander';
import { later } from '../later.ts';

/** Adds `ralph-loop` and `cancel-ralph`: the two commands of the plugin ralph-loop. */
export function addRalphCommands(cli: Command): void {
  cli
    .command('ralph-loop')
    .description(
      'start a ralph loop in this session: PROMPT... [--max-iterations N] [--completion-promise TEXT] [--no-safety-stop]',
    )
    .argument('[words...]')
    .allowUnknownOption()
    .action(later(async () => (await import('./ralph-loop.ts')).ralphLoop));
  cli
    .command('cancel-ralph')
    .description('end the ralph loop of this project')
    .action(later(async () => (await import('./ralph-loop.ts')).cancelHere));
}

export function addClaimCommand(cli: Command): void {
  cli
    .command('claim')
    .description('let a state file that names no session, or came with the repository, hold a session')
    .argument(
      '[format]',
      'its format, where there are several: ralph-loop, feature-list, verified-done or lock',
    )
    .option('--session <id>', 'the session (default: the only one that runs in this folder)')
    .action(later(async () => (await import('./claim.ts')).claimHere));
}
