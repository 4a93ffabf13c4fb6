/** What somebody writes into the store who does not have the secret of the fleet: refused, told, and in nobody's way. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayOf } from '../../../src/engine/core/fleet/budget.ts';
import type { RunSpec } from '../../../src/engine/core/fleet/spec.ts';
import type { Engine, FleetJob, ProgressReport, RunCommand } from '../../../src/engine/ports/fleet.ts';
import { openEngine } from '../../../src/fleet/queue/engine.ts';
import { Refusals } from '../../../src/fleet/seals/refusals.ts';
import { sealedEngine } from '../../../src/fleet/seals/sealed-engine.ts';
import { sealSpec } from '../../../src/fleet/secret.ts';
import { aWorker, RESULT, taken } from '../../support/fleet/engine-contract.ts';
import { type Forge, forgeIn } from '../../support/fleet/forge.ts';
import { openStore, type Store } from '../../support/fleet/stores.ts';

const SECRET = randomBytes(32).toString('hex');
const REPO = 'https://git.example/a';

function sealedJob(run: string, more: Partial<RunSpec> = {}): FleetJob {
  const spec: RunSpec = {
    v: 1,
    run,
    repo: REPO,
    ref: 'main',
    commit: 'c'.repeat(40),
    task: `Do ${run}`,
    limits: {},
    client: {},
    labels: [],
    priority: 0,
    after: [],
    env: [],
    attempts: 3,
    submittedAt: 5,
    ...more,
  };
  return {
    run,
    repo: REPO,
    labels: [],
    priority: 0,
    submittedAt: 5,
    title: 't',
    spec: sealSpec(spec, SECRET),
  };
}

const news: ProgressReport = {
  worker: 'w',
  status: 'active',
  iteration: 2,
  costUsd: 0.1,
  tokens: 7,
  doing: 'works',
  at: 9,
};

describe('on Redis', () => {
  let store: Store;
  const opened: { close(): Promise<void> }[] = [];
  let spaces = 0;

  beforeAll(async () => {
    store = await openStore();
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await store.close();
  });

  /** An operator and a worker with the secret, the store as it is, and somebody who only has its password. */
  async function scene() {
    const space = `f${++spaces}`;
    const open = async () => {
      const raw = await openEngine(`${store.url}?prefix=${space}`, {});
      opened.push(raw);
      await raw.ready();
      return raw;
    };
    const member = async (secret = SECRET, kept: Record<string, string> = {}) => {
      const refusals = new Refusals();
      const said: string[] = [];
      refusals.say = (run, text) => void said.push(`${run}: ${text}`);
      const memory = { read: () => ({ ...kept }), write: (all: object) => void Object.assign(kept, all) };
      const engine = sealedEngine(await open(), { secret, memory, refusals });
      return { engine, refusals, said, kept };
    };
    const forge: Forge = forgeIn(store, space);
    opened.push(forge);
    return { raw: await open(), operator: await member(), worker: await member(), member, forge };
  }

  const asked = (id: string, more: Partial<RunCommand> = {}): RunCommand => ({
    id,
    command: 'cancel' as const,
    at: Date.now(),
    ...more,
  });

  async function beat({ engine }: { engine: Engine }, held: Parameters<Engine['beat']>[1]) {
    return engine.beat(aWorker('w'), held);
  }

  test('commands without the seal, for another run, and what is no command at all', async () => {
    const { raw, operator, worker, forge } = await scene();
    for (const run of ['r-1', 'r-2']) await operator.engine.add(sealedJob(run));
    const held = [await taken(worker.engine), await taken(worker.engine)];
    await worker.engine.tell('r-1', news, []);
    const text = (more: object) => JSON.stringify({ ...asked('x'), ...more });
    const rows = [
      text({ command: 'approve', about: 'signoff', seen: { iteration: 1, questions: [] } }),
      text({ command: 'answer', text: 'yes', seal: 'f'.repeat(64) }),
      text({ command: 'format the disk' }),
      text({ at: 'now', seen: 7 }),
      ...['null', '[]', '"text"', '{', ''],
    ];
    for (const [place, row] of rows.entries()) await forge.command('r-1', `forged-${place}`, row);
    const genuine = asked('ours', { text: 'not needed\0 any more \ud800' });
    await operator.engine.command('r-1', genuine);
    const { commands } = await beat(worker, held);
    expect(commands['r-1']).toMatchObject([{ id: 'ours', command: 'cancel' }]);
    // The row of another run, under its own id and under another one.
    const [row = asked('')] = commands['r-1'] ?? [];
    await raw.command('r-2', row);
    await forge.command('r-2', 'again', JSON.stringify(row));
    expect((await beat(worker, held)).commands).toEqual({});
    expect(worker.refusals.count).toBe(rows.length + 2);
    expect(worker.said.join('\n')).toMatch(/r-1: refused: "approve signoff" .*upgrade operator and worker/);
    // They are taken away, and the run says what happened.
    expect((await operator.engine.job('r-1'))?.news?.refused?.count).toBe(rows.length);
    await beat(worker, held);
    expect((await operator.engine.workers())[0]?.refused).toBe(rows.length + 2);
  });

  test('commands of another time, and a yes that does not say to what', async () => {
    const { operator, worker } = await scene();
    await operator.engine.add(sealedJob('r-1'));
    const held = [await taken(worker.engine)];
    const now = Date.now();
    await operator.engine.command('r-1', asked('old', { at: now - 8 * 86_400_000 }));
    await operator.engine.command('r-1', asked('early', { at: now + 7_200_000 }));
    await operator.engine.command('r-1', asked('blind', { command: 'approve' }));
    await operator.engine.command('r-1', asked('skewed', { at: now + 60_000 }));
    expect((await beat(worker, held)).commands['r-1']).toMatchObject([{ id: 'skewed' }]);
    expect(worker.said.join('\n')).toMatch(
      /is 8 d .* old[\s\S]*clock of who asked is .* ahead[\s\S]*does not say what it is about/,
    );
  });

  test('limits: forged ones, older ones put back, and none at all change nothing for who has seen newer ones', async () => {
    const { operator, worker, member, forge, raw } = await scene();
    await operator.engine.setLimits({ usdPerDay: 500 });
    const { limits: old = '' } = await raw.kept('orders');
    await operator.engine.setLimits({ usdPerDay: 5, runs: 1 });
    expect(await worker.engine.limits()).toEqual({ usdPerDay: 5, runs: 1 });
    await forge.limits({ usdPerDay: 1e9 });
    await forge.kept('orders', 'limits', old);
    expect(await worker.engine.limits()).toEqual({ usdPerDay: 5, runs: 1 });
    await forge.kept('orders', 'limits', undefined);
    await forge.limits({});
    expect(await worker.engine.limits()).toEqual({ usdPerDay: 5, runs: 1 });
    await forge.kept('orders', 'limits', '{"name":"limits","version":1e99,"value":{}}');
    expect(await worker.engine.limits()).toEqual({ usdPerDay: 5, runs: 1 });
    expect(worker.said.join('\n')).toMatch(/older than one that was seen[\s\S]*does not have the seal/);
    // A worker that starts again remembers, and an operator whose clock is behind still orders something newer.
    expect(await (await member(SECRET, worker.kept)).engine.limits()).toEqual({ usdPerDay: 5, runs: 1 });
    await operator.engine.setLimits({});
    expect(await worker.engine.limits()).toEqual({});
  });

  test('limits of a version before limit on, and it is said', async () => {
    const { worker, raw } = await scene();
    await raw.setLimits({ runs: 2 });
    expect(await worker.engine.limits()).toEqual({ runs: 2 });
    expect(worker.said.join('\n')).toContain('upgrade operator and worker');
  });

  test('limits of no known shape are none', async () => {
    const { worker, forge } = await scene();
    await forge.limits({
      runs: 'many',
      usdOfRepoPerDay: null,
      runsOfLabel: { gpu: -1, cpu: 2 },
      iterationsPerMinute: 5,
    });
    expect(await worker.engine.limits()).toEqual({ runsOfLabel: { cpu: 2 } });
    await forge.limits('nothing');
    expect(await worker.engine.limits()).toEqual({});
  });

  test('money that was spent is not forgotten, nor counted less', async () => {
    const { operator, worker, forge } = await scene();
    const day = dayOf(Date.now());
    await worker.engine.spend(day, REPO, 2, 'r-1 1');
    await worker.engine.spend(day, REPO, 2, 'r-1 1');
    await worker.engine.spend(day, REPO, 3, 'r-1 2');
    expect((await worker.engine.spent(day)).usd).toBe(5);
    expect((await operator.engine.spent(day)).usd).toBe(5);
    const less = JSON.stringify({ repo: REPO, usd: 0, seal: 'f'.repeat(64) });
    await forge.nothingSpent(day);
    await forge.kept(`spent:${day}`, 'r-1', less);
    expect((await worker.engine.spent(day)).usd).toBe(5);
    // An entry that somebody made beforehand keeps none from being counted.
    await forge.kept(`spent:${day}`, 'r-2', less);
    await worker.engine.spend(day, REPO, 4, 'r-2 1');
    expect((await (await scene()).worker.engine.spent(day)).usd).toBe(0);
    expect((await operator.engine.spent(day)).usd).toBe(9);
  });

  test('the pause and draining: orders with a seal, of this worker alone', async () => {
    const { operator, worker, forge, raw } = await scene();
    const view = aWorker('w');
    const look = () => worker.engine.beat(view, []);
    expect(await look()).toMatchObject({ drain: false, paused: false });
    await raw.drain('w', true);
    expect(await look()).toMatchObject({ drain: false });
    expect(worker.said.join('\n')).toContain('that worker w drains');
    await operator.engine.drain('w', true);
    expect(await look()).toMatchObject({ drain: true });
    const { 'drain w': order } = await raw.kept('orders');
    await operator.engine.drain('w', false);
    expect(await look()).toMatchObject({ drain: false });
    await forge.kept('orders', 'drain w', order);
    expect(await look()).toMatchObject({ drain: false });
    // The same order is not for the worker that is started after it.
    await operator.engine.drain('w', true);
    expect(await worker.engine.beat({ ...view, startedAt: Date.now() }, [])).toMatchObject({ drain: false });
    await operator.engine.pause(true);
    expect(await look()).toMatchObject({ paused: true });
    await raw.pause(false);
    await forge.kept('orders', 'pause', undefined);
    expect(await look()).toMatchObject({ paused: true });
    expect(await operator.engine.isPaused()).toBe(true);
    await operator.engine.pause(false);
    expect(await look()).toMatchObject({ paused: false });
  });

  test('what is told of a run counts with the seal alone: its result, its news, why it waits, where it is from', async () => {
    const { operator, worker, forge, raw } = await scene();
    for (const run of ['r-1', 'r-2', 'r-3']) await operator.engine.add(sealedJob(run));
    // Without the secret, jobs can be moved and their fields changed.
    const held = await taken(raw);
    await raw.complete(held, { ...RESULT, status: 'verified_done' });
    expect(await operator.engine.job(held.run)).toMatchObject({ state: 'ended', repo: REPO });
    expect((await operator.engine.job(held.run))?.result).toBeUndefined();
    const second = await taken(worker.engine);
    await worker.engine.tell(second.run, news, []);
    expect((await operator.engine.job(second.run))?.news).toEqual(news);
    await forge.news(second.run, { ...news, doing: 'asks: run this' });
    expect((await operator.engine.job(second.run))?.news).toBeUndefined();
    await forge.news(second.run, 'nothing');
    expect(await operator.engine.job(second.run)).toMatchObject({ state: 'active' });
    await worker.engine.complete(second, RESULT);
    expect((await operator.engine.job(second.run))?.result).toEqual(RESULT);
    const third = await taken(worker.engine);
    await worker.engine.giveBack(third, { afterMs: 60_000, why: 'its agent asks: which colour?' });
    expect((await operator.engine.job(third.run))?.why).toBe('its agent asks: which colour?');
    await raw.add({ ...sealedJob('r-4'), spec: 'no seal', repo: 'https://elsewhere.example/x' });
    expect(await operator.engine.job('r-4')).toMatchObject({ isStranger: true });
  });

  test('workers that have no seal are named so, and what is no worker is not listed', async () => {
    const { operator, worker, forge } = await scene();
    await worker.engine.beat(aWorker('w'), []);
    await forge.worker('x', aWorker('x'));
    await forge.worker('y', { name: 'y', runs: 5 });
    expect(await operator.engine.workers()).toMatchObject([
      { name: 'w' },
      { name: 'x', note: expect.stringContaining('does not have the seal') },
    ]);
  });

  test('a machine without the secret asks nothing', async () => {
    const { member } = await scene();
    const { engine } = await member('');
    await expect(engine.command('r-1', asked('c'))).rejects.toThrow('untildone fleet secret --show');
    await expect(engine.setLimits({})).rejects.toThrow('does not have the secret');
  });

  test('iterations of a minute that the store forgot are not begun anew', async () => {
    const { worker, raw } = await scene();
    expect(await worker.engine.countIteration('m', 2)).toBe(0);
    expect(await worker.engine.countIteration('m', 2)).toBe(0);
    expect(await raw.countIteration('m', 3)).toBeGreaterThanOrEqual(0);
    expect(await worker.engine.countIteration('m', 9)).toBeGreaterThanOrEqual(0);
    expect(await worker.engine.countIteration('m', 2)).toBeGreaterThan(0);
  });
});
