/** What a contract says about clean rooms. */
import { inputs } from '../chains/all.ts';
import type { Contract, GateSpec, SetupRule } from './contract.ts';

/** Whether the commands of a gate run in a clean room. */
export function runsInCleanRoom(contract: Contract, spec: GateSpec): boolean {
  return (spec.room ?? contract.room?.choice) === 'clean';
}

/** What prepares a clean room: what the contract says of rooms, else what it says of worktrees. */
export function roomSetup({ room, run }: Contract): Required<SetupRule> | undefined {
  const setup = room?.setup ?? run?.setup;
  return setup && { run: setup.run, inputs: setup.inputs ?? inputs.flat() };
}
