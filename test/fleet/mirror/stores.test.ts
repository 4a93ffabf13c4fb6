/** The mirror over a real store: what a worker tells is here at the next look, whatever happens to worker and store. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineAway } from '../../../src/engine/core/fleet/errors.ts';
import { JournalScan } from '../../../src/engine/home/journal/scan.ts';
import { readKey } from '../../../src/engine/home/layout.ts';
import type { Engine, FleetJob, ProgressReport, Taken } from '../../../src/engine/ports/fleet.ts';
import { Mirror } from '../../../src/fleet/mirror/mirror.ts';
import { openEngine } from '../../../src/fleet/queue/engine.ts';
import type { RemoteRuns } from '../../../src/fleet/remote/remote-runs.ts';
import { MemoryEngine, MemoryRun, SECRET } from '../../support/dashboard/fleet.ts';
import { ENDED, held } from '../../support/dashboard/loops.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { openStore, type Store } from '../../support/fleet/stores.ts';
import { waitFor } from '../../support/live/processes.ts';

describe('on Redis', () => {
  let [store, engine] = [] as unknown as [Store, Engine];
  beforeAll(async () => {
    store = await openStore();
    engine = await openEngine(store.url, {});
  });
  afterAll(async () => {
    await engine?.close();
    await store?.close();
  });

  function newMirror(folder: string, git: Map<string, MemoryRun>): Mirror {
    const read = async (run: string) => {
      const published = git.get(run)?.published();
      return published && { refs: { journal: 'j' }, files: published };
    };
    const remoteRunsOf = () => ({ read }) as unknown as RemoteRuns;
    const fleet = { engine, secret: SECRET, now: Date.now, remoteRunsOf };
    return new Mirror({ fleet, folder: mkdtempSync(join(folder, 'mirror-')) });
  }

  const kindsIn = async (mirror: Mirror, run: string) => {
    const path = join(mirror.runs.get(run)?.journal.dir ?? '', 'journal.jsonl');
    const kinds: string[] = [];
    for await (const scanned of new JournalScan(path, readKey(mirror.home)).next())
      kinds.push(scanned.ok ? scanned.line.entry.kind : 'damaged');
    return kinds;
  };

  const take = (worker: string) => waitFor(() => engine.take([], worker, 1_000)) as Promise<Taken>;
  const news = (run: MemoryRun, worker: string): ProgressReport => {
    const { status, iteration } = run.store.read(run.ref as never);
    return { worker, status, iteration, costUsd: 0, tokens: 0, doing: 'the model works', at: Date.now() };
  };

  test('a run from the queue to its end, over two workers and an outage of the store', async () => {
    const folder = temporaryFolder();
    const git = new Map<string, MemoryRun>();
    const mirror = newMirror(folder, git);
    const memory = new MemoryEngine();
    const run = new MemoryRun(memory, folder, 'r-1');
    const { state: _s, takes: _t, stalls: _l, failures: _f, ...job } = memory.all.get('r-1') ?? ({} as never);
    await engine.add(job as FleetJob);
    await mirror.look();
    expect(mirror.runs.get('r-1')?.job).toMatchObject({ state: 'waiting', takes: 0 });

    const first = await take('anna');
    run.begin('anna');
    run.append(held(), held(), held());
    const told = run.lines();
    await engine.tell('r-1', news(run, 'anna'), told, 0);
    await mirror.look();
    expect(mirror.runs.get('r-1')?.job).toMatchObject({ state: 'active', takes: 1 });
    expect(await kindsIn(mirror, 'r-1')).toEqual(['started', 'stop', 'stop', 'stop']);

    // Only the first two lines were published; the next worker goes on from there.
    run.loseAfter(2);
    await engine.giveBack(first, { afterMs: 0, why: 'its worker drains' });
    const second = await take('bert');
    run.append({ kind: 'moved', worker: 'bert', contractSha256: '0'.repeat(64), iteration: 2 });
    await engine.tell('r-1', news(run, 'bert'), run.lines().slice(2), 2);
    await waitFor(async () => (await mirror.look()).rebuilt.length > 0 || undefined);
    expect(await kindsIn(mirror, 'r-1')).toEqual(['started', 'stop', 'moved']);

    await store.stop();
    await expect(mirror.look()).rejects.toThrow(EngineAway);
    expect(await kindsIn(mirror, 'r-1')).toEqual(['started', 'stop', 'moved']);
    await store.start();
    await waitFor(async () => mirror.look().catch(() => undefined));

    run.append(ENDED);
    await engine.tell('r-1', news(run, 'bert'), run.lines().slice(3), 3);
    const result = { status: 'verified_done', cause: 'gates_passed', iterations: 2, costUsd: 0, tokens: 0 };
    // A stopped server may have lost the lock: that of the next take counts.
    const holder = await engine.complete(second, result).then(
      () => undefined,
      () => take('bert'),
    );
    if (holder) await engine.complete(holder, result);
    await waitFor(async () => {
      await mirror.look();
      return mirror.runs.get('r-1')?.isOver;
    });
    expect(await kindsIn(mirror, 'r-1')).toEqual(['started', 'stop', 'moved', 'stop']);
    expect(mirror.runs.get('r-1')?.journal).toMatchObject({ hasEnded: true, isWhole: true });

    // A dashboard that begins later has all of it, too.
    const late = newMirror(folder, git);
    await late.look();
    expect(await kindsIn(late, 'r-1')).toEqual(['started', 'stop', 'moved', 'stop']);
  });
});
