import { beforeEach, describe, expect, test } from 'vitest';
import type { DifferentialOptions } from '../../../../src/engine/core/contract/gate-options.ts';
import type { Answered } from '../../../../src/engine/core/loop/state.ts';
import type { Finding } from '../../../../src/engine/gates/differential/findings.ts';
import { printOf, settle } from '../../../../src/engine/gates/differential/settle.ts';
import { T0 } from '../../../support/core/samples.ts';
import { type Given, gateContext } from '../../../support/gates/context.ts';
import { type FakeAgent, fakeAgent } from '../../../support/gates/fake-agent.ts';
import { keptInMemory } from '../../../support/gates/rooms.ts';

const bent = (name: string, form = '- 1 / + 2'): Finding => ({
  id: `old_tests: ${name}`,
  about: `${name}\n${form}`,
  askable: true,
  lines: [
    `${name}: as it was then it fails [old_tests: ${name}]`,
    ...form.split(' / ').map((line) => `  ${line}`),
  ],
});
const broken = (name: string): Finding => ({ ...bent(name), askable: false });

let kept: ReturnType<typeof keptInMemory>;
let answers: Record<string, Answered>;
let agent: FakeAgent;
beforeEach(() => {
  kept = keptInMemory();
  answers = {};
  agent = fakeAgent({ does: 'talks' });
});

function stop(findings: Finding[], more: Given = {}, options: Partial<DifferentialOptions> = {}) {
  const context = gateContext({
    name: 'proof',
    project: '/p',
    task: 'Make it.',
    answers,
    kept,
    agent,
    ...more,
  });
  return settle(findings, { command: 'npm test', ...options }, context, new AbortController().signal);
}

/** Answers what was found. */
function answer(said: Answered['said'], findings: Finding[], note?: string): void {
  const digest = printOf(findings);
  answers.proof = { said, at: T0, digest, ...(note ? { note } : {}) };
}

describe('a changed test whose old form fails', () => {
  test('brings the question that you are asked when the agent insists, with both forms', async () => {
    const { asksIfRepeated, open } = await stop([bent('a')]);
    expect(open).toHaveLength(1);
    expect(asksIfRepeated).toBe(
      'done but for one test whose old form fails: is that wanted, yes or no? a / - 1 / + 2',
    );
    expect((await stop([bent('a'), bent('b')])).asksIfRepeated).toContain('2 tests');
  });

  test('passes with your yes, which holds for what was asked, and for less', async () => {
    await stop([bent('a'), bent('b')]);
    answer('approved', [bent('a'), bent('b')]);
    expect(await stop([bent('a'), bent('b')])).toMatchObject({
      open: [],
      allowed: ['old_tests: a', 'old_tests: b'],
    });
    expect(await stop([bent('b')])).toMatchObject({ open: [], allowed: ['old_tests: b'] });
    expect((await stop([bent('a', 'bent again'), bent('b')])).open.map(({ id }) => id)).toEqual([
      'old_tests: a',
    ]);
    expect((await stop([bent('c')])).open).toHaveLength(1);
  });

  test('fails with your no and its note, and you are not asked the same again', async () => {
    await stop([bent('a')]);
    answer('rejected', [bent('a')], 'keep the old price');
    const { asksIfRepeated, refused, open } = await stop([bent('a')]);
    expect(asksIfRepeated).toBeUndefined();
    expect(refused).toContain('keep the old price');
    expect(open).toHaveLength(1);
    expect((await stop([bent('a', 'another form')])).asksIfRepeated).toBeDefined();
  });

  test('is allowed by its name', async () => {
    const settled = await stop([bent('a'), bent('b')], { allowed: ['old_tests: a'] });
    expect(settled.allowed).toEqual(['old_tests: a']);
    expect(settled.open.map(({ id }) => id)).toEqual(['old_tests: b']);
  });

  test.each<[string, Given]>([
    ['without a loop', { answers: undefined }],
    ['at another event', { event: { name: 'SubagentStop' } as never }],
  ])('nobody is asked %s', async (_, more) => {
    expect((await stop([bent('a')], more)).asksIfRepeated).toBeUndefined();
  });
});

test('a test that nobody changed and that fails is never asked about, but you may allow it', async () => {
  const both = [broken('a'), bent('b')];
  expect((await stop(both)).asksIfRepeated).toBeUndefined();
  answer('approved', both);
  expect((await stop(both)).open).toEqual([]);
});

describe('resolve: judge', () => {
  const says = (verdict: string) =>
    fakeAgent({ does: 'answers', value: { verdict, reason: 'so it is', missing: [] } });

  test('lets a model say that the task asks for it, once, and says that a model did', async () => {
    agent = says('pass');
    const first = await stop([bent('a')], {}, { resolve: 'judge' });
    expect(first).toMatchObject({
      open: [],
      allowed: ['old_tests: a'],
      byModel: ['old_tests: a'],
      costUsd: 0.01,
    });
    expect(await stop([bent('a')], {}, { resolve: 'judge' })).toMatchObject({ byModel: ['old_tests: a'] });
    expect(agent.asks).toHaveLength(1);
    expect(agent.asks[0]?.prompt).toContain('- 1\n  + 2');
    expect(agent.asks[0]?.prompt).toContain('Make it.');
  });
  test('holds when the model says no', async () => {
    agent = says('fail');
    const { open, refused, asksIfRepeated } = await stop([bent('a')], {}, { resolve: 'judge' });
    expect([open.length, asksIfRepeated]).toEqual([1, undefined]);
    expect(refused).toContain('a model says that the task does not ask for it: so it is');
  });
  test('asks you when the model cannot tell', async () => {
    agent = says('cannot_tell');
    expect((await stop([bent('a')], {}, { resolve: 'judge' })).asksIfRepeated).toContain('one test');
  });
  test('asks no model about a test that nobody changed', async () => {
    agent = says('pass');
    expect((await stop([broken('a')], {}, { resolve: 'judge' })).open).toHaveLength(1);
    expect(agent.asks).toEqual([]);
  });
});
