/** Adds the commands for many machines. Their code is loaded when one is called. */
import type { Command } from 'commander';
import { addLookingCommands } from './looking-commands.ts';
import { addSteeringCommands } from './steering-commands.ts';
import { addSubmitCommand } from './submit-command.ts';
import { addUpkeepCommands } from './upkeep-commands.ts';

export function addFleetCommands(cli: Command): void {
  addSubmitCommand(cli);
  const fleet = cli.command('fleet').description('look at and steer runs on many machines');
  addLookingCommands(fleet);
  addSteeringCommands(fleet);
  addUpkeepCommands(fleet);
}
