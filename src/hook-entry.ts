import { answerEvent } from './commands/hook.ts';

// Ends at once: all output is written by then.
void answerEvent().then(() => process.exit());
