import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Contract } from '../../../../src/engine/core/contract/contract.ts';
import type { SessionFacts } from '../../../../src/engine/core/run/session-end.ts';
import { contractWith, FAIL, run } from '../../../support/hook/judging.ts';
import { done } from '../../../support/hook/session-facts.ts';
import { rounds } from '../../../support/long.ts';
import { type RunScene, runScene, type Session } from '../../../support/run/run-scene.ts';

function limited(limits: Partial<Contract['limits']>): Contract {
  const contract = contractWith({ tests: run('npm test') });
  contract.limits = { ...contract.limits, stall: 99, stallChanging: 99, iterations: 500, ...limits };
  return contract;
}

/** How a session goes: what its steps cost, and how it ends if its money lasts. */
interface Played {
  steps: number[];
  ends: 'hand_over' | 'completed' | 'limit' | 'error';
}

const ENDS: Record<Exclude<Played['ends'], 'hand_over'>, Partial<NonNullable<SessionFacts['result']>>> = {
  completed: {},
  limit: { isError: true, terminalReason: 'api_error', apiErrorStatus: 429 },
  error: { isError: true, terminalReason: 'api_error', apiErrorStatus: 500 },
};

/** What each session was given, and what was left at that moment. */
async function spend(limit: number, played: readonly Played[], mode: 'hybrid' | 'fresh') {
  const contract = limited({ costUsd: limit });
  const made: RunScene = runScene({ tests: FAIL }, { mode, freshEvery: 1, contract });
  const totals = new Map<string, number>();
  const given: { budget: number; left: number }[] = [];
  let spent = 0;
  let overshoot = 0;
  const session =
    ({ steps, ends }: Played): Session =>
    async ({ plan, stop }) => {
      const budget = plan.maxCostUsd ?? Number.POSITIVE_INFINITY;
      given.push({ budget, left: limit - spent });
      let own = 0;
      const bill = () => ({ costTotalUsd: totals.get(plan.session) ?? 0, tokensTotal: 0 });
      // As Claude Code does, it looks at the budget after each request.
      for (const step of steps) {
        own += step;
        spent += step;
        overshoot = Math.max(0, spent - limit);
        totals.set(plan.session, (totals.get(plan.session) ?? 0) + step);
        if (own > budget) return done({ ...bill(), isError: true, terminalReason: 'budget_exhausted' });
      }
      if (ends !== 'hand_over') return done({ ...bill(), ...ENDS[ends] });
      await stop(`working, ${given.length}`);
      await stop(`the note, ${given.length}`);
      return done({ ...bill(), terminalReason: 'stop_hook_prevented' });
    };
  const more: Session[] = Array.from({ length: 300 }, () => session({ steps: [0.3], ends: 'hand_over' }));
  const status = await made.go(...played.map(session), ...more);
  return { given, overshoot, status, made };
}

const step = fc.integer({ min: 1, max: 100 }).map((cents) => cents / 100);
const anyPlayed: fc.Arbitrary<Played> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  ends: fc.constantFrom('hand_over', 'completed', 'limit', 'error'),
});

describe('the money of a run', () => {
  test('a session that was started ahead gets what is left when it begins to work', async () => {
    const { given, overshoot, made } = await spend(
      1.5,
      [
        { steps: [0.99], ends: 'hand_over' },
        { steps: [0.5, 0.5, 0.5], ends: 'completed' },
      ],
      'hybrid',
    );
    expect(given[1]?.budget).toBeCloseTo(0.51);
    expect(overshoot).toBeLessThanOrEqual(0.5);
    expect(made.began[1]?.prepared).toBe(true);
  });

  test.each(['hybrid', 'fresh'] as const)(
    'no session gets more than what is left, and all of them together spend at most one step too much (%s)',
    async (mode) => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 20, max: 300 }),
          fc.array(anyPlayed, { maxLength: 8 }),
          async (cents, played) => {
            const { given, overshoot, status } = await spend(cents / 100, played, mode);
            for (const { budget, left } of given) expect(budget).toBeLessThanOrEqual(left + 1e-9);
            const most = Math.max(0.3, ...played.flatMap(({ steps }) => steps));
            expect(overshoot).toBeLessThanOrEqual(most + 1e-9);
            expect(['reached_limit', 'failed']).toContain(status);
          },
        ),
        { numRuns: rounds(20) },
      );
    },
  );

  test('without a limit of money the next session is ready before this one has ended', async () => {
    const made = runScene(
      { tests: FAIL },
      { freshEvery: 1, contract: limited({ costUsd: 'unlimited', iterations: 2 }) },
    );
    const handsOver: Session = async ({ stop }) => {
      await stop('working');
      await stop('the note');
      return done({ terminalReason: 'stop_hook_prevented' });
    };
    await made.go(handsOver, handsOver, handsOver);
    expect(made.began.map(({ prepared, budget }) => ({ prepared, budget }))).toEqual([
      { prepared: false, budget: undefined },
      { prepared: true, budget: undefined },
    ]);
  });
});

describe('the tokens of a run', () => {
  const STEP = 6_000;

  test.each([undefined, 'a1'])(
    'are used up at most one step late, however late the transcript is written (subagent: %s)',
    async (agent) => {
      const made = runScene({ tests: FAIL }, { contract: limited({ tokens: 20_000 }) });
      made.scene.ports.transcripts.usage = () => ({ offset: 0, tokens: 0, skippedBytes: 0 });
      let steps = 0;
      const status = await made.go(async ({ call, used }) => {
        do used({ tokens: ++steps * STEP });
        while ((await call(agent)).kind !== 'halt' && steps < 20);
        return done({ terminalReason: 'hook_stopped', tokensTotal: steps * STEP });
      });
      expect({ status, steps }).toEqual({ status: 'reached_limit', steps: 4 });
    },
  );

  test('end a session at its Stop, too', async () => {
    const made = runScene({ tests: FAIL }, { contract: limited({ tokens: 10_000 }) });
    const status = await made.go(async ({ stop, used }) => {
      used({ tokens: 4_000 });
      expect(await stop('one')).toMatchObject({ kind: 'refuse' });
      used({ tokens: 12_000 });
      expect(await stop('two')).toMatchObject({ kind: 'halt', message: expect.stringContaining('tokens') });
      return done({ terminalReason: 'stop_hook_prevented', tokensTotal: 12_000 });
    });
    expect(status).toBe('reached_limit');
    expect(made.scene.store.read(made.ref).spent.tokens).toBe(12_000);
  });

  test('of a session that goes on are counted from where it was left', async () => {
    const made = runScene({ tests: FAIL }, { contract: limited({ tokens: 10_000 }) });
    const status = await made.go(
      () => done({ isError: true, terminalReason: 'api_error', apiErrorStatus: 429, tokensTotal: 7_000 }),
      async ({ call, used }) => {
        used({ tokens: 2_000 });
        expect(await call()).toEqual({ kind: 'silence' });
        used({ tokens: 4_000 });
        expect(await call()).toMatchObject({ kind: 'halt' });
        return done({ terminalReason: 'hook_stopped', tokensTotal: 11_000 });
      },
    );
    expect(status).toBe('reached_limit');
  });

  test('of a client that was killed count as far as it reported them', async () => {
    const made = runScene({ tests: FAIL }, { contract: limited({ tokens: 10_000 }) });
    const status = await made.go(async ({ used }) => {
      used({ tokens: 11_000 });
      return { crash: 'killed' };
    });
    expect(status).toBe('reached_limit');
    expect(made.scene.store.read(made.ref).spent.tokens).toBe(11_000);
  });
});

describe('what a run has spent', () => {
  test('is known at every Stop of an open session, and begins anew with the next', async () => {
    const made = runScene({ tests: FAIL }, { contract: limited({ costUsd: 'unlimited', iterations: 6 }) });
    const soFar = (costTotalUsd: number) => ({ costTotalUsd, tokensTotal: costTotalUsd * 1_000 });
    await made.go(
      async ({ stop, used }) => {
        for (const usd of [1, 2, 3]) {
          used({ tokens: usd * 1_000, soFar: soFar(usd) });
          await stop(`${usd}`);
        }
        return done({ isError: true, terminalReason: 'prompt_too_long', ...soFar(3) });
      },
      async ({ stop, used }) => {
        used({ tokens: 500, soFar: soFar(0.5) });
        // A message that comes late says nothing of the totals.
        used({ tokens: 600 });
        await stop('4');
        // Claude Code does not tell: its tokens have the price of those before.
        used({ tokens: 1_500, soFar: null });
        await stop('5');
        return done({ terminalReason: 'stop_hook_prevented', ...soFar(2) });
      },
    );
    expect(made.spent.slice(0, 5).map((usd) => Math.round(usd * 1e6) / 1e6)).toEqual([1, 2, 3, 3.5, 4.5]);
    expect(made.began.every(({ prepared }) => !prepared)).toBe(true);
  });

  test.each([
    ['the limit of the run, where it is less', 2, 5, 2],
    ['what others leave, where that is less', 8, 5, 5],
    ['what others leave to a run without a limit', 'unlimited', 5, 5],
  ] as const)('%s, is what a session may spend', async (_, costUsd, leftUsd, budget) => {
    const made = runScene({ tests: FAIL }, { contract: limited({ costUsd, iterations: 1 }) });
    made.leftUsd = leftUsd;
    await made.go(() => done({ isError: true, terminalReason: 'budget_exhausted', costTotalUsd: 0.1 }));
    expect(made.began).toMatchObject([{ budget }]);
  });

  test('of what others leave, at most: then its work is judged, and the session goes on with what is left', async () => {
    const made = runScene({ tests: FAIL }, { contract: limited({ costUsd: 'unlimited', iterations: 2 }) });
    made.leftUsd = 5;
    await made.go(
      () => {
        made.leftUsd = 3;
        return done({ isError: true, terminalReason: 'budget_exhausted', costTotalUsd: 5 });
      },
      () => done({ costTotalUsd: 6 }),
    );
    expect(made.began).toMatchObject([
      { resume: false, budget: 5 },
      { resume: true, budget: 3 },
    ]);
    expect(made.spent).toEqual([5, 6]);
  });
});
