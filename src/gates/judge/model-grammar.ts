/** The options of every gate that asks a model. */
import { dollars, textOf } from '../../schema/values.ts';

export function modelOptions(example: string) {
  return {
    model: textOf('the name of a model', example).describe('The model to ask.').exactOptional(),
    max_cost: dollars(example).describe('What one judgement may cost, in US dollars.').exactOptional(),
  };
}

export function money({ max_cost, ...rest }: { max_cost?: number; model?: string; max_turns?: number }) {
  const { max_turns, ...model } = rest;
  return {
    ...model,
    maxCostUsd: max_cost,
    maxTurns: max_turns,
  };
}
