import {
  type BackgroundTask,
  type HookEvent,
  KNOWN_EVENTS,
  type OtherEvent,
  type WakeUp,
} from '../../core/loop/event.ts';
import { type Fields, isFields, list, present, text } from '../fields.ts';

export type Parsed = { ok: true; event: HookEvent } | { ok: false; problem: string };

/** Parses one hook event of Claude Code. Unknown fields and events are accepted; unusable input is a problem. */
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
  const known = isNamed(name) ? name : KNOWN_EVENTS.find((one) => one.toLowerCase() === name.toLowerCase());
  if (known !== undefined && known !== name)
    return problem(
      `the field "hook_event_name" is not spelled like an event of Claude Code, which is ${known}`,
    );
  const session = text(value, 'session_id');
  if (!session) return problem('the field "session_id" is missing or not a string');
  return { ok: true, event: eventOf(name, session, value) };
}

function problem(what: string): Parsed {
  return { ok: false, problem: what };
}

function eventOf(name: string, session: string, fields: Fields): HookEvent {
  const base = { session, ...baseFields(fields) };
  if (!isNamed(name)) return { ...base, name: 'other', eventName: name };
  return { ...base, name, ...OWN_FIELDS[name](fields) } as HookEvent;
}

/** The hooks module of the plugin adds this field to an event that it has answered (`plugin/hooks/events.ts`). */
const ANSWERED = 'untildone_answered';

function baseFields(fields: Fields) {
  return present({
    transcript: path(fields, 'transcript_path'),
    cwd: path(fields, 'cwd'),
    promptId: text(fields, 'prompt_id'),
    permissionMode: text(fields, 'permission_mode'),
    agentId: text(fields, 'agent_id'),
    agentType: text(fields, 'agent_type'),
    answered: fields[ANSWERED] === true ? true : undefined,
  });
}

type EventName = Exclude<HookEvent['name'], 'other'>;
type EventNamed<N, E = HookEvent> = E extends { name: infer M } ? (N extends M ? E : never) : never;

function isNamed(name: string): name is EventName {
  return Object.hasOwn(OWN_FIELDS, name);
}

/** The fields of each event beside those that all events have. */
const OWN_FIELDS: { readonly [N in EventName]: (fields: Fields) => Omit<EventNamed<N>, keyof OtherEvent> } = {
  Stop: stopFields,
  SubagentStop: stopFields,
  SubagentStart: () => ({}),
  SessionStart: (fields) => ({
    source: word(fields, 'source'),
    ...present({ model: text(fields, 'model') }),
  }),
  SessionEnd: (fields) => ({ reason: word(fields, 'reason') }),
  StopFailure: (fields) => ({ error: text(fields, 'error') ?? 'unknown' }),
  PreToolUse: toolFields,
  PostToolUse: toolFields,
  PostToolUseFailure: toolFields,
  PermissionRequest: toolFields,
  TaskCreated: taskFields,
  TaskCompleted: taskFields,
  TeammateIdle: teammateFields,
  UserPromptSubmit: promptFields,
  UserPromptExpansion: promptFields,
  ConfigChange: (fields) => ({
    source: word(fields, 'source'),
    ...present({ file: path(fields, 'file_path') }),
  }),
};

/** A path. One with a NUL names no file on any system, and counts as absent. */
function path(fields: Fields, key: string): string | undefined {
  const value = text(fields, key);
  return value?.includes('\0') ? undefined : value;
}

/** A text that Claude Code always sends; empty when it does not. */
function word(fields: Fields, key: string): string {
  return text(fields, key) ?? '';
}

function toolFields(fields: Fields) {
  const input = fields.tool_input;
  return {
    tool: word(fields, 'tool_name'),
    input: isFields(input) ? input : {},
    ...present({ toolUseId: text(fields, 'tool_use_id') }),
  };
}

function teammateFields(fields: Fields) {
  return {
    teammate: eitherOf(fields, ['teammate_name', 'teammateName', 'agent_name', 'agentName']) ?? '',
    team: eitherOf(fields, ['team_name', 'teamName']) ?? '',
  };
}

function promptFields(fields: Fields) {
  return { prompt: word(fields, 'prompt'), ...present({ command: text(fields, 'command_name') }) };
}

function stopFields(fields: Fields) {
  return {
    stopHookActive: fields.stop_hook_active === true,
    backgroundTasks: list(fields, 'background_tasks').map(backgroundTask),
    wakeUps: list(fields, 'session_crons').map(wakeUp),
    ...present({
      lastMessage: text(fields, 'last_assistant_message'),
      agentTranscript: path(fields, 'agent_transcript_path'),
    }),
  };
}

function backgroundTask(fields: Fields): BackgroundTask {
  return {
    id: word(fields, 'id'),
    type: text(fields, 'type') ?? 'task',
    status: text(fields, 'status') ?? 'running',
    description: word(fields, 'description'),
  };
}

function wakeUp(fields: Fields): WakeUp {
  return {
    id: word(fields, 'id'),
    schedule: word(fields, 'schedule'),
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

/** The first of these fields that is set: today's name first, then older ones. An id may be a number. */
function eitherOf(fields: Fields, names: readonly string[]): string | undefined {
  const isWord = (value: unknown) =>
    (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
  const found = names.map((name) => fields[name]).find(isWord);
  return found === undefined ? undefined : String(found);
}
