/** What a contract says about clean rooms. */
import { inputs } from '../chains/all.ts';
import type { Contract, GateSpec, SetupRule } from './contract.ts';

/** Whether the commands of a gate run in a clean room. */
export function runsInCleanRoom(contract: Contract, spec: GateSpec): boolean {
  return (spec.room ?? contract.room?.choice) === 'clean';
}

/** What prepares a clean room: what the contract says of rooms, else what it says of worktrees. */
export function roomSetup({ room, run }: Contract): (SetupRule & { inputs: string[] }) | undefined {
  const setup = room?.setup ?? run?.setup;
  if (!setup) return undefined;
  const { found } = setup;
  // Without commands nothing reads a file.
  const read = setup.inputs ?? (setup.run.length === 0 ? [] : inputs.flat());
  return { run: setup.run, inputs: read, ...(found ? { found } : {}) };
}

/** What clean rooms need of the start besides the environment. */
export interface KeptForRooms {
  /** Files that git ignores. */
  needs: readonly string[];
  /** Folders with dependencies. */
  found?: readonly string[];
}

export function keptForRooms(contract: Contract): KeptForRooms {
  const found = roomSetup(contract)?.found;
  return { needs: contract.room?.needs ?? [], ...(found ? { found } : {}) };
}

/** Whether clean rooms get dependencies as they were found, not as a lock file names them. */
export function takesFound(contract: Contract): boolean {
  return roomSetup(contract)?.found !== undefined;
}
