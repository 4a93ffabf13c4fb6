/** What every engine does, whatever its store. */
import { expect } from 'vitest';
import type { Engine, FleetJob, RunResult, Taken, WorkerView } from '../../../src/ports/fleet.ts';
import { PATIENCE_MS } from '../patience.ts';

export interface Rig {
  /** Another engine on the same store and space, as another process has it. */
  open(): Promise<Engine>;
}

export const RESULT: RunResult = {
  status: 'verified',
  cause: 'all gates pass',
  iterations: 3,
  costUsd: 1.5,
  tokens: 900,
};

export function aJob(run: string, over: Partial<FleetJob> = {}): FleetJob {
  const job = {
    run,
    repo: 'https://example.org/a.git',
    labels: [],
    priority: 0,
    spec: `{"run":"${run}"}`,
    submittedAt: 1_000,
    title: 'do it',
  };
  return { ...job, ...over };
}

export function aWorker(name: string, over: Partial<WorkerView> = {}): WorkerView {
  const view = {
    name,
    host: 'h',
    pid: 1,
    version: '1',
    labels: [],
    concurrency: 2,
    runs: [],
    draining: false,
  };
  return { ...view, startedAt: Date.now() - 60_000, at: Date.now(), ...over };
}

/** Takes the next run; one has to be there. */
export async function taken(engine: Engine, labels: readonly string[] = [], worker = 'w'): Promise<Taken> {
  const found = await engine.take(labels, worker, PATIENCE_MS);
  if (found === undefined) throw new Error('there was nothing to take');
  return found;
}

export async function until<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > end) throw new Error('what was waited for did not come');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Each case has a space of its own in the store, so that all may run at once. */
export const CONTRACT: Record<string, (rig: Rig) => Promise<void>> = {
  async 'a run is added once, and taken once'({ open }) {
    const [a, b] = [await open(), await open()];
    const answers = await Promise.all([a, b, a, b].map((engine) => engine.add(aJob('r-1'))));
    expect(answers.filter((answer) => answer === 'added')).toHaveLength(1);
    expect(await a.job('r-1')).toMatchObject({
      ...aJob('r-1'),
      state: 'waiting',
      takes: 0,
      stalls: 0,
      failures: 0,
    });
    const both = await Promise.all([a.take([], 'a', 50), b.take([], 'b', 50)]);
    const [held] = both.filter((one) => one !== undefined);
    expect(both.filter((one) => one !== undefined)).toHaveLength(1);
    expect(held).toMatchObject({ ...aJob('r-1'), takes: 1, stalls: 0, failures: 0 });
    expect(await a.add(aJob('r-1'))).toBe('known');
    expect(await a.job('r-1')).toMatchObject({ state: 'active', worker: both[0] ? 'a' : 'b' });
    if (held) await a.complete(held, RESULT);
    expect(await b.job('r-1')).toMatchObject({ state: 'ended', result: RESULT });
    expect(await a.add(aJob('r-1'))).toBe('known');
    expect(await b.counts()).toEqual({ waiting: 0, delayed: 0, active: 0, ended: 1, dead: 0 });
    expect(await a.job('never')).toBeUndefined();
    expect(await a.job('a:b')).toBeUndefined();
  },
};
