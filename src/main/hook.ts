import { answerEvent } from '../hook/answer-event.ts';

/**
 * Ends the process at once: all output is written by then. `hook.sh` asks for a status of its own, by which it tells a hook
 * that has answered from a program that only came to its end.
 */
void answerEvent().then(() => process.exit(process.exitCode || Number(process.env.UNTILDONE_ANSWERED) || 0));
