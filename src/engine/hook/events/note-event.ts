import type { Entry } from '../../core/loop/entry.ts';
import { eventName, type HookEvent } from '../../core/loop/event.ts';
import { agentDetail, agentWords } from '../../core/loop/subagents.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { noteDown } from '../unwritable-journal.ts';

const WORD_LIMIT = 200;

/** Records an event in the journal of its loop. */
export function noteEvent(event: HookEvent, loop: SessionLoop, ports: SessionPorts) {
  return noteDown(event, loop, noteOf(event), ports);
}

/** The journal entry of an event: its name and a few details, never prompts or tool inputs. */
function noteOf(event: HookEvent): Entry {
  // Details are cut short, because every later hook reads the end of the journal.
  const detail = Object.entries(detailOf(event)).map(([name, value]) => [name, oneLine(value, WORD_LIMIT)]);
  return {
    kind: 'event',
    event: oneLine(eventName(event), WORD_LIMIT),
    detail: detail.length > 0 ? (Object.fromEntries(detail) as Record<string, string>) : undefined,
  };
}

function detailOf(event: HookEvent): Record<string, string> {
  const { agentId = '', agentType = '' } = event;
  if (event.name === 'SubagentStop') return agentWords({ id: agentId, type: agentType });
  return { ...ownDetail(event), ...agentDetail(event) };
}

function ownDetail(event: HookEvent): Record<string, string> {
  switch (event.name) {
    case 'SessionStart':
    case 'ConfigChange':
      return { source: event.source };
    case 'SessionEnd':
      return { reason: event.reason };
    case 'StopFailure':
      return { error: event.error };
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PermissionRequest':
      return { tool: event.tool };
    case 'TaskCreated':
    case 'TaskCompleted':
      return { task: event.taskId };
    case 'TeammateIdle':
      return { teammate: event.teammate };
    default:
      return {};
  }
}
