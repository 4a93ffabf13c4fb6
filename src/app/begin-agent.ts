import { agentBrief } from '../core/agent-words.ts';
import { type AgentLine, beginningOf } from '../core/agents.ts';
import { type Answer, SILENCE } from '../core/answer.ts';
import { type FrozenContract, isApproved } from '../core/contract.ts';
import type { SubagentStartEvent } from '../core/event.ts';
import { type GateCall, planGates } from '../core/plan-gates.ts';
import type { OwnLoop } from './handle-stop.ts';
import type { JudgingPorts } from './judge.ts';
import { phaseIn } from './situation.ts';

/** A subagent begins in a loop: it is remembered, and told what it will be judged by. */
export async function beginAgent(
  event: SubagentStartEvent,
  { ref, state }: OwnLoop,
  ports: JudgingPorts,
): Promise<Answer> {
  const { agentId: id = '', agentType: type = '' } = event;
  const frozen = ports.store.contract(ref);
  const known = frozen.sha256 === state.contractSha256;
  const calls = known ? approvedCalls(event, frozen, ports) : [];
  const worktree = calls.length === 0 ? undefined : await worktreeOf(event, frozen, ports);
  ports.store.append(ref, () => ({
    kind: 'event',
    event: event.name,
    detail: beginningOf({ id, type }, worktree),
  }));
  if (calls.length === 0 || state.status !== 'active') return SILENCE;
  return { kind: 'inject', context: agentBrief(calls, phaseIn(frozen.contract, state).phase) };
}

/** The same in a plain session of a project whose contract guards all of them. */
export function briefAgent(event: SubagentStartEvent, { contract }: FrozenContract): Answer {
  const calls = planGates(event, contract);
  return calls.length === 0 ? SILENCE : { kind: 'inject', context: agentBrief(calls) };
}

function approvedCalls(
  event: SubagentStartEvent,
  { contract, frozen }: FrozenContract,
  ports: JudgingPorts,
): GateCall[] {
  const approved = isApproved(frozen, (project, fingerprint) => ports.store.isTrusted(project, fingerprint));
  return approved ? planGates(event, contract) : [];
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
