import { answerEvent } from '../hook/answer-event.ts';
import { isStillReading } from '../hook/read-input.ts';

/**
 * Ends the process at once: all output is written by then. `hook.sh` asks for a status of its own, by which it tells a hook
 * that has answered from a program that only came to its end.
 */
void answerEvent().then(() => {
  // The end of Node would wait for a read of stdin that does not end.
  if (isStillReading()) process.kill(process.pid, 'SIGKILL');
  process.exit(process.exitCode || Number(process.env.UNTILDONE_ANSWERED) || 0);
});
