/** `import { run, defineGate } from 'untildone'`: docs/guides/library.md. Prints nothing, exits nothing, hears no signals. */
import type { RunOptions, RunResult } from './library/types.ts';

export type {
  GateLine,
  Happening,
  LimitsLine,
  RunFigures,
  RunLine,
} from './commands/run-line.ts';
export { ContractError, NotApproved, NothingToDo, UsageError } from './commands/usage-error.ts';
export type * from './library/contract-input.ts';
export { type CustomGate, defineGate, type GateAnswer, type GateQuestion } from './library/gate.ts';
export type * from './library/types.ts';

/**
 * Drives a loop over as many Claude Code sessions as it needs, and resolves when it has ended or rests. Rejects with a
 * `UsageError` when it cannot begin, and with the reason of `signal` when that was aborted before.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  // A gate that only wants its types must not pay for all of this.
  const { runToEnd } = await import('./library/run.ts');
  return runToEnd(options);
}
