import { afterEach, describe, expect, test, vi } from 'vitest';
import type { GateSpec } from '../../../src/engine/core/contract/contract.ts';
import { callsFor } from '../../../src/engine/core/loop/plan-gates.ts';
import { sumUp, type Took } from '../../../src/engine/core/loop/verdict.ts';
import type { Judgement } from '../../../src/engine/gates/gate.ts';
import { type Evaluation, evaluateGates } from '../../../src/engine/judging/evaluate-gates.ts';
import { verdict } from '../../support/core/samples.ts';
import { gateContext } from '../../support/gates/context.ts';
import {
  all,
  any,
  barrier,
  contractWith,
  FAIL,
  fakeJudges,
  hangs,
  PASS,
  run,
  type Says,
} from '../../support/hook/judging.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

afterEach(() => void vi.useRealTimers());

interface Given {
  says?: Record<string, Says>;
  done?: string[];
  more?: Partial<Evaluation>;
}

async function evaluate(gates: Record<string, GateSpec>, { says = {}, done, more = {} }: Given = {}) {
  const judges = fakeJudges(says);
  const verdicts = await evaluateGates(callsFor(done ?? Object.keys(gates), contractWith(gates)), {
    gates: judges.gates,
    contextFor: (name) => gateContext({ name }),
    knownVerdict: () => undefined,
    over: new AbortController().signal,
    ...more,
  });
  return { verdicts, judged: judges.judged };
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `g${i}`);
const gatesNamed = (list: string[], more: Partial<GateSpec<'run'>> = {}) =>
  Object.fromEntries(list.map((name) => [name, run(name, more)]));

test('it is heard how long each gate took, except for those whose verdict is known', async () => {
  const heard = new Map<string, Took>();
  const more: Partial<Evaluation> = {
    knownVerdict: (name) => (name === 'known' ? verdict('pass') : undefined),
    took: (name, took) => heard.set(name, took),
  };
  const before = Date.now();
  await evaluate(gatesNamed(['known', 'fails', 'throws']), {
    says: { fails: FAIL, throws: () => Promise.reject(new Error('no')) },
    more,
  });
  expect([...heard.keys()].sort()).toEqual(['fails', 'throws']);
  for (const { at, ms } of heard.values()) {
    expect(at).toBeGreaterThanOrEqual(before);
    expect(ms).toBeGreaterThanOrEqual(0);
  }
});

describe('at the same time', () => {
  test('twenty gates are under way together', async () => {
    const twenty = names(20);
    const arrive = barrier(20);
    const says = Object.fromEntries(twenty.map((name) => [name, () => arrive().then(() => PASS)]));
    const { verdicts } = await evaluate(gatesNamed(twenty, { timeoutMs: PATIENCE_MS }), { says });
    expect(verdicts.map((v) => v.outcome)).toEqual(Array(20).fill('pass'));
  });

  test('a hanging gate costs its own time and nothing else', async () => {
    const signals: AbortSignal[] = [];
    const says: Record<string, Says> = {
      slow: (context, signal) => {
        signals.push(signal);
        return hangs(context, signal);
      },
      wrong: FAIL,
    };
    const gates = { slow: run('slow', { timeoutMs: 100 }), quick: run(), wrong: run() };
    const { verdicts } = await evaluate(gates, { says });
    expect(verdicts.map((v) => [v.gate, v.outcome])).toEqual([
      ['slow', 'unproven'],
      ['quick', 'pass'],
      ['wrong', 'fail'],
    ]);
    expect(verdicts[0]?.summary).toBe('no answer within 0.1 s');
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
  });

  test('exclusive gates run alone, after the others, one after the other', async () => {
    let running = 0;
    const seen: [string, number][] = [];
    const noted = (name: string) => async () => {
      running++;
      await Promise.resolve();
      seen.push([name, running]);
      await new Promise(setImmediate);
      running--;
      return PASS;
    };
    const list = ['alone', 'a', 'b', 'also'];
    const gates = {
      alone: run('x', { exclusive: true }),
      a: run(),
      b: run(),
      also: run('y', { exclusive: true }),
    };
    const { verdicts } = await evaluate(gates, {
      says: Object.fromEntries(list.map((name) => [name, noted(name)])),
    });
    expect(seen).toEqual([
      ['a', 2],
      ['b', 2],
      ['alone', 1],
      ['also', 1],
    ]);
    expect(verdicts.map((v) => v.gate)).toEqual(list);
  });

  test('verdicts come in the order of the contract, whoever is ready first', async () => {
    const ready: string[] = [];
    const takes = (name: string, turns: number) => async () => {
      for (let i = 0; i < turns; i++) await new Promise(setImmediate);
      ready.push(name);
      return PASS;
    };
    const says = { a: takes('a', 6), b: takes('b', 3), c: takes('c', 0) };
    const { verdicts } = await evaluate(gatesNamed(['a', 'b', 'c']), { says });
    expect(ready).toEqual(['c', 'b', 'a']);
    expect(verdicts.map((v) => v.gate)).toEqual(['a', 'b', 'c']);
  });
});

describe('gates made of gates', () => {
  const gates = { tests: run(), lint: run(), either: any('tests', 'lint'), ready: all('either', 'lint') };
  test('every child is judged once, however many name it, and keeps its verdict in each', async () => {
    const { verdicts, judged } = await evaluate(gates, {
      says: { lint: FAIL },
      done: ['ready', 'either', 'lint', 'tests'],
    });
    expect(judged.sort()).toEqual(['lint', 'tests']);
    const [ready, either] = verdicts;
    expect(ready).toMatchObject({ outcome: 'fail', kind: 'all', summary: 'open: lint' });
    expect(ready?.children?.[0]).toEqual(either);
    expect(either?.children).toEqual([verdicts[3], verdicts[2]]);
  });
  test('what is unproven in them follows their own rule', async () => {
    const never = any('tests');
    const says: Record<string, Says> = { tests: { outcome: 'unproven', summary: 'not now' } };
    const strict = await evaluate({ tests: run(), never }, { says, done: ['never'] });
    const mild = await evaluate(
      { tests: run(), never: { ...never, onUnproven: 'allow' } },
      { says, done: ['never'] },
    );
    expect(sumUp(strict.verdicts).result).toBe('failing');
    expect(sumUp(mild.verdicts).result).toBe('unproven');
  });
  test('without children there is nothing to judge', async () => {
    const { verdicts } = await evaluate({ empty: all() });
    expect(verdicts).toMatchObject([{ gate: 'empty', outcome: 'skip' }]);
  });
});

describe('what cannot be judged is unproven', () => {
  test.each<[string, Says]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('a gate that %s', async (_, says) => {
    const { verdicts } = await evaluate({ a: run() }, { says: { a: says } });
    expect(verdicts).toMatchObject([{ outcome: 'unproven', summary: 'could not be judged: broken' }]);
  });
  test('a kind that this version does not know, and it is no proof of anything', async () => {
    const gates = { later: { kind: 'telepathy', options: {} } as unknown as GateSpec };
    const { verdicts } = await evaluate(gates);
    expect(verdicts).toMatchObject([
      {
        outcome: 'unproven',
        class: 'claimed',
        summary: 'this version of untildone does not know the kind of gate "telepathy"',
      },
    ]);
  });
  test('what the contract says about that goes with the verdict', async () => {
    const { verdicts } = await evaluate(
      { a: run('x', { onUnproven: 'allow', timeoutMs: 10 }) },
      { says: { a: hangs } },
    );
    expect(verdicts).toMatchObject([{ outcome: 'unproven', onUnproven: 'allow' }]);
  });
  test('an answer that comes too late changes nothing', async () => {
    let answer: (judgement: Judgement) => void = () => {};
    const late = new Promise<Judgement>((resolve) => {
      answer = resolve;
    });
    const { verdicts } = await evaluate({ a: run('x', { timeoutMs: 10 }) }, { says: { a: () => late } });
    answer(PASS);
    await late;
    expect(verdicts).toMatchObject([{ outcome: 'unproven' }]);
  });
});

describe('the time that all have together', () => {
  const OVER = 'no answer within the time that all gates have together';
  test('ends whatever is under way, and nothing begins after it', async () => {
    const over = new AbortController();
    const says: Record<string, Says> = {
      slow: (context, signal) => {
        queueMicrotask(() => over.abort());
        return hangs(context, signal);
      },
    };
    const gates = { quick: run(), slow: run(), alone: run('x', { exclusive: true }) };
    const { verdicts, judged } = await evaluate(gates, { says, more: { over: over.signal } });
    expect(verdicts.map((v) => [v.gate, v.outcome, v.summary])).toEqual([
      ['quick', 'pass', 'passes'],
      ['slow', 'unproven', OVER],
      ['alone', 'unproven', OVER],
    ]);
    expect(judged).toEqual(['quick', 'slow']);
  });
  test('without a time of its own a gate has ten minutes', async () => {
    vi.useFakeTimers();
    const judging = evaluate({ a: run() }, { says: { a: hangs } });
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect((await judging).verdicts[0]?.summary).toBe('no answer within 600 s');
  });
  test('one that waits for others has what it may wait for, and time to look once more', async () => {
    vi.useFakeTimers();
    let ended = false;
    const ci: GateSpec = { kind: 'ci', options: { provider: 'github', waitMs: 30 * 60_000 } };
    const judging = evaluate({ ci }, { says: { ci: hangs } }).finally(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(31 * 60_000);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await judging).verdicts[0]?.summary).toBe('no answer within 1920 s');
  });
  test('a time beyond what a timer can hold is a long time, not none', async () => {
    const gates = { a: run('x', { timeoutMs: 2 ** 33 }) };
    const { verdicts } = await evaluate(gates, {
      says: { a: () => new Promise(setImmediate).then(() => PASS) },
    });
    expect(verdicts[0]?.outcome).toBe('pass');
  });
});

describe('a verdict that stands already', () => {
  test('is taken as it is, and its gate is not judged', async () => {
    const standing = verdict('fail', { gate: 'a', summary: 'changed' });
    const { verdicts, judged } = await evaluate(
      { a: run(), b: run() },
      { more: { knownVerdict: (name) => (name === 'a' ? standing : undefined) } },
    );
    expect(verdicts[0]).toBe(standing);
    expect(judged).toEqual(['b']);
  });
});

describe('what others get to read', () => {
  const judged = async (judgement: Judgement) =>
    (await evaluate({ a: run() }, { says: { a: judgement } })).verdicts[0];
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  test('has no colours, no secrets and one line of summary', async () => {
    const said = await judged({
      outcome: 'fail',
      summary: `\u001b[31mred\u001b[0m\n${secret}`,
      evidence: [`\u001b[1mtoken\u001b[0m ${secret}`],
      next: `use ${secret}`,
    });
    expect(JSON.stringify(said)).not.toContain(secret);
    expect(said?.summary).toMatch(/^red [^\n]+$/);
    expect(said?.evidence?.[0]).toMatch(/^token /);
  });
  test('is bounded, however much a gate says', async () => {
    const long = 'x'.repeat(10_000);
    const said = await judged({
      outcome: 'fail',
      summary: long,
      evidence: Array(500).fill(long),
      next: long,
    });
    expect(said?.summary.length).toBeLessThanOrEqual(300);
    expect(said?.evidence).toHaveLength(40);
    expect(Math.max(...(said?.evidence ?? []).map((line) => line.length))).toBeLessThanOrEqual(400);
    expect(said?.next?.length).toBeLessThanOrEqual(4000);
  });
  test('the same failure has the same fingerprint, whatever the time was', async () => {
    const at = (time: string) => judged({ outcome: 'fail', summary: 'fails', evidence: [`${time} a.ts:1`] });
    expect((await at('2026-01-01T10:00:00Z'))?.fingerprint).toBe(
      (await at('2026-01-02T11:11:11Z'))?.fingerprint,
    );
    expect((await at('x'))?.fingerprint).not.toBe((await at('y'))?.fingerprint);
    expect((await judged({ ...FAIL, fingerprint: 'its own' }))?.fingerprint).toBe('its own');
  });
  test('the class is that of the gate, unless the gate knows better', async () => {
    expect((await judged(PASS))?.class).toBe('measured');
    expect((await judged({ ...PASS, class: 'claimed' }))?.class).toBe('claimed');
  });
});

test('why a gate asks to end the work is kept in one line, without colours and secrets', async () => {
  const letGo = '\u001b[31mthe budget\nis spent\u001b[0m, token ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  const { verdicts } = await evaluate({ a: run(), b: run() }, { says: { a: { ...PASS, letGo } } });
  expect(verdicts[0]?.letGo).toMatch(/^the budget is spent, token /);
  expect(verdicts[0]?.letGo).not.toContain('ghp_abcdefghij');
  expect(verdicts[1]?.letGo).toBeUndefined();
});

describe('a model costs money', () => {
  const review: GateSpec = { kind: 'judge', options: { question: 'Is it good?' } };
  const saved: GateSpec = { kind: 'git', options: { checks: ['committed'] } };

  test('and is asked after everything else passed', async () => {
    const { verdicts, judged } = await evaluate({ review, tests: run('tests'), lint: run('lint') });
    expect(verdicts.map((v) => v.outcome)).toEqual(['pass', 'pass', 'pass']);
    expect(judged).toEqual(['tests', 'lint', 'review']);
  });
  test('and is not asked about work that fails anyway', async () => {
    const { verdicts, judged } = await evaluate({ review, tests: run('tests') }, { says: { tests: FAIL } });
    expect(judged).toEqual(['tests']);
    expect(verdicts[0]).toMatchObject({ outcome: 'unproven', class: 'judged' });
    expect(sumUp(verdicts).result).toBe('failing');
  });
  test('but is asked when it can take the place of what fails', async () => {
    const gates = { tests: run('tests'), review, ready: any('tests', 'review') };
    const { judged } = await evaluate(gates, { says: { tests: FAIL }, done: ['ready'] });
    expect(judged).toEqual(['tests', 'review']);
  });
  test('but is asked before a person is, and before a commit that waits for it', async () => {
    const asks = { ...FAIL, asks: 'Is it good?' };
    const { judged } = await evaluate({ ok: run('ok'), saved, review }, { says: { ok: asks, saved: FAIL } });
    expect(judged).toEqual(['ok', 'saved', 'review']);
  });
  test('and what it said before of the same work counts without asking', async () => {
    const before = verdict('pass', { gate: 'review', class: 'judged' });
    const standing = (name: string) => (name === 'review' ? before : undefined);
    const { verdicts, judged } = await evaluate(
      { review, tests: run('tests') },
      { says: { tests: FAIL }, more: { knownVerdict: standing } },
    );
    expect(judged).toEqual(['tests']);
    expect(verdicts[0]).toEqual(before);
  });
});

describe('a late gate costs many runs', () => {
  const proof: GateSpec = { kind: 'differential', options: { command: 'npm test' } };
  const review: GateSpec = { kind: 'judge', options: { question: 'Is it good?' } };

  test('and is judged after all others, before models are asked', async () => {
    const { judged } = await evaluate({ review, proof, tests: run('tests') });
    expect(judged).toEqual(['tests', 'proof', 'review']);
  });
  test('and says so while another gate fails', async () => {
    const { verdicts, judged } = await evaluate({ proof, tests: run('tests') }, { says: { tests: FAIL } });
    expect(judged).toEqual(['tests']);
    expect(verdicts[0]).toMatchObject({
      outcome: 'unproven',
      summary: 'not measured yet, because another gate does not pass',
    });
  });
  test('and when it fails, no model is asked', async () => {
    const { judged } = await evaluate({ review, proof }, { says: { proof: FAIL } });
    expect(judged).toEqual(['proof']);
  });
  test('but models are asked when only a person can let it pass', async () => {
    const { judged } = await evaluate({ review, proof }, { says: { proof: { ...FAIL, asks: 'Wanted?' } } });
    expect(judged).toEqual(['proof', 'review']);
  });
});
