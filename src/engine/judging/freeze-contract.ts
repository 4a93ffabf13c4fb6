import { installCommands } from '../core/chains/all.ts';
import { type Contract, type Frozen, isTrustedContract } from '../core/contract/contract.ts';
import type { LoopState } from '../core/loop/state.ts';
import type { Gate, Judges } from '../gates/gate.ts';
import { traitsOf } from '../gates/traits.ts';
import type { LoadedContract, LoopRef } from '../ports/ports.ts';
import type { Ports } from './ports.ts';

/** What you trust and a loop freezes, as it is now. */
export interface Freezing {
  frozen: Omit<Frozen, 'contractFile' | 'judgeMs'>;
  /** The commands that judging runs, by gate. */
  commands: Record<string, string[]>;
  /** The fingerprint that version 0.1.0 gave to the same; absent where it is no other. */
  formerly?: string;
}

/** What you trust, by the fingerprint under which you trusted it: an older version chose the files differently. */
export function asTrusted(
  freezing: Freezing,
  isTrusted: (project: string, fingerprint: string) => boolean,
): Freezing {
  const { frozen, formerly } = freezing;
  const isOld =
    formerly !== undefined &&
    !isTrusted(frozen.project, frozen.fingerprint) &&
    isTrusted(frozen.project, formerly);
  return isOld ? { ...freezing, frozen: { ...frozen, fingerprint: formerly } } : freezing;
}

/** The names of the commands that prepare a worktree and a clean room, among those of the gates. */
const SETUP = 'run.setup';
export const ROOM_SETUP = 'setup';

/** Freezes a contract. Runs none of its commands. */
export async function freeze(contract: Contract, project: string, judges: Judges): Promise<Freezing> {
  const gates: Record<string, unknown> = {};
  const commands: Record<string, string[]> = {};
  const parts: Record<string, Record<string, string>> = {};
  const formerParts: Record<string, Record<string, string>> = {};
  for (const [name, spec] of Object.entries(contract.gates)) {
    const gate = judges.gates[spec.kind] as Gate | undefined;
    const held = await gate?.freeze?.(spec.options, {
      project,
      holdout: judges.holdout?.(project),
      get workspace() {
        return judges.workspace(project);
      },
    });
    if (held !== undefined) gates[name] = held;
    const lines = gate?.commands?.(spec.options, held) ?? [];
    if (lines.length === 0) continue;
    commands[name] = lines;
    parts[name] = judges.parts(project, lines, { work: spec.work });
    formerParts[name] = judges.parts(project, lines, { asFormerly: true });
  }
  const setup = contract.run?.setup?.run ?? [];
  if (setup.length > 0) {
    commands[SETUP] = setup;
    parts[SETUP] = judges.parts(project, setup);
    formerParts[SETUP] = judges.parts(project, setup, { asFormerly: true });
  }
  const roomSetup = contract.room?.setup?.run ?? [];
  if (roomSetup.length > 0) {
    commands[ROOM_SETUP] = roomSetup;
    parts[ROOM_SETUP] = partsOfRoomSetup(contract, project, judges);
    formerParts[ROOM_SETUP] = parts[ROOM_SETUP];
  }
  const fingerprint = judges.digest(trustedText(contract, commands, parts));
  const former = judges.digest(trustedText(contract, commands, formerParts));
  return {
    frozen: { project, fingerprint, parts, gates },
    commands,
    ...(former === fingerprint ? {} : { formerly: former }),
  };
}

/** What the setup of clean rooms leads to, with the scripts that package managers run while they install. */
export function partsOfRoomSetup(
  { room }: Contract,
  project: string,
  judges: Judges,
): Record<string, string> {
  const lines = room?.setup?.run ?? [];
  return lines.length === 0 ? {} : judges.parts(project, [...lines, ...installCommands.flat()]);
}

/**
 * The text whose digest you trust: everything that can run on your machine or leave it. Limits and texts are not part of
 * it, because they are harmless. Neither are promises: they run nothing, and a loop may bring its own.
 */
function trustedText(
  contract: Contract,
  commands: Record<string, string[]>,
  parts: Record<string, Record<string, string>>,
): string {
  const { everyStop, subagent, taskDone, teammate, notify, memory, run } = contract;
  const gates = Object.entries(contract.gates).filter(([, spec]) => !traitsOf(spec.kind).isWord);
  const names = new Set(gates.map(([name]) => name));
  const done = contract.done.filter((name) => names.has(name));
  const lists = [everyStop ?? null, subagent ?? null, taskDone ?? null, teammate ?? null];
  // Later keys are added only where they are used, so that contracts trusted before stay trusted.
  const later: object[] = [
    ...(memory === undefined ? [] : [memory]),
    ...(run === undefined ? [] : [{ run }]),
  ];
  const { taskCreated, prompt, tools, phases, room, sandbox, knownFailures } = contract;
  later.push(
    ...(taskCreated === undefined ? [] : [{ taskCreated }]),
    ...(prompt === undefined ? [] : [{ prompt }]),
    ...(tools === undefined ? [] : [{ tools }]),
    ...(room === undefined ? [] : [{ room }]),
    ...(sandbox === undefined ? [] : [{ sandbox }]),
    ...(knownFailures === undefined ? [] : [{ knownFailures }]),
    ...(phases === undefined ? [] : [{ phases: phases.map(({ name, entry, exit }) => [name, entry, exit]) }]),
  );
  return JSON.stringify([gates, done, lists, notify, commands, parts, ...later]);
}

/**
 * The contract of a loop, if you trust it on this machine and it is still the one that the loop began with. A contract
 * that was put in its place has no effect: the next Stop finds it and ends the loop.
 */
export function rulingContract(
  ref: LoopRef,
  state: LoopState,
  { store }: Pick<Ports, 'store'>,
): LoadedContract | undefined {
  const loaded = store.contract(ref);
  const trusted = (project: string, fingerprint: string) => store.isTrusted(project, fingerprint);
  return loaded.sha256 === state.contractSha256 && isTrustedContract(loaded.frozen, trusted)
    ? loaded
    : undefined;
}
