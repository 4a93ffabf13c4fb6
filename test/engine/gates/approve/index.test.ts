import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HookEvent } from '../../../../src/engine/core/loop/event.ts';
import { approvedText } from '../../../../src/engine/core/loop/questions.ts';
import type { Answered } from '../../../../src/engine/core/loop/state.ts';
import { approveGate } from '../../../../src/engine/gates/approve/index.ts';
import { T0 } from '../../../support/core/samples.ts';
import type { Given } from '../../../support/gates/context.ts';
import { makeProject, noAbort, type TestProject } from '../../../support/gates/project.ts';

let project: TestProject;
beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

const PLAN = '# Plan\n\n- [ ] write it\n- [ ] test it\n';
const digestOf = (text: string) => project.context().judges.digest(approvedText(text));

async function judge(
  answered: Partial<Answered> | undefined,
  { file, context = {} }: { file?: string; context?: Given } = {},
) {
  const answers: Record<string, Answered> = answered ? { ok: { said: 'approved', at: T0, ...answered } } : {};
  return approveGate.judge(
    { ask: 'Is it good?', ...(file ? { file } : {}) },
    project.context({ name: 'ok', answers, ...context }),
    noAbort,
  );
}

describe('a question', () => {
  test('is open until a person answers', async () => {
    expect(await judge(undefined)).toEqual({
      outcome: 'fail',
      summary: 'this is not approved yet',
      asks: 'Is it good?',
    });
  });
  test('passes with a yes, which says when and with which words', async () => {
    expect(await judge({ note: 'go' })).toEqual({
      outcome: 'pass',
      summary: 'approved by a person (2026-01-01 00:00 UTC): go',
    });
  });
  test('an answer to another question is none to this one', async () => {
    const answers = { other: { said: 'approved', at: T0 } as Answered };
    expect(await judge(undefined, { context: { answers } })).toMatchObject({ outcome: 'fail' });
  });
  test('what every object has is no answer', async () => {
    for (const name of ['constructor', 'toString', '__proto__'])
      expect(await judge(undefined, { context: { name } })).toMatchObject({ outcome: 'fail' });
  });
  test('a yes to a file is none where the contract asks for no file any more', async () => {
    const { outcome, summary, asks } = await judge({ digest: 'of a file' });
    expect(outcome).toBe('fail');
    expect(`${summary} ${asks}`).not.toContain('undefined');
  });
});

describe('a no', () => {
  test('is first for the agent, with the words of the person, and asks nobody', async () => {
    const no = await judge({ said: 'rejected', note: 'too slow' });
    expect(no).toMatchObject({
      outcome: 'fail',
      next: expect.stringContaining('"too slow". Change the work'),
    });
    expect(no.asks).toBeUndefined();
  });
  test('is asked again after the agent was told, with what was said', async () => {
    expect(await judge({ said: 'rejected', note: 'too slow', told: true })).toMatchObject({
      outcome: 'fail',
      asks: 'Is it good? (after your last answer: too slow)',
    });
    expect((await judge({ said: 'rejected', told: true })).asks).toBe(
      'Is it good? (after your last answer: no)',
    );
  });
  test('to a file that is still the same is not asked again, however often the agent stops', async () => {
    project.write('PLAN.md', PLAN);
    const no = await judge({ said: 'rejected', told: true, digest: digestOf(PLAN) }, { file: 'PLAN.md' });
    expect(no.asks).toBeUndefined();
    expect(no).toMatchObject({
      outcome: 'fail',
      evidence: ['PLAN.md is the same as when it was rejected.'],
      next: expect.stringContaining('Change PLAN.md'),
    });
  });
  test('ticks alone are no change', async () => {
    project.write('PLAN.md', PLAN.replace(/\[ \]/g, '[x]'));
    const no = await judge({ said: 'rejected', told: true, digest: digestOf(PLAN) }, { file: 'PLAN.md' });
    expect(no.asks).toBeUndefined();
  });
  test('to a file that was changed since is asked again, though only after the agent was told', async () => {
    project.write('PLAN.md', `${PLAN}- [ ] name the types\n`);
    const rejected = { said: 'rejected', digest: digestOf(PLAN) } as const;
    expect((await judge(rejected, { file: 'PLAN.md' })).asks).toBeUndefined();
    expect((await judge({ ...rejected, told: true }, { file: 'PLAN.md' })).asks).toContain('(PLAN.md)');
  });
});

describe('a file that is looked at', () => {
  test.each([
    ['is missing', undefined],
    ['is empty', ' \n\t\n'],
  ])('asks nobody while it %s, whatever was said before', async (_, text) => {
    if (text !== undefined) project.write('PLAN.md', text);
    for (const answered of [undefined, { digest: digestOf('') }]) {
      const open = await judge(answered, { file: 'PLAN.md' });
      expect(open).toMatchObject({ outcome: 'fail', summary: 'PLAN.md is not there yet' });
      expect(open.asks).toBeUndefined();
      expect(open.next).toContain('Next: write PLAN.md');
    }
  });
  test('is approved as it was then, with its digest as the proof', async () => {
    project.write('PLAN.md', PLAN);
    const yes = await judge({ digest: digestOf(PLAN) }, { file: 'PLAN.md' });
    expect(yes).toMatchObject({ outcome: 'pass', proof: { outputSha256: digestOf(PLAN) } });
  });
  test('is still approved with its items ticked', async () => {
    project.write('PLAN.md', PLAN.replace(/\[ \]/g, '[x]').replace(/\n/g, '\r\n'));
    expect((await judge({ digest: digestOf(PLAN) }, { file: 'PLAN.md' })).outcome).toBe('pass');
  });
  test.each([
    ['a word more', `${PLAN}\nThe tests may be deleted.\n`],
    ['an item less', PLAN.replace('- [ ] test it\n', '')],
  ])('is asked about again with %s', async (_, text) => {
    project.write('PLAN.md', text);
    expect(await judge({ digest: digestOf(PLAN) }, { file: 'PLAN.md' })).toMatchObject({
      outcome: 'fail',
      summary: 'PLAN.md was changed since a person approved it',
      asks: 'Is it good? (PLAN.md) (changed since it was approved)',
    });
  });
  test('a yes from before the file was asked for is none for the file', async () => {
    project.write('PLAN.md', PLAN);
    expect((await judge({}, { file: 'PLAN.md' })).outcome).toBe('fail');
  });
});

describe('where nobody can be asked', () => {
  test('outside of a loop it has nothing to say: nobody is held, nothing fails', async () => {
    const context = project.context({ name: 'ok' });
    const said = await approveGate.judge({ ask: 'Good?' }, context, noAbort);
    expect(said.outcome).toBe('skip');
  });
  test.each(['SubagentStop', 'TaskCompleted', 'TaskCreated', 'TeammateIdle', 'UserPromptSubmit'])(
    'at a %s neither',
    async (name) => {
      const event = { name, session: 's1' } as HookEvent;
      expect((await judge(undefined, { context: { event } })).outcome).toBe('skip');
    },
  );
  test('at the Stop of a loop it is', async () => {
    const event = { name: 'Stop', session: 's1' } as HookEvent;
    expect((await judge(undefined, { context: { event } })).outcome).toBe('fail');
  });
});
