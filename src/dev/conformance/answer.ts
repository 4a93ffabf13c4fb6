/** What a hook answered, as the client takes it: measured on the real client, not read from anybody's documents. */

/** How one run of a command ended. */
export interface Ran {
  /** Absent when it had to be ended. */
  exitCode?: number;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  ms: number;
}

export interface Answer {
  held: boolean;
  /** What the model is told when it is held. */
  reason: string;
  /** What the person is told. */
  message: string;
}

/**
 * JSON is read before the exit code: a block with exit 1 is a block, `continue: false` beats everything. Text before the
 * JSON, a torn object or a decision that is not in the schema are no answer. Exit 2 holds with what is on stderr.
 */
export function answerOf({ exitCode, stdout, stderr, timedOut }: Ran): Answer {
  const said = timedOut ? undefined : parseObject(stdout);
  const message = textOf(said?.systemMessage);
  if (said?.continue === false)
    return { held: false, reason: '', message: message || textOf(said.stopReason) };
  if (said?.decision === 'block' && fitsSchema(said.reason))
    return { held: true, reason: textOf(said.reason) || 'Blocked by hook', message };
  const context = contextOf(said);
  if (context !== '' && !timedOut) return { held: true, reason: context, message };
  if (exitCode === 2) return { held: true, reason: stderr.trim() || 'No stderr output', message };
  return { held: false, reason: '', message };
}

function contextOf(said: Record<string, unknown> | undefined): string {
  const specific = said?.hookSpecificOutput;
  if (typeof specific !== 'object' || specific === null) return '';
  return textOf((specific as Record<string, unknown>).additionalContext);
}

function fitsSchema(reason: unknown): boolean {
  return reason === undefined || typeof reason === 'string';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
