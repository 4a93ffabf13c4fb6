// Written by: node scripts/run.mjs scripts/schema.ts. Changes are lost.

export type Limit = number | 'unlimited';

export type PermissionMode = 'acceptEdits' | 'default' | 'dontAsk' | 'plan' | 'auto' | 'bypassPermissions';

/** Limits that end a run that is not done. They win over the limits of the contract. */
export interface RunLimits {
  /** How many iterations the loop may take (default: 50). */
  iterations?: Limit;
  /** Working time, waiting excluded (default: 8h). In milliseconds. */
  durationMs?: Limit;
  /** What the loop may cost in US dollars (default: 20). */
  costUsd?: Limit;
  /** Input, output and cache creation; cache reads are not counted (default: 20000000). */
  tokens?: Limit;
  /** Share of the context window from which a run hands over (default: 0.8). */
  context?: number;
}

/** What happens when the agent asks something (`untildone ask`). */
export interface AskOptions {
  /** Wait (default), decide or end. */
  policy?: 'wait' | 'decide' | 'end';
  /** How long a run waits for one answer before it pauses (default: 24h). In milliseconds. */
  waitMs?: Limit;
}

/** How a run works. An option that is absent has the value of the contract, or its default. */
export interface RunSettings {
  /** The statement that ends the loop, besides the gates. */
  promise?: string;
  /** When a fresh session begins. hybrid (default): when the context fills. session: never. fresh: with every iteration. */
  mode?: 'hybrid' | 'session' | 'fresh';
  /** After so many iterations a fresh session begins. */
  freshEvery?: number;
  /** The model of the sessions. */
  model?: string;
  /** What sessions may do without asking (default: acceptEdits). */
  permissionMode?: PermissionMode;
  /** Permission rules that are allowed without asking, such as Bash(npm test:*). */
  allow?: readonly string[];
  /** How many turns one session may take. */
  maxTurns?: number;
  /** How long Claude Code may be silent before it counts as hanging (default: 15m). In milliseconds. */
  idleMs?: number;
  /** How long one session may take. In milliseconds. */
  sessionMs?: number;
  limits?: RunLimits;
  ask?: NonNullable<AskOptions['policy']> | AskOptions;
}
