/** Limits as fields of a form, and back. Pure. */
import type { ActionRequest, LimitsView } from '../../view/types.ts';

export interface LimitFields {
  iterations: string;
  duration: string;
  cost: string;
  tokens: string;
}

export function spelledLimits({ iterations, durationMs, costUsd, tokens }: LimitsView): LimitFields {
  const said = (value: number | undefined) => (value === undefined ? '' : String(value));
  return {
    iterations: said(iterations),
    duration: durationMs === undefined ? '' : spelledDuration(durationMs),
    cost: said(costUsd),
    tokens: said(tokens),
  };
}

function spelledDuration(ms: number): string {
  const units: [string, number][] = [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ];
  let rest = ms;
  const parts = units.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('') || `${ms}ms`;
}

type Changed = { request: ActionRequest } | { wrong: string };

/** Only the fields that differ from `before`; an empty one takes the limit away. */
export function limitsChanged(
  before: LimitFields,
  now: LimitFields,
  parseDuration: (text: string) => number | undefined,
): Changed {
  const request: Extract<ActionRequest, { action: 'limits' }> = { action: 'limits' };
  const differs = (name: keyof LimitFields) => now[name].trim() !== before[name];
  const whole = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);
  const amount = (text: string) => (/^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined);
  const readers = {
    iterations: { key: 'iterations', read: whole, wrong: 'Iterations are a whole number, such as 20.' },
    duration: {
      key: 'durationMs',
      read: parseDuration,
      wrong: 'Working time is spelled like 8h, 90m or 1h30m.',
    },
    cost: { key: 'costUsd', read: amount, wrong: 'Cost is an amount in USD, such as 12.50.' },
    tokens: { key: 'tokens', read: whole, wrong: 'Tokens are a whole number, such as 2000000.' },
  } as const;
  for (const name of ['iterations', 'duration', 'cost', 'tokens'] as const) {
    if (!differs(name)) continue;
    const { key, read, wrong } = readers[name];
    const text = now[name].trim();
    const value = text === '' ? null : read(text);
    if (value === undefined || value === 0) return { wrong };
    request[key] = value;
  }
  if (Object.keys(request).length === 1) return { wrong: 'Nothing was changed.' };
  return { request };
}
