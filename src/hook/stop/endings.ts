import type { LoopState } from '../../core/loop/state.ts';
import { hasEnded } from '../../core/loop/state.ts';
import {
  endingNotice,
  type Message,
  notificationsFor,
  questionNotice,
} from '../../core/words/notification.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';

/** Tells whom the contract names that a loop has ended. What cannot be delivered is journaled and changes nothing. */
export async function notifyEnding(ref: LoopRef, state: LoopState, ports: JudgingPorts): Promise<void> {
  if (hasEnded(state)) await notify(ref, state.status, (task) => endingNotice(state, task), ports);
}

/** The same for a loop that waits for a person's answer. */
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
  // A repository may name any address: until a person approved it, nothing leaves this machine.
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
