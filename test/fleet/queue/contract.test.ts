import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Engine } from '../../../src/engine/ports/fleet.ts';
import { openEngine } from '../../../src/fleet/queue/engine.ts';
import { CONTRACT } from '../../support/fleet/engine-contract.ts';
import { RECORDS_CONTRACT } from '../../support/fleet/engine-records-contract.ts';
import { openStore, type Store } from '../../support/fleet/stores.ts';

describe('an engine on Redis', () => {
  let store: Store;
  const opened: Engine[] = [];

  beforeAll(async () => {
    store = await openStore();
  });

  afterAll(async () => {
    await Promise.all(opened.map((engine) => engine.close()));
    await store.close();
  });

  let spaces = 0;
  test.concurrent.each(Object.entries({ ...CONTRACT, ...RECORDS_CONTRACT }))('%s', async (_, check) => {
    spaces += 1;
    const space = `prefix=s${spaces}`;
    const open = async () => {
      const engine = await openEngine(`${store.url}?${space}`, {});
      opened.push(engine);
      await engine.ready();
      return engine;
    };
    await check({ open });
  });
});
