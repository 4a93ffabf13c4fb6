/** The events of Claude Code and the answers to them. `client/hooks` translates both. */

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
  /** Changes with every prompt, also with notices of background tasks; absent before the first prompt. */
  promptId?: string;
  permissionMode?: string;
  /** Set when the event comes from inside a subagent. */
  agentId?: string;
  agentType?: string;
  /** True when the hooks module of the plugin has answered this event already. */
  answered?: boolean;
}

export interface StopEvent extends EventBase {
  name: 'Stop' | 'SubagentStop';
  stopHookActive: boolean;
  /** Absent in older versions of Claude Code; empty when the answer was empty. */
  lastMessage?: string;
  /** How full the context is, when the driver of a run knows it already. */
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

/** An event that untildone does not act on, known or unknown. */
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

/** How a prompt begins that Claude Code itself sends when a background task has ended. */
const TASK_NOTICE = '<task-notification>';

/** Whether a person typed this prompt, and not a subagent or Claude Code itself. */
export function isPersonsPrompt(event: HookEvent): event is PromptEvent {
  return (
    event.name === 'UserPromptSubmit' &&
    event.agentId === undefined &&
    !event.prompt.trimStart().startsWith(TASK_NOTICE)
  );
}

/** Commands of the plugin, but for those that start work (`src/cli/slash/`). */
const OWN_COMMAND =
  /^\/(?:untildone:(?!(?:loop|orchestrate)(?:\s|$))[a-z-]+|(?:ralph-loop:)?cancel-ralph)(?=\s|$)/;

/**
 * Whether a prompt is a command of the plugin that is no prompt to the agent. It ends no wait, so that you can answer what a
 * loop waits for, and no gate refuses it, so that you can always end a loop.
 */
export function isOwnCommand(event: HookEvent): boolean {
  return event.name === 'UserPromptSubmit' && OWN_COMMAND.test(event.prompt.trimStart());
}

/** The text that an event is about: a prompt or a task. */
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

/** Whether the event comes from a compaction: Claude Code runs it as a subagent without a type. */
export function isCompactionAgent(event: HookEvent): boolean {
  return ['SubagentStart', 'SubagentStop'].includes(event.name) && !event.agentType;
}

/** The answer to an event. */
export type Answer =
  | { kind: 'silence' }
  /** The event is refused: the agent reads `reason`, you read `message`. */
  | { kind: 'refuse'; reason: string; message?: string }
  /** Nothing is refused; you read `message`. */
  | { kind: 'tell'; message: string }
  /** The session ends, whatever other hooks say; you read `message`. */
  | { kind: 'halt'; message: string }
  /** Nothing on stdout and `why` on stderr: the event is forged. */
  | { kind: 'ignore'; why: string }
  /** A tool may run without asking you. */
  | { kind: 'permit'; message?: string }
  /** The tool gets another input. Claude Code decides whether it may run, unless it is `permitted`. */
  | { kind: 'rewrite'; input: Record<string, unknown>; permitted?: true; message?: string }
  /** The agent reads `context` and goes on; you read `message`. */
  | { kind: 'inject'; context: string; message?: string };

export const SILENCE: Answer = { kind: 'silence' };
