/** When a limit of the account ends, read from what the client says about it. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY_MS = 24 * 60 * 60_000;
/** The words are only good to the minute: a time that has just passed is meant, and not tomorrow's. */
const JUST_PASSED_MS = 2 * 60_000;

/**
 * Milliseconds since the epoch; undefined when the text names no time that can be read. Forms: "limit reached|1794753321"
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
  // Limits never reach back: a date long gone is meant for the next year.
  return at < now - DAY_MS
    ? wallTime(today.getUTCFullYear() + 1, monthIndex, Number(day), clock) - offset
    : at;
}

function wallTime(year: number, month: number, day: number, clock: { hour: number; minute: number }): number {
  return Date.UTC(year, month, day, clock.hour, clock.minute);
}

/** How far the clocks of a zone are ahead of UTC; those of this machine when no zone is named. */
function zoneOffset(zone: string | undefined, now: number): number | undefined {
  if (zone === undefined) return -new Date(now).getTimezoneOffset() * 60_000;
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
    }).formatToParts(now);
    const part = (type: string) => Number(parts.find((p) => p.type === type)?.value);
    const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
    return wall - Math.floor(now / 60_000) * 60_000;
  } catch {
    return undefined;
  }
}
