import { describe, expect, test } from 'vitest';
import type { GateSpec } from '../../../src/engine/core/contract/contract.ts';
import { failureFingerprint } from '../../../src/engine/core/loop/count-stop.ts';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';
import { failuresOf } from '../../../src/engine/core/words/reason.ts';
import type { Judgement } from '../../../src/engine/gates/gate.ts';
import { judge } from '../../../src/engine/judging/judge.ts';
import type { JudgingRequest } from '../../../src/engine/ports/judging.ts';
import {
  all,
  any,
  contractWith,
  FAIL,
  fakeJudges,
  memoryCache,
  PASS,
  run,
  type Says,
  workOn,
} from '../../support/hook/judging.ts';

const STOP = { name: 'Stop', session: 's' } as JudgingRequest['event'];
const seen = (verdicts: readonly Verdict[]) => Object.fromEntries(verdicts.map((v) => [v.gate, v.outcome]));

async function judged(
  gates: Record<string, GateSpec>,
  says: Record<string, Says> = {},
  { done, ...work }: Partial<JudgingRequest> & { done?: string[] } = {},
) {
  const judges = fakeJudges(says);
  const { verdicts } = await judge(
    workOn(contractWith(gates, done ? { done } : {}), { event: STOP, ...work }),
    judges,
  );
  return { verdicts, judged: judges.judged };
}

describe('after', () => {
  const behind = (...names: string[]) => run('x', { after: names });

  test('a gate is judged when the gates before it pass', async () => {
    const { verdicts, judged: order } = await judged({
      e2e: behind('tests', 'lint'),
      tests: run(),
      lint: run(),
    });
    expect(order).toEqual(['tests', 'lint', 'e2e']);
    expect(seen(verdicts)).toEqual({ e2e: 'pass', tests: 'pass', lint: 'pass' });
  });

  test('while one of them fails it is not judged, and says what it waits for', async () => {
    const { verdicts, judged: order } = await judged(
      { lint: run(), tests: run(), e2e: behind('tests', 'lint') },
      { lint: FAIL },
    );
    expect(order).toEqual(['lint', 'tests']);
    expect(verdicts[2]).toMatchObject({
      outcome: 'unproven',
      waits: true,
      summary: 'it is judged when lint passes',
    });
  });

  test.each<[string, Judgement, GateSpec, boolean]>([
    ['unproven', { outcome: 'unproven', summary: 'x' }, run(), false],
    [
      'unproven, and that is allowed',
      { outcome: 'unproven', summary: 'x' },
      run('x', { onUnproven: 'allow' }),
      true,
    ],
    ['skipped', { outcome: 'skip', summary: 'x' }, run(), true],
  ])('a gate before it is %s', async (_, says, lint, isJudged) => {
    const { judged: order } = await judged({ lint, tests: behind('lint') }, { lint: says });
    expect(order.includes('tests')).toBe(isJudged);
  });

  test('over several steps', async () => {
    const gates = { c: behind('b'), b: behind('a'), a: run(), d: behind('c') };
    expect((await judged(gates)).judged).toEqual(['a', 'b', 'c', 'd']);
    const broken = await judged(gates, { b: FAIL });
    expect(broken.judged).toEqual(['a', 'b']);
    expect(seen(broken.verdicts)).toEqual({ a: 'pass', b: 'fail', c: 'unproven', d: 'unproven' });
  });

  test('a combination waits with all of its parts, and can be waited for', async () => {
    const gates = {
      lint: run(),
      ready: { ...all('tests', 'types'), after: ['lint'] },
      tests: run(),
      types: run(),
      e2e: behind('ready'),
    };
    const whole = await judged(gates, {}, { done: ['lint', 'ready', 'e2e'] });
    expect(whole.judged).toEqual(['lint', 'tests', 'types', 'e2e']);
    const broken = await judged(gates, { lint: FAIL }, { done: ['lint', 'ready', 'e2e'] });
    expect(broken.judged).toEqual(['lint']);
    expect(seen(broken.verdicts)).toEqual({ lint: 'fail', ready: 'unproven', e2e: 'unproven' });
  });

  test('a gate that stands in another list, too, does not wait there', async () => {
    const gates = { lint: run(), ready: { ...all('tests'), after: ['lint'] }, tests: run() };
    expect((await judged(gates, { lint: FAIL })).judged).toContain('tests');
  });

  test('a gate that is not part of this judging holds nobody up', async () => {
    expect(
      (await judged({ lint: run(), tests: behind('lint') }, { lint: FAIL }, { done: ['tests'] })).judged,
    ).toEqual(['tests']);
  });

  test('a damaged contract with a circle ends, and proves nothing', async () => {
    const { verdicts } = await judged({ a: behind('b'), b: behind('a') });
    expect(seen(verdicts)).toEqual({ a: 'unproven', b: 'unproven' });
  });

  test('what waits holds the loop, whatever the contract says of unproven', async () => {
    const gates = {
      some: any('lint', 'other'),
      lint: run(),
      other: run(),
      tests: run('x', { after: ['lint'], onUnproven: 'allow' }),
    };
    const { verdicts } = await judged(gates, { lint: FAIL }, { done: ['some', 'tests'] });
    expect(seen(verdicts)).toEqual({ some: 'pass', tests: 'unproven' });
    expect(verdicts[1]?.onUnproven).toBeUndefined();
  });

  test('what waits is no failure of its own: the same failure before it stays the same', async () => {
    const { verdicts } = await judged({ lint: run(), tests: behind('lint') }, { lint: FAIL });
    expect(failureFingerprint(verdicts)).toBe(failureFingerprint(verdicts.slice(0, 1)));
    expect(failureFingerprint(verdicts.slice(1))).toBeDefined();
    expect(failuresOf(verdicts)).toContain('Not judged yet: tests - it is judged when lint passes');
  });
});

describe('a quick form', () => {
  const quick = (more: Partial<GateSpec<'run'>> = {}): GateSpec => ({
    kind: 'run',
    options: { command: 'npm test', quick: 'npm run quick' },
    ...more,
  });
  /** What runs, as the gates see it. */
  function forms(outcomes: Record<string, Judgement> = {}) {
    const ran: string[] = [];
    const judges = fakeJudges();
    const runGate = judges.gates.run;
    if (runGate && !runGate.instant)
      runGate.judge = (options, context) => {
        judges.judged.push(context.name);
        ran.push(options.command);
        return outcomes[options.command] ?? PASS;
      };
    return { ran, judges };
  }
  const work = (gates: Record<string, GateSpec>, more: Partial<JudgingRequest> = {}) =>
    workOn(contractWith(gates), { event: STOP, ...more });

  test('is run first, and the whole command when everything else passes', async () => {
    const { ran, judges } = forms();
    const { verdicts } = await judge(work({ tests: quick(), lint: run('lint') }), judges);
    expect(ran).toEqual(['npm run quick', 'lint', 'npm test']);
    expect(seen(verdicts)).toEqual({ tests: 'pass', lint: 'pass' });
  });

  test('while another gate fails, the whole command is not run, and that is no pass', async () => {
    const { ran, judges } = forms({ lint: FAIL });
    const { verdicts } = await judge(
      work({ tests: quick({ onUnproven: 'allow' }), lint: run('lint') }),
      judges,
    );
    expect(ran).toEqual(['npm run quick', 'lint']);
    expect(verdicts[0]).toMatchObject({ outcome: 'unproven', waits: true });
    expect(verdicts[0]?.onUnproven).toBeUndefined();
    expect(verdicts[0]?.summary).toBe(
      '`npm run quick` passes, and the whole command is run when all other gates pass',
    );
  });

  test('when it fails, the gate fails', async () => {
    const { ran, judges } = forms({ 'npm run quick': FAIL });
    const { verdicts } = await judge(work({ tests: quick() }), judges);
    expect([ran, seen(verdicts)]).toEqual([['npm run quick'], { tests: 'fail' }]);
  });

  test('when the whole command fails, the gate fails', async () => {
    const { judges } = forms({ 'npm test': FAIL });
    expect(seen((await judge(work({ tests: quick() }), judges)).verdicts)).toEqual({ tests: 'fail' });
  });

  test('is not run for a baseline or for verify, which have no event', async () => {
    const { ran, judges } = forms();
    await judge(workOn(contractWith({ tests: quick() }), {}), judges);
    expect(ran).toEqual(['npm test']);
  });

  test('a pass of the whole command is used again; a pass of the quick one is none', async () => {
    const cache = memoryCache();
    const failing = forms({ lint: FAIL });
    await judge(work({ tests: quick(), lint: run('lint') }, { cache }), failing.judges);
    const first = forms();
    await judge(work({ tests: quick() }, { cache }), first.judges);
    expect(first.ran).toEqual(['npm run quick', 'npm test']);
    const second = forms();
    await judge(work({ tests: quick() }, { cache }), second.judges);
    expect(second.ran).toEqual([]);
  });

  test('a model is asked after the whole command', async () => {
    const { judges } = forms();
    const model: GateSpec = { kind: 'judge', options: { question: 'good?' } };
    await judge(work({ review: model, tests: quick() }), judges);
    expect(judges.judged).toEqual(['tests', 'tests', 'review']);
  });

  test('a gate after it waits for the whole command', async () => {
    const { ran, judges } = forms({ 'npm test': FAIL });
    const { verdicts } = await judge(work({ tests: quick(), e2e: run('e2e', { after: ['tests'] }) }), judges);
    expect(ran).toEqual(['npm run quick', 'npm test']);
    expect(seen(verdicts)).toEqual({ tests: 'fail', e2e: 'unproven' });
  });

  test('is run once, however many passes in a row are asked for', async () => {
    const { ran, judges } = forms();
    await judge(work({ tests: quick({ repeat: 3 }) }), judges);
    expect(ran).toEqual(['npm run quick', 'npm test', 'npm test', 'npm test']);
  });
});

describe('repeat', () => {
  test('so many passes in a row', async () => {
    const { verdicts, judged: order } = await judged({ tests: run('x', { repeat: 3 }) });
    expect(order).toHaveLength(3);
    expect(verdicts[0]).toMatchObject({ outcome: 'pass', proof: { repeats: 3 } });
    expect(verdicts[0]?.summary).toContain('3 times in a row');
  });

  test('the first failure ends it, and is called flaky', async () => {
    let time = 0;
    const { verdicts } = await judged(
      { tests: run('x', { repeat: 5 }) },
      { tests: () => (++time === 3 ? FAIL : PASS) },
    );
    expect(time).toBe(3);
    expect(verdicts[0]).toMatchObject({ outcome: 'fail', flaky: true });
    expect(verdicts[0]?.summary).toContain('(flaky: it passed 2 times before on the same files)');
  });

  test('a failure at once is only a failure', async () => {
    const { verdicts, judged: order } = await judged({ tests: run('x', { repeat: 5 }) }, { tests: FAIL });
    expect(order).toHaveLength(1);
    expect(verdicts[0]?.flaky).toBeUndefined();
  });
});
