/** What options of a run can be, and the defaults that hooks need: they do not load the table of the options. */

export type Limit = number | 'unlimited';

/** hybrid: hand over when the session is full. session: never hand over. fresh: a new session for every iteration. */
export const RUN_MODES = ['hybrid', 'session', 'fresh'] as const;

export type RunMode = (typeof RUN_MODES)[number];

/** What becomes of a loop whose agent asks you something. wait: it waits. decide: the agent decides. end: the loop ends. */
export const ASK_POLICIES = ['wait', 'decide', 'end'] as const;

export type AskPolicy = (typeof ASK_POLICIES)[number];

/** The permission modes of Claude Code. */
export const PERMISSION_MODES = [
  'acceptEdits',
  'default',
  'dontAsk',
  'plan',
  'auto',
  'bypassPermissions',
] as const;

/** What counts where neither you nor the contract say anything. */
export const DEFAULTS = {
  limits: {
    iterations: 50,
    durationMs: 8 * 3_600_000,
    costUsd: 20,
    tokens: 20_000_000,
    stall: 3,
    context: 0.8,
  },
  ask: { policy: 'wait', waitMs: 24 * 3_600_000 },
} as const;
