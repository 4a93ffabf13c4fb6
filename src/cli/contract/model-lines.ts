import type { Contract } from '../../core/contract/contract.ts';
import { traitsOf } from '../../gates/traits.ts';

/** The models that a contract asks, for the person who approves it. */
export function modelLines({ gates }: Pick<Contract, 'gates'>): string[] {
  const lines = Object.entries(gates).flatMap(([name, spec]) => {
    const question = traitsOf(spec.kind).modelQuestion?.(spec.options);
    if (!question) return [];
    const { text, maxCostUsd } = question;
    const most = maxCostUsd === undefined ? '' : ` (at most ${maxCostUsd} USD each time)`;
    return [`  ${name}, ${spec.kind}: ${text}${most}`];
  });
  if (lines.length === 0) return [];
  return ['Models are asked this with your login; an agent may run commands, as you:', ...lines];
}
