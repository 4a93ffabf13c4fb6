import { agentWords } from '../core/agents.ts';
import { type Answer, SILENCE } from '../core/answer.ts';
import { newAnswers } from '../core/approval.ts';
import { oneLine } from '../core/clip.ts';
import { eventName, type HookEvent, isCompactionAgent } from '../core/event.ts';
import type { Entry } from '../core/journal.ts';
import type { LoopState } from '../core/loop.ts';
import type { SessionLoop } from '../ports/session-loop.ts';
import { joined, withMessages } from './answers.ts';
import { beginAgent } from './begin-agent.ts';
import { promptInLoop } from './guard-prompt.ts';
import { guardPermission, guardSettings, guardTool } from './guard-session.ts';
import { guardWork } from './guard-work.ts';
import type { SessionPorts } from './judging-ports.ts';
import { beforeCompaction, remind } from './remember.ts';
import { noteDown } from './unwritten.ts';
import { noteCutOff, watchForeign } from './watched-stop.ts';

const WORD_LIMIT = 200;

/** Every event of a session that has a loop, but the Stop that is judged. */
export async function eventInLoop(event: HookEvent, loop: SessionLoop, ports: SessionPorts): Promise<Answer> {
  const { ref } = loop;
  const state = noteCutOff(ref, loop.state, ports);
  watchForeign(loop, ports);
  if (event.name === 'PreToolUse') return guardTool(event, loop, ports);
  if (event.name === 'PermissionRequest') return guardPermission(event, loop, ports);
  if (isGuardedWork(event) && state.status === 'active') return guardWork(event, ref, state, ports);
  if (event.name === 'ConfigChange') return guardSettings(event, loop, ports);
  const atPrompt = event.name === 'UserPromptSubmit' ? await promptInLoop(event, loop, ports) : SILENCE;
  if (atPrompt.kind === 'refuse') return atPrompt;
  if (event.name === 'SubagentStart' && !isCompactionAgent(event)) return beginAgent(event, loop, ports);
  if (eventName(event) === 'PreCompact') return beforeCompaction(event, loop, ports);
  const { state: after, messages } = noteDown(event, { ref, state }, noteOf(event), ports);
  if (event.name === 'SessionStart') return withMessages(remind(event, ref, after, ports), messages);
  const told = event.name === 'UserPromptSubmit' ? joined([atPrompt, toldOf(state)]) : SILENCE;
  return withMessages(told, messages);
}

/** What a person said goes with their next prompt. */
function toldOf({ answers = {}, status }: LoopState): Answer {
  const context = status === 'active' ? newAnswers(answers) : undefined;
  return context === undefined ? SILENCE : { kind: 'inject', context };
}

function isGuardedWork(event: HookEvent): boolean {
  const guarded = ['SubagentStop', 'TaskCreated', 'TaskCompleted', 'TeammateIdle'];
  return guarded.includes(event.name) && !isCompactionAgent(event);
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
    case 'SubagentStop':
      return agentWords({ id: event.agentId ?? '', type: event.agentType ?? '' });
    default:
      return { ...agent };
  }
}
