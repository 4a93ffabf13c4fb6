import type { Receipt } from '../../core/loop/receipt.ts';
import type { Home } from '../../home/layout.ts';
import type { Judges } from '../../judging/ports.ts';
import type { LoopRef, SessionPort } from '../../ports/ports.ts';
import type { foreignLoops } from './foreign.ts';

export interface JudgesOptions {
  /** False: the program handles signals itself, as one that uses the library does. */
  endWithSignals?: boolean;
}

/** What `judge.cjs` offers: the gates that measure, the formats of other systems, and sessions of Claude Code. */
export interface JudgeBundle {
  openJudges(home: Home, env: NodeJS.ProcessEnv, options?: JudgesOptions): Judges;
  saveReceipt(home: Home, ref: LoopRef, receipt: Receipt): void;
  foreignLoops: typeof foreignLoops;
  agentSessions(options: { env: NodeJS.ProcessEnv; project?: string }): SessionPort;
}

/** A part of untildone itself is gone or damaged, as in the middle of an update. */
export class BrokenProgram extends Error {
  override name = 'BrokenProgram';
}

/** Loads `judge.cjs`, which lies beside this bundle. Most events need nothing of it. */
export function loadJudgeBundle(): Promise<JudgeBundle> {
  return Promise.resolve().then(() => {
    const bundle = requireBundle();
    if (typeof bundle.openJudges === 'function') return bundle as JudgeBundle;
    throw new BrokenProgram('judge.cjs is empty; install untildone again');
  });
}

function requireBundle(): Partial<JudgeBundle> {
  try {
    return require('./judge.cjs') as Partial<JudgeBundle>;
  } catch (cause) {
    const [what] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new BrokenProgram(`judge.cjs cannot be loaded (${what}); install untildone again`, { cause });
  }
}
