import { makeReceipt } from '../../core/loop/receipt.ts';
import type { LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { traitsOf } from '../../gates/traits.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { contractFileNow } from './tampering.ts';

/** Writes down what a done loop rests on. That it could not be written is journaled; it does not undo the ending. */
export async function keepReceipt(
  ref: LoopRef,
  state: LoopState,
  verdicts: readonly Verdict[],
  tree: string | undefined,
  ports: JudgingPorts,
): Promise<void> {
  if (state.status !== 'verified_done' && state.status !== 'claimed_done') return;
  try {
    const frozen = ports.store.contract(ref);
    const { project, contractFile } = frozen.frozen;
    const judges = await ports.judges(frozen.contract);
    const head = tree === undefined ? undefined : await judges.workspace(project).head();
    await ports.saveReceipt(
      ref,
      makeReceipt(
        {
          state,
          verdicts,
          frozen,
          contractSha256: frozen.sha256,
          contractFileNow: contractFile === undefined ? null : (contractFileNow(project, judges) ?? null),
          task: ports.store.taskDigest(ref),
          commit: head?.commit ?? null,
          tree: tree ?? null,
          journal: ports.store.journalEnd(ref),
        },
        traitsOf,
      ),
    );
  } catch (error) {
    const message = `the receipt could not be written: ${(error as Error).message}`;
    ports.store.append(ref, () => ({ kind: 'error', message }));
  }
}
