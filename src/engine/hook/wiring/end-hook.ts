import type { Input } from '../read-input.ts';

/** A bundle to which another hands on an event that it does not know. */
export interface AnsweringBundle {
  answer(input: Input): Promise<never>;
}

/**
 * Ends the process at once: all output is written by then. `hook.sh` asks for a status of its own, by which it tells a hook
 * that has answered from a program that only came to its end.
 */
export function endHook(input?: Input): never {
  // The end of Node would wait for a read of stdin that does not end.
  if (input?.isStuck) process.kill(process.pid, 'SIGKILL');
  process.exit(process.exitCode || Number(process.env.UNTILDONE_ANSWERED) || 0);
}
