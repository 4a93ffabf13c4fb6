import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import type { RunResult, WorkerView } from '../../../src/engine/ports/fleet.ts';
import { findRun } from '../../../src/fleet/operate/find-run.ts';
import type { Fleet } from '../../../src/fleet/operate/fleet.ts';
import { runLog, waitForRuns } from '../../../src/fleet/operate/follow.ts';
import { fleetStatus, listRuns, showRun } from '../../../src/fleet/operate/look.ts';
import { publishedOf } from '../../../src/fleet/operate/published.ts';
import { reconcile } from '../../../src/fleet/operate/reconcile.ts';
import { retryRun } from '../../../src/fleet/operate/retry.ts';
import { askOfRun, cancelRun, drainWorkers, removeDead } from '../../../src/fleet/operate/steer.ts';
import { submit } from '../../../src/fleet/operate/submit.ts';
import { operateScene, published, SECRET, taken } from '../../support/fleet/operate-scene.ts';
import { openStore, type Store } from '../../support/fleet/stores.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const WORKER: WorkerView = {
  name: 'w1',
  host: 'h',
  pid: 1,
  version: '1',
  labels: [],
  concurrency: 1,
  runs: [],
  draining: false,
  startedAt: 0,
  at: 0,
};
const RESULT: RunResult = { status: 'reached_limit', cause: 'cost', iterations: 3, costUsd: 20, tokens: 5 };
const LIMIT: Entry = {
  kind: 'ended',
  status: 'reached_limit',
  cause: 'cost',
  detail: 'the budget is used up',
};

async function one(more = {}) {
  const scene = operateScene(store);
  const fleet = await scene.machine('m1');
  const { submitted } = await submit(scene.request(more), fleet);
  const run = submitted[0]?.run ?? '';
  const stateOf = async (other: Fleet = fleet) => (await other.engine.job(run))?.state;
  const read = async () => {
    const found = await fleet.remoteRunsOf(scene.remote.url).read(run);
    return publishedOf(run, found?.files ?? {}, SECRET);
  };
  return { ...scene, fleet, run, stateOf, read, at: { run, repo: scene.remote.url } };
}

describe('cancel', () => {
  test('a run that nobody has begun ends at once, and is not brought back; retry brings it back', async () => {
    const { fleet, run, stateOf, read } = await one();
    expect(await cancelRun(run.slice(0, 18), 'wrong branch', fleet)).toMatchObject({ did: 'ended' });
    expect(await fleet.engine.job(run)).toMatchObject({ state: 'ended', result: { status: 'cancelled' } });
    expect((await read()).result).toMatchObject({ status: 'cancelled', cause: 'wrong branch' });
    await expect(cancelRun(run, undefined, fleet)).rejects.toThrow('has ended already');
    await store.wipe();
    expect(await reconcile({ dryRun: false }, fleet)).toMatchObject({ added: [], ended: 1 });
    // The queue does not know it any more; its remote does.
    expect(await retryRun(run, {}, fleet)).toMatchObject({ did: 'queued' });
    expect(await stateOf()).toBe('waiting');
    expect((await read()).result).toBeUndefined();
  });

  test('a run that was begun, and rests, ends in its journal, too', async () => {
    const { fleet, run, read, at } = await one();
    await published(fleet, at, []);
    const held = await taken(fleet, run);
    await fleet.engine.giveBack(held, { afterMs: 365 * 86_400_000, why: 'waiting for your answer' });
    await cancelRun(run, 'no more', fleet);
    const { last, result } = await read();
    expect(last?.line.entry).toEqual({ kind: 'command', command: 'cancel', note: 'no more' });
    expect(result?.status).toBe('cancelled');
  });

  test('a run on a worker is asked there', async () => {
    const { fleet, run, stateOf, read } = await one();
    const held = await taken(fleet, run);
    expect(await cancelRun(run, 'stop', fleet)).toMatchObject({ did: 'asked' });
    expect(await stateOf()).toBe('active');
    const { commands } = await fleet.engine.beat({ ...WORKER, at: Date.now() }, [held]);
    expect(commands[run]).toMatchObject([{ command: 'cancel', text: 'stop' }]);
    expect((await read()).result).toBeUndefined();
  });

  test('with its remote away it ends on the queue, and says what is missing', async () => {
    const { fleet, run, remote, stateOf, read } = await one();
    remote.away(true);
    expect((await cancelRun(run, undefined, fleet)).text).toContain('its remote could not be reached');
    expect(await stateOf()).toBe('ended');
    remote.away(false);
    expect((await read()).result).toBeUndefined();
    await cancelRun(run, undefined, fleet);
    expect((await read()).result?.status).toBe('cancelled');
  });
});

describe('what a person says', () => {
  test('reaches the worker in its order, once', async () => {
    const { fleet, run } = await one();
    const held = await taken(fleet, run);
    await askOfRun(run, 'answer', { text: 'Take Postgres', about: '1' }, fleet);
    await askOfRun(run, 'approve', { about: 'plan' }, fleet);
    const { commands } = await fleet.engine.beat({ ...WORKER, at: Date.now() }, [held]);
    expect(commands[run]?.map(({ command, text, about }) => [command, text, about])).toEqual([
      ['answer', 'Take Postgres', '1'],
      ['approve', undefined, 'plan'],
    ]);
  });

  test('is refused for a run that has ended, and for a dead letter', async () => {
    const { fleet, run } = await one();
    await fleet.engine.bury(await taken(fleet, run), 'poison');
    await expect(askOfRun(run, 'pause', {}, fleet)).rejects.toThrow(
      'in the dead letters (poison); first: untildone fleet retry',
    );
    await fleet.engine.again(run);
    await fleet.engine.complete(await taken(fleet, run), RESULT);
    await expect(askOfRun(run, 'pause', {}, fleet)).rejects.toThrow('has ended (reached_limit)');
  });

  test('drains a worker by its name', async () => {
    const { fleet } = await one();
    await expect(drainWorkers('w1', true, fleet)).rejects.toThrow('there is no worker w1');
    await fleet.engine.beat({ ...WORKER, at: Date.now() }, []);
    expect(await drainWorkers('w', true, fleet)).toEqual(['w1']);
    expect((await fleet.engine.beat({ ...WORKER, at: Date.now() }, [])).drain).toBe(true);
    expect(await drainWorkers(undefined, false, fleet)).toEqual(['w1']);
  });
});

describe('dead letters', () => {
  test('need you, are retried with all attempts, and removed for good', async () => {
    const { fleet, run, stateOf } = await one();
    await fleet.engine.bury(await taken(fleet, run), 'a bad contract');
    const { needs_you, counts } = await fleetStatus(fleet);
    expect(needs_you).toMatchObject([{ run, what: 'dead letter: a bad contract' }]);
    expect(counts.dead).toBe(1);
    await retryRun(run, {}, fleet);
    expect(await fleet.engine.job(run)).toMatchObject({ state: 'waiting', failures: 0 });
    await expect(removeDead(run, fleet)).rejects.toThrow('is no dead letter');
    await fleet.engine.bury(await taken(fleet, run), 'again');
    await removeDead(run, fleet);
    expect(await stateOf()).toBeUndefined();
    expect(await reconcile({ dryRun: false }, fleet)).toMatchObject({ added: [], ended: 1 });
  });
});

describe('retry of a run that reached its limit', () => {
  const limits = { ...DEFAULT_LIMITS, iterations: 1 };
  const ended: Entry = { kind: 'ended', status: 'reached_limit', cause: 'iterations', detail: '' };

  test('needs more, and goes on with it, in one line of its journal', async () => {
    const { fleet, run, at, stateOf, read } = await one();
    await published(fleet, at, [ended], { limits });
    await fleet.engine.complete(await taken(fleet, run), { ...RESULT, cause: 'iterations' });
    await expect(retryRun(run, {}, fleet)).rejects.toThrow(
      'has used up its limit of iterations: give it more, like --max-iterations +20',
    );
    expect(await retryRun(run, { iterations: { more: 20 } }, fleet)).toMatchObject({
      text: `Run ${run} is on the queue again, with iterations 1 -> 21.`,
    });
    expect(await stateOf()).toBe('waiting');
    const { last, result } = await read();
    expect(result).toBeUndefined();
    expect(last?.line.entry).toMatchObject({ kind: 'reopened', maxIterations: 21 });
    expect(last?.line.state).toMatchObject({ status: 'active', maxIterations: 21 });
  });

  test('is refused for one that is done, and for one at work', async () => {
    const { fleet, run, at } = await one();
    const held = await taken(fleet, run);
    await expect(retryRun(run, {}, fleet)).rejects.toThrow('is being worked on');
    await published(fleet, at, [{ ...LIMIT, status: 'verified_done' }]);
    await fleet.engine.complete(held, { ...RESULT, status: 'verified_done' });
    await expect(retryRun(run, {}, fleet)).rejects.toThrow('is done (verified_done)');
  });
});

describe('a run', () => {
  test('is found by its beginning, on the queue and on the remote; others are named', async () => {
    const { fleet, run, request } = await one();
    const { submitted } = await submit(request({ key: 'x' }), fleet);
    expect((await findRun(run.slice(0, 16), fleet)).run).toBe(run);
    await expect(findRun('', fleet)).rejects.toThrow('is no id of a run');
    await expect(findRun('20999', fleet)).rejects.toThrow(`did you mean: ${run}`);
    await store.wipe();
    const found = await findRun('k-', fleet);
    expect(found).toEqual({ run: submitted[0]?.run, repo: request().repo });
    const { queued, spec, notes } = await showRun(run, fleet);
    expect([queued, spec?.task]).toEqual([null, 'Make it work']);
    expect(notes.join()).toContain('untildone fleet reconcile');
  });

  test('is shown with what happened to it, and listed by state', async () => {
    const { fleet, run, at, machine } = await one({ key: 'k', env: ['TOKEN'] });
    await published(fleet, at, [{ kind: 'moved', worker: 'w2', contractSha256: 'x', iteration: 1 }, LIMIT]);
    await fleet.engine.complete(await taken(fleet, run), { ...RESULT, branch: 'untildone/x', commit: 'c' });
    const shown = await showRun(run, fleet);
    expect(shown).toMatchObject({
      queued: { state: 'ended', status: 'reached_limit', takes: 1 },
      spec: { key: 'k', env: ['TOKEN'], contract: 'untildone.yaml' },
      result: { branch: 'untildone/x' },
      published: { status: 'reached_limit', workers: ['w2'], lines: 3 },
    });
    expect(shown.fetch[0]).toContain('untildone/x');
    expect((await listRuns({ states: ['ended'], limit: 5 }, fleet)).runs).toMatchObject([{ run }]);
    expect((await listRuns({ states: ['dead'], limit: 5 }, fleet)).runs).toEqual([]);
    expect((await listRuns({ repo: '/other', limit: 5 }, fleet)).runs).toEqual([]);
    const other = await showRun(run, await machine('m2', 'b'.repeat(64)));
    expect(other).toMatchObject({ spec: null, notes: [expect.stringContaining('another secret')] });
  });

  test('is logged as it is streamed, with lines that the next worker wrote anew, else as it was published', async () => {
    const { fleet, run, at } = await one();
    const first = await published(fleet, at, [{ kind: 'command', command: 'pause' }]);
    const second = await published(fleet, at, [{ kind: 'command', command: 'pause', note: 'other' }, LIMIT]);
    const log = async () => {
      const lines: string[] = [];
      for await (const scanned of runLog(run, { follow: false }, fleet))
        lines.push(scanned.ok ? scanned.text : 'bad');
      return lines;
    };
    expect(await log()).toEqual(second);
    const news = { worker: 'w1', status: 'active', iteration: 1, costUsd: 0, tokens: 0, doing: '', at: 1 };
    await fleet.engine.tell(run, news, first, 0);
    expect((await log()).slice(0, 2)).toEqual(first);
    await fleet.engine.tell(run, news, second.slice(1), 1);
    await fleet.engine.complete(await taken(fleet, run), RESULT);
    expect((await log()).slice(0, 1)).toEqual(first.slice(0, 1));
  });

  test('is waited for until it has ended, while the store is away for a while', async () => {
    const { fleet, run } = await one();
    const said: string[] = [];
    const notes: string[] = [];
    const waiting = waitForRuns(
      [run],
      ({ text }) => void said.push(text),
      { note: (text) => void notes.push(text) },
      fleet,
    );
    await expect.poll(() => said.length).toBeGreaterThan(0);
    await store.stop();
    await expect.poll(() => notes.length, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
    await store.start();
    await expect
      .poll(
        () =>
          fleet.engine.ready().then(
            () => true,
            () => false,
          ),
        { timeout: PATIENCE_MS },
      )
      .toBe(true);
    expect(notes[0]).toContain('cannot be reached');
    const held = await taken(fleet, run);
    await fleet.engine.complete(held, RESULT);
    expect(await waiting).toMatchObject([{ run, result: RESULT }]);
    expect(said[0]).toBe('waiting: there is no worker: untildone worker starts one');
    expect(said.at(-1)).toBe('reached_limit (cost) after 3 iterations, 20.00 USD');
    const stop = AbortSignal.abort();
    expect(await waitForRuns(['nope'], () => {}, { signal: stop }, fleet)).toEqual([]);
  });
});
