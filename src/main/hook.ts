import { answerEvent } from '../hook/answer-event.ts';
import { BrokenProgram } from '../hook/wiring/load-bundles.ts';

/**
 * Ends the process at once: all output is written by then. `hook.sh` asks for a status of its own, by which it tells a hook
 * that has answered from a program that only came to its end.
 */
void answerEvent().then(
  () => process.exit(process.exitCode || Number(process.env.UNTILDONE_ANSWERED) || 0),
  (error: unknown) => {
    if (!(error instanceof BrokenProgram)) throw error;
    process.stderr.write(`untildone hook: ${error.message}\n`);
    process.exit(1);
  },
);
