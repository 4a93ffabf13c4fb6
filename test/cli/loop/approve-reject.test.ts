import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { status } from '../../../src/cli/loop/status.ts';
import type { Contract } from '../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import { approvedText } from '../../../src/engine/core/loop/questions.ts';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';
import { answerQuestion, askingLoop } from '../../../src/engine/run/person/approve-reject.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import type { LoopJson } from '../../../src/read/loop/loop-json.ts';
import { seenStop, T0, verdict } from '../../support/core/samples.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { all, contractWith, run } from '../../support/hook/judging.ts';
import { approve, phase } from '../../support/hook/phase-scene.ts';

let world: ProjectPorts;
let lines: string[];
beforeEach(() => {
  const folder = temporaryFolder();
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  const env = { PATH: process.env.PATH, HOME: folder };
  world = { ...openPorts(home, env, async () => judgeBundle), home, project, env };
  lines = [];
});

const TWO = contractWith(
  { plan: run(), tests: run(), plan_ok: approve('Good plan?', 'PLAN.md'), make_ok: approve('Good work?') },
  { done: ['tests'], phases: [phase('plan', ['plan', 'plan_ok']), phase('make', ['tests', 'make_ok'])] },
);

function begin(contract: Contract = TWO, loop = 'l1', session = 's1'): LoopRef {
  const { project } = world;
  return world.store.create({
    loop,
    session,
    project,
    dialect: 'native',
    task: 'a task',
    transcriptOffset: 0,
    contract: { contract, frozen: { project, fingerprint: '', parts: {}, gates: {}, judgeMs: 1000 } },
  });
}

const append = (ref: LoopRef, entry: Entry) => world.store.append(ref, () => entry);
/** A Stop at which nothing but a question was open. */
function asked(ref: LoopRef, gate: string, name = 'plan', more: Verdict[] = []): void {
  append(ref, {
    kind: 'stop',
    seen: seenStop({ phase: { name, passed: [] } }),
    verdicts: [verdict('fail', { gate, kind: 'approve', asks: 'Good?' }), ...more],
    decision: { kind: 'allow', cause: 'approval', wait: 'approval', detail: `${gate}: Good?` },
  });
}
function held(ref: LoopRef, name: string, verdicts: Verdict[]): void {
  const decision = { kind: 'block', instruction: 'continue' } as const;
  append(ref, { kind: 'stop', seen: seenStop({ phase: { name, passed: [] } }), verdicts, decision });
}

const answer = (
  ref: LoopRef,
  { said = 'approved', name, note }: { said?: 'approved' | 'rejected'; name?: string; note?: string } = {},
) => answerQuestion({ said, name, note }, ref, world, (line) => void lines.push(line));
const refusal = async (attempt: () => unknown): Promise<string> => {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'not refused';
};
const answersOf = (ref: LoopRef) => world.store.read(ref).answers ?? {};
const plan = (text = '- [ ] a\n') => writeFileSync(join(world.project, 'PLAN.md'), text);

describe('which question is meant', () => {
  test('the one that is waited for', async () => {
    const ref = begin();
    plan();
    asked(ref, 'plan_ok');
    await answer(ref);
    expect(answersOf(ref)).toMatchObject({ plan_ok: { said: 'approved' } });
    expect(lines[0]).toBe('Loop l1: plan_ok is approved (PLAN.md as it is now).');
  });
  test('by the name of the gate, or of the phase that it ends', async () => {
    const ref = begin();
    plan();
    await answer(ref, { name: 'plan_ok' });
    await answer(ref, { name: 'make', said: 'rejected' });
    expect(answersOf(ref)).toMatchObject({ plan_ok: { said: 'approved' }, make_ok: { said: 'rejected' } });
  });
  test('a second try does not answer what comes next, before there is anything to see', async () => {
    const ref = begin();
    plan();
    asked(ref, 'plan_ok');
    await answer(ref);
    held(ref, 'make', [
      verdict('fail'),
      verdict('fail', { gate: 'make_ok', kind: 'approve', asks: 'Good?' }),
    ]);
    expect(await refusal(() => answer(ref))).toBe(
      'loop l1 waits for no answer now; to answer ahead, name the question: plan_ok, make_ok',
    );
    expect(Object.keys(answersOf(ref))).toEqual(['plan_ok']);
  });
  test('nothing is guessed where two are open', async () => {
    const both = contractWith({ a: approve(), b: approve(), c: approve() }, { done: ['a', 'b'] });
    const ref = begin(both);
    asked(ref, 'a', 'plan', [verdict('fail', { gate: 'b', kind: 'approve', asks: 'B?' })]);
    expect(await refusal(() => answer(ref))).toBe('loop l1 waits for several answers; name one of: a, b');
  });
  test('inside of another gate, what was answered is answered', async () => {
    const ref = begin(contractWith({ a: approve(), b: approve(), both: all('a', 'b') }, { done: ['both'] }));
    const waits = () => asked(ref, 'both');
    waits();
    expect(await refusal(() => answer(ref))).toContain('a, b');
    await answer(ref, { name: 'a' });
    waits();
    await answer(ref);
    expect(Object.keys(answersOf(ref))).toEqual(['a', 'b']);
  });
  test('of chunks, one whose turn has not come asks nothing yet', async () => {
    const chunks = [
      { name: 'model', instruction: 'Write it', gates: ['a'], after: [] },
      { name: 'api', instruction: 'Serve it', gates: ['b'], after: ['model'] },
    ];
    const gates = { a: approve(), b: approve(), chunks: { kind: 'chunks', options: { chunks } } as const };
    const ref = begin(contractWith(gates, { done: ['chunks'] }));
    const children = [verdict('fail', { gate: 'model' }), verdict('skip', { gate: 'api' })];
    const waits = verdict('fail', { gate: 'chunks', kind: 'chunks', asks: 'Good?', children });
    const decision = { kind: 'allow', cause: 'approval', wait: 'approval' } as const;
    append(ref, { kind: 'stop', seen: seenStop(), verdicts: [waits], decision });
    await answer(ref);
    expect(Object.keys(answersOf(ref))).toEqual(['a']);
  });
  test('a gate that may ask is answered when it fails, not when it was skipped', async () => {
    const proof = { kind: 'differential', options: { command: 'npm test' } } as const;
    const ref = begin(contractWith({ proof, ok: approve() }, { done: ['proof', 'ok'] }));
    expect(await refusal(() => answer(ref, { name: 'proof' }))).toContain('proof has found nothing');
    asked(ref, 'ok', 'plan', [verdict('skip', { gate: 'proof', kind: 'differential' })]);
    await answer(ref);
    const found = verdict('fail', {
      gate: 'proof',
      kind: 'differential',
      asks: 'Wanted?',
      fingerprint: 'f1',
    });
    const decision = { kind: 'allow', cause: 'approval', wait: 'approval' } as const;
    const verdicts = [found, verdict('pass', { gate: 'ok', kind: 'approve' })];
    append(ref, { kind: 'stop', seen: seenStop(), verdicts, decision });
    await answer(ref, { said: 'rejected' });
    expect(answersOf(ref)).toMatchObject({
      ok: { said: 'approved' },
      proof: { said: 'rejected', digest: 'f1' },
    });
  });
  test('a name that nobody asks under is refused, with those that there are', async () => {
    const ref = begin();
    for (const name of ['plann', 'tests', 'constructor', '__proto__', ''])
      expect(await refusal(() => answer(ref, { name }))).toContain('there are: plan_ok, make_ok');
  });
  test('a contract that asks nobody says so', async () => {
    const ref = begin(contractWith({ tests: run() }));
    expect(await refusal(() => answer(ref))).toContain('the contract of this loop asks you nothing');
  });
});

describe('which loop is meant', () => {
  const asking = (id?: string) => askingLoop(world.store, world.project, id).loop;
  test('the only living one', () => {
    begin();
    expect(asking()).toBe('l1');
  });
  test('of several, the one that waits for an answer', async () => {
    const first = begin();
    begin(TWO, 'l2', 's2');
    expect(await refusal(() => asking())).toContain('2 unfinished loops are here');
    asked(first, 'plan_ok');
    expect(asking()).toBe('l1');
  });
  test('of several that wait, none without its name', async () => {
    asked(begin(), 'plan_ok');
    asked(begin(TWO, 'l2', 's2'), 'plan_ok');
    expect(await refusal(() => asking())).toMatch(
      /2 loops wait for an answer; name one with --loop: l[12], l[12]/,
    );
    expect(asking('l2')).toBe('l2');
  });
  test('by the beginning of its id, where only one has it', async () => {
    begin(TWO, '20260101-abc', 's1');
    begin(TWO, '20260101-abd', 's2');
    expect(asking('20260101-abd')).toBe('20260101-abd');
    expect(await refusal(() => asking('20260101'))).toContain('could be any of');
    expect(await refusal(() => asking('2027'))).toContain('there is no loop "2027"');
    expect(await refusal(() => asking(''))).toContain('the loop id is empty');
  });
  test('none that has ended', async () => {
    const ref = begin();
    append(ref, { kind: 'command', command: 'cancel' });
    expect(await refusal(() => asking())).toContain('no unfinished loop');
    expect(await refusal(() => answer(ref, { name: 'make_ok' }))).toContain('has ended already: cancelled');
    expect(answersOf(ref)).toEqual({});
  });
});

describe('the file that is asked about', () => {
  test('is approved as it is now, its ticks aside', async () => {
    const ref = begin();
    plan('- [x] a \r\n');
    await answer(ref, { name: 'plan_ok' });
    const { digest } = await world.judges(TWO);
    expect(answersOf(ref).plan_ok?.digest).toBe(digest(approvedText('- [ ] a')));
  });
  test.each([
    ['missing', undefined],
    ['empty', ' \n'],
  ])('that is %s cannot be answered', async (_, text) => {
    const ref = begin();
    if (text !== undefined) plan(text);
    for (const said of ['approved', 'rejected'] as const)
      expect(await refusal(() => answer(ref, { name: 'plan_ok', said }))).toBe(
        'PLAN.md does not exist yet, so there is nothing to answer',
      );
    expect(answersOf(ref)).toEqual({});
  });
});

describe('a note', () => {
  const noteOf = async (note: string) => {
    const ref = begin();
    await answer(ref, { name: 'make', said: 'rejected', note });
    return answersOf(ref).make_ok?.note;
  };
  test('is one line, without secrets', async () => {
    const note = await noteOf('use\nthis: ghp_abcdefghijklmnopqrstuvwxyz0123456789');
    expect(note).toMatch(/^use this: /);
    expect(note).not.toContain('ghp_abcdefghij');
  });
  test('is bounded', async () => {
    expect((await noteOf('x'.repeat(1e6)))?.length).toBeLessThanOrEqual(2000);
  });
  test('that is empty is none', async () => {
    expect(await noteOf('')).toBeUndefined();
  });
});

describe('how it goes on', () => {
  const runs = (): LoopRef =>
    world.store.create({
      loop: 'r1',
      session: 's1',
      project: world.project,
      dialect: 'native',
      task: 't',
      transcriptOffset: 0,
      run: { mode: 'hybrid' as const },
      contract: {
        contract: TWO,
        frozen: { project: world.project, fingerprint: '', parts: {}, gates: {}, judgeMs: 1000 },
      },
    });
  test('of a session: with the next prompt', async () => {
    await answer(begin(), { name: 'make' });
    expect(lines[1]).toContain('with your next prompt there');
  });
  test('of a run that nobody drives: by resuming it', async () => {
    await answer(runs(), { name: 'make' });
    expect(lines[1]).toBe('Go on with: untildone run --resume r1');
  });
  test('of a paused loop: it stays paused, and what was waited for is what is meant', async () => {
    const ref = runs();
    plan();
    asked(ref, 'plan_ok');
    append(ref, { kind: 'command', command: 'pause' });
    await answer(ref, { note: 'go' });
    expect(world.store.read(ref)).toMatchObject({ status: 'paused', answers: { plan_ok: { note: 'go' } } });
    expect(lines[1]).toBe('It is paused; go on with: untildone run --resume r1');
  });
  test('of a loop that was paused in the middle of its work, nothing is guessed', async () => {
    const ref = begin();
    held(ref, 'make', [
      verdict('fail'),
      verdict('fail', { gate: 'make_ok', kind: 'approve', asks: 'Good?' }),
    ]);
    append(ref, { kind: 'command', command: 'pause' });
    expect(await refusal(() => answer(ref))).toContain('waits for no answer now');
  });
});

describe('an answer that the agent writes itself', () => {
  test('into the journal counts for nothing, and is found', () => {
    const ref = begin();
    asked(ref, 'plan_ok');
    const file = world.store.journalFile(ref);
    const last = JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '');
    const forged = {
      ...last,
      seq: last.seq + 1,
      entry: { kind: 'answered', gate: 'plan_ok', said: 'approved' },
      state: { ...last.state, answers: { plan_ok: { said: 'approved', at: T0 } } },
    };
    appendFileSync(file, `${JSON.stringify(forged)}\n`);
    expect(answersOf(ref)).toEqual({});
    expect(append(ref, { kind: 'event', event: 'PreToolUse' }).foreignLines).toBe(1);
    expect(answersOf(ref)).toEqual({});
  });
});

describe('status', () => {
  const json = (): LoopJson => {
    const out: string[] = [];
    status({ json: true, all: false, project: world.project, foreign: [] }, world.store, T0, (line) =>
      out.push(line),
    );
    return JSON.parse(out.join('\n')).loops[0];
  };
  const text = (): string => {
    const out: string[] = [];
    status({ json: false, all: false, project: world.project, foreign: [] }, world.store, T0, (line) =>
      out.push(line),
    );
    return out.join('\n');
  };
  test('says the phase, from the start on, and the question', () => {
    const ref = begin();
    expect(json().phase).toBe('plan');
    expect(text()).toContain('phase: plan (1 of 2)');
    asked(ref, 'plan_ok');
    expect(json()).toMatchObject({ phase: 'plan', waiting: { why: 'approval' } });
    expect(text()).toContain('waiting for your answer (plan_ok: Good?)');
  });
  test('says nothing of phases where there are none, nor where the contract is damaged', () => {
    const ref = begin(contractWith({ tests: run() }));
    expect(json().phase).toBeNull();
    rmSync(join(ref.dir, 'contract.json'));
    expect(json()).toMatchObject({ id: 'l1', phase: null });
  });
  test('says where the work lies when that is somewhere else, and so does the answer', async () => {
    const { project } = world;
    const ref = begin();
    asked(ref, 'plan_ok');
    writeFileSync(join(project, 'PLAN.md'), 'the plan');
    expect(text()).not.toContain('folder:');
    world.project = join(project, 'below');
    expect(text()).toContain(`  folder: ${project}\n`);
    await answer(ref);
    expect(lines[0]).toContain(`(PLAN.md as it is now in ${project}).`);
  });
  test('shows each chunk', () => {
    const ref = begin();
    const children = [
      verdict('pass', { gate: 'model' }),
      verdict('fail', { gate: 'page', summary: 'open: p' }),
    ];
    held(ref, 'plan', [verdict('fail', { gate: 'chunks', kind: 'chunks', summary: '1 of 2', children })]);
    expect(json().gates[0]?.parts).toEqual([
      { name: 'model', verdict: 'pass', summary: 'pass' },
      { name: 'page', verdict: 'fail', summary: 'open: p' },
    ]);
    expect(text()).toContain('    page: fail open: p');
  });
});

describe('a gate that asks about what it found', () => {
  const contract = contractWith(
    { tests: run(), honest: { kind: 'suppressions', options: {} } },
    { done: ['tests', 'honest'] },
  );
  const found = verdict('fail', {
    gate: 'honest',
    kind: 'suppressions',
    fingerprint: 'f1',
    asks: 'may it stay?',
  });
  test('an answer is for exactly these findings', async () => {
    const ref = begin(contract);
    append(ref, {
      kind: 'stop',
      seen: seenStop(),
      verdicts: [verdict('pass', { gate: 'tests' }), found],
      decision: { kind: 'allow', cause: 'approval', wait: 'approval', detail: 'honest: may it stay?' },
    });
    await answer(ref, { note: 'it may' });
    expect(answersOf(ref)).toMatchObject({ honest: { said: 'approved', digest: 'f1', note: 'it may' } });
  });
  test('without findings there is nothing to answer', async () => {
    const ref = begin(contract);
    expect(await refusal(() => answer(ref, { name: 'honest' }))).toContain('has found nothing');
  });
});
