/** One hook call of the client, in our own words. `wire/claude-hooks` makes these from what the client sends. */

export const KNOWN_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
] as const;

export type KnownEventName = (typeof KNOWN_EVENTS)[number];

export interface BackgroundTask {
  id: string;
  type: string;
  status: string;
  description: string;
}

export interface WakeUp {
  id: string;
  schedule: string;
  recurring: boolean;
}

interface EventBase {
  session: string;
  transcript?: string;
  cwd?: string;
  /** Changes with every prompt, task notifications included; absent before the first. */
  promptId?: string;
  permissionMode?: string;
  /** Set when the event comes from inside a subagent. */
  agentId?: string;
  agentType?: string;
}

export interface StopEvent extends EventBase {
  name: 'Stop' | 'SubagentStop';
  stopHookActive: boolean;
  /** Absent when the client did not send it (older clients); empty when the answer was empty. */
  lastMessage?: string;
  /** How full the context is, where someone listens to the session and knows it already. */
  context?: { tokens: number; model: string };
  backgroundTasks: BackgroundTask[];
  wakeUps: WakeUp[];
  agentTranscript?: string;
}

export interface SessionStartEvent extends EventBase {
  name: 'SessionStart';
  source: string;
  model?: string;
}

interface SessionEndEvent extends EventBase {
  name: 'SessionEnd';
  reason: string;
}

export interface SubagentStartEvent extends EventBase {
  name: 'SubagentStart';
}

interface StopFailureEvent extends EventBase {
  name: 'StopFailure';
  error: string;
}

export interface ToolEvent extends EventBase {
  name: 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure' | 'PermissionRequest';
  tool: string;
  input: Record<string, unknown>;
  toolUseId?: string;
}

interface TaskEvent extends EventBase {
  name: 'TaskCreated' | 'TaskCompleted';
  taskId: string;
  subject: string;
  description?: string;
}

interface TeammateIdleEvent extends EventBase {
  name: 'TeammateIdle';
  teammate: string;
  team: string;
}

export interface PromptEvent extends EventBase {
  name: 'UserPromptSubmit' | 'UserPromptExpansion';
  prompt: string;
  command?: string;
}

export interface ConfigChangeEvent extends EventBase {
  name: 'ConfigChange';
  source: string;
  file?: string;
}

/** Everything that carries nothing we act on, and every name we do not know. */
export interface OtherEvent extends EventBase {
  name: 'other';
  eventName: string;
}

export type HookEvent =
  | StopEvent
  | SessionStartEvent
  | SessionEndEvent
  | SubagentStartEvent
  | StopFailureEvent
  | ToolEvent
  | TaskEvent
  | TeammateIdleEvent
  | PromptEvent
  | ConfigChangeEvent
  | OtherEvent;

export function eventName(event: HookEvent): string {
  return event.name === 'other' ? event.eventName : event.name;
}

/** How the client tells a session of work that ended in the background: a prompt that nobody typed. */
const TASK_NOTICE = '<task-notification>';

/** A prompt that a person sent, in the session itself. */
export function isPersonsPrompt(event: HookEvent): event is PromptEvent {
  return (
    event.name === 'UserPromptSubmit' &&
    event.agentId === undefined &&
    !event.prompt.trimStart().startsWith(TASK_NOTICE)
  );
}

/** What somebody wrote, of the events that are about a text. */
export function writtenIn(
  event: HookEvent | undefined,
): { what: 'prompt' | 'task'; text: string } | undefined {
  switch (event?.name) {
    case 'UserPromptSubmit':
      return { what: 'prompt', text: event.prompt };
    case 'TaskCreated':
    case 'TaskCompleted':
      return { what: 'task', text: [event.subject, event.description ?? ''].join('\n').trim() };
    default:
      return undefined;
  }
}

/** The client's own compaction runs as an agent without a type; its SubagentStop is nobody's work. */
export function isCompactionAgent(event: HookEvent): boolean {
  return ['SubagentStart', 'SubagentStop'].includes(event.name) && !event.agentType;
}

/** What an event gets back, whatever the client calls it. */
export type Answer =
  | { kind: 'silence' }
  /** The client goes on; the model reads `reason`, the person `message`. */
  | { kind: 'refuse'; reason: string; message?: string }
  /** The client does as it likes; the person is shown `message`. */
  | { kind: 'tell'; message: string }
  /** The client ends, whatever other hooks say; the person is shown why. */
  | { kind: 'halt'; message: string }
  /** Silence on stdout, and why on stderr: the event was not what it pretended to be. */
  | { kind: 'ignore'; why: string }
  /** The client would ask a person whether a tool may run; it may. */
  | { kind: 'permit'; message?: string }
  /** The tool gets another input. Whether it may run is left to the client. */
  | { kind: 'rewrite'; input: Record<string, unknown>; message?: string }
  /** The model gets `context` beside what it is doing; the person is shown `message`. */
  | { kind: 'inject'; context: string; message?: string };

export const SILENCE: Answer = { kind: 'silence' };
