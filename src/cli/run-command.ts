import { type Command, InvalidArgumentError } from 'commander';
import { collect, value } from './flags.ts';
import { later } from './later.ts';
import { addGitOptions, addWorkOptions } from './run-options.ts';

export function addRunCommand(cli: Command): void {
  const command = cli
    .command('run')
    .description('drive a loop over as many Claude Code sessions as it needs, in this terminal')
    .argument('[task...]', 'what is to be done (default: the task of untildone.yaml)')
    .option('--contract <file>', 'the contract (default: untildone.yaml)', value)
    .option('--features <file>', 'a feature list that has to pass, besides the contract', value)
    .option(
      '--trust <fingerprint>',
      'trust the contract if this is its fingerprint (untildone trust --show prints it)',
      value,
    )
    .option(
      '--prompt-file <file>',
      'read the task from a file, - for stdin; several of them with --parallel',
      collect,
    );
  addWorkOptions(command)
    .option(
      '--parallel <n>',
      'work on this many features, or prompt files, at a time, each in a worktree of its own',
      children,
    )
    .option(
      '--resume [run]',
      'go on with a run that was paused, cut off, or ended without being done (default: the latest here); --max-cost +5 gives it more',
      value,
    )
    .option('--json', 'print one JSON object a line', false)
    .option('--quiet', 'print only sessions, stops and the end', false);
  addGitOptions(command).action(later(async () => (await import('./run.ts')).run));
}

function children(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= MOST_CHILDREN) return number;
  throw new InvalidArgumentError(`Type a whole number from 1 to ${MOST_CHILDREN}.`);
}

const MOST_CHILDREN = 16;
