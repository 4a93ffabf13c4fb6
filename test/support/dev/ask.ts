import { onTestFinished } from 'vitest';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/dev/simulator/server.ts';

/** A simulator that is closed with the test that started it. */
export async function simulate(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options);
  onTestFinished(() => simulator.close());
  return simulator;
}

export const withTurns = (...turns: NonNullable<Script['turns']>) => simulate({ script: { turns } });

export function post(base: string, body: unknown, path = '/v1/messages?beta=true'): Promise<Response> {
  return fetch(base + path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
}

export const ask = (base: string, extra: object = {}) => post(base, { model: 'm-1', messages: [], ...extra });

export async function textOf(response: Response): Promise<string> {
  const message = (await response.json()) as { content: { text: string }[] };
  return message.content.map(({ text }) => text).join('');
}
