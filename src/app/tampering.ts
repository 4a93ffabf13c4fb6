import type { Frozen } from '../core/contract.ts';
import type { LoopState } from '../core/loop.ts';
import type { StopSeen } from '../core/stop.ts';
import type { LoopRef } from '../ports.ts';
import type { JudgingPorts } from './judge.ts';

export type Tampering = Pick<StopSeen, 'foreignLines' | 'contractFileChanged' | 'contractReplaced'>;

/** What was changed that is out of the agent's reach as far as software can see to it. */
export async function tamperingWith(
  ref: LoopRef,
  state: LoopState,
  frozen: Frozen,
  contractSha256: string,
  ports: JudgingPorts,
): Promise<Tampering> {
  if (contractSha256 !== state.contractSha256) return { contractReplaced: true };
  const { foreignLines, foreignTold } = ports.store.noticeForeignLines(ref);
  const untold = foreignLines - foreignTold;
  const { contract } = ports.store.contract(ref);
  const file = frozen.contractFile && (await ports.judges(contract)).contractFile(frozen.project);
  return {
    ...(untold > 0 ? { foreignLines: untold } : {}),
    ...(frozen.contractFile !== undefined && file !== frozen.contractFile
      ? { contractFileChanged: true }
      : {}),
  };
}
