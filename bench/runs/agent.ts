/**
 * Stands in for `judge.cjs` in a copy of the built program, so that the runner that is measured is the one that people
 * run. What it is to do comes in the environment.
 */

import type { SessionListener, SessionPort } from '../../src/engine/ports/ports.ts';
import { agentSessions as realSessions } from '../../src/engine/run/client/session.ts';
import { instantSessions } from './instant.ts';
import { now, writeLog } from './log.ts';

/** @public The rest of the bundle is the real one. */
export { openJudges, openReceipts } from '../../src/main/judge.ts';

/** In the environment of the runner. */
export type AgentWishes = {
  BENCH_CLIENT?: 'real' | 'instant';
  BENCH_AHEAD?: 'yes' | 'no';
};

const MEMORY_EVERY = 100;

/** @public The program loads it by this name. */
export function agentSessions(options: { env: NodeJS.ProcessEnv; project?: string }): SessionPort {
  const { BENCH_CLIENT: client, BENCH_AHEAD: ahead } = options.env;
  const sessions = client === 'instant' ? instantSessions() : realSessions(options);
  const listen = watched();
  return {
    ...sessions,
    prepare: (plan) =>
      ahead === 'no' ? Promise.reject(new Error('not started ahead')) : sessions.prepare(plan),
    async run(session, prompt, listener, limits) {
      const facts = await sessions.run(session, prompt, listen(listener), limits);
      writeLog({ ended: now() });
      return facts;
    },
  };
}

function watched(): (listener: SessionListener) => SessionListener {
  let stops = 0;
  return (listener) => ({
    happened: (happening) => listener.happened(happening),
    async event(event, signal) {
      const answer = await listener.event(event, signal);
      if (event.name !== 'Stop') return answer;
      const { user, system } = process.cpuUsage();
      const cpuMs = (user + system) / 1000;
      writeLog({ stop: now(), cpuMs, ...(++stops % MEMORY_EVERY === 0 ? memory() : {}) });
      return answer;
    },
  });
}

function memory(): { heapMb: number; rssMb: number } {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMb: heapUsed / 2 ** 20, rssMb: rss / 2 ** 20 };
}
