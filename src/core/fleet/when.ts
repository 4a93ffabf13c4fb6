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

/** `every 6 h`, `at 0 6 * * 1-5 (UTC)`. */
export function sayWhen(when: When): string {
  return 'cron' in when ? `at ${when.cron} (UTC)` : `every ${sayDuration(when.everyMs)}`;
}
