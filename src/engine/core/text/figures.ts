/** Figures as people read them. Programs get the bare numbers, in JSON. */
import { sayDuration } from './duration.ts';

/** `870`, `12,060`, `20,000,000`. */
export function sayCount(count: number): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/.exec(String(count)) ?? [];
  const parts: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) parts.unshift(whole.slice(Math.max(0, end - 3), end));
  return parts.length === 0 ? String(count) : `${sign}${parts.join(',')}${rest}`;
}

/** What a figure counts, as far as it changes how it is said. */
export type Unit = 'count' | 'tokens' | 'usd' | 'ms';

/** `12,060 of 20,000,000 tokens`, `0.42 of 20.00 USD`, `12 min of 8 h 00 min`: the unit stands once, at the end. */
export function sayUsed(used: number, limit: number, unit: Unit): string {
  switch (unit) {
    case 'count':
      return `${sayCount(used)} of ${sayCount(limit)}`;
    case 'tokens':
      return `${sayCount(used)} of ${sayCount(limit)} tokens`;
    case 'usd':
      return `${used.toFixed(2)} of ${limit.toFixed(2)} USD`;
    case 'ms':
      return `${sayDuration(used)} of ${sayDuration(limit)}`;
  }
}
