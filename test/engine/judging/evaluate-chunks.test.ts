import { describe, expect, test } from 'vitest';
import type { GateSpec } from '../../../src/engine/core/contract/contract.ts';
import type { Chunk } from '../../../src/engine/core/contract/gate-options.ts';
import { callsFor, type GateCall } from '../../../src/engine/core/loop/plan-gates.ts';
import { sumUp } from '../../../src/engine/core/loop/verdict.ts';
import type { Judgement } from '../../../src/engine/gates/gate.ts';
import { inBaseline } from '../../../src/engine/hook/start/start-loop.ts';
import { evaluateGates } from '../../../src/engine/judging/evaluate-gates.ts';
import { gateContext } from '../../support/gates/context.ts';
import {
  all,
  barrier,
  contractWith,
  FAIL,
  fakeJudges,
  PASS,
  run,
  type Says,
} from '../../support/hook/judging.ts';

const SKIP: Judgement = { outcome: 'skip', summary: 'does not apply' };
const UNPROVEN: Judgement = { outcome: 'unproven', summary: 'no such tool' };

const chunk = (name: string, gates: string[], after: string[] = []): Chunk => ({
  name,
  instruction: `Do ${name}.`,
  gates,
  after,
});

interface Plan {
  chunks: Chunk[];
  gates?: Record<string, GateSpec>;
  says?: Record<string, Says>;
  done?: string[];
  calls?(calls: GateCall[]): GateCall[];
}

async function evaluate({ chunks, gates = {}, says = {}, done = ['chunks'], calls = (all) => all }: Plan) {
  const judges = fakeJudges(says);
  const named = Object.fromEntries(chunks.flatMap((c) => c.gates).map((name) => [name, run(name)]));
  const contract = contractWith({ ...named, ...gates, chunks: { kind: 'chunks', options: { chunks } } });
  const verdicts = await evaluateGates(calls(callsFor(done, contract)), {
    gates: judges.gates,
    contextFor: (name) => gateContext({ name }),
    knownVerdict: () => undefined,
    over: new AbortController().signal,
  });
  const plan = verdicts.find((v) => v.gate === 'chunks');
  if (!plan) throw new Error('the plan was not judged');
  const parts = Object.fromEntries((plan.children ?? []).map((v) => [v.gate, v.outcome]));
  return { plan, parts, verdicts, judged: judges.judged };
}

const ROW = [chunk('model', ['m']), chunk('store', ['s'], ['model']), chunk('page', ['p'], ['store'])];

describe('the order of chunks', () => {
  test('nothing is judged of what comes after one that fails', async () => {
    const { plan, parts, judged } = await evaluate({ chunks: ROW, says: { m: FAIL } });
    expect(judged).toEqual(['m']);
    expect(parts).toEqual({ model: 'fail', store: 'skip', page: 'skip' });
    expect(plan.next).toContain('chunk 1 of 3, "model": Do model.');
    expect(plan.next).toContain('After it: store, page.');
  });
  test('what passes makes the next one due, in one and the same judging', async () => {
    const { parts, judged } = await evaluate({ chunks: ROW, says: { p: FAIL } });
    expect(judged).toEqual(['m', 's', 'p']);
    expect(parts).toEqual({ model: 'pass', store: 'pass', page: 'fail' });
  });
  test('an earlier chunk that breaks again comes first again', async () => {
    const { plan, judged } = await evaluate({ chunks: ROW, says: { s: FAIL } });
    expect(judged).toEqual(['m', 's']);
    expect(plan.summary).toBe('1 of 3 chunks pass; now: store');
  });
  test('those that wait for nobody are judged at the same time', async () => {
    const arrive = barrier(2);
    const both: Says = () => arrive().then(() => FAIL);
    const chunks = [chunk('a', ['x']), chunk('b', ['y']), chunk('c', ['z'], ['a', 'b'])];
    const { plan, parts } = await evaluate({ chunks, says: { x: both, y: both } });
    expect(parts).toEqual({ a: 'fail', b: 'fail', c: 'skip' });
    expect(plan.summary).toBe('0 of 3 chunks pass; now: a (also open: b)');
  });
  test('one that waits for two is due when both pass', async () => {
    const chunks = [chunk('a', ['x']), chunk('b', ['y']), chunk('c', ['z'], ['a', 'b'])];
    expect((await evaluate({ chunks, says: { y: FAIL } })).parts).toEqual({
      a: 'pass',
      b: 'fail',
      c: 'skip',
    });
    expect((await evaluate({ chunks })).parts).toEqual({ a: 'pass', b: 'pass', c: 'pass' });
  });
  test('the order in which they are written is not the order in which they are due', async () => {
    const chunks = [chunk('last', ['z'], ['first']), chunk('first', ['a'])];
    const { judged, parts } = await evaluate({ chunks });
    expect(judged).toEqual(['a', 'z']);
    expect(Object.keys(parts)).toEqual(['last', 'first']);
  });
  test('exclusive gates of several chunks never run beside others', async () => {
    let running = 0;
    let most = 0;
    const counted: Says = async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      return PASS;
    };
    const chunks = [chunk('a', ['x', 'y']), chunk('b', ['z'], ['a'])];
    const alone = { exclusive: true };
    const { parts } = await evaluate({
      chunks,
      gates: { x: run('x', alone), y: run('y', alone), z: run('z', alone) },
      says: { x: counted, y: counted, z: counted },
    });
    expect(parts).toEqual({ a: 'pass', b: 'pass' });
    expect(most).toBe(1);
  });
});

describe('gates of chunks', () => {
  test('a gate of two chunks is judged once, and counts for both', async () => {
    const chunks = [chunk('a', ['x', 'shared']), chunk('b', ['shared'], ['a'])];
    expect((await evaluate({ chunks })).judged).toEqual(['x', 'shared']);
    const { judged, parts } = await evaluate({ chunks, says: { shared: FAIL } });
    expect(judged).toEqual(['x', 'shared']);
    expect(parts).toEqual({ a: 'fail', b: 'skip' });
  });
  test('a gate that another list names, too, is judged although its chunk is not due', async () => {
    const { judged, parts, verdicts } = await evaluate({
      chunks: ROW,
      says: { m: FAIL },
      done: ['chunks', 'p'],
    });
    expect(judged.sort()).toEqual(['m', 'p']);
    expect(parts.page).toBe('skip');
    expect(verdicts.map((v) => v.outcome)).toEqual(['fail', 'pass']);
  });
  test('combinations are gates of a chunk like any other', async () => {
    const chunks = [chunk('a', ['both']), chunk('b', ['z'], ['a'])];
    const gates = { both: all('x', 'y'), x: run(), y: run() };
    expect((await evaluate({ chunks, gates, says: { y: FAIL } })).judged).toEqual(['x', 'y']);
    expect((await evaluate({ chunks, gates })).judged).toEqual(['x', 'y', 'z']);
  });
});

describe('what neither passes nor fails', () => {
  test('a chunk to which nothing applies keeps nobody', async () => {
    const { plan, parts, judged } = await evaluate({ chunks: ROW, says: { m: SKIP, p: FAIL } });
    expect(judged).toEqual(['m', 's', 'p']);
    expect(parts).toEqual({ model: 'skip', store: 'pass', page: 'fail' });
    expect(plan.outcome).toBe('fail');
  });
  test('nothing passes that was not judged', async () => {
    const chunks = [chunk('free', ['f']), ...ROW];
    const { plan } = await evaluate({ chunks, says: { m: UNPROVEN } });
    expect(plan.outcome).toBe('unproven');
    expect(sumUp([plan]).result).toBe('failing');
  });
  test('what could not be judged keeps the next one back', async () => {
    const { judged, parts } = await evaluate({ chunks: ROW, says: { m: UNPROVEN } });
    expect(judged).toEqual(['m']);
    expect(parts).toEqual({ model: 'unproven', store: 'skip', page: 'skip' });
  });
  test('unless the contract lets it stay open: then the work goes on, and is not called done', async () => {
    const gates = { m: run('m', { onUnproven: 'allow' }) };
    const { plan, parts } = await evaluate({ chunks: ROW, gates, says: { m: UNPROVEN } });
    expect(parts).toEqual({ model: 'unproven', store: 'pass', page: 'pass' });
    expect(sumUp([plan]).result).toBe('unproven');
  });
});

describe('a part of the plan', () => {
  test('what is not asked about is no obstacle for what comes after it', async () => {
    const withoutFirst = (calls: GateCall[]) =>
      calls.map((call) => ({ ...call, children: call.children?.slice(1) ?? [] }));
    const { judged, parts } = await evaluate({ chunks: ROW, calls: withoutFirst });
    expect(judged).toEqual(['s', 'p']);
    expect(parts).toEqual({ store: 'pass', page: 'pass' });
  });
  test('a baseline leaves out what it does not ask, with all that it is the only gate of', async () => {
    const gates: Record<string, GateSpec> = { m: { kind: 'judge', options: { question: 'good?' } } };
    const { judged, parts } = await evaluate({ chunks: ROW, gates, calls: inBaseline });
    expect(judged).toEqual(['s', 'p']);
    expect(parts).toEqual({ store: 'pass', page: 'pass' });
  });
});

test('a question in a chunk is the question of the plan when nothing else is open', async () => {
  const asks: Judgement = { outcome: 'fail', summary: 'no answer yet', asks: 'Is it good?' };
  const chunks = [chunk('a', ['x', 'ok']), chunk('b', ['y'], ['a'])];
  expect((await evaluate({ chunks, says: { ok: asks } })).plan.asks).toBe('Is it good?');
  expect((await evaluate({ chunks, says: { ok: asks, x: FAIL } })).plan.asks).toBeUndefined();
});
