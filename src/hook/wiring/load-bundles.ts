import type { MatcherOf } from '../../core/tools/rewrite-input.ts';
import type { Home } from '../../home/layout.ts';
import type { Judges, Receipts } from '../../judging/ports.ts';
import type { SessionPort } from '../../ports/ports.ts';
import type { foreignLoops } from './foreign.ts';

export interface JudgesOptions {
  /** False: the program handles signals itself, as one that uses the library does. */
  endWithSignals?: boolean;
}

/** What `judge.cjs` offers: the gates that measure, the formats of other systems, and sessions of Claude Code. */
export interface JudgeBundle {
  openJudges(home: Home, env: NodeJS.ProcessEnv, options?: JudgesOptions): Judges;
  openReceipts(home: Home): Receipts;
  foreignLoops: typeof foreignLoops;
  /** Compiles a pattern of a contract, for tool rules that rewrite inputs. */
  lineMatcher: MatcherOf;
  agentSessions(options: { env: NodeJS.ProcessEnv; project?: string }): SessionPort;
}

/** Loads `judge.cjs`, which lies beside this bundle. Most events need nothing of it. */
export function loadJudgeBundle(): Promise<JudgeBundle> {
  return Promise.resolve().then(() => require('./judge.cjs') as JudgeBundle);
}
