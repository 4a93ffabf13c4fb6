/**
 * Exit codes of all commands. They are stable: a number keeps its meaning, and new ones may be added.
 * docs/reference/exit-codes.md shows the same table.
 */
export const EXIT = {
  ok: 0,
  no: 1,
  refused: 2,
  letGo: 3,
  hangup: 129,
  interrupted: 130,
  nobodyReads: 141,
  terminated: 143,
} as const;

/** What each exit code says, for every command that has nothing more exact to say. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'yes: done, or what you asked for was shown or changed',
  no: 'no: the answer is no, or the work is not done yet',
  refused:
    'refused, or could not be judged: wrong use, a mistake in the contract, an error. The message says what to do',
  letGo: 'a run ended, and the work is not done: a limit, a stall, or you ended it',
  hangup: 'the terminal was closed (SIGHUP)',
  interrupted: 'you pressed Ctrl-C (SIGINT)',
  nobodyReads: 'nobody reads the output of a demo, a simulator or a replay any more (SIGPIPE)',
  terminated: 'something ended the command (SIGTERM)',
};
