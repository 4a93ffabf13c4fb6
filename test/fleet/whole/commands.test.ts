/** What you ask of a fleet while it works: cancel, drain, and the same thing twenty times. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectVerified } from '../../support/fleet/expect-verified.ts';
import { Fleet } from '../../support/fleet/fleet.ts';
import { isThere } from '../../support/fleet/machine.ts';
import { longTest } from '../../support/long.ts';
import { awakeClock } from '../../support/patience.ts';

const CANCEL_MS = 5_000;

let fleet: Fleet;
beforeEach(async () => {
  fleet = await Fleet.open({ pieces: 2 });
});
afterEach(() => fleet.close());

const workingOn = (run: string, piece: number) =>
  fleet.until(
    () => fleet.deeds().some((deed) => deed.cwd.includes(run) && deed.piece === piece),
    `work on piece ${piece}`,
  );

test('a run is cancelled in the middle of an iteration: it has ended and its sessions are gone within 5 s', async () => {
  const [run = ''] = await fleet.submit([], {
    waitFor: { 2: join(fleet.root, 'never') },
    leavesProcess: true,
  });
  const { machine, worker } = fleet.startWorker('w1');
  await workingOn(run, 2);
  const processes = (await machine.processIds()).filter(({ pid }) => pid !== worker.pid);
  const limitMs = CANCEL_MS * (await slowness());
  const ms = awakeClock();
  await fleet.ok('fleet', 'cancel', run);
  await fleet.until(() => fleet.hasEnded(run) && !processes.some(isThere), 'the end of a cancelled run');
  expect(ms()).toBeLessThan(limitMs);
  expect(fleet.history(run).state.status).toBe('cancelled');
});

/** How much slower this machine is at the moment than one that does nothing else. */
async function slowness(): Promise<number> {
  const before = Date.now();
  await fleet.ok('--version');
  return Math.max(1, (Date.now() - before) / 250);
}

test('a worker that is told to end finishes its iteration; another one goes on', async () => {
  const go = join(fleet.root, 'go');
  const [run = ''] = await fleet.submit([], { waitFor: { 1: go } });
  const first = fleet.startWorker('w1');
  await workingOn(run, 1);
  first.worker.signal('SIGTERM');
  fleet.startWorker('w2');
  writeFileSync(go, '');
  const { code } = await first.worker.ended;
  expect(code).toBe(0);
  await fleet.untilGone([first.machine]);
  await fleet.untilEnded([run]);
  expectVerified(fleet, run);
  const made = fleet.deeds().filter(({ kind }) => kind === 'made');
  expect(made.map(({ piece, cwd }) => [piece, /machines\/(\w+)/.exec(cwd)?.[1]])).toEqual([
    [1, 'w1'],
    [2, 'w2'],
  ]);
});

longTest('the same key, twenty times at once, is one run', async () => {
  const submitted = await Promise.all(Array.from({ length: 20 }, () => fleet.submit(['--key', 'nightly'])));
  expect(new Set(submitted.flat()).size).toBe(1);
  const engine = await fleet.engine();
  expect(await engine.counts()).toMatchObject({ waiting: 1, active: 0, delayed: 0 });
});
