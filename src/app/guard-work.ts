import { type Answer, SILENCE } from '../core/answer.ts';
import { isApproved } from '../core/contract.ts';
import { eventName, type HookEvent } from '../core/event.ts';
import type { LoopState } from '../core/loop.ts';
import { planGates } from '../core/plan-gates.ts';
import { standingReason } from '../core/reason.ts';
import { blocks } from '../core/verdict.ts';
import type { LoopRef } from '../ports.ts';
import type { JudgingPorts } from './judge.ts';
import { judgeLoop } from './judge-loop.ts';

/** The client caps how often it lets itself be held by a subagent's hook, but not by those of tasks and teammates. */
export const GUARDED_BLOCKS = 8;

/** Who is being held: a subagent, a task, a teammate. */
export function guardedSubject(event: HookEvent): string {
  switch (event.name) {
    case 'TaskCompleted':
    case 'TaskCreated':
      return `task ${event.taskId}`.slice(0, 200);
    case 'TeammateIdle':
      return `teammate ${event.teammate}`.slice(0, 200);
    default:
      return `agent ${event.agentId ?? ''}`.slice(0, 200);
  }
}

/** The end of a piece of work inside a loop: a subagent, a task, a teammate's turn. Held by the gates that guard it. */
export async function guardWork(
  event: HookEvent,
  ref: LoopRef,
  state: LoopState,
  ports: JudgingPorts,
): Promise<Answer> {
  const { contract, frozen, sha256 } = ports.store.contract(ref);
  // What was put in the contract's place judges nothing; the next Stop finds it and ends the loop.
  const trusted =
    sha256 === state.contractSha256 &&
    isApproved(frozen, (project, fingerprint) => ports.store.isTrusted(project, fingerprint));
  const guarded = trusted && planGates(event, contract).length > 0;
  const subject = guardedSubject(event);
  const lastMessage = 'lastMessage' in event ? event.lastMessage : undefined;
  const { verdicts } = guarded
    ? await judgeLoop(event, ref, state, { lastMessage, toolRan: true }, ports)
    : { verdicts: [] };
  const refused = verdicts.some(blocks) && (state.guarded[subject] ?? 0) < GUARDED_BLOCKS;
  ports.store.append(ref, () => ({ kind: 'guard', event: eventName(event), subject, verdicts, refused }));
  return refused ? { kind: 'refuse', reason: standingReason(verdicts, 'first') } : SILENCE;
}
