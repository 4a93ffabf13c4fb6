import { answerEvent } from '../hook/answer-event.ts';

// Ends the process at once: all output is written by then.
void answerEvent().then(() => process.exit());
