import type { Command } from 'commander';
import type { PersonCommand } from '../../engine/core/loop/entry.ts';
import { ACTIVE_LOOP, age, NEWEST_LOOP, value } from '../flags.ts';
import { later } from '../later.ts';
import { addLoopLimits } from '../run-options.ts';
import { addAnswerCommand, addAskCommand } from './ask-answer-commands.ts';

export function addLoopCommands(cli: Command): void {
  addStart(cli);
  addStatus(cli);
  addPauseResumeCancelRelease(
    cli,
    'pause',
    'pause a loop: its session may stop, and the loop keeps its place',
  );
  addPauseResumeCancelRelease(cli, 'resume', 'go on with a paused loop: its session is held again');
  addPauseResumeCancelRelease(cli, 'cancel', 'end a loop for good');
  addPauseResumeCancelRelease(
    cli,
    'release',
    'end a loop although the work is not done: its session is let go',
  );
  addAnswer(cli, 'approve', 'approved', 'say yes to a question that a loop asks you');
  addAnswer(cli, 'reject', 'rejected', 'say no to a question that a loop asks you, and what has to change');
  addAnswerCommand(cli);
  addAskCommand(cli);
  addLog(cli);
  addPrune(cli);
}

function addStatus(cli: Command): void {
  cli
    .command('status')
    .description('show the loops of this project, newest first, and how they ended')
    .option('--json', 'print JSON', false)
    .option('--all', 'show the loops of all projects', false)
    .option('--ended', 'show every loop that has ended, not only the newest ones', false)
    .option('--watch', 'show it again whenever something changes, until Ctrl-C', false)
    .action(later(async () => (await import('./show-status.ts')).showStatus));
}

function addLog(cli: Command): void {
  cli
    .command('log')
    .description('show the journal of a loop')
    .argument('[loop]', NEWEST_LOOP)
    .option('--json', 'print the lines as they are in the file', false)
    .option('--follow', 'print new lines until the loop has ended', false)
    .option('--subagents', 'print only what each subagent said last', false)
    .action(later(async () => (await import('./show-log.ts')).showLog));
}

function addPrune(cli: Command): void {
  cli
    .command('prune')
    .description('remove loops of all projects that ended long ago, and what only they need')
    .option('--older-than <time>', 'how long ago they ended, like 90d or 12h (default: 30d)', age)
    .option('--dry-run', 'show what would be removed, remove nothing', false)
    .option('--receipts', 'remove their receipts, too', false)
    .action(later(async () => (await import('./prune-old.ts')).pruneOld));
}

function addStart(cli: Command): void {
  addLoopLimits(
    cli
      .command('start')
      .description('start a loop in this Claude Code session')
      .argument('[task...]', 'what is to be done (default: the task of untildone.yaml)')
      .option(
        '--promise <text>',
        'the statement that ends the loop, besides the gates of untildone.yaml',
        value,
      ),
  )
    .option('--session <id>', 'the session that owns the loop (default: the one this runs in)', value)
    .option('--prompt-file <file>', 'read the task from a file, - for stdin', value)
    .action(later(async () => (await import('./start-loop.ts')).startLoop));
}

function addAnswer(cli: Command, command: string, said: 'approved' | 'rejected', description: string): void {
  cli
    .command(command)
    .description(description)
    .argument(
      '[name]',
      'the gate that asks, or the phase that it ends (default: the question that the loop waits for)',
    )
    .option('--loop <id>', 'the loop, by its id or the beginning of it', value)
    .option('--note <text>', 'your words for the journal and the agent', value)
    .action(later(async () => (await import('./steer-loop.ts')).sayTo(command, said)));
}

function addPauseResumeCancelRelease(cli: Command, command: PersonCommand, description: string): void {
  cli
    .command(command)
    .description(description)
    .argument('[loop]', ACTIVE_LOOP)
    .option('--note <text>', 'why, for the journal', value)
    .action(later(async () => (await import('./steer-loop.ts')).steerLoop(command)));
}
