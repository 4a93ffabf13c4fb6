/** Loads `fleet.cjs`, which has everything that many machines need, when one of its commands is called. */
import type { Command } from 'commander';
import type { Fleet } from '../../fleet/operate/fleet.ts';
import { value } from '../flags.ts';

type FleetBundle = typeof import('../../main/fleet.ts');

export interface FleetFlags {
  queue?: string;
  json: boolean;
}

/** The options of every command that asks the queue. */
export function addFleetOptions(command: Command): Command {
  return command
    .option('--queue <url>', 'the queue: redis://... or postgres://... (default: UNTILDONE_QUEUE)', value)
    .option('--json', 'print JSON', false);
}

export function loadFleet(): Promise<FleetBundle> {
  return Promise.resolve().then(() => require('./fleet.cjs') as FleetBundle);
}

/** Opens the queue for one command. `makes`: the secret of the fleet is made where there is none. */
export async function withFleet<Result>(
  { queue }: Pick<FleetFlags, 'queue'>,
  work: (fleet: Fleet, bundle: FleetBundle) => Promise<Result>,
  options: { makes?: boolean | 'here' } = {},
): Promise<Result> {
  const bundle = await loadFleet();
  const fleet = await bundle.openFleet({ queue, env: process.env, makesSecret: options.makes ?? false });
  try {
    return await work(fleet, bundle);
  } finally {
    await fleet.engine.close();
  }
}
