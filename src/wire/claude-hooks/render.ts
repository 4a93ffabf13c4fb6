import type { Answer } from '../../core/answer.ts';

/** What a hook process prints and how it exits. */
export interface HookOutput {
  stdout: string;
  stderr: string;
  exitCode: 0 | 2;
}

const NOTHING: HookOutput = { stdout: '', stderr: '', exitCode: 0 };

/** These events know no JSON refusal: exit 2 with the reason on stderr is the only way. */
const REFUSED_BY_EXIT = new Set(['TeammateIdle', 'TaskCreated']);

export function renderAnswer(eventName: string, answer: Answer): HookOutput {
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
    case 'inject':
      return json({ hookSpecificOutput: { hookEventName: eventName, additionalContext: answer.context } });
  }
}

function refusal(eventName: string, reason: string, message: string | undefined): HookOutput {
  if (REFUSED_BY_EXIT.has(eventName)) return { stdout: '', stderr: reason, exitCode: 2 };
  const shown = message === undefined ? {} : { systemMessage: message };
  if (eventName !== 'PreToolUse') return json({ decision: 'block', reason, ...shown });
  return json({
    ...shown,
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
