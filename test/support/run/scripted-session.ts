/**
 * Client sessions that are played in this process: the model is a script of the simulator, the client is this. Held to
 * the same contract as the real one (test/support/live/session-port-contract.ts). Nothing is waited for but `idleMs`.
 */

import {
  compileScript,
  NOTHING_SERVED,
  pickTurn,
  type Script,
  type Turn,
} from '../../../src/dev/simulator/script.ts';
import type { SessionFacts } from '../../../src/engine/core/run/session-end.ts';
import type {
  SessionLimits,
  SessionListener,
  SessionPlan,
  SessionPort,
} from '../../../src/engine/ports/ports.ts';
import { Interruption, ScriptedClient } from './scripted-client.ts';

export interface ToolCall {
  tool: string;
  input: Record<string, unknown>;
}

export interface ScriptedOptions {
  /** Goes on over the sessions, as one simulator serves them all. */
  script: Script;
  /** Carries out a call of the model; absent: every call succeeds and does nothing. */
  perform?(call: ToolCall, plan: SessionPlan): Promise<{ output: string; failed?: boolean }>;
}

export interface ScriptedRequest {
  session: string;
  body: { model: string; system: string; messages: { role: string; content: unknown }[] };
}

export interface ScriptedSessions extends SessionPort {
  /** What the model was asked, oldest first. */
  requests: ScriptedRequest[];
  /** The plans of all sessions that were run. */
  plans: SessionPlan[];
  /** Clients that were prepared and neither used nor discarded. */
  ready: Set<SessionPlan>;
  /** As `kill -9` of every client that runs. */
  kill(): void;
}

/** What the client keeps of a session on disk. */
export interface KeptSession {
  messages: ScriptedRequest['body']['messages'];
  costUsd: number;
  tokens: number;
  /** Of the last request: what the next one is at least as long as. */
  contextTokens: number;
}

export function scriptedSessions(options: ScriptedOptions): ScriptedSessions {
  const compiled = compileScript('scripted', options.script);
  const kept = new Map<string, KeptSession>();
  const running = new Set<Interruption>();
  const requests: ScriptedRequest[] = [];
  const plans: SessionPlan[] = [];
  const ready = new Set<SessionPlan>();
  let counters = NOTHING_SERVED;
  const ask = (request: ScriptedRequest): { turn: Turn; n: number } => {
    requests.push({ ...request, body: { ...request.body, messages: [...request.body.messages] } });
    const picked = pickTurn(compiled, counters, request.body);
    counters = picked.counters;
    return { turn: picked.turn, n: requests.length };
  };

  const play = async (
    plan: SessionPlan,
    prompt: string,
    listener: SessionListener,
    limits: SessionLimits,
  ) => {
    plans.push(plan);
    const interruption = new Interruption(limits);
    running.add(interruption);
    try {
      const before = kept.get(plan.session);
      if (interruption.cutBy) return { cutBy: interruption.cutBy };
      if (plan.resume !== (before !== undefined)) return { crash: problemOf(plan) };
      const session = before ?? { messages: [], costUsd: 0, tokens: 0, contextTokens: 0 };
      kept.set(plan.session, session);
      const perform = options.perform ?? (() => Promise.resolve({ output: '' }));
      const client = new ScriptedClient({ plan, session, listener, interruption, ask, perform });
      return await client.play(prompt);
    } finally {
      interruption.release();
      running.delete(interruption);
    }
  };
  return {
    requests,
    plans,
    ready,
    kill: () => {
      for (const interruption of running) interruption.kill();
    },
    missing: async () => undefined,
    prepare(plan) {
      ready.add(plan);
      return Promise.resolve({ plan, discard: async () => void ready.delete(plan) });
    },
    run(session, prompt, listener, limits): Promise<SessionFacts> {
      const plan = 'plan' in session ? session.plan : session;
      ready.delete(plan);
      return play(plan, prompt, listener, limits);
    },
  };
}

function problemOf({ session, resume }: SessionPlan): string {
  return resume
    ? `No conversation found with session ID: ${session}`
    : `Error: Session ID ${session} is already in use.`;
}
