import { hasEnded, type LoopState } from '../core/loop/state.ts';
import { NothingToDo } from '../core/text/errors.ts';
import type { World } from '../hook/wiring/world.ts';
import type { LoopRef } from '../ports/ports.ts';
import type { ClientOptions, RunCompany } from '../run/begin/client-options.ts';
import { beginRun, goOnWithRun, type RunOptions } from '../run/begin/drive-run.ts';
import { watchInterrupts } from '../run/begin/interrupts.ts';
import type { RunReporter } from '../run/view/reporter.ts';

export async function startRun(options: RunOptions, world: World, reporter: RunReporter): Promise<number> {
  try {
    return await inTerminal(world, reporter, (company) => beginRun(options, company));
  } catch (error) {
    if (!(error instanceof NothingToDo)) throw error;
    for (const line of error.lines) reporter.note(line);
    return 2;
  }
}

export function resumeRun(
  ref: LoopRef,
  given: Partial<ClientOptions>,
  world: World,
  reporter: RunReporter,
): Promise<number> {
  return inTerminal(world, reporter, (company) => goOnWithRun(ref, given, company));
}

/** Signals are the run's while it lasts; gives the exit code. */
async function inTerminal(
  world: World,
  reporter: RunReporter,
  drive: (company: RunCompany) => Promise<LoopState>,
): Promise<number> {
  const interrupts = watchInterrupts(() =>
    reporter.note('Finishing this step, then pausing. Once more to stop at once.'),
  );
  try {
    const after = await drive({ world, reporter, interrupts });
    return interrupts.asked() && !hasEnded(after) ? 130 : exitCode(after);
  } finally {
    interrupts.stop();
  }
}

/** 0 done, 1 not done, 3 let go without being done. */
function exitCode({ status }: LoopState): number {
  if (status === 'verified_done' || status === 'claimed_done') return 0;
  return status === 'failed' || status === 'active' || status === 'paused' ? 1 : 3;
}
