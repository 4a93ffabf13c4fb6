import { describe, expect, test } from 'vitest';
import type { SessionFacts } from '../../../../src/engine/core/run/session-end.ts';
import { contractWith, FAIL, PASS, run, type Says } from '../../../support/hook/judging.ts';
import { done } from '../../../support/hook/session-facts.ts';
import { type RunScene, runScene, type Session } from '../../../support/run/run-scene.ts';

const failed = (status: number): SessionFacts => ({
  result: { ...done().result, isError: true, terminalReason: 'api_error', apiErrorStatus: status } as never,
});

/** Passes from its n-th judging on. */
function passesFrom(n: number): Says {
  let asked = 0;
  return () => (++asked >= n ? PASS : { ...FAIL, fingerprint: `failure ${asked}` });
}

describe('a run', () => {
  test('goes on inside one session until the gates pass', async () => {
    const made: RunScene = runScene({ tests: passesFrom(6) });
    expect(await made.go((client) => client.stopUntilFree('try').then(() => undefined))).toBe(
      'verified_done',
    );
    expect(made.began).toHaveLength(1);
    expect(made.began[0]?.prompt).toContain('Build it');
  });
  test('hands over with a note, and the fresh session is told everything', async () => {
    const made: RunScene = runScene({ tests: FAIL }, { freshEvery: 1 });
    const status = await made.go(
      async ({ stop }) => {
        expect(await stop('working')).toMatchObject({
          kind: 'refuse',
          reason: expect.stringContaining('hand-over note'),
        });
        expect(await stop('The parser is done, the printer is not.')).toMatchObject({ kind: 'halt' });
        return undefined;
      },
      async ({ stop, prompt }) => {
        expect(prompt).toContain('Build it');
        expect(prompt).toContain('The parser is done, the printer is not.');
        made.scene.judges.gates.run = { ...made.scene.judges.gates.run, judge: () => PASS } as never;
        made.scene.judges.tree = 'another tree';
        await stop('done');
        return undefined;
      },
    );
    expect(status).toBe('verified_done');
    expect(made.began).toMatchObject([
      { session: 'first', resume: false, prepared: false },
      { resume: false, prepared: true },
    ]);
    expect(made.scene.store.read(made.ref)).toMatchObject({ iteration: 2, run: { sessions: 2 } });
  });
  test('in fresh mode every iteration is a session, started ahead', async () => {
    const made: RunScene = runScene({ tests: passesFrom(3) }, { mode: 'fresh' });
    const once: Session = async ({ stop, plan }) => void (await stop(`did something in ${plan.session}`));
    expect(await made.go(once, once, once)).toBe('verified_done');
    expect(made.began.map((b) => b.prepared)).toEqual([false, true, true]);
    expect(new Set(made.began.map((b) => b.session)).size).toBe(3);
  });
  test('judges for itself when no hook was called, and goes on in the same session with what fails', async () => {
    const made: RunScene = runScene({ tests: passesFrom(2) });
    expect(
      await made.go(
        () => done({ text: 'all done!' }),
        () => {
          made.scene.judges.tree = 'mended';
          return done({ text: 'now it is' });
        },
      ),
    ).toBe('verified_done');
    expect(made.began).toMatchObject([{ resume: false }, { session: 'first', resume: true }]);
    expect(made.began[1]?.prompt).toContain('Fails: tests');
  });
  test('waits out a limit, spends no iteration, and goes on in the same session', async () => {
    const made: RunScene = runScene({ tests: PASS });
    made.scene.judges.tree = 'worked on';
    const limited: SessionFacts = {
      ...failed(429),
      rateLimit: { resetsAt: made.scene.now + 3_600_000, text: 'limit' },
    };
    expect(
      await made.go(
        () => limited,
        async ({ stop }) => void (await stop('done')),
      ),
    ).toBe('verified_done');
    expect(made.waited.reduce((sum, ms) => sum + ms)).toBe(3_600_000);
    expect(made.began[1]).toMatchObject({ session: 'first', resume: true });
    expect(made.scene.store.read(made.ref).iteration).toBe(1);
  });
  test('tries again after errors of the API, each time later, and fails by name in the end', async () => {
    const made = runScene({ tests: FAIL });
    const broken: Session = () => failed(500);
    expect(await made.go(...Array(9).fill(broken))).toBe('failed');
    expect(made.began).toHaveLength(6);
    const waits = made.events.flatMap((event) =>
      event.type === 'waiting' && event.until !== undefined ? [event.until] : [],
    );
    const gaps = waits.map((until, i) => until - (waits[i - 1] ?? waits[0] ?? 0));
    expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
  });
  test.each(['pause', 'cancel'] as const)('a %s is heard while a limit is waited out', async (command) => {
    const made: RunScene = runScene({ tests: FAIL });
    const resetsAt = made.scene.now + 5 * 3_600_000;
    made.onWait = () => void made.scene.store.append(made.ref, () => ({ kind: 'command', command }));
    const status = await made.go(() => ({ ...failed(429), rateLimit: { resetsAt, text: 'limit' } }));
    expect(status).toBe(command === 'pause' ? 'paused' : 'cancelled');
    expect(made.scene.now).toBeLessThan(resetsAt);
  });
  test('a login that does not work ends it at once', async () => {
    const made = runScene({ tests: FAIL });
    expect(await made.go(() => failed(401))).toBe('failed');
    expect(made.scene.store.read(made.ref).ending?.cause).toBe('auth');
  });
  test('never begins a session for which there is no money left', async () => {
    const contract = contractWith({ tests: run('npm test') });
    contract.limits = { ...contract.limits, costUsd: 1 };
    const made: RunScene = runScene({ tests: passesFrom(99) }, { mode: 'fresh', contract });
    const spends: Session = async ({ stop }) => {
      await stop('spent');
      return done({ costTotalUsd: 0.6 });
    };
    expect(await made.go(spends, spends, spends)).toBe('reached_limit');
    expect(made.began).toHaveLength(2);
    expect(made.events).toContainEqual({ type: 'warning', text: expect.stringContaining('cost') });
  });
  test('an interruption lets the step finish and pauses', async () => {
    const made: RunScene = runScene({ tests: FAIL });
    const status = await made.go(async ({ stop }) => {
      made.interrupt.asked = true;
      expect(await stop('in the middle')).toMatchObject({ kind: 'halt' });
      return undefined;
    });
    expect(status).toBe('paused');
  });
  test('an interruption in the middle of a turn is heard before the next tool call', async () => {
    const made: RunScene = runScene({ tests: FAIL });
    const status = await made.go(async ({ call }) => {
      expect(await call()).toEqual({ kind: 'silence' });
      made.interrupt.asked = true;
      expect(await call()).toMatchObject({ kind: 'halt' });
      return undefined;
    });
    expect(status).toBe('paused');
  });
  test('a turn that never stops is ended when the tokens are used up', async () => {
    const contract = contractWith({ tests: run('npm test') });
    contract.limits = { ...contract.limits, tokens: 5 };
    const made = runScene({ tests: FAIL }, { contract });
    const status = await made.go(async ({ call }) => {
      expect(await call()).toMatchObject({ kind: 'halt', message: expect.stringContaining('tokens') });
      return done({ terminalReason: 'hook_stopped', tokensTotal: 20 });
    });
    expect(status).toBe('reached_limit');
    expect(made.scene.store.read(made.ref).ending?.cause).toBe('tokens');
  });
  test('a session that is cut off again and again says nothing, which is not silence of the agent', async () => {
    const made = runScene({ tests: passesFrom(6) });
    const cut: Session = () => ({ cutBy: 'deadline' });
    made.scene.judges.tree = 'a tree';
    let n = 0;
    const works: Session = (client) => {
      made.scene.judges.tree = `tree ${++n}`;
      return cut(client);
    };
    expect(await made.go(...Array(8).fill(works))).toBe('verified_done');
  });
  test('what was open when the driver died is closed, and the session goes on', async () => {
    const made = runScene({ tests: PASS });
    made.scene.judges.tree = 'worked on';
    const { store } = made.scene;
    store.append(made.ref, () => ({ kind: 'intent', session: 'first', resume: false, why: 'first' }));
    expect(await made.go(async ({ stop }) => void (await stop('done')))).toBe('verified_done');
    expect(made.began).toMatchObject([{ session: 'first', resume: true }]);
  });
  test('what a session spent whose driver died counts before another one is begun', async () => {
    const contract = contractWith({ tests: run('npm test') });
    contract.limits = { ...contract.limits, costUsd: 3 };
    const made = runScene({ tests: FAIL }, { contract });
    const { store, ports } = made.scene;
    store.append(made.ref, () => ({ kind: 'intent', session: 'first', resume: false, why: 'first' }));
    ports.transcripts.usage = () => ({ offset: 9, tokens: 700, totalCostUsd: 3.1, skippedBytes: 0 });
    expect(await made.go()).toBe('reached_limit');
    expect(store.read(made.ref)).toMatchObject({
      spent: { tokens: 700, costUsd: 3.1 },
      ending: { cause: 'cost' },
    });
  });
});
