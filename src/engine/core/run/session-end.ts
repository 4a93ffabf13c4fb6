/** Names how a session of a run ended, from the facts that `run/client` reports. */
import { oneLine } from '../text/clip.ts';

export interface SessionResult {
  isError: boolean;
  /** `completed`, `api_error`, `max_turns`, ...; absent where Claude Code gave none. */
  terminalReason?: string;
  subtype: string;
  text: string;
  apiErrorStatus?: number;
  /** The error that ended the turn: `rate_limit`, `billing_error`, `invalid_request`, ... */
  error?: string;
  turns: number;
  /** The cost total of the session, which goes on over resume; 0 when it failed before it began. */
  costTotalUsd: number;
  /** input + output + cache creation, over all models and subagents; a total like the cost. */
  tokensTotal: number;
}

export interface SessionFacts {
  /** The last result of Claude Code; absent when it ended without one. A session that was cut may still have one. */
  result?: SessionResult;
  /** Why the run ended the session. */
  cutBy?: 'hang' | 'abort' | 'deadline';
  /** Exit code or signal of the process, and its last output, when the last turn got no result. */
  crash?: string;
  /** A limit of the account that Claude Code reported. `resetsAt` in milliseconds since the epoch. */
  rateLimit?: { resetsAt?: number; text: string };
  /** The run ended the session by its answer to an event of a subagent. */
  halted?: true;
  /** Claude Code overrode a hook at its own limit of holds in a row. */
  capped?: true;
  /** The conversation was compacted. */
  compacted?: true;
}

/** How a session ended: a name, and a sentence for you. */
export type SessionEnd = { detail: string } & (
  | { kind: 'completed' | 'capped' | 'stopped_by_hook' | 'interrupted' }
  | { kind: 'max_turns' | 'budget' | 'prompt_too_long' | 'context_full' }
  /** `until` in milliseconds since the epoch, when Claude Code named it. */
  | { kind: 'rate_limited'; until?: number }
  | { kind: 'api_error'; status?: number }
  | { kind: 'auth' | 'billing' | 'refused' | 'model_not_found' }
  /** The session to resume does not exist. */
  | { kind: 'no_session' }
  | { kind: 'crashed' | 'hung' | 'aborted' | 'deadline' | 'unknown' }
  /** The run itself was ended, so that nothing is known about the session. */
  | { kind: 'lost' }
);

const DETAIL_LIMIT = 400;

/** Names an end by its cut, `isError` and `terminalReason`; never by `subtype`, which calls an API error a success. */
export function nameEnd(facts: SessionFacts): SessionEnd {
  const { result, cutBy, crash } = facts;
  if (cutBy) return CUT[cutBy];
  if (facts.halted) return end('stopped_by_hook', 'a hook ended the session');
  if (crash !== undefined) return crashEnd(crash);
  if (!result) return end('unknown', 'Claude Code ended without a result');
  return result.isError ? errorEnd(result, facts) : quietEnd(result, facts);
}

const CUT: Record<NonNullable<SessionFacts['cutBy']>, SessionEnd> = {
  hang: { kind: 'hung', detail: 'Claude Code gave no sign of life and was ended' },
  abort: { kind: 'aborted', detail: 'the session was ended before it had finished' },
  deadline: { kind: 'deadline', detail: 'the session reached its time limit and was ended' },
};

/** What Claude Code says when it finds no session to resume. */
const NO_SESSION = /No conversation found with session ID/i;

function crashEnd(crash: string): SessionEnd {
  return NO_SESSION.test(crash) ? end('no_session', crash) : end('crashed', `Claude Code crashed: ${crash}`);
}

/** The end of a session without an error; a hook or a limit may still have ended it. */
function quietEnd(result: SessionResult, facts: SessionFacts): SessionEnd {
  // Older versions reported a used-up subscription in a plain answer of this form (not measured).
  if (/^(?:Claude AI )?usage limit reached\|\d{10,13}$/i.test(result.text.trim()))
    return limitEnd(result, facts);
  switch (result.terminalReason) {
    case 'completed':
      return facts.capped
        ? end('capped', 'Claude Code overrode the hook at its own limit of holds in a row')
        : end('completed', 'Claude Code ended by itself');
    case 'stop_hook_prevented':
    case 'hook_stopped':
      return end('stopped_by_hook', 'a hook ended the session');
    case 'aborted_streaming':
    case 'aborted_tools':
      return INTERRUPTED;
    case undefined:
      // A hook refused the prompt: no request was made.
      if (result.turns === 0) return end('stopped_by_hook', result.text || 'a hook refused the prompt');
      return unknownEnd(result);
    default:
      return unknownEnd(result);
  }
}

const INTERRUPTED: SessionEnd = { kind: 'interrupted', detail: 'the session was interrupted from outside' };

function errorEnd(result: SessionResult, facts: SessionFacts): SessionEnd {
  switch (result.terminalReason) {
    case 'max_turns':
      return end('max_turns', result.text || 'the session used all its turns');
    case 'budget_exhausted':
      return end('budget', result.text || 'the session used all its money');
    case 'prompt_too_long':
      return end('prompt_too_long', 'the conversation is too long for the model');
    case 'blocking_limit':
    case 'rapid_refill_breaker':
      return end('context_full', 'the context is full and could not be compacted');
    case 'image_error':
      if (result.apiErrorStatus === 413) return end('prompt_too_long', result.text);
      return end('refused', result.text);
    case 'aborted_streaming':
    case 'aborted_tools':
      return INTERRUPTED;
    case 'api_error':
    case 'model_error':
      return apiEnd(result, facts);
    default:
      return NO_SESSION.test(result.text) ? end('no_session', result.text) : unknownEnd(result);
  }
}

type Refused = 'auth' | 'billing' | 'model_not_found' | 'refused' | 'rate_limited';

const BY_ERROR = new Map<string | undefined, Refused>([
  ['rate_limit', 'rate_limited'],
  ['authentication_failed', 'auth'],
  ['oauth_org_not_allowed', 'auth'],
  ['account_on_hold', 'auth'],
  ['verification_required', 'auth'],
  ['cloud_credential_error', 'auth'],
  ['billing_error', 'billing'],
  ['model_not_found', 'model_not_found'],
  ['invalid_request', 'refused'],
]);

const BY_STATUS = new Map<number | undefined, Refused>([
  [401, 'auth'],
  [402, 'billing'],
  [403, 'auth'],
  [404, 'model_not_found'],
  [429, 'rate_limited'],
]);

/**
 * A subscription's own limit, measured with made-up headers of the API ("You've hit your 5-hour limit · resets
 * 2:35pm (UTC)"); the other forms are older ones, known by pattern only.
 */
const USAGE_LIMIT = /\b(?:usage|\d+-hour|weekly|session) limit\b|limit (?:reached\|\d|will reset)/i;

function apiEnd(result: SessionResult, facts: SessionFacts): SessionEnd {
  const { apiErrorStatus: status, text } = result;
  const kind = BY_ERROR.get(result.error) ?? BY_STATUS.get(status);
  if (kind === 'rate_limited' || (kind === undefined && USAGE_LIMIT.test(text)))
    return limitEnd(result, facts);
  if (kind === 'auth') return end('auth', `${text} (log in with \`claude\`, or set ANTHROPIC_API_KEY)`);
  if (kind !== undefined) return end(kind, text);
  const detail = oneLine(text || 'the model could not be reached', DETAIL_LIMIT);
  return status === undefined ? { kind: 'api_error', detail } : { kind: 'api_error', status, detail };
}

function limitEnd({ text }: SessionResult, { rateLimit }: SessionFacts): SessionEnd {
  const until = rateLimit?.resetsAt;
  const detail = oneLine(text || rateLimit?.text || 'a limit of the account is reached', DETAIL_LIMIT);
  return until === undefined ? { kind: 'rate_limited', detail } : { kind: 'rate_limited', until, detail };
}

function unknownEnd({ terminalReason, text }: SessionResult): SessionEnd {
  return end('unknown', `Claude Code ended with ${terminalReason ?? 'no reason'}: ${text}`);
}

function end(kind: Exclude<SessionEnd['kind'], 'rate_limited' | 'api_error'>, detail: string): SessionEnd {
  return { kind, detail: oneLine(detail, DETAIL_LIMIT) };
}
