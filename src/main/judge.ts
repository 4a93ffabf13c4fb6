/** The core of judging. What only some contracts, or only runs, need is imported when it is asked for, and lies in other bundles. */

import type { MatcherOf } from '../engine/core/tools/rewrite-input.ts';
import { part } from '../engine/hook/wiring/load-bundles.ts';
import type { SessionPort } from '../engine/ports/ports.ts';

export { openJudges, openReceipts } from '../engine/hook/wiring/judges.ts';

export async function patterns(): Promise<MatcherOf> {
  return (await part(() => import('../engine/gates/pattern-kinds.ts'))).lineMatcher;
}

export async function agentSessions(options: {
  env: NodeJS.ProcessEnv;
  project?: string;
}): Promise<SessionPort> {
  return (await part(() => import('../engine/run/client/session.ts'))).agentSessions(options);
}
