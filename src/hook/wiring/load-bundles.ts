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

/**
 * Loads `judge.cjs`, which lies beside this bundle. Most events need nothing of it. When it is gone or damaged, as in the
 * middle of an update, a hook that `hook.sh` waits for ends: the script answers in its place, and holds where gates measure.
 */
export function loadJudgeBundle(): Promise<JudgeBundle> {
  return Promise.resolve()
    .then(() => {
      const bundle = require('./judge.cjs') as JudgeBundle;
      if (typeof bundle.openJudges !== 'function') throw new Error('judge.cjs is empty');
      return bundle;
    })
    .catch((cause: Error) => {
      const problem = `a part of untildone cannot be loaded (${cause.message.split('\n')[0]}); install untildone again`;
      if (!process.env.UNTILDONE_ANSWERED) throw new Error(problem, { cause });
      process.stderr.write(`untildone hook: ${problem}\n`);
      process.exit(1);
    });
}
