/** What the hook process says, and what a hooks module gives back for it. */

/** How a process ended, and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The fields of a hooks module's answer that untildone uses. */
export interface ModuleAnswer {
  readonly block?: string;
  readonly preventContinuation?: true;
  readonly stopReason?: string;
  readonly additionalContext?: string[];
}

export interface Translated {
  readonly answer: ModuleAnswer;
  /** For the person. Claude Code does not send it to the model. */
  readonly message?: string;
}

/**
 * Translates the answer of the hook process. Throws for an end that is no answer: the module then holds the session, while
 * Claude Code would let it go.
 */
export function translate({ code, stdout, stderr }: Ended): Translated {
  if (code === 2 && stdout.trim() === '')
    return { answer: { block: stderr.trim() || 'untildone: not yet.' } };
  if (code !== 0 && code !== 2) throw new Error(`the hook ended with ${code ?? 'a signal'}`);
  if (stdout.trim() === '') return { answer: {} };
  const said = parsed(stdout);
  const { decision, reason, systemMessage, stopReason, hookSpecificOutput } = said;
  const context = (hookSpecificOutput as { additionalContext?: unknown } | undefined)?.additionalContext;
  return {
    answer: {
      ...(decision === 'block' ? { block: text(reason) ?? 'untildone: not yet.' } : {}),
      ...(said.continue === false ? { preventContinuation: true as const } : {}),
      ...(text(stopReason) === undefined ? {} : { stopReason: text(stopReason) }),
      ...(text(context) === undefined ? {} : { additionalContext: [text(context) ?? ''] }),
    },
    message: text(systemMessage),
  };
}

function parsed(stdout: string): Record<string, unknown> {
  const value: unknown = JSON.parse(stdout);
  if (typeof value !== 'object' || value === null) throw new Error('the hook did not answer with an object');
  return value as Record<string, unknown>;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Puts our answer beside that of all other hooks. Nobody's reason is lost. */
export function beside<Others extends ModuleAnswer>(
  others: Others,
  ours: ModuleAnswer,
): Others & ModuleAnswer {
  const blocks = [others.block, ours.block].filter((reason) => reason !== undefined);
  const contexts = [...(others.additionalContext ?? []), ...(ours.additionalContext ?? [])];
  return {
    ...others,
    ...ours,
    ...(blocks.length === 0 ? {} : { block: blocks.join('\n\n') }),
    ...(contexts.length === 0 ? {} : { additionalContext: contexts }),
  };
}

/** A session is let go when its events were not answered so often in a row. */
export const LET_GO_AFTER = 3;

/** For the agent, when an event was not answered. */
export function heldReason(why: string): string {
  return (
    `untildone: this could not be judged (${why}), so nothing is proven and you are not done yet. Most often a test or a ` +
    'script of the project is the cause: it runs for ever, kills by a broad name, or takes all memory. Find it and change it. ' +
    'Then stop again, and it is judged again. If you find nothing, tell the user that untildone cannot run here.'
  );
}

/** For the person, when the session is let go without having been judged. */
export function letGoMessage(why: string): string {
  return (
    `this could not be judged ${LET_GO_AFTER} times in a row (${why}). The session was let go; nothing is proven, and its loop ` +
    'is still active. See: untildone log'
  );
}
