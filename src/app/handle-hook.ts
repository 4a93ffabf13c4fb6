import { type Answer, SILENCE } from '../core/answer.ts';
import { oneLine } from '../core/clip.ts';
import { isApproved } from '../core/contract.ts';
import { eventName, type HookEvent, isCompactionAgent, type SessionStartEvent } from '../core/event.ts';
import type { Entry } from '../core/journal.ts';
import { hasEnded, type LoopState } from '../core/loop.ts';
import { reminderFor } from '../core/reason.ts';
import type { LoopRef, Ports } from '../ports.ts';
import { joined, withMessages } from './answers.ts';
import { guardSettings, guardTool } from './guard-session.ts';
import { guardWork } from './guard-work.ts';
import { handleStanding } from './handle-standing.ts';
import { handleStop, type OwnLoop } from './handle-stop.ts';
import type { JudgingPorts } from './judge.ts';
import { memoryFor } from './memory.ts';
import { situationOf } from './situation.ts';

const WORD_LIMIT = 200;

/** One hook call from beginning to end. Throws only when the state itself cannot be read or written. */
export async function handleHook(event: HookEvent, ports: JudgingPorts): Promise<Answer> {
  const native = nativeLoop(event, ports);
  const foreign = await ports.foreign(event, native !== undefined);
  const loops = [...(native ? [native] : []), ...foreign.loops];
  const answers: Answer[] = [];
  for (const loop of loops) answers.push(await handleLoop(event, loop, ports));
  if (loops.length === 0) answers.push(await handleStanding(event, ports));
  return withMessages(joined(answers), foreign.messages);
}

/** The loop that the session started itself, as long as it lives. */
function nativeLoop(event: HookEvent, ports: Ports): OwnLoop | undefined {
  const ref = ports.store.loopOfSession(event.session);
  if (!ref) return undefined;
  const state = ports.store.read(ref);
  // A run has left this session behind.
  if (state.session !== event.session && state.run) return undefined;
  if (state.session !== event.session) throw new Error(`loop ${ref.loop} belongs to another session`);
  if (!hasEnded(state)) return { ref, state };
  ports.store.mark(event.session, false);
  return undefined;
}

async function handleLoop(event: HookEvent, loop: OwnLoop, ports: JudgingPorts): Promise<Answer> {
  const { ref, state } = loop;
  if (event.name === 'Stop' && state.status === 'active') return handleStop(event, loop, ports);
  if (event.name === 'PreToolUse') return guardTool(event, ref, ports);
  if (isEndOfWork(event) && state.status === 'active') return guardWork(event, ref, state, ports);
  if (event.name === 'ConfigChange') return guardSettings(event, ref, ports);
  const after = ports.store.append(ref, () => noteOf(event));
  if (event.name === 'SessionStart') return remind(event, ref, after, ports);
  return SILENCE;
}

function isEndOfWork(event: HookEvent): boolean {
  return ['SubagentStop', 'TaskCompleted', 'TeammateIdle'].includes(event.name) && !isCompactionAgent(event);
}

/** What the journal keeps of an event: its name and what tells it from others; never prompts or tool inputs. */
function noteOf(event: HookEvent): Entry {
  // What comes from outside is cut to size: every later hook reads the end of the journal.
  const detail = Object.entries(detailOf(event)).map(([name, value]) => [name, oneLine(value, WORD_LIMIT)]);
  return {
    kind: 'event',
    event: oneLine(eventName(event), WORD_LIMIT),
    ...(detail.length > 0 ? { detail: Object.fromEntries(detail) as Record<string, string> } : {}),
  };
}

function detailOf(event: HookEvent): Record<string, string> {
  const agent = event.agentId ? { agent: `${event.agentType ?? ''} ${event.agentId}`.trim() } : undefined;
  switch (event.name) {
    case 'SessionStart':
      return { source: event.source, ...agent };
    case 'SessionEnd':
      return { reason: event.reason, ...agent };
    case 'StopFailure':
      return { error: event.error, ...agent };
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PermissionRequest':
      return { tool: event.tool, ...agent };
    case 'TaskCreated':
    case 'TaskCompleted':
      return { task: event.taskId, ...agent };
    case 'TeammateIdle':
      return { teammate: event.teammate, ...agent };
    case 'ConfigChange':
      return { source: event.source, ...agent };
    default:
      return { ...agent };
  }
}

/** A session that begins in mid-loop (resume), or has just lost its memory (compaction), is told where it stands. */
function remind(event: SessionStartEvent, ref: LoopRef, state: LoopState, ports: Ports): Answer {
  if (state.status !== 'active' || event.agentId) return SILENCE;
  const context = reminderFor(
    situationOf(ref, state, ports),
    state.gates.map((g) => ({
      gate: g.name,
      kind: '',
      class: g.class,
      outcome: g.verdict,
      summary: g.summary,
    })),
  );
  const { contract, frozen } = ports.store.contract(ref);
  const trusted = isApproved(frozen, (project, print) => ports.store.isTrusted(project, print));
  const notes = trusted
    ? memoryFor(frozen.project, contract, event.source, ports.notes.files).context
    : undefined;
  const told = [context, ...(notes === undefined ? [] : [notes])];
  return joined(told.map((each) => ({ kind: 'inject', context: each })));
}
