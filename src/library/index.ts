/** The library, `import { run, defineGate } from 'untildone'`: docs/guides/library.md. It prints nothing and handles no signals. */
import type { RunOptions, RunResult } from './types.ts';

export { ContractError, NotApproved, NothingToDo, UsageError } from '../engine/core/text/errors.ts';
export type {
  GateLine,
  Happening,
  LimitsLine,
  RunFigures,
  RunLine,
} from '../engine/run/view/line.ts';
export type * from './types.ts';
export { type CustomGate, defineGate, type GateAnswer, type GateQuestion } from './types.ts';

/**
 * Drives a loop over as many Claude Code sessions as it needs, and resolves when it has ended or rests. Rejects with a
 * `UsageError` when it cannot begin, and with the reason of `signal` when that was aborted before.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  // Loaded late: a gate imports this module for its types alone.
  const { runToEnd } = await import('./run.ts');
  return runToEnd(options);
}
