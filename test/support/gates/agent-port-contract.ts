import { expect, test } from 'vitest';
import type { AgentAsk, AgentPort } from '../../../src/engine/ports/ports.ts';
import type { ModelBehaviour } from './fake-agent.ts';

export interface OpenedAgent {
  port: AgentPort;
  cwd: string;
  /** Resolves when the question has arrived where it is to be answered. */
  arrived(): Promise<unknown>;
}

const SCHEMA = {
  type: 'object',
  properties: { verdict: { type: 'string', enum: ['pass', 'fail'] }, reason: { type: 'string' } },
  required: ['verdict', 'reason'],
  additionalProperties: false,
};

/** What every agent port does, the real one and the one of the unit tests. */
/** `rarely` tests what is a form of something that another test shows. */
export function keepsAgentPortContract(
  open: (behaviour: ModelBehaviour) => Promise<OpenedAgent>,
  rarely = test,
): void {
  const asked = async (behaviour: ModelBehaviour) => {
    const { port, cwd } = await open(behaviour);
    return port.ask(question(cwd, new AbortController().signal));
  };

  test('an answer of the asked shape comes back with its cost', async () => {
    const value = { verdict: 'pass', reason: 'it is all there' };
    const answer = await asked({ does: 'answers', value });
    expect(answer).toMatchObject({ ok: true, value });
    expect(answer.costUsd).toBeGreaterThan(0);
  });

  rarely('an answer of another shape is a problem, and its cost is counted', async () => {
    const answer = await asked({ does: 'answers', value: { verdict: 'maybe' } });
    expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining('shape') });
    expect(answer.costUsd).toBeGreaterThan(0);
  });

  rarely('talk is no answer', async () => {
    const answer = await asked({ does: 'talks' });
    expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining('shape') });
    expect(answer.costUsd).toBeGreaterThan(0);
  });

  rarely('a model that cannot be reached is a problem that costs nothing', async () => {
    const answer = await asked({ does: 'is refused' });
    expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining('reached'), costUsd: 0 });
  });

  rarely('a question that costs more than it may is given up, and what it cost is told', async () => {
    const answer = await asked({ does: 'overspends' });
    expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining('cost') });
    expect(answer.costUsd).toBeGreaterThan(question('', new AbortController().signal).maxCostUsd);
  });

  rarely('a question that is called off ends as a problem, not as an error', async () => {
    const { port, cwd, arrived } = await open({ does: 'hangs' });
    const abort = new AbortController();
    const answer = port.ask(question(cwd, abort.signal));
    await arrived();
    abort.abort();
    expect(await answer).toMatchObject({ ok: false, problem: expect.stringContaining('called off') });
  });

  test('a question that was called off before is not asked', async () => {
    const { port, cwd } = await open({ does: 'answers', value: { verdict: 'pass', reason: 'yes' } });
    const answer = await port.ask(question(cwd, AbortSignal.abort()));
    expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining('called off'), costUsd: 0 });
  });
}

function question(cwd: string, signal: AbortSignal): AgentAsk {
  return {
    prompt: 'Is it done?',
    systemPrompt: 'You judge.',
    schema: SCHEMA,
    tools: [],
    cwd,
    model: 'claude-opus-5-5',
    maxCostUsd: 0.5,
    maxTurns: 6,
    signal,
  };
}
