import type { FrozenContract } from '../../core/contract/contract.ts';
import { type Answer, SILENCE, type SubagentStartEvent } from '../../core/loop/event.ts';
import { planGates } from '../../core/loop/plan-gates.ts';
import type { AgentLine } from '../../core/loop/state.ts';
import { beginningOf } from '../../core/loop/subagents.ts';
import { agentBrief } from '../../core/words/guards.ts';
import { traitsOf } from '../../gates/traits.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import { withMessages } from '../stop/answers.ts';

/** Remembers a subagent that begins, and tells it what it will be judged by. */
export async function beginAgent(
  event: SubagentStartEvent,
  session: GuardedSession,
  ports: JudgingPorts,
): Promise<Answer> {
  const { agentId: id = '', agentType: type = '' } = event;
  const planned = planGates(event, session.contract.contract);
  const calls = planned.length > 0 && session.rules() ? planned : [];
  const isFollowed = session.keepsNotes && calls.length > 0;
  const worktree = isFollowed ? await worktreeOf(event, session.contract, ports) : undefined;
  const messages = session.note(beginningOf({ id, type }, worktree));
  if (calls.length === 0 || !session.isActive) return withMessages(SILENCE, messages);
  return withMessages({ kind: 'inject', context: agentBrief(calls, traitsOf, session.phase) }, messages);
}

/** Where it begins: what it changes later is told from what was there by this commit. */
async function worktreeOf(
  { cwd }: SubagentStartEvent,
  { contract, frozen }: FrozenContract,
  ports: JudgingPorts,
): Promise<AgentLine['worktree']> {
  if (cwd === undefined || cwd === frozen.project) return undefined;
  try {
    const there = (await ports.judges(contract)).worktree?.(frozen.project, cwd);
    if (!there) return undefined;
    const head = await there.workspace.head();
    return { folder: there.top, commit: head?.commit };
  } catch {
    // No git, or a checkout that is half made: then it is judged where everybody works.
    return undefined;
  }
}
