const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `8h`, `90m`, `1h30m`, `45s`, `500ms`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const compact = text.trim();
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, amount, , unit] of compact.matchAll(/(?<!\d)(\d+(\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  }
  return Number.isFinite(total) ? Math.round(total) : undefined;
}

/** For people: `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
export function sayDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A moment in UTC: `2026-01-05 10:00 UTC`. */
export function sayMoment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The longest timer of Node: a longer one fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
