import { type Fields, isFields, list, present, text } from '../../client/fields.ts';
import { isOfSubagent } from '../../client/sdk/stream.ts';
import type { SessionResult } from '../../core/run/session-end.ts';
import type { SessionTotals } from '../../ports/ports.ts';

/** Signals in the messages of the Agent SDK: endings, limits, usage, background work. */

export type Signal =
  /** A turn begins: after the prompt, and again after background work or a wake-up. */
  | { kind: 'turn'; session: string; model: string }
  | { kind: 'result'; result: SessionResult }
  /** Claude Code says, in place of the model, that a request failed for good. */
  | { kind: 'failed'; error: string; text: string }
  | { kind: 'usage'; message: string; contextTokens: number; model: string }
  | { kind: 'retry'; attempt: number; delayMs: number; why: string; limited: boolean }
  | { kind: 'limit'; reached: boolean; resetsAt?: number; text: string }
  /** A tool call was denied; without its input in the message that comes at once. */
  | { kind: 'denied'; id: string; tool: string; input?: Record<string, unknown> }
  | { kind: 'compacted' }
  | { kind: 'capped' }
  /** How many tasks run in the background now. */
  | { kind: 'background'; running: number };

/** Never throws. Unknown messages, and those of subagents, give no signal. */
export function signalsIn(message: Fields): Signal[] {
  switch (message.type) {
    case 'system':
      return ofSystem(message);
    case 'assistant':
      return isOfSubagent(message) ? [] : ofAnswer(message);
    case 'result':
      return [...denialsIn(message), { kind: 'result', result: resultOf(message) }];
    case 'rate_limit_event':
      return isFields(message.rate_limit_info) ? ofLimit(message.rate_limit_info) : [];
    default:
      return [];
  }
}

function ofSystem(message: Fields): Signal[] {
  switch (message.subtype) {
    case 'init':
      return [
        {
          kind: 'turn',
          session: text(message, 'session_id') ?? '',
          model: text(message, 'model') ?? '',
        },
      ];
    case 'api_retry':
      return [retryOf(message)];
    case 'permission_denied':
      return [
        { kind: 'denied', id: text(message, 'tool_use_id') ?? '', tool: text(message, 'tool_name') ?? '' },
      ];
    case 'compact_boundary':
      return [{ kind: 'compacted' }];
    case 'notification':
      return message.key === 'stop-hook-block-cap' ? [{ kind: 'capped' }] : [];
    case 'background_tasks_changed':
      // Ambient tasks are Claude Code's own watchers.
      return [
        { kind: 'background', running: list(message, 'tasks').filter((t) => t.ambient !== true).length },
      ];
    default:
      return [];
  }
}

/** The denials that the result of a turn lists. */
function denialsIn(message: Fields): Signal[] {
  return list(message, 'permission_denials').map((denial) => ({
    kind: 'denied',
    id: text(denial, 'tool_use_id') ?? '',
    tool: text(denial, 'tool_name') ?? '',
    input: isFields(denial.tool_input) ? denial.tool_input : {},
  }));
}

function retryOf(message: Fields): Signal {
  const status = count(message, 'error_status');
  const error = text(message, 'error') ?? 'unknown';
  return {
    kind: 'retry',
    attempt: count(message, 'attempt'),
    delayMs: count(message, 'retry_delay_ms'),
    why: status === 0 ? error : `${status} ${error}`,
    limited: error === 'rate_limit' || status === 429,
  };
}

function ofAnswer(message: Fields): Signal[] {
  const answer = isFields(message.message) ? message.message : {};
  const error = text(message, 'error');
  if (error !== undefined) {
    const said = list(answer, 'content').map((block) => text(block, 'text') ?? '');
    return [{ kind: 'failed', error, text: said.join('\n') }];
  }
  const { usage } = answer;
  if (!isFields(usage)) return [];
  return [
    {
      kind: 'usage',
      message: text(answer, 'id') ?? '',
      contextTokens:
        count(usage, 'input_tokens') +
        count(usage, 'cache_creation_input_tokens') +
        count(usage, 'cache_read_input_tokens'),
      model: text(answer, 'model') ?? '',
    },
  ];
}

function resultOf(message: Fields): SessionResult {
  const status = count(message, 'api_error_status');
  const errors = Array.isArray(message.errors) ? message.errors.map(String) : [];
  return {
    isError: message.is_error === true,
    subtype: text(message, 'subtype') ?? '',
    text: text(message, 'result') ?? errors.join('; '),
    turns: count(message, 'num_turns'),
    costTotalUsd: count(message, 'total_cost_usd'),
    tokensTotal: tokensOf(message.modelUsage),
    ...present({
      terminalReason: text(message, 'terminal_reason'),
      apiErrorStatus: status === 0 ? undefined : status,
    }),
  };
}

/** The totals of an open session, from what Claude Code answers about its usage. Undefined when it says nothing of cost. */
export function totalsOf(answer: unknown): SessionTotals | undefined {
  const session = isFields(answer) && isFields(answer.session) ? answer.session : {};
  if (typeof session.total_cost_usd !== 'number') return undefined;
  return { costTotalUsd: count(session, 'total_cost_usd'), tokensTotal: tokensOf(session.model_usage) };
}

/** Leaves out cache reads: they are the same tokens again and again. */
function tokensOf(modelUsage: unknown): number {
  if (!isFields(modelUsage)) return 0;
  return Object.values(modelUsage)
    .filter(isFields)
    .reduce(
      (sum, usage) =>
        sum +
        count(usage, 'inputTokens') +
        count(usage, 'outputTokens') +
        count(usage, 'cacheCreationInputTokens'),
      0,
    );
}

const LIMIT_NAMES = new Map<string | undefined, string>([
  ['five_hour', '5-hour limit'],
  ['seven_day', 'weekly limit'],
  ['seven_day_opus', 'weekly limit for Opus'],
  ['seven_day_sonnet', 'weekly limit for Sonnet'],
  ['overage', 'limit of extra usage'],
]);

/** Reads a change of the subscription's limits. Most changes need no signal. */
function ofLimit(info: Fields): Signal[] {
  const status = text(info, 'status');
  if (status !== 'rejected' && status !== 'allowed_warning') return [];
  const name = LIMIT_NAMES.get(text(info, 'rateLimitType')) ?? 'usage limit';
  const used = count(info, 'utilization');
  const seconds = count(info, 'resetsAt');
  const reached = status === 'rejected';
  return [
    {
      kind: 'limit',
      reached,
      text: reached
        ? `the ${name} is reached`
        : `${used > 0 ? `${Math.round(used * 100)} %` : 'most'} of the ${name} is used`,
      ...present({ resetsAt: seconds > 0 ? seconds * 1000 : undefined }),
    },
  ];
}

/** A number; 0 when it is missing. */
function count(fields: Fields, key: string): number {
  const value = fields[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY_MS = 24 * 60 * 60_000;
/** Texts name a time to the minute, so a time that has just passed is today's, not tomorrow's. */
const JUST_PASSED_MS = 2 * 60_000;

/**
 * When a limit of the account ends, in milliseconds since the epoch; undefined when the text names no time. Forms: "limit reached|1794753321"
 * (older clients, by pattern only), "resets 2:35pm (UTC)", "resets Nov 18, 1:14pm (Europe/Berlin)", "will reset at 3pm".
 */
export function resetTimeIn(text: string, now: number): number | undefined {
  const stamp = /limit reached\|(\d{10,13})\b/i.exec(text)?.[1];
  if (stamp !== undefined) return stamp.length > 10 ? Number(stamp) : Number(stamp) * 1000;
  const match =
    /\bresets?\b(?: at)? (?:([a-z]{3})[a-z]* (\d{1,2})(?:,| at)? )?(\d{1,2})(?::(\d{2}))? ?([ap]m)\b(?: \(([\w/+-]+)\))?/i.exec(
      text,
    );
  if (!match) return undefined;
  const [, month, day, hour, minute, half, zone] = match;
  const clock = {
    hour: (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0),
    minute: Number(minute ?? 0),
  };
  const offset = zoneOffset(zone, now);
  if (offset === undefined) return undefined;
  const today = new Date(now + offset);
  if (month === undefined) {
    const at = wallTime(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate(), clock) - offset;
    return at < now - JUST_PASSED_MS ? at + DAY_MS : at;
  }
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  if (monthIndex < 0) return undefined;
  const at = wallTime(today.getUTCFullYear(), monthIndex, Number(day), clock) - offset;
  // A limit ends in the future, so a date long gone belongs to the next year.
  return at < now - DAY_MS
    ? wallTime(today.getUTCFullYear() + 1, monthIndex, Number(day), clock) - offset
    : at;
}

function wallTime(year: number, month: number, day: number, clock: { hour: number; minute: number }): number {
  return Date.UTC(year, month, day, clock.hour, clock.minute);
}

/** How far a time zone is ahead of UTC; without a name, the zone of this machine. */
function zoneOffset(zone: string | undefined, now: number): number | undefined {
  if (zone === undefined) return -new Date(now).getTimezoneOffset() * 60_000;
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    }).formatToParts(now);
    const part = (type: string) => Number(parts.find((p) => p.type === type)?.value);
    const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
    return wall - Math.floor(now / 60_000) * 60_000;
  } catch {
    return undefined;
  }
}
