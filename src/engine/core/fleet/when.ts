/** When runs of a fleet begin: at a time, every so often, or by a cron pattern. */
import { parseDuration, sayDuration } from '../text/duration.ts';
import { UsageError } from '../text/errors.ts';

export type When = { cron: string } | { everyMs: number };

/** `2026-01-31T08:00Z`, `2026-01-31 08:00` and `08:00` (in the time zone of this machine), or `2h` from now. */
export function parseMoment(text: string, now: number): number {
  const typed = text.trim();
  const wait = parseDuration(typed.replace(/^\+/, ''));
  const at = wait !== undefined ? now + wait : (timeOfDay(typed, now) ?? dated(typed));
  if (at === undefined || Number.isNaN(at))
    throw new UsageError(
      `"${text}" is no time; type for example 22:30, "2026-01-31 08:00", 2026-01-31T08:00Z or 2h`,
    );
  if (at < now - 60_000) throw new UsageError(`${new Date(at).toISOString()} is over; name a time to come`);
  return at;
}

/** The next time that the clock says this. */
function timeOfDay(text: string, now: number): number | undefined {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return undefined;
  const at = new Date(now);
  at.setHours(Number(hour), Number(minute), 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}

function dated(text: string): number | undefined {
  const [, day, clock, zone] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(text) ??
    [];
  if (day === undefined) return undefined;
  const midnight = Date.parse(`${day}T00:00Z`);
  // Some engines read 30 February as the 2nd of March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  return Date.parse(`${day}T${clock ?? '00:00'}${zone ?? ''}`);
}

const SHORTEST_MS = 60_000;

/** Every so often: at least a minute. */
export function checkedEvery(text: string): When {
  const everyMs = parseDuration(text);
  if (everyMs === undefined)
    throw new UsageError(`"${text}" is no time between two runs; type for example 6h or 30m`);
  if (everyMs < SHORTEST_MS) throw new UsageError(`every ${text} is too often: name at least 1m`);
  return { everyMs };
}

const FIELDS: readonly { name: string; least: number; most: number; words?: readonly string[] }[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31 },
  {
    name: 'month',
    least: 1,
    most: 12,
    words: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of the week', least: 0, most: 7, words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/** A cron pattern of five fields, in UTC: `0 6 * * 1-5`. */
export function checkedCron(text: string): When {
  const parts = text.trim().split(/\s+/);
  const expected =
    'type five fields, like "0 6 * * 1-5": minute, hour, day of the month, month, day of the week';
  if (parts.length !== FIELDS.length)
    throw new UsageError(`the cron pattern "${text}" has ${parts.length} fields; ${expected}`);
  for (const [index, field] of FIELDS.entries()) {
    const part = parts[index] ?? '';
    if (!part.split(',').every((one) => isCronPart(one, field)))
      throw new UsageError(
        `"${part}" is no ${field.name} of a cron pattern (${field.least} to ${field.most}); ${expected}`,
      );
  }
  return { cron: parts.join(' ') };
}

function isCronPart(text: string, field: (typeof FIELDS)[number]): boolean {
  const [range = '', step, ...more] = text.split('/');
  if (
    more.length > 0 ||
    (step !== undefined && !(/^\d+$/.test(step) && Number(step) >= 1 && Number(step) <= field.most))
  )
    return false;
  if (range === '*') return true;
  const ends = range.split('-').map((end) => cronNumber(end, field));
  const [from, to = from] = ends;
  return ends.length <= 2 && from !== undefined && to !== undefined && from <= to;
}

function cronNumber(text: string, { least, most, words }: (typeof FIELDS)[number]): number | undefined {
  const word = words?.indexOf(text.toLowerCase()) ?? -1;
  if (word >= 0) return word + least;
  const number = Number(text);
  return /^\d+$/.test(text) && number >= least && number <= most ? number : undefined;
}

/** Clocks may differ by so much. */
const SKEW_MS = 10 * 60_000;
/** A time that is over for longer is left out: the next one comes. */
const MOST_LATE_MS = 86_400_000;

/**
 * The time by which a schedule names the run that is due at `at`; undefined where none is. There is one for each time of a
 * pattern, and one for each span of an interval, whatever times a queue names.
 */
export function dueTime(when: When, at: number, now: number): number | undefined {
  if (!Number.isFinite(at) || at > now + SKEW_MS) return undefined;
  if ('everyMs' in when) {
    const isLate = at < now - Math.max(MOST_LATE_MS, 2 * when.everyMs);
    return isLate || !(when.everyMs > 0) ? undefined : Math.floor(at / when.everyMs) * when.everyMs;
  }
  return at < now - MOST_LATE_MS || !isCronTime(when.cron, at) ? undefined : at;
}

/** Whether a pattern of five fields names this moment (UTC). Two days that are both given: either of them, as cron has it. */
function isCronTime(cron: string, at: number): boolean {
  const time = new Date(at);
  if (at % 60_000 !== 0) return false;
  const values = [
    time.getUTCMinutes(),
    time.getUTCHours(),
    time.getUTCDate(),
    time.getUTCMonth() + 1,
    time.getUTCDay(),
  ];
  const parts = cron.split(' ');
  const [minute, hour, date, month, day] = FIELDS.map((field, index) =>
    (parts[index] ?? '').split(',').some((part) => isInCronPart(part, values[index] ?? 0, field)),
  );
  const isEither = parts[2] !== '*' && parts[4] !== '*';
  return Boolean(minute && hour && month && (isEither ? date || day : date && day));
}

function isInCronPart(part: string, value: number, field: (typeof FIELDS)[number]): boolean {
  const [range = '', step] = part.split('/');
  const [from = field.least, to] =
    range === '*' ? [field.least, field.most] : range.split('-').map((end) => cronNumber(end, field));
  const last = to ?? (step === undefined ? from : field.most);
  // Sunday is 0 and 7.
  const meant = field.most === 7 && value === 0 ? [0, 7] : [value];
  return meant.some((each) => each >= from && each <= last && (each - from) % Number(step ?? 1) === 0);
}

/** `every 6 h`, `at 0 6 * * 1-5 (UTC)`. */
export function sayWhen(when: When): string {
  return 'cron' in when ? `at ${when.cron} (UTC)` : `every ${sayDuration(when.everyMs)}`;
}
