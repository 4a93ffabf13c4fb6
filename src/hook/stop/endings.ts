import { makeReceipt } from '../../core/loop/receipt.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { endingNotice, type Message, notificationsFor, questionNotice } from '../../core/words/endings.ts';
import { traitsOf } from '../../gates/traits.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { contractFileNow } from './situation.ts';

/** Sends the contract's notifications about the end of a loop. A failed delivery is recorded and changes nothing. */
export async function notifyEnding(ref: LoopRef, state: LoopState, ports: JudgingPorts): Promise<void> {
  if (hasEnded(state)) await notify(ref, state.status, (task) => endingNotice(state, task), ports);
}

/** Sends the contract's notifications about a question of the loop. */
export async function notifyQuestion(ref: LoopRef, state: LoopState, ports: JudgingPorts): Promise<void> {
  if (state.waiting?.why !== 'approval') return;
  await notify(ref, 'needs_person', (task) => questionNotice(state, task), ports);
}

async function notify(
  ref: LoopRef,
  event: string,
  messageFor: (task: string) => Message,
  ports: JudgingPorts,
): Promise<void> {
  const { contract, frozen } = ports.store.contract(ref);
  const wanted = notificationsFor(event, contract.notify);
  // A repository may name any address, so nothing is sent before the user trusts its contract.
  if (wanted.length === 0 || !ports.store.isTrusted(frozen.project, frozen.fingerprint)) return;
  const message = messageFor(ports.store.taskDigest(ref).preview);
  const { notifier } = await ports.judges(contract);
  const sent = await Promise.allSettled(wanted.map((n) => notifier.send(n, message, frozen.project)));
  for (const result of sent) {
    if (result.status === 'fulfilled') continue;
    const problem = `a notification could not be delivered: ${(result.reason as Error).message}`;
    ports.store.append(ref, () => ({ kind: 'error', message: problem }));
  }
}

/** Writes the receipt of a loop that is done. A failure is recorded and does not undo the ending. */
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
