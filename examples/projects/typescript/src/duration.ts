const SECONDS: Record<string, number> = { s: 1, m: 60 };

/** Reads a time such as "90s" or "1m 30s" into seconds. */
export function parseDuration(text: string): number {
  const parts = text.trim().split(/\s+/);
  return parts.reduce((sum, part) => sum + secondsIn(part), 0);
}

function secondsIn(part: string): number {
  const [, count = '', unit = ''] = /^(\d+)([a-z])$/.exec(part) ?? [];
  const factor = SECONDS[unit];
  if (factor === undefined) throw new Error(`"${part}" is no time`);
  return Number(count) * factor;
}
