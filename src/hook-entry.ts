import { answerEvent } from './commands/hook.ts';

/** The name of the event, once it is answered; `bin.ts` waits for it. */
export const answered = answerEvent();

// All output is written by then; leaving at once saves what Node does when it runs out of work by itself.
if (require.main === module) void answered.then(() => process.exit());
