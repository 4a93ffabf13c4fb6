import type { BackgroundTask, HookEvent, WakeUp } from '../../core/event.ts';
import { type Fields, isFields, list, present, text } from './fields.ts';

export type Parsed = { ok: true; event: HookEvent } | { ok: false; problem: string };

/** One hook event from the client's stdin. Unknown fields and unknown events are fine; unusable input is a problem. */
export function parseHookEvent(input: string): Parsed {
  if (input.trim() === '') return problem('stdin was empty; expected one JSON object from Claude Code');
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    return problem('stdin is not JSON (cut short, perhaps); expected one JSON object from Claude Code');
  }
  if (!isFields(value)) return problem('stdin is JSON but not an object');
  const name = text(value, 'hook_event_name');
  if (!name) return problem('the field "hook_event_name" is missing or not a string');
  const session = text(value, 'session_id');
  if (!session) return problem('the field "session_id" is missing or not a string');
  return { ok: true, event: eventOf(name, session, value) };
}

function problem(what: string): Parsed {
  return { ok: false, problem: what };
}

function eventOf(name: string, session: string, fields: Fields): HookEvent {
  const base = {
    session,
    ...present({
      transcript: text(fields, 'transcript_path'),
      cwd: text(fields, 'cwd'),
      promptId: text(fields, 'prompt_id'),
      permissionMode: text(fields, 'permission_mode'),
      agentId: text(fields, 'agent_id'),
      agentType: text(fields, 'agent_type'),
    }),
  };
  switch (name) {
    case 'Stop':
    case 'SubagentStop':
      return { ...base, name, ...stopFields(fields) };
    case 'SessionStart':
      return {
        ...base,
        name,
        source: text(fields, 'source') ?? '',
        ...present({ model: text(fields, 'model') }),
      };
    case 'SubagentStart':
      return { ...base, name };
    case 'SessionEnd':
      return { ...base, name, reason: text(fields, 'reason') ?? '' };
    case 'StopFailure':
      return { ...base, name, error: text(fields, 'error') ?? 'unknown' };
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PermissionRequest': {
      const input = fields.tool_input;
      const toolUse = present({ toolUseId: text(fields, 'tool_use_id') });
      return {
        ...base,
        name,
        tool: text(fields, 'tool_name') ?? '',
        input: isFields(input) ? input : {},
        ...toolUse,
      };
    }
    case 'TaskCreated':
    case 'TaskCompleted':
      return { ...base, name, ...taskFields(fields) };
    case 'TeammateIdle': {
      const teammate = eitherOf(fields, ['teammate_name', 'teammateName', 'agent_name', 'agentName']) ?? '';
      return { ...base, name, teammate, team: eitherOf(fields, ['team_name', 'teamName']) ?? '' };
    }
    case 'UserPromptSubmit':
    case 'UserPromptExpansion': {
      const command = present({ command: text(fields, 'command_name') });
      return { ...base, name, prompt: text(fields, 'prompt') ?? '', ...command };
    }
    case 'ConfigChange': {
      const file = present({ file: text(fields, 'file_path') });
      return { ...base, name, source: text(fields, 'source') ?? '', ...file };
    }
    default:
      return { ...base, name: 'other', eventName: name };
  }
}

function stopFields(fields: Fields) {
  return {
    stopHookActive: fields.stop_hook_active === true,
    backgroundTasks: list(fields, 'background_tasks').map(backgroundTask),
    wakeUps: list(fields, 'session_crons').map(wakeUp),
    ...present({
      lastMessage: text(fields, 'last_assistant_message'),
      agentTranscript: text(fields, 'agent_transcript_path'),
    }),
  };
}

function backgroundTask(fields: Fields): BackgroundTask {
  return {
    id: text(fields, 'id') ?? '',
    type: text(fields, 'type') ?? 'task',
    status: text(fields, 'status') ?? 'running',
    description: text(fields, 'description') ?? '',
  };
}

function wakeUp(fields: Fields): WakeUp {
  return {
    id: text(fields, 'id') ?? '',
    schedule: text(fields, 'schedule') ?? '',
    recurring: fields.recurring === true,
  };
}

function taskFields(fields: Fields) {
  return {
    taskId: eitherOf(fields, ['task_id', 'taskId']) ?? '',
    subject: eitherOf(fields, ['task_subject', 'taskSubject']) ?? '',
    ...present({ description: eitherOf(fields, ['task_description', 'taskDescription']) }),
  };
}

/** The client's own field first, then the names that hooks were written for before; ids were numbers, too. */
function eitherOf(fields: Fields, names: readonly string[]): string | undefined {
  const isWord = (value: unknown) =>
    (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
  const found = names.map((name) => fields[name]).find(isWord);
  return found === undefined ? undefined : String(found);
}
