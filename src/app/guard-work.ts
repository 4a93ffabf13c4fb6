import { agentWords, type GuardedAgent, lineOf } from '../core/agents.ts';
import { type Answer, SILENCE } from '../core/answer.ts';
import { eventName, type HookEvent } from '../core/event.ts';
import { guardReason } from '../core/guard-words.ts';
import type { Entry } from '../core/journal.ts';
import type { LoopState } from '../core/loop.ts';
import { planGates } from '../core/plan-gates.ts';
import { blocks } from '../core/verdict.ts';
import type { OwnWork } from '../ports/judging.ts';
import type { LoopRef } from '../ports.ts';
import { workOfAgent } from './agent-work.ts';
import { withMessages } from './answers.ts';
import { judgeLoop } from './judge-loop.ts';
import type { SessionPorts } from './judging-ports.ts';
import { rulingContract } from './ruling-contract.ts';
import { noteDown, standsUncounted } from './unwritten.ts';

/** The client caps how often it lets itself be held by a subagent's hook, but not by those of tasks and teammates. */
export const GUARDED_BLOCKS = 8;

/** Who is being held: a subagent, a task, a teammate. */
export function guardedSubject(event: HookEvent): string {
  switch (event.name) {
    case 'TaskCompleted':
      return `task ${event.taskId}`.slice(0, 200);
    case 'TaskCreated':
      return `new task ${event.taskId}`.slice(0, 200);
    case 'TeammateIdle':
      return `teammate ${event.teammate}`.slice(0, 200);
    default:
      return `agent ${event.agentId ?? ''}`.slice(0, 200);
  }
}

/** Of a SubagentStop: what of the work is that agent's. */
async function ownWorkIn(
  event: HookEvent,
  ref: LoopRef,
  state: LoopState,
  ports: SessionPorts,
): Promise<OwnWork | undefined> {
  if (event.name !== 'SubagentStop') return undefined;
  const begun = lineOf(state, event.agentId ?? '')?.worktree;
  return workOfAgent(event, ports.store.contract(ref), ports.store.outputDir(ref), begun, ports);
}

function agentIn(event: HookEvent, unapproved: boolean): GuardedAgent | undefined {
  if (event.name !== 'SubagentStop' || !event.agentId || !event.agentType) return undefined;
  return {
    ...agentWords({ id: event.agentId, type: event.agentType }),
    ...(unapproved ? { unjudged: 'nobody approved what its gates run' } : {}),
  };
}

/** A task that is created, or the end of a piece of work, inside a loop: a subagent, a task, a teammate's turn. Held by the gates that guard it. */
export async function guardWork(
  event: HookEvent,
  ref: LoopRef,
  state: LoopState,
  ports: SessionPorts,
): Promise<Answer> {
  const isGuarded = planGates(event, ports.store.contract(ref).contract).length > 0;
  const guarded = isGuarded && rulingContract(ref, state, ports) !== undefined;
  const subject = guardedSubject(event);
  const lastMessage = 'lastMessage' in event ? event.lastMessage : undefined;
  const own = guarded ? await ownWorkIn(event, ref, state, ports) : undefined;
  const { verdicts: found } = guarded
    ? await judgeLoop(event, ref, state, { lastMessage, toolRan: true, own }, ports)
    : { verdicts: [] };
  const verdicts = own ? own.explained(found) : found;
  const left = GUARDED_BLOCKS - (state.guarded[subject] ?? 0);
  const refused = verdicts.some(blocks) && left > 0;
  const agent = agentIn(event, isGuarded && !guarded);
  const entry: Entry = {
    ...{ kind: 'guard', event: eventName(event), subject, verdicts, refused },
    ...(agent ? { agent } : {}),
  };
  const { written, messages } = noteDown(event, { ref, state }, entry, ports);
  const holds = refused && (written || standsUncounted(event, subject, left, ports));
  return withMessages(holds ? { kind: 'refuse', reason: guardReason(event, verdicts) } : SILENCE, messages);
}
