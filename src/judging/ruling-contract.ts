import { isApproved } from '../core/contract/contract.ts';
import type { LoopState } from '../core/loop/state.ts';
import type { LoadedContract, LoopRef, Ports } from '../ports/ports.ts';

/**
 * The contract of a loop, if it rules here: approved by a person on this machine, and the one that the loop goes by. What
 * was put in its place rules nothing; the next Stop finds it and ends the loop.
 */
export function rulingContract(
  ref: LoopRef,
  state: LoopState,
  { store }: Pick<Ports, 'store'>,
): LoadedContract | undefined {
  const loaded = store.contract(ref);
  const trusted = (project: string, fingerprint: string) => store.isTrusted(project, fingerprint);
  return loaded.sha256 === state.contractSha256 && isApproved(loaded.frozen, trusted) ? loaded : undefined;
}
