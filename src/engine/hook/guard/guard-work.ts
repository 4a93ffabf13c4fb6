import type { FrozenContract } from '../../core/contract/contract.ts';
import { type Answer, type HookEvent, SILENCE, type SubagentStartEvent } from '../../core/loop/event.ts';
import { type GateCall, planGates } from '../../core/loop/plan-gates.ts';
import type { AgentLine } from '../../core/loop/state.ts';
import { agentWords, beginningOf, type GuardedAgent, lastWords } from '../../core/loop/subagents.ts';
import { blocks, type Verdict } from '../../core/loop/verdict.ts';
import { agentBrief, guardReason } from '../../core/words/guards.ts';
import { traitsOf } from '../../gates/traits.ts';
import { judgeEvent } from '../../judging/judge-event.ts';
import type { Ports, SessionPorts } from '../../judging/ports.ts';
import { workOfAgent } from '../../judging/subagent-work.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import { withMessages } from '../stop/answers.ts';
import { standsUncounted } from '../unwritable-journal.ts';

/** How often work is refused in a row. Claude Code has a cap of its own for subagents, but none for tasks and teammates. */
export const GUARDED_BLOCKS = 8;

/** The name, in journals and counts, of what is refused: a subagent, a task, a teammate. */
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

/**
 * Judges a new task, and the end of a subagent, of a task or of a teammate's turn, by the gates that guard it. Refuses a
 * bounded number of times in a row.
 */
export async function guardWork(
  event: HookEvent,
  session: GuardedSession,
  ports: SessionPorts,
): Promise<Answer> {
  const planned = planGates(event, session.contract.contract);
  const calls = planned.length > 0 && session.rules() ? planned : [];
  const verdicts = await judgeOwnWork(event, calls, session, ports);
  const subject = guardedSubject(event);
  const left = GUARDED_BLOCKS - session.refusals(subject);
  const refused = verdicts.some(blocks) && left > 0;
  const agent = agentIn(event, calls.length < planned.length, refused);
  const { written, messages } = session.record({ subject, verdicts, refused, agent });
  const holds = refused && (written || standsUncounted(event, subject, left, ports));
  return withMessages(holds ? { kind: 'refuse', reason: guardReason(event, verdicts) } : SILENCE, messages);
}

/** Judges a subagent by its own work, as far as that is known. */
async function judgeOwnWork(
  event: HookEvent,
  calls: readonly GateCall[],
  session: GuardedSession,
  ports: SessionPorts,
): Promise<Verdict[]> {
  if (calls.length === 0) return [];
  const own = event.name === 'SubagentStop' ? await workOfAgent(event, session, ports) : undefined;
  const lastMessage = 'lastMessage' in event ? event.lastMessage : undefined;
  const turn = { lastMessage, toolRan: true, own };
  const { verdicts } = await judgeEvent(event, calls, session.judged(), turn, ports);
  return own ? own.explained(verdicts) : verdicts;
}

function agentIn(event: HookEvent, isUnapproved: boolean, refused: boolean): GuardedAgent | undefined {
  if (event.name !== 'SubagentStop' || !event.agentId || !event.agentType) return undefined;
  return {
    ...agentWords({ id: event.agentId, type: event.agentType }),
    unjudged: isUnapproved ? 'what its gates run is not trusted' : undefined,
    said: refused ? undefined : lastWords(event.lastMessage),
  };
}

/** Records a subagent that begins, and tells it which gates will judge it. */
export async function beginAgent(
  event: SubagentStartEvent,
  session: GuardedSession,
  ports: Ports,
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

/** The worktree of a subagent, and the commit it begins at. Later changes are told apart by that commit. */
async function worktreeOf(
  { cwd }: SubagentStartEvent,
  { contract, frozen }: FrozenContract,
  ports: Ports,
): Promise<AgentLine['worktree']> {
  if (cwd === undefined || cwd === frozen.project) return undefined;
  try {
    const there = (await ports.judges(contract)).worktree?.(frozen.project, cwd);
    if (!there) return undefined;
    const head = await there.workspace.head();
    return { folder: there.top, commit: head?.commit };
  } catch {
    // Without git, or in a checkout that is half made, the subagent is judged in the project itself.
    return undefined;
  }
}
