import { readContract } from '../../engine/contract/read.ts';
import {
  CONTRACT_FILE,
  type Contract,
  type FrozenContract,
  promiseOf,
  withPromise,
} from '../../engine/core/contract/contract.ts';
import { hasEnded } from '../../engine/core/loop/state.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { traitsOf } from '../../engine/gates/traits.ts';
import { writeFrozenContract } from '../../engine/home/frozen-contract.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import { freezeNow } from './trust.ts';

/** Puts today's untildone.yaml in place of the contract that a loop began with. The journal keeps both hashes. */
export async function updateContract(
  ref: LoopRef,
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<void> {
  refuseInsideClient('contract update', world.home, world.env);
  const state = world.store.read(ref);
  if (hasEnded(state)) throw new UsageError(`loop ${ref.loop} has ended already`);
  const before = world.store.contract(ref);
  const there = { ...world, project: before.frozen.project };
  const file = readContract(there.project);
  if (!file) throw new UsageError(`there is no ${CONTRACT_FILE} in ${there.project} to update from`);
  const { frozen } = await freezeNow(file, there);
  if (!world.store.isTrusted(there.project, frozen.fingerprint)) {
    throw new UsageError('you do not trust the new contract on this machine yet; first: untildone trust');
  }
  const promise = promiseOf(before.contract);
  const kept = stillAskingForChange(
    before.contract,
    promise === undefined ? file.contract : withPromise(file.contract, promise),
  );
  const contract: FrozenContract = {
    contract: { ...kept, limits: { ...file.contract.limits, iterations: before.contract.limits.iterations } },
    frozen: {
      ...frozen,
      gates: { ...frozen.gates, ...writtenBefore(before, kept) },
      contractFile: file.sha256,
      judgeMs: before.frozen.judgeMs,
    },
  };
  writeFrozenContract(ref, contract, (contractSha256) =>
    world.store.append(ref, () => ({
      kind: 'contract',
      contractSha256,
      maxIterations: contract.contract.limits.iterations,
    })),
  );
  out(`Loop ${ref.loop} is judged by ${CONTRACT_FILE} as it is now, from its next stop on.`);
}

/** Keeps the gate that asks for a change, where untildone itself added it when the loop began. */
function stillAskingForChange({ gates }: Contract, now: Contract): Contract {
  for (const [name, spec] of Object.entries(gates)) {
    if (spec.kind !== 'changed' || !spec.options.implicit || now.gates[name]) continue;
    return { ...now, gates: { ...now.gates, [name]: spec }, done: [...now.done, name] };
  }
  return now;
}

/** Keeps what gates that did not change recorded when the loop began: work is still compared with that moment. */
function writtenBefore({ contract, frozen }: FrozenContract, now: Contract): Record<string, unknown> {
  const isSame = (name: string) => {
    const [then, spec] = [contract.gates[name], now.gates[name]];
    if (!then || !traitsOf(then.kind).keepsFrozen) return false;
    return JSON.stringify(then) === JSON.stringify(spec);
  };
  return Object.fromEntries(Object.entries(frozen.gates).filter(([name]) => isSame(name)));
}

/** Allows one exception by the name that a gate gave it. */
export function allowException(
  exception: string,
  ref: LoopRef,
  note: string | undefined,
  world: ProjectPorts,
  out: (line: string) => void,
): void {
  refuseInsideClient('allow', world.home, world.env);
  world.store.append(ref, (state) => {
    if (hasEnded(state)) throw new UsageError(`loop ${ref.loop} has ended already`);
    return { kind: 'allowed', exception, note: note || undefined };
  });
  out(`Loop ${ref.loop}: allowed ${exception}. The receipt will name it.`);
}
