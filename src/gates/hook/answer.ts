/** What a hook said on stdout, as far as it concerns a stop. */
export interface HookAnswer {
  /** `continue: false`: its `stopReason`, or nothing. */
  letGo?: string;
  /** Why the work has to go on. */
  block?: string;
  /** `systemMessage`, for the person. */
  message?: string;
  /** It meant to answer, but what it said cannot be read. */
  problem?: string;
}

/**
 * Text is no answer: the client shows it and lets go. What begins like JSON was meant as one. At a prompt the client
 * takes context for what it is, and `continue: false` for a refusal.
 */
export function readHookAnswer(stdout: string, atPrompt: boolean): HookAnswer {
  const text = stdout.trim();
  if (!text.startsWith('{')) return {};
  const fields = parsed(text);
  if (!fields) return { problem: 'what it printed begins like JSON but is none' };
  const message = textOf(fields.systemMessage);
  return { ...(message === undefined ? {} : { message }), ...decisionOf(fields, atPrompt) };
}

function decisionOf(fields: Record<string, unknown>, atPrompt: boolean): HookAnswer {
  if (fields.continue === false) return { [atPrompt ? 'block' : 'letGo']: textOf(fields.stopReason) ?? '' };
  const reason = textOf(fields.reason);
  switch (fields.decision ?? undefined) {
    case 'block':
      return { block: reason ?? '' };
    case 'approve':
    case undefined: {
      const context = textOf(mapOf(fields.hookSpecificOutput)?.additionalContext);
      // For the client, context at a stop means that the work goes on.
      return context === undefined || atPrompt ? {} : { block: context };
    }
    default:
      return { problem: 'its "decision" is neither "block" nor "approve"' };
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return mapOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function mapOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
