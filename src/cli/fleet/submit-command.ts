import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULT_ATTEMPTS } from '../../engine/core/fleet/spec.ts';
import { collect, value } from '../flags.ts';
import { later } from '../later.ts';
import { addWorkOptions } from '../run-options.ts';
import { addFleetOptions } from './load.ts';

const DEFAULT_PRIORITY = 10;

export function addSubmitCommand(cli: Command): void {
  const command = cli
    .command('submit')
    .description(
      'put a run on the queue of a fleet, for a worker on any machine; by submitting it you trust what its contract runs there',
    )
    .argument('[task...]', 'what is to be done (default: the task of untildone.yaml)')
    .option('--repo <url>', 'the repository, without credentials (default: origin of this checkout)', value)
    .option(
      '--ref <ref>',
      'the branch, tag or commit to begin at (default: the branch of this checkout, or HEAD)',
      value,
    )
    .option('--folder <dir>', 'the folder of the project in the repository (default: its top)', value)
    .option('--contract <file>', 'a contract to bring along (default: untildone.yaml of that commit)', value)
    .option(
      '--features <file>',
      'a feature list of that commit that has to pass, besides the contract',
      value,
    )
    .option('--each', 'one run for each feature that is open, and one that joins them', false)
    .option('--prompt-file <file>', 'read the task from a file, - for stdin', value)
    .option(
      '--priority <n>',
      'what is taken first: 0 before all others',
      whole(0, 1_000_000),
      DEFAULT_PRIORITY,
    )
    .option('--after <run>', 'begin when this run is done, with its work; may be repeated', collect, [])
    .option(
      '--key <text>',
      'the same key for the same repository is the same run, however often it is submitted',
      value,
    )
    .option('--count <n>', 'submit so many runs of the same', whole(1, 1000))
    .option('--labels <names>', 'what the worker has to offer, like gpu,linux', collect, [])
    .option(
      '--env <name>',
      "a variable of the worker's environment that the run gets; may be repeated",
      collect,
      [],
    )
    .option(
      '--attempts <n>',
      'after so many takes without an iteration it is a dead letter',
      whole(1, 1000),
      DEFAULT_ATTEMPTS,
    )
    .option('--at <time>', 'begin no earlier, like 22:30, "2026-01-31 08:00" or 2h from now', value)
    .option('--every <time>', 'submit it again and again, like 6h', value)
    .option('--cron <pattern>', 'submit it again and again, like "0 6 * * 1-5" (UTC)', value)
    .option('--name <text>', 'the name of the schedule that --every or --cron makes', value)
    .option('--wait', 'follow it to its end; the exit code is that of untildone run', false);
  addFleetOptions(addWorkOptions(command)).action(
    later(async () => (await import('./submit.ts')).submitCommand),
  );
}

function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Type a whole number from ${least} to ${most}.`);
  };
}
