/** Formats iterations, cost, tokens and times of a run. */
import type { Limits } from '../../core/contract/contract.ts';
import type { LoopState } from '../../core/loop/state.ts';
import type { Limit } from '../../core/run/option-values.ts';

export function positionWords({ iteration, maxIterations, phase }: LoopState): string {
  const where = phase ? `, phase ${phase.name}` : '';
  return `iteration ${iteration}${ofLimit(maxIterations, String)}${where}`;
}

export function sessionNumber(state: LoopState): number {
  return state.run?.sessions ?? 1;
}

export function spentWords({ spent }: LoopState, limits?: Limits): string {
  const cost = `${spent.costUsd.toFixed(2)}${ofLimit(limits?.costUsd, (usd) => usd.toFixed(2))} USD${estimatedPart(spent)}`;
  return `${cost}, ${tokensOf(spent.tokens)}${ofLimit(limits?.tokens, tokensOf)} tokens`;
}

/** The estimated part of a cost: what a killed client cost is not known exactly. */
export function estimatedPart({ estimatedUsd }: LoopState['spent']): string {
  return estimatedUsd === undefined ? '' : ` (${estimatedUsd.toFixed(2)} of it estimated)`;
}

export function ofLimit(limit: Limit | undefined, say: (limit: number) => string): string {
  return limit === undefined || limit === 'unlimited' ? '' : ` of ${say(limit)}`;
}

export function tokensOf(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}

const two = (value: number) => String(value).padStart(2, '0');

/** `9:05`, `1:02:03`: for a running clock. */
export function stopwatch(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  const end = two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes % 60)}:${end}` : `${minutes}:${end}`;
}
