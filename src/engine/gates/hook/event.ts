import { type HookEvent, writtenIn } from '../../core/loop/event.ts';
import type { JudgingRequest } from '../../ports/judging.ts';

/**
 * The event with the fields that Claude Code uses. `stop_hook_active` is always false: scripts allow the Stop when it is
 * true, because nothing else keeps them from holding a session for ever. Here limits and stall do that.
 */
export function eventFor(request: JudgingRequest): Record<string, unknown> {
  const { session, transcript, frozen, lastMessage, event } = request;
  return {
    session_id: session,
    transcript_path: transcript ?? '',
    cwd: event?.cwd ?? frozen.project,
    permission_mode: event?.permissionMode ?? 'default',
    ...(event?.promptId === undefined ? {} : { prompt_id: event.promptId }),
    ...(event?.agentId === undefined ? {} : { agent_id: event.agentId }),
    ...(event?.agentType === undefined ? {} : { agent_type: event.agentType }),
    ...fieldsOf(event),
    ...(lastMessage === undefined ? {} : { last_assistant_message: lastMessage }),
  };
}

function fieldsOf(event: HookEvent | undefined): Record<string, unknown> {
  switch (event?.name) {
    case 'SubagentStop':
      return {
        hook_event_name: event.name,
        stop_hook_active: false,
        ...(event.agentTranscript === undefined ? {} : { agent_transcript_path: event.agentTranscript }),
      };
    case 'TaskCompleted':
    case 'TaskCreated':
      return {
        hook_event_name: event.name,
        task_id: event.taskId,
        task_subject: event.subject,
        ...(event.description === undefined ? {} : { task_description: event.description }),
      };
    case 'UserPromptSubmit':
      return { hook_event_name: event.name, prompt: event.prompt };
    case 'TeammateIdle':
      return { hook_event_name: event.name, teammate_name: event.teammate, team_name: event.team };
    default:
      return { hook_event_name: 'Stop', stop_hook_active: false };
  }
}

/** The event for a gate that gets no events, when the event brings a prompt or a task; else undefined. */
export function textEventFor(request: JudgingRequest): Record<string, unknown> | undefined {
  return writtenIn(request.event) ? eventFor(request) : undefined;
}
