import { CHANGE_BUDGET, type DifferentialOptions } from '../../core/contract/gate-options.ts';
import type { GateTraits } from '../../core/contract/gate-traits.ts';
import { redact } from '../../core/text/redact.ts';

/** Four runs of the tests, and two more where something was lost. */
const RUNS_MS = 40 * 60_000;

export const differentialTraits = {
  kind: 'differential',
  class: 'measured',
  late: true,
  mayAsk: true,
  notInBaseline: true,
  ofPiece: 'always',
  emptyOutcome: 'pass',
  waitMs: ({ timeMs = CHANGE_BUDGET.timeMs }) => RUNS_MS + timeMs,
  modelQuestion: (options: DifferentialOptions) =>
    options.resolve === 'judge'
      ? {
          text: 'Does the task ask for the tests that expect something else now?',
          maxCostUsd: options.maxCostUsd,
        }
      : undefined,
  passesWhen: ({ command }) =>
    `the tests of the start pass with \`${redact(command)}\` on the new code, and new tests fail on the old code`,
} as const satisfies GateTraits<'differential'>;
