import { secretsOf } from '../../core/contract/secret-values.ts';
import { makeReceipt } from '../../core/loop/receipt.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { sumUp, type Verdict } from '../../core/loop/verdict.ts';
import { redact } from '../../core/text/redact.ts';
import {
  endingNotice,
  type Message,
  NEEDS_PERSON,
  notificationsFor,
  questionNotice,
} from '../../core/words/endings.ts';
import { traitsOf } from '../../gates/traits.ts';
import type { Ports } from '../../judging/ports.ts';
import type { JournalEnd, LoadedContract, LoopRef } from '../../ports/ports.ts';
import { contractFileNow } from './situation.ts';
import type { StoppedLoop } from './stop-facts.ts';

/** Sends the contract's notifications about the end of a loop. A failed delivery is recorded and changes nothing. */
export async function notifyEnding(ref: LoopRef, state: LoopState, ports: Ports): Promise<undefined> {
  if (!hasEnded(state)) return;
  const events = [state.status, ...(state.ending?.cause === NEEDS_PERSON ? [NEEDS_PERSON] : [])];
  await notify(ref, events, (task) => endingNotice(state, task), ports);
}

/** Sends the contract's notifications about a question of the loop. */
export async function notifyQuestion(ref: LoopRef, state: LoopState, ports: Ports): Promise<undefined> {
  if (state.waiting?.why !== 'approval') return;
  await notify(ref, [NEEDS_PERSON], (task) => questionNotice(state, task), ports);
}

async function notify(
  ref: LoopRef,
  events: readonly string[],
  messageFor: (task: string) => Message,
  ports: Ports,
): Promise<void> {
  const { contract, frozen } = ports.store.contract(ref);
  const wanted = contract.notify.filter((each) =>
    events.some((event) => notificationsFor(event, [each]).length > 0),
  );
  // A repository may name any address, so nothing is sent before the user trusts its contract.
  if (wanted.length === 0 || !ports.store.isTrusted(frozen.project, frozen.fingerprint)) return;
  const message = messageFor(ports.store.taskDigest(ref).preview);
  const { notifier } = await ports.judges(contract);
  const sent = await Promise.allSettled(wanted.map((n) => notifier.send(n, message, frozen.project)));
  for (const result of sent) {
    if (result.status === 'fulfilled') continue;
    const { message: why } = result.reason as Error;
    const problem = `a notification could not be delivered: ${redact(why, secretsOf(contract))}`;
    ports.store.append(ref, () => ({ kind: 'error', message: problem }));
  }
}

/** The receipt of a loop that may be done: without it, nothing ends as verified. */
export interface OpenReceipt {
  /** Writes it, before the ending is in the journal. Throws when a verified ending has to wait for it. */
  write(after: LoopState, journal: JournalEnd): void;
  /** Removes it, when the ending could not be written. Never throws. */
  discard(): void;
  /** What went wrong with it, or what else you should know. */
  note(): string | undefined;
}

/** Gathers what the receipt needs; undefined when these verdicts cannot make the loop done. */
export async function openReceipt(
  { ref, loaded }: StoppedLoop,
  { verdicts, tree }: { verdicts: readonly Verdict[]; tree?: string },
  ports: Ports,
): Promise<OpenReceipt | undefined> {
  const { result } = sumUp(verdicts);
  if (result !== 'verified' && result !== 'claimed') return undefined;
  const facts = await factsOfReceipt(ref, loaded, tree, ports).catch((error: Error) => error);
  let note: string | undefined;
  return {
    write(state, journal) {
      try {
        if (facts instanceof Error) throw facts;
        note = facts.receipts.write(ref, makeReceipt({ ...facts.known, state, verdicts, journal }, traitsOf));
      } catch (error) {
        note = `the receipt could not be written: ${(error as Error).message}`;
        if (state.status === 'verified_done') throw new Error(note, { cause: error });
      }
    },
    discard() {
      if (!(facts instanceof Error)) facts.receipts.discard(ref);
    },
    note: () => note,
  };
}

async function factsOfReceipt(ref: LoopRef, loaded: LoadedContract, tree: string | undefined, ports: Ports) {
  const { project, contractFile } = loaded.frozen;
  const judges = await ports.judges(loaded.contract);
  const head = tree === undefined ? undefined : await judges.workspace(project).head();
  const known = {
    frozen: loaded,
    contractSha256: loaded.sha256,
    contractFileNow: contractFile === undefined ? null : (contractFileNow(project, judges) ?? null),
    task: ports.store.taskDigest(ref),
    commit: head?.commit ?? null,
    tree: tree ?? null,
  };
  return { known, receipts: await ports.receipts() };
}
