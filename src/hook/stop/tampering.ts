import type { Frozen } from '../../core/contract/contract.ts';
import type { StopSeen } from '../../core/loop/count-stop.ts';
import type { LoopState } from '../../core/loop/state.ts';
import type { Judges, JudgingPorts } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';

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
  const file = frozen.contractFile && contractFileNow(frozen.project, await ports.judges(contract));
  return {
    ...(untold > 0 ? { foreignLines: untold } : {}),
    ...(frozen.contractFile !== undefined && file !== frozen.contractFile
      ? { contractFileChanged: true }
      : {}),
  };
}

/** What lies there and cannot be read (a folder, a pipe) is not the file from the start either. */
export function contractFileNow(project: string, judges: Judges): string | undefined {
  try {
    return judges.contractFile(project);
  } catch {
    return undefined;
  }
}
