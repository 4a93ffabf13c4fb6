import { z } from 'zod';
import type { AgentAnswer, AgentAsk, AgentPort } from '../../../src/engine/ports/ports.ts';

/** What the model behind an agent port does with a question. */
export type ModelBehaviour =
  | { does: 'answers'; value: unknown }
  /** Without ever giving a structured answer. */
  | { does: 'talks' }
  | { does: 'is refused' }
  | { does: 'overspends' }
  | { does: 'hangs' };

export interface FakeAgent extends AgentPort {
  asks: AgentAsk[];
}

const COST_USD = 0.01;

/** Stands for the real adapter in unit tests; both are held to the same contract (agent-port-contract.ts). */
export function fakeAgent(behaviour: ModelBehaviour): FakeAgent {
  const asks: AgentAsk[] = [];
  return {
    asks,
    ask(ask) {
      asks.push(ask);
      return ask.signal.aborted ? Promise.resolve(refusal('called off', 0)) : answerTo(ask, behaviour);
    },
  };
}

function answerTo(ask: AgentAsk, behaviour: ModelBehaviour): Promise<AgentAnswer> {
  switch (behaviour.does) {
    case 'answers':
      return Promise.resolve(
        z.fromJSONSchema(ask.schema).safeParse(behaviour.value).success
          ? { ok: true, value: behaviour.value, costUsd: COST_USD }
          : refusal('no answer of the asked shape', COST_USD),
      );
    case 'talks':
      return Promise.resolve(refusal('no answer of the asked shape', COST_USD));
    case 'is refused':
      return Promise.resolve(refusal('the model could not be reached', 0));
    case 'overspends':
      return Promise.resolve(refusal('no answer for what it may cost', ask.maxCostUsd + COST_USD));
    case 'hangs':
      return new Promise((resolve) => {
        ask.signal.addEventListener('abort', () => resolve(refusal('called off', 0)), { once: true });
      });
  }
}

function refusal(problem: string, costUsd: number): AgentAnswer {
  return { ok: false, problem, costUsd };
}
