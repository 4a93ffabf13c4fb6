/** Adds the commands for many machines. Their code is in `fleet.cjs`, which is loaded when one is called. */
import type { Command } from 'commander';
import { addLookingCommands } from './looking.ts';
import { addSteeringCommands } from './steering.ts';
import { addSubmitCommand } from './submit.ts';
import { addUpkeepCommands } from './upkeep.ts';

export function addFleetCommands(cli: Command): void {
  addSubmitCommand(cli);
  const fleet = cli.command('fleet').description('look at and steer runs on many machines');
  addLookingCommands(fleet);
  addSteeringCommands(fleet);
  addUpkeepCommands(fleet);
}
