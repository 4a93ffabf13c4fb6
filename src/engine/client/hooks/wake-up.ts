/**
 * When Claude Code wakes a session up: a cron expression in local time, for a single time as well (`30 14 * * *`, without a
 * day). It fires what came due while the session was busy.
 */
const OVERDUE_MS = 10 * 60_000;
const MINUTE_MS = 60_000;
const PART = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/;

/** Whether a wake-up is due within this time, or was a moment ago. One that cannot be read counts as due. */
export function isDueWithin(schedule: string, ms: number, now: number): boolean {
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== 5 || fields.some((field) => !field.split(',').every((part) => PART.test(part))))
    return true;
  const first = Math.floor((now - OVERDUE_MS) / MINUTE_MS) * MINUTE_MS;
  for (let at = first; at <= now + ms; at += MINUTE_MS) if (fires(fields, new Date(at))) return true;
  return false;
}

function fires([minute = '', hour = '', day = '', month = '', weekday = '']: string[], at: Date): boolean {
  if (!holds(minute, at.getMinutes(), 0) || !holds(hour, at.getHours(), 0)) return false;
  if (!holds(month, at.getMonth() + 1, 1)) return false;
  const onDay = holds(day, at.getDate(), 1);
  const onWeekday = holds(weekday, at.getDay(), 0) || (at.getDay() === 0 && holds(weekday, 7, 0));
  // As cron does it: of two that are named, either one is enough.
  return day !== '*' && weekday !== '*' ? onDay || onWeekday : onDay && onWeekday;
}

function holds(field: string, value: number, least: number): boolean {
  return field.split(',').some((part) => {
    const [, from, to, every] = PART.exec(part) ?? [];
    const begin = from === undefined ? least : Number(from);
    const isOpen = from === undefined || (to === undefined && every !== undefined);
    const end = isOpen ? Number.POSITIVE_INFINITY : Number(to ?? from);
    return value >= begin && value <= end && (value - begin) % Math.max(1, Number(every ?? 1)) === 0;
  });
}
