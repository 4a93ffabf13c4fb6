import type { Command } from 'commander';
import { LIMIT_KINDS } from '../../engine/core/fleet/limit-changes.ts';
import { age, collect, value } from '../flags.ts';
import { later } from '../later.ts';
import { addFleetOptions } from './load.ts';

export function addUpkeepCommands(fleet: Command): void {
  addLimits(fleet);
  addFleetOptions(fleet.command('schedules').description('show what is submitted again and again')).action(
    later(async () => (await import('./upkeep.ts')).schedules),
  );
  addFleetOptions(
    fleet
      .command('unschedule')
      .description('end a schedule; runs that it submitted stay')
      .argument('<id>', 'its name'),
  ).action(later(async () => (await import('./upkeep.ts')).unschedule));
  fleet
    .command('secret')
    .description('make the secret that all machines of a fleet share, and say where it is')
    .option('--show', 'print the secret itself, to copy it to another machine', false)
    .option('--json', 'print JSON', false)
    .action(later(async () => (await import('./upkeep.ts')).secret));
  addFleetOptions(
    fleet
      .command('reconcile')
      .description('put every run back on the queue that the git remotes have and that has not ended')
      .option('--repo <url>', 'only this repository; may be repeated', collect)
      .option('--dry-run', 'show what would be done, do nothing', false),
  ).action(later(async () => (await import('./upkeep.ts')).reconcile));
  addFleetOptions(
    fleet
      .command('prune')
      .description('remove the refs of runs that ended long ago; branches for people stay')
      .option('--older, --older-than <time>', 'how long ago they ended, like 30d or 12h (default: 30d)', age)
      .option('--repo <url>', 'only this repository; may be repeated', collect)
      .option('--dry-run', 'show what would be removed, remove nothing', false)
      .option('--yes', 'remove without asking', false),
  ).action(later(async () => (await import('./upkeep.ts')).prune));
}

function addLimits(fleet: Command): void {
  const command = fleet.command('limits').description('show or change the limits over the whole fleet');
  for (const { flag, of, unit, words } of LIMIT_KINDS) {
    const text = `most ${unit} ${words}${of === undefined ? '' : ` ${of === 'repo' ? 'this repository' : 'this name'}; may be repeated`}`;
    if (of === undefined) command.option(`--${flag} <n>`, text, value);
    else command.option(`--${flag} <${of === 'repo' ? 'url' : of}=n>`, text, collect, []);
  }
  addFleetOptions(
    command
      .option(
        '--unset <limit>',
        'take a limit away, like runs or label=gpu, or all; may be repeated',
        collect,
        [],
      )
      .option('--from <file>', 'take the limits of a JSON file, in the place of all others', value),
  ).action(later(async () => (await import('./upkeep.ts')).limits));
}
