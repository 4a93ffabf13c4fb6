/** What an event gets back, whatever the client calls it. */
export type Answer =
  | { kind: 'silence' }
  /** The client goes on; the model reads `reason`. */
  | { kind: 'refuse'; reason: string }
  /** The client does as it likes; the person is shown `message`. */
  | { kind: 'tell'; message: string }
  /** Silence on stdout, and why on stderr: the event was not what it pretended to be. */
  | { kind: 'ignore'; why: string }
  /** The model gets `context` beside what it is doing. */
  | { kind: 'inject'; context: string };

export const SILENCE: Answer = { kind: 'silence' };
