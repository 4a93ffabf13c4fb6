import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineAway, Fenced } from '../../../src/engine/core/fleet/errors.ts';
import type { Engine } from '../../../src/engine/ports/fleet.ts';
import { openEngine } from '../../../src/fleet/queue/engine.ts';
import { CHECK_MS, LOCK_MS } from '../../../src/fleet/queue/store.ts';
import { aJob, aWorker, RESULT, taken, until } from '../../support/fleet/engine-contract.ts';
import { noRunIsLost } from '../../support/fleet/engine-deaths.ts';
import { openStore, type Store } from '../../support/fleet/stores.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

describe.concurrent('redis', () => {
  let store: Store;
  const opened: Engine[] = [];
  const open = async () => {
    const engine = await openEngine(store.url, {});
    opened.push(engine);
    return engine;
  };

  beforeAll(async () => {
    store = await openStore();
  });

  afterAll(async () => {
    await Promise.all(opened.map((engine) => engine.close()));
    await store.close();
  });

  test('a store that is away for a while, hangs, is emptied, and a worker that dies', async () => {
    const [dies, lives, person] = [await open(), await open(), await open()];
    await Promise.all([dies.ready(), lives.ready(), person.ready()]);

    // A worker without a sign of life: its run, its slot and what was asked of it go to another one.
    await person.add(aJob('r-1'));
    const lost = await taken(dies, [], 'dies');
    await dies.claimSlots('r-1', [{ name: 'all', most: 1 }]);
    await person.command('r-1', { id: 'c-1', command: 'pause', at: 1 });
    expect(await dies.beat(aWorker('dies'), [lost])).toMatchObject({
      lost: [],
      commands: { 'r-1': [{ id: 'c-1' }] },
    });
    const silentSince = Date.now();
    const beats = setInterval(() => void lives.beat(aWorker('lives'), []).catch(() => undefined), 2_000);
    const again = await taken(lives, [], 'lives');
    clearInterval(beats);
    const tookOver = Date.now() - silentSince;
    expect(again).toMatchObject({ run: 'r-1', takes: 2, stalls: 1 });
    expect(await lives.claimSlots('r-1', [{ name: 'all', most: 1 }])).toBeUndefined();
    expect(await lives.beat(aWorker('lives'), [again])).toMatchObject({
      lost: [],
      commands: { 'r-1': [{ id: 'c-1' }] },
    });
    expect(await dies.beat(aWorker('dies'), [lost])).toMatchObject({ lost: ['r-1'] });
    await dies.releaseSlots('r-1');
    expect(await person.claimSlots('other', [{ name: 'all', most: 1 }])).toBe('all');
    // On a machine that does nothing else: lock and check together, less than 15 s.
    expect(LOCK_MS + CHECK_MS).toBeLessThan(14_500);
    expect(tookOver).toBeLessThan(PATIENCE_MS / 2);

    // A lock that lapsed is its holder's again, as long as nobody has taken the run.
    await lapse(store, 'r-1');
    expect(await lives.beat(aWorker('lives'), [again])).toMatchObject({ lost: [] });
    await expect(dies.giveBack(lost, { afterMs: 0 })).rejects.toBeInstanceOf(Fenced);

    // Away: every call fails soon, also one that waits; nothing crashes. Back: the same engines go on, with the same lock.
    const waiting = person.take([], 'person', PATIENCE_MS).catch((error: unknown) => error);
    await store.stop();
    const gone = Date.now();
    const failed = await Promise.all(
      [
        lives.beat(aWorker('lives'), [again]),
        person.add(aJob('r-2')),
        person.counts(),
        person.due(),
        waiting,
      ].map((call) => Promise.resolve(call).catch((error: unknown) => error)),
    );
    expect(failed.every((error) => error instanceof EngineAway)).toBe(true);
    expect(Date.now() - gone).toBeLessThan(PATIENCE_MS / 4);
    await store.start();
    expect(await until(() => lives.beat(aWorker('lives'), [again]).catch(() => undefined))).toMatchObject({
      lost: [],
    });
    expect(await until(() => person.add(aJob('r-2')).catch(() => undefined))).toBe('added');

    // Emptied: what was held is lost.
    await store.wipe();
    expect((await until(() => lives.beat(aWorker('lives'), [again]).catch(() => undefined))).lost).toEqual([
      'r-1',
    ]);
    expect(await person.job('r-2')).toBeUndefined();
    expect(await until(() => person.add(aJob('r-1')).catch(() => undefined))).toBe('added');
    await lives.complete(await taken(lives), RESULT);
    expect(await person.job('r-1')).toMatchObject({ state: 'ended' });

    // Hanging: no call waits for ever.
    store.hang(true);
    await expect(person.counts()).rejects.toBeInstanceOf(EngineAway);
    store.hang(false);
    expect(await until(() => person.counts().catch(() => undefined))).toMatchObject({ ended: 1 });
  });

  test('a process that dies between any two of its steps loses no run', async () => {
    const other = await openStore();
    try {
      await noRunIsLost(other);
    } finally {
      await other.close();
    }
  });
});

/** As after an outage that was longer than a lock. */
async function lapse({ url }: Store, run: string): Promise<void> {
  const redis = new Redis(url);
  expect(await redis.del(`untildone:runs:${run}:lock`)).toBe(1);
  redis.disconnect();
}
