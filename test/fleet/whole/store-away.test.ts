/** The store stops for a while, or loses everything: git knows all that matters. */
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectVerified } from '../../support/fleet/expect-verified.ts';
import { Fleet } from '../../support/fleet/fleet.ts';

const AWAY_MS = 10_000;

describe('the store', () => {
  test('stops for 10 s: iterations are finished and published, runs end, nothing happens twice', async () => {
    const fleet = await Fleet.open({ pieces: 5 });
    onTestFinished(() => fleet.close());
    // The first outlives the time without a store, the second ends within it, the third is waiting then.
    const [long = ''] = await fleet.submit([], { workMs: 3_000 });
    const [short = ''] = await fleet.submit([], { workMs: 600 });
    const { worker } = fleet.startWorker('w1', ['--concurrency', '2']);
    await fleet.until(() => new Set(fleet.deeds().map(({ session }) => session)).size === 2, 'two runs');
    const [later = ''] = await fleet.submit([], { workMs: 100 });
    await fleet.store.stop();
    const away = Date.now();
    await fleet.untilEnded([short]);
    const published = () => fleet.history(long).commits.length;
    const before = published();
    await fleet.until(() => published() > before, 'a publication');
    await wait(Math.max(0, AWAY_MS - (Date.now() - away)));
    await fleet.store.start();
    await fleet.untilEnded([long, later]);
    for (const run of [long, short, later]) expectVerified(fleet, run);
    const engine = await fleet.engine();
    await fleet.until(async () => (await engine.counts()).ended === 3, 'the queue to know');
    expect(await engine.counts()).toMatchObject({ waiting: 0, delayed: 0, active: 0, dead: 0 });
    worker.signal('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    await fleet.untilGone();
  });
});

describe('the store', () => {
  test('loses everything: what had not ended is brought back, what had ended is not run again', async () => {
    const fleet = await Fleet.open({ pieces: 2 });
    onTestFinished(() => fleet.close());
    const remote = fleet.remotes[0]?.url ?? '';
    const go = `${fleet.root}/go`;
    const first = fleet.startWorker('w1');
    const [ended = ''] = await fleet.submit();
    await fleet.untilEnded([ended]);
    const [active = ''] = await fleet.submit([], { waitFor: { 2: go } });
    const atWork = () => fleet.deeds().some(({ cwd, piece }) => cwd.includes(active) && piece === 2);
    await fleet.until(atWork, 'the second piece');
    const [waiting = ''] = await fleet.submit();
    const [paused = ''] = await fleet.submit();
    await fleet.ok('fleet', 'pause', paused);
    const [delayed = ''] = await fleet.submit(['--at', '2h']);
    await fleet.store.wipe();
    await fleet.ok('fleet', 'reconcile', '--repo', remote);
    const engine = await fleet.engine();
    await fleet.until(async () => (await engine.job(active)) !== undefined, 'the run on the queue');
    writeFileSync(go, '');
    await fleet.untilEnded([active, waiting]);
    for (const run of [ended, active, waiting]) expectVerified(fleet, run);
    expect((await engine.job(delayed))?.state).toBe('delayed');
    // No worker had it: its pause was kept in the store alone.
    await fleet.untilEnded([paused]);
    expectVerified(fleet, paused);
    expect(fleet.deeds().filter(({ cwd, kind }) => cwd.includes(ended) && kind === 'made').length).toBe(2);
    first.worker.signal('SIGTERM');
    expect((await first.worker.ended).code).toBe(0);
  });
});
