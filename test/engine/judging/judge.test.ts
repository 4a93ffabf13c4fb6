import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Frozen, GateSpec } from '../../../src/engine/core/contract/contract.ts';
import type { GateKind } from '../../../src/engine/core/contract/gate-options.ts';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';
import type { GateContext } from '../../../src/engine/gates/gate.ts';
import { conversationIn, frozenBy, projectOf } from '../../../src/engine/gates/shared/asks.ts';
import { verdictCache } from '../../../src/engine/home/verdicts.ts';
import { judge } from '../../../src/engine/judging/judge.ts';
import type { JudgingRequest } from '../../../src/engine/ports/judging.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import {
  all,
  any,
  contractWith,
  FAIL,
  type FakeJudges,
  fakeJudges,
  hangs,
  memoryCache,
  PASS,
  run,
  workOn,
} from '../../support/hook/judging.ts';

const TESTS = contractWith({ tests: run('npm test') });
const outcomes = (verdicts: readonly Verdict[]) =>
  verdicts.map((v) => [v.gate, v.outcome, v.reused ?? false]);

describe('a verdict that is known already', () => {
  /** Judges twice, with something changed in between; the outcome of the second, and whether it was judged. */
  async function again(
    first: typeof PASS,
    change: { work?: Partial<JudgingRequest>; frozen?: Partial<Frozen>; spec?: GateSpec; tree?: string } = {},
  ) {
    const judges = fakeJudges({ tests: first });
    const cache = memoryCache();
    await judge(workOn(TESTS, { cache }), judges);
    judges.tree = change.tree ?? judges.tree;
    const contract = change.spec ? contractWith({ tests: change.spec }) : TESTS;
    const { verdicts } = await judge(workOn(contract, { cache, ...change.work }, change.frozen), judges);
    return { verdicts, times: judges.judged.length };
  }

  test('a pass is used again while the tree is the same, and says so', async () => {
    const { verdicts, times } = await again(PASS);
    expect(outcomes(verdicts)).toEqual([['tests', 'pass', true]]);
    expect(times).toBe(1);
  });
  test('also when tools ran: the tree shows what they did', async () => {
    expect((await again(PASS, { work: { toolRan: true } })).times).toBe(1);
  });
  test('a fail only while no tool ran that could have mended it elsewhere', async () => {
    const quiet = await again(FAIL);
    expect(outcomes(quiet.verdicts)).toEqual([['tests', 'fail', true]]);
    const busy = await again(FAIL, { work: { toolRan: true } });
    expect(outcomes(busy.verdicts)).toEqual([['tests', 'fail', false]]);
    expect(busy.times).toBe(2);
  });
  test('what a gate was told of a prompt or a task is another question each time', async () => {
    const told = async (spec: GateSpec, name: 'UserPromptSubmit' | 'TaskCreated' | 'TaskCompleted') => {
      const event = { name, session: 's', prompt: 'x', taskId: '1', subject: 'x' } as JudgingRequest['event'];
      const judges = fakeJudges({ own: PASS });
      const work = workOn(contractWith({ own: spec }), { cache: memoryCache(), ...(event ? { event } : {}) });
      await judge(work, judges);
      await judge(work, judges);
      return judges.judged.length;
    };
    const custom: GateSpec = { kind: 'custom', options: { file: 'x' } };
    expect(await told(run(), 'UserPromptSubmit')).toBe(2);
    expect(await told(run(), 'TaskCreated')).toBe(2);
    expect(await told(custom, 'TaskCompleted')).toBe(2);
    expect(await told(run(), 'TaskCompleted')).toBe(1);
  });
  test('what could not be judged, or did not apply, is asked again', async () => {
    expect((await again({ outcome: 'unproven', summary: 'x' })).times).toBe(2);
    expect((await again({ outcome: 'skip', summary: 'x' })).times).toBe(2);
  });
  test.each<[string, Parameters<typeof again>[1]]>([
    ['another tree', { tree: 'tree 2' }],
    ['another start', { work: { base: { tree: 'tree 0' } } }],
    ['another command', { spec: run('true') }],
    ['another rule for what is unproven', { spec: run('npm test', { onUnproven: 'allow' }) }],
    ['an exception that was allowed', { work: { allowed: ['deleted:a'] } }],
    ['another task', { work: { task: 'another' } }],
    ['another list that the gate froze', { frozen: { gates: { tests: ['a'] } } }],
    ['other scripts that were approved', { frozen: { parts: { tests: {} } } }],
    ['nothing that is kept', { work: { cache: memoryCache() } }],
  ])('%s is another question', async (_, change) => expect((await again(PASS, change)).times).toBe(2));
  test('without anything to keep it in, nothing is used again', async () => {
    const judges = fakeJudges();
    for (let i = 0; i < 2; i++) await judge(workOn(TESTS), judges);
    expect(judges.judged).toHaveLength(2);
  });

  test.each<GateKind>(['checklist', 'git', 'tasks', 'ci', 'promise', 'hook'])(
    'a %s gate looks beyond the tree and is always asked',
    async (kind) => {
      const contract = contractWith({ a: { kind, options: {} } as GateSpec, b: run() });
      const judges = fakeJudges();
      const cache = memoryCache();
      for (let i = 0; i < 2; i++) await judge(workOn(contract, { cache }), judges);
      expect(judges.judged).toEqual(['a', 'b', 'a']);
    },
  );

  test('a judge that looks at the conversation is always asked', async () => {
    const judgeGate = (transcript: { transcript?: true }): GateSpec => ({
      kind: 'judge',
      options: { question: 'Done?', ...transcript },
    });
    const contract = contractWith({ diff: judgeGate({}), said: judgeGate({ transcript: true }) });
    const judges = fakeJudges();
    const cache = memoryCache();
    for (let i = 0; i < 2; i++) await judge(workOn(contract, { cache }), judges);
    expect(judges.judged).toEqual(['diff', 'said', 'said']);
  });

  test('parts of all and any are used again one by one, however deep', async () => {
    const contract = contractWith(
      { a: run('a'), b: run('b'), c: run('c'), inner: any('b', 'c'), outer: all('a', 'inner') },
      { done: ['outer'] },
    );
    const judges = fakeJudges({ c: FAIL });
    const cache = memoryCache();
    await judge(workOn(contract, { cache }), judges);
    judges.judged.length = 0;
    const { verdicts } = await judge(workOn(contract, { cache, toolRan: true }), judges);
    expect(judges.judged).toEqual(['c']);
    expect(outcomes(verdicts[0]?.children ?? [])).toEqual([
      ['a', 'pass', true],
      ['inner', 'pass', false],
    ]);
  });

  test.each([
    ['damaged', (file: string) => writeFileSync(file, 'x')],
    [
      'forged',
      (file: string) =>
        writeFileSync(file, `${'0'.repeat(64)}\n{"tests":{"inputs":"","verdict":{"outcome":"pass"}}}\n`),
    ],
  ])('when what was kept is %s, it is judged anew', async (_, spoil) => {
    const file = join(temporaryFolder(), 'verdicts');
    const judges = fakeJudges();
    await judge(workOn(TESTS, { cache: verdictCache(file, 'key') }), judges);
    await judge(workOn(TESTS, { cache: verdictCache(file, 'key') }), judges);
    expect(judges.judged).toHaveLength(1);
    spoil(file);
    const { verdicts } = await judge(workOn(TESTS, { cache: verdictCache(file, 'key') }), judges);
    expect(judges.judged).toHaveLength(2);
    expect(outcomes(verdicts)).toEqual([['tests', 'pass', false]]);
  });
});

describe('a tree that changes while it is judged', () => {
  /** Every judging of the gate leaves the project with the next of these trees. */
  function writing(trees: (string | Error)[]): FakeJudges {
    const judges: FakeJudges = fakeJudges({
      tests: () => {
        judges.tree = trees.shift() ?? judges.tree;
        return PASS;
      },
    });
    return judges;
  }
  test('once: it is judged again, and what passed then stands for the new tree', async () => {
    const judges = writing(['tree 2']);
    const cache = memoryCache();
    const judged = await judge(workOn(TESTS, { cache }), judges);
    expect(judged.tree).toBe('tree 2');
    expect(outcomes(judged.verdicts)).toEqual([['tests', 'pass', false]]);
    expect(judges.judged).toHaveLength(2);
    expect(outcomes((await judge(workOn(TESTS, { cache }), judges)).verdicts)).toEqual([
      ['tests', 'pass', true],
    ]);
  });
  test('again and again: what passed is unproven, and the paths are named', async () => {
    const judges = writing(['out/a', 'out/b,log.txt']);
    const cache = memoryCache();
    const judged = await judge(workOn(TESTS, { cache }), judges);
    expect(judged).toMatchObject({
      tree: 'out/b,log.txt',
      verdicts: [{ outcome: 'unproven', summary: 'passed, but out/b, log.txt changed while it was judged' }],
    });
    expect(judged.verdicts[0]?.evidence?.join()).toContain('.gitignore');
    expect(cache.size()).toBe(0);
  });
  test('of many paths the first few are named', async () => {
    const many = Array.from({ length: 9 }, (_, i) => `f${i}`).join(',');
    const { verdicts } = await judge(workOn(TESTS), writing(['x', many]));
    expect(verdicts[0]?.summary).toBe(
      'passed, but f0, f1, f2, f3, f4 and 4 more changed while it was judged',
    );
  });
  test('what failed has failed, and a claim does not depend on the tree', async () => {
    let n = 0;
    const judges: FakeJudges = fakeJudges({
      tests: () => {
        judges.tree = `tree ${n++} of many`;
        return FAIL;
      },
    });
    const contract = contractWith({
      tests: run(),
      said: { kind: 'promise', options: { text: 'X' } },
      lint: run(),
    });
    const { verdicts } = await judge(workOn(contract), judges);
    expect(verdicts.map((v) => v.outcome)).toEqual(['fail', 'pass', 'unproven']);
  });
  test('one that could be had before and cannot now has changed', async () => {
    const { verdicts, tree } = await judge(workOn(TESTS), writing([new Error('cannot be read')]));
    expect(tree).toBeUndefined();
    expect(verdicts[0]).toMatchObject({
      outcome: 'unproven',
      summary: 'passed, but the tree changed while it was judged',
    });
  });
  test('one that cannot be had at all is judged, but nothing is used again', async () => {
    const judges = fakeJudges();
    judges.tree = new Error('no git here');
    const cache = memoryCache();
    for (let i = 0; i < 2; i++) {
      const { verdicts, tree } = await judge(workOn(TESTS, { cache }), judges);
      expect(outcomes(verdicts)).toEqual([['tests', 'pass', false]]);
      expect(tree).toBeUndefined();
    }
    expect(judges.judged).toHaveLength(2);
  });
});

describe('a command that no longer means what was approved', () => {
  const script = 'script "test" of package.json';
  const parts = { tests: { [script]: 'h1', 'check.sh': 'h2' } };
  const contract = contractWith({ tests: run('npm test'), lint: run('lint') });

  test('fails by name, and is not run', async () => {
    const judges = fakeJudges();
    judges.partsNow = { [script]: 'changed', 'check.sh': 'h2' };
    const { verdicts } = await judge(workOn(contract, {}, { parts }), judges);
    expect(verdicts[0]).toMatchObject({
      outcome: 'fail',
      class: 'measured',
      summary: `what this gate runs was changed since the loop began: ${script}`,
      evidence: [`Put ${script} back as it was. The definition of done is not yours to change.`],
    });
    expect(judges.judged).toEqual(['lint']);
  });
  test('a file may be the very program that is written: the hold tells how you say so', async () => {
    const judges = fakeJudges();
    judges.partsNow = { [script]: 'h1', 'check.sh': 'changed' };
    const { verdicts } = await judge(workOn(contract, {}, { parts }), judges);
    expect(verdicts[0]?.evidence?.[1]).toBe(
      'If check.sh is the work and not a check, only the user can say so: add "work: [check.sh]" to the gate tests in untildone.yaml, then "untildone trust" and "untildone contract update".',
    );
  });
  test('that was taken away is changed, too; what is as it was is run', async () => {
    const judges = fakeJudges();
    judges.partsNow = { [script]: 'h1' };
    expect((await judge(workOn(contract, {}, { parts }), judges)).verdicts[0]?.summary).toContain('check.sh');
    judges.partsNow = { [script]: 'h1', 'check.sh': 'h2' };
    expect((await judge(workOn(contract, {}, { parts }), judges)).verdicts[0]?.outcome).toBe('pass');
  });
  test('a pass from before does not hide it, and it is not remembered once it is put back', async () => {
    const judges = fakeJudges();
    const cache = memoryCache();
    const look = async (now: string) => {
      judges.partsNow = { [script]: now, 'check.sh': 'h2' };
      return (await judge(workOn(contract, { cache }, { parts }), judges)).verdicts[0]?.outcome;
    };
    expect([await look('h1'), await look('changed'), await look('h1')]).toEqual(['pass', 'fail', 'pass']);
  });
  test('fails what it is a part of', async () => {
    const both = contractWith({ tests: run('npm test'), ready: all('tests') }, { done: ['ready'] });
    const judges = fakeJudges();
    const { verdicts } = await judge(workOn(both, {}, { parts }), judges);
    expect(verdicts).toMatchObject([
      { gate: 'ready', outcome: 'fail', children: [{ gate: 'tests', outcome: 'fail' }] },
    ]);
    expect(judges.judged).toEqual([]);
  });
});

describe('what judging takes', () => {
  test('a promise alone needs no look at the project', async () => {
    const judges = fakeJudges();
    judges.workspace = () => {
      throw new Error('a promise needs no workspace');
    };
    const contract = contractWith({ said: { kind: 'promise', options: { text: 'DONE' } } });
    const { verdicts, tree } = await judge(workOn(contract), judges);
    expect(outcomes(verdicts)).toEqual([['said', 'pass', false]]);
    expect(tree).toBeUndefined();
  });
  test('no more time than the hook has, for all gates and both rounds together', async () => {
    const alone = { exclusive: true };
    const contract = contractWith({ a: run('a', alone), b: run('b', alone), c: run('c', alone) });
    const judges: FakeJudges = fakeJudges({
      a: (context, signal) => {
        judges.tree = 'tree 2';
        return hangs(context, signal);
      },
    });
    const { verdicts } = await judge(workOn(contract, {}, { judgeMs: 50 }), judges);
    expect(judges.judged).toEqual(['a']);
    expect(verdicts.map((v) => v.outcome)).toEqual(['unproven', 'unproven', 'unproven']);
  });
  test('a gate is told what it may look at', async () => {
    const seen: GateContext[] = [];
    const judges: FakeJudges = {
      ...fakeJudges({
        tests: (context) => {
          seen.push(context);
          return PASS;
        },
      }),
      conversation: (transcript) => [{ who: 'agent', text: transcript, tools: [] }],
    };
    const event = { name: 'TeammateIdle' as const, session: 's1', teammate: 'tom', team: 'red' };
    const work = {
      event,
      base: { tree: 'tree 0', commit: 'commit 0' },
      allowed: ['x'],
      lastMessage: 'done',
      transcript: '/t.jsonl',
    };
    await judge(workOn(TESTS, work, { gates: { tests: ['held'] } }), judges);
    expect(seen[0]).toMatchObject({
      name: 'tests',
      request: {
        session: 's1',
        task: 'a task',
        outputDir: '/output',
        allowed: ['x'],
        lastMessage: 'done',
        transcript: '/t.jsonl',
        event,
        base: { tree: 'tree 0', commit: 'commit 0' },
      },
      tree: 'tree 1',
    });
    const [context] = seen;
    expect(context?.workspace.root).toBe('/project');
    expect(context && projectOf(context)).toBe('/project');
    expect(context && frozenBy(context)).toEqual(['held']);
    expect(context && conversationIn(context)).toEqual([{ who: 'agent', text: '/t.jsonl', tools: [] }]);
  });
});
