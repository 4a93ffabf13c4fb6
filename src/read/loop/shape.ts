/** The words for how a loop looks. The page of the dashboard imports them, so nothing here needs Node. */

/** How a status looks. Only `done` is a success; `claimed` says done without proof and must not look like it. */
export type Tone = 'done' | 'claimed' | 'open' | 'waiting' | 'bad' | 'quiet';

/** What a loop does right now. */
export type Doing =
  /** The model works: its session runs, and nothing of ours does. */
  | 'thinks'
  /** A Stop is judged. */
  | 'gate_runs'
  /** A limit of the API, or an outage; it goes on by itself. */
  | 'waits_limit'
  /** Only you can let it go on. */
  | 'waits_you'
  /** Background work, a wake-up, a full context, a session that has ended: it goes on by itself or at the next prompt. */
  | 'waits_other'
  | 'paused'
  /** It is called active, but nobody is held. */
  | 'not_held'
  | 'ended'
  | 'unreadable';

export type LimitName =
  | 'iterations'
  | 'duration'
  | 'cost'
  | 'tokens'
  | 'phase_iterations'
  | 'phase_duration'
  | 'stall';

export interface Budget {
  name: LimitName;
  /** `iteration 7 of 20`, `1 h 10 min of 8 h`. */
  words: string;
  used: number;
  limit: number;
  /** 0 to 1, and more where it was passed. */
  share: number;
}
