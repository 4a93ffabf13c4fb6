import type { Answer } from '../../core/loop/event.ts';
import { visibleText } from '../../core/text/visible.ts';
import { type Parsed, parseHookEvent } from './parse.ts';

/** What a hook process prints and how it exits. */
export interface HookOutput {
  stdout: string;
  stderr: string;
  exitCode: 0 | 2;
}

const NOTHING: HookOutput = { stdout: '', stderr: '', exitCode: 0 };

/** Events that cannot be refused by JSON, only by exit code 2 with the reason on stderr. */
const REFUSED_BY_EXIT = new Set(['TeammateIdle', 'TaskCreated']);

/** Claude Code adds all stdout of this event, JSON included, to its request for a summary. */
const COMPACTION = 'PreCompact';

export function renderAnswer(eventName: string, given: Answer): HookOutput {
  const answer = harmless(given);
  if (eventName === COMPACTION && !['refuse', 'ignore'].includes(answer.kind)) {
    return { ...NOTHING, stdout: summaryWish(eventName, answer) ?? '' };
  }
  switch (answer.kind) {
    case 'silence':
      return NOTHING;
    case 'refuse':
      return refusal(eventName, answer.reason, answer.message);
    case 'halt':
      return json({ continue: false, stopReason: answer.message });
    case 'ignore':
      return { ...NOTHING, stderr: `untildone hook: ${answer.why}` };
    case 'tell':
      return json({ systemMessage: answer.message });
    case 'permit':
      return json({ ...shown(answer.message), ...specific(eventName, { decision: { behavior: 'allow' } }) });
    case 'rewrite':
      return json({
        ...shown(answer.message),
        ...specific(eventName, {
          ...(answer.permitted ? { permissionDecision: 'allow' } : {}),
          updatedInput: answer.input,
        }),
      });
    case 'inject':
      return json({
        systemMessage: answer.message,
        hookSpecificOutput: { hookEventName: eventName, additionalContext: answer.context },
      });
  }
}

/** Spells out what would steer the terminal: Claude Code shows messages and reasons as they are. */
function harmless(answer: Answer): Answer {
  const shown = Object.entries(answer).map(([name, value]) => [
    name,
    typeof value === 'string' ? visibleText(value) : value,
  ]);
  return Object.fromEntries(shown) as Answer;
}

/** What the summary of a compaction should keep; undefined for all other events and answers. */
function summaryWish(eventName: string, answer: Answer): string | undefined {
  return eventName === COMPACTION && answer.kind === 'inject' ? answer.context : undefined;
}

function shown(message: string | undefined): { systemMessage?: string } {
  return message === undefined ? {} : { systemMessage: message };
}

function specific(eventName: string, output: Record<string, unknown>) {
  return { hookSpecificOutput: { hookEventName: eventName, ...output } };
}

function refusal(eventName: string, reason: string, message: string | undefined): HookOutput {
  if (REFUSED_BY_EXIT.has(eventName)) return { stdout: '', stderr: reason, exitCode: 2 };
  if (eventName !== 'PreToolUse') return json({ decision: 'block', reason, ...shown(message) });
  return json({
    ...shown(message),
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  });
}

function json(value: unknown): HookOutput {
  return { ...NOTHING, stdout: JSON.stringify(value) };
}

/** Parses an event that the Agent SDK hands to a hook in this process: the same fields as on stdin. */
export function parseCallbackInput(input: unknown): Parsed {
  return parseHookEvent(JSON.stringify(input) ?? '');
}

/**
 * Renders the answer of a hook in this process: the same JSON as on stdout. A refusal by exit code 2 becomes a `decision`,
 * which was measured for TaskCreated; TeammateIdle never fired without a terminal.
 */
export function renderCallback(eventName: string, answer: Answer): Record<string, unknown> {
  const wish = summaryWish(eventName, harmless(answer));
  // Claude Code adds this field of a callback's answer to its request for a summary.
  if (wish !== undefined) return { systemMessage: wish };
  const { stdout, stderr, exitCode } = renderAnswer(eventName, answer);
  if (exitCode === 2) return { decision: 'block', reason: stderr };
  return stdout === '' ? {} : JSON.parse(stdout);
}
