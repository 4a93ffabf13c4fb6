import { answerEvent } from '../hook/answer-event.ts';

// All output is written by then: nothing is left to wait for.
void answerEvent().then(() => process.exit());
