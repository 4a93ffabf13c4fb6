import { agentBrief } from '../core/agent-words.ts';
import { type AgentLine, beginningOf } from '../core/agents.ts';
import { type Answer, SILENCE } from '../core/answer.ts';
import type { FrozenContract } from '../core/contract.ts';
import type { SubagentStartEvent } from '../core/event.ts';
import { planGates } from '../core/plan-gates.ts';
import type { SessionLoop } from '../ports/session-loop.ts';
import { withMessages } from './answers.ts';
import type { JudgingPorts, SessionPorts } from './judging-ports.ts';
import { rulingContract } from './ruling-contract.ts';
import { phaseIn } from './situation.ts';
import { noteDown } from './unwritten.ts';

/** A subagent begins in a loop: it is remembered, and told what it will be judged by. */
export async function beginAgent(
  event: SubagentStartEvent,
  { ref, state }: SessionLoop,
  ports: SessionPorts,
): Promise<Answer> {
  const { agentId: id = '', agentType: type = '' } = event;
  const frozen = ports.store.contract(ref);
  const planned = planGates(event, frozen.contract);
  const calls = planned.length > 0 && rulingContract(ref, state, ports) ? planned : [];
  const worktree = calls.length === 0 ? undefined : await worktreeOf(event, frozen, ports);
  const detail = beginningOf({ id, type }, worktree);
  const { messages } = noteDown(event, { ref, state }, { kind: 'event', event: event.name, detail }, ports);
  if (calls.length === 0 || state.status !== 'active') return withMessages(SILENCE, messages);
  const context = agentBrief(calls, phaseIn(frozen.contract, state).phase);
  return withMessages({ kind: 'inject', context }, messages);
}

/** The same in a plain session of a project whose contract guards all of them. */
export function briefAgent(event: SubagentStartEvent, { contract }: FrozenContract): Answer {
  const calls = planGates(event, contract);
  return calls.length === 0 ? SILENCE : { kind: 'inject', context: agentBrief(calls) };
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
    return { folder: there.top, ...(head ? { commit: head.commit } : {}) };
  } catch {
    // No git, or a checkout that is half made: then it is judged where everybody works.
    return undefined;
  }
}
