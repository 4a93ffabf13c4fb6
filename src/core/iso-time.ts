const DAY_MS = 86_400_000;
const FIRST_YEAR_10000 = 253_402_300_800_000;

/**
 * `new Date(ms).toISOString()`: the first of these in a process looks for the local time zone, which a hook would wait
 * for at every Stop.
 */
export function isoTime(ms: number): string {
  if (!(ms >= 0 && ms < FIRST_YEAR_10000)) return new Date(ms).toISOString();
  const time = Math.trunc(ms);
  const days = Math.floor(time / DAY_MS);
  const inDay = time - days * DAY_MS;
  const hour = Math.floor(inDay / 3_600_000);
  const minute = Math.floor(inDay / 60_000) % 60;
  const second = Math.floor(inDay / 1000) % 60;
  return `${dateOf(days)}T${pad(hour)}:${pad(minute)}:${pad(second)}.${pad(inDay % 1000, 3)}Z`;
}

/** Counts from March on, so that the day of a leap year comes last: 400 years are 146,097 days, four are 1,461. */
function dateOf(daysSince1970: number): string {
  const days = daysSince1970 + 719_468;
  const era = Math.floor(days / 146_097);
  const inEra = days - era * 146_097;
  const yearInEra = Math.floor(
    (inEra - Math.floor(inEra / 1460) + Math.floor(inEra / 36_524) - Math.floor(inEra / 146_096)) / 365,
  );
  const inYear = inEra - (365 * yearInEra + Math.floor(yearInEra / 4) - Math.floor(yearInEra / 100));
  const fromMarch = Math.floor((5 * inYear + 2) / 153);
  const day = inYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearInEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
