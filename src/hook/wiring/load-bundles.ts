import type { MatcherOf } from '../../core/tools/rewrite-input.ts';
import type { Home } from '../../home/layout.ts';
import type { Judges, Receipts } from '../../judging/ports.ts';
import type { SessionPort } from '../../ports/ports.ts';
import type { foreignLoops } from './foreign.ts';
import type { markReflection } from './mark-reflection.ts';

export interface JudgesOptions {
  /** False: the program handles signals itself, as one that uses the library does. */
  endWithSignals?: boolean;
}

/** What `judge.cjs` offers: the gates that measure, the formats of other systems, and sessions of Claude Code. */
export interface JudgeBundle {
  openJudges(home: Home, env: NodeJS.ProcessEnv, options?: JudgesOptions): Judges;
  openReceipts(home: Home): Receipts;
  foreignLoops: typeof foreignLoops;
  markReflection: typeof markReflection;
  /** Compiles a pattern of a contract, for tool rules that rewrite inputs. */
  lineMatcher: MatcherOf;
  agentSessions(options: { env: NodeJS.ProcessEnv; project?: string }): SessionPort;
}

/**
 * Loads `judge.cjs`, which lies beside this bundle. Most events need nothing of it. It may be gone or damaged, as in the
 * middle of an update: the Stop is then held unjudged where gates measure, like after any other failure.
 */
export async function loadJudgeBundle(): Promise<JudgeBundle> {
  try {
    const bundle = require('./judge.cjs') as JudgeBundle;
    if (typeof bundle.openJudges === 'function') return bundle;
    throw new Error('judge.cjs is empty');
  } catch (cause) {
    const [why] = (cause as Error).message.split('\n');
    throw new Error(`a part of untildone cannot be loaded (${why}): install untildone again`, { cause });
  }
}
