import type { Contract } from '../core/contract.ts';

/** The models that a contract asks, for the person who approves it. */
export function modelLines({ gates }: Pick<Contract, 'gates'>): string[] {
  const lines = Object.entries(gates).flatMap(([name, spec]) => {
    if (spec.kind !== 'judge' && spec.kind !== 'agent') return [];
    const asked = spec.kind === 'judge' ? spec.options.question : spec.options.instruction;
    const { maxCostUsd } = spec.options;
    const most = maxCostUsd === undefined ? '' : ` (at most ${maxCostUsd} USD each time)`;
    return [`  ${name}, ${spec.kind}: ${asked}${most}`];
  });
  if (lines.length === 0) return [];
  return ['Models are asked this with your login; an agent may run commands, as you:', ...lines];
}
