/**
 * Tells events of Claude Code from those of other programs that load `.claude/settings.json` and run its hooks. Their events
 * look alike, but have fields of their own. An answer would mean something else there, so they get none.
 *
 * What their documentation and sources say, read in 2026 and not measured: `docs/reference/platforms.md`.
 */
import { type Fields, parseFields, text } from '../fields.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Fields that Claude Code never sends. */
const THEIR_FIELDS = {
  cursor_version: 'Cursor',
  conversation_id: 'Cursor',
  generation_id: 'Cursor',
  workspace_roots: 'Cursor',
  sessionId: 'Copilot',
  hookEventName: 'Copilot',
  timestamp: 'Copilot',
  turn_id: 'Codex',
} as const;

/** Variables of their hooks. What a program inherits says nothing of its own, so one is no sign by itself. */
const THEIR_VARIABLES = {
  CURSOR_VERSION: 'Cursor',
  CONTINUE_PROJECT_DIR: 'Continue',
  DEVIN_PROJECT_DIR: 'Devin',
} as const;

/** Whether the text may hold such a field: most events need no closer look. */
function mayBeTheirs(input: string): boolean {
  return (
    Object.keys(THEIR_FIELDS).some((name) => input.includes(`"${name}"`)) ||
    /"hook_event_name"\s*:\s*"[a-z]/.test(input)
  );
}

/** The program that sent this event, when it is another one than Claude Code. When in doubt it is Claude Code. */
export function otherHost(input: string, env: Environment): string | undefined {
  const variable = firstOf(THEIR_VARIABLES, env);
  if (variable === undefined && !mayBeTheirs(input)) return undefined;
  const fields = parseFields(input);
  if (!fields || isClaudeCode(fields, env)) return undefined;
  const field = firstOf(THEIR_FIELDS, fields);
  if (field !== undefined && !(field === 'timestamp' && hasOurFields(fields))) return THEIR_FIELDS[field];
  // Claude Code writes its events like `Stop`.
  const isUnknown = !env.CLAUDE_CODE_SESSION_ID && /^[a-z]/.test(text(fields, 'hook_event_name') ?? '');
  if (isUnknown) return 'another program';
  return variable !== undefined && !hasTranscript(fields) ? THEIR_VARIABLES[variable] : undefined;
}

/** Claude Code names the same session in both places. Whoever inherits that variable has a session of its own. */
function isClaudeCode(fields: Fields, { CLAUDE_CODE_SESSION_ID: session }: Environment): boolean {
  return Boolean(session) && text(fields, 'session_id') === session;
}

/** A time alone is a weak sign: a later Claude Code may send one, too. */
function hasOurFields(fields: Fields): boolean {
  return fields.permission_mode !== undefined || fields.prompt_id !== undefined;
}

/** Claude Code always names a transcript. Continue names none, Devin neither, Cursor one of its own. */
function hasTranscript(fields: Fields): boolean {
  const path = text(fields, 'transcript_path') ?? '';
  return path !== '' && !/[\\/]\.cursor[\\/]/.test(path);
}

function firstOf<K extends string>(names: Record<K, string>, values: Fields): K | undefined {
  return (Object.keys(names) as K[]).find((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value !== undefined && value !== '';
  });
}
