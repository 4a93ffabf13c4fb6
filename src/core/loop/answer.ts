/** What an event gets back, whatever the client calls it. */
export type Answer =
  | { kind: 'silence' }
  /** The client goes on; the model reads `reason`, the person `message`. */
  | { kind: 'refuse'; reason: string; message?: string }
  /** The client does as it likes; the person is shown `message`. */
  | { kind: 'tell'; message: string }
  /** The client ends, whatever other hooks say; the person is shown why. */
  | { kind: 'halt'; message: string }
  /** Silence on stdout, and why on stderr: the event was not what it pretended to be. */
  | { kind: 'ignore'; why: string }
  /** The client would ask a person whether a tool may run; it may. */
  | { kind: 'permit'; message?: string }
  /** The tool gets another input. Whether it may run is left to the client. */
  | { kind: 'rewrite'; input: Record<string, unknown>; message?: string }
  /** The model gets `context` beside what it is doing; the person is shown `message`. */
  | { kind: 'inject'; context: string; message?: string };

export const SILENCE: Answer = { kind: 'silence' };
