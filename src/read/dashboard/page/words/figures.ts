/** Figures as people read them. Pure. */
import { sayDuration } from '../../../../engine/core/text/duration.ts';

/** `$0.42`, `$12.30`, `$1,240`; a cost below a cent is not nothing. */
export function sayMoney(usd: number): string {
  if (usd > 0 && usd < 0.01) return '< $0.01';
  const digits = usd >= 1000 ? 0 : 2;
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** `870`, `12.3k`, `4.56M`. */
export function sayCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0).replace(/\.0+$|(\.\d)0$/, '$1');
}

export function sayShare(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** `just now`, `40 s ago`, `3 h 05 min ago`. A clock that is behind tells no negative ages. */
export function sayAge(ms: number): string {
  return ms < 5_000 ? 'just now' : `${sayDuration(ms)} ago`;
}

/** Of measured times: `0.8 ms`, `42 ms`, `1.3 s`, `2 min`. */
export function sayMs(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1).replace(/\.0$/, '')} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return sayDuration(ms);
}

/** `1 gate`, `3 gates`. */
export function plural(count: number, word: string, many = `${word}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? word : many}`;
}

/** Values for the marks of an axis from 0 to at least `most`: 1, 2 or 5 times a power of ten apart. */
export function axisMarks(most: number, about = 4): number[] {
  if (!(most > 0)) return [0, 1];
  const raw = most / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10);
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

/** The first letter is a capital, as at the start of a sentence; names of gates and files stay as they are. */
export function capital(text: string): string {
  return !/^[a-z]+(?:\.?(?:\s|$)|[:,])/.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
}
