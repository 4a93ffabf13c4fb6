/** Loads everything that many machines need, when one of its commands is called. */
import type { Command } from 'commander';
import type { Fleet } from '../../fleet/operate/fleet.ts';
import { value } from '../flags.ts';
import { loaded } from '../later.ts';

type FleetCommands = typeof import('../../fleet/commands.ts');

export interface FleetFlags {
  queue?: string;
  json: boolean;
}

/** The options of every command that asks the queue. */
export function addFleetOptions(command: Command): Command {
  return command
    .option('--queue <url>', 'the queue: redis://... or rediss://... (default: UNTILDONE_QUEUE)', value)
    .option('--json', 'print JSON', false);
}

export function loadFleet(): Promise<FleetCommands> {
  return loaded(() => import('../../fleet/commands.ts'));
}

/** Opens the queue for one command. `makes`: the secret of the fleet is made where there is none. */
export async function withFleet<Result>(
  { queue }: Pick<FleetFlags, 'queue'>,
  work: (fleet: Fleet, commands: FleetCommands) => Promise<Result>,
  options: { makes?: boolean | 'here' } = {},
): Promise<Result> {
  const commands = await loadFleet();
  const fleet = await commands.openFleet({ queue, env: process.env, makesSecret: options.makes ?? false });
  try {
    return await work(fleet, commands);
  } finally {
    await fleet.engine.close();
  }
}
