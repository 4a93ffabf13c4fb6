import { describe, expect, test } from 'vitest';
import {
  type Contract,
  type GateSpec,
  promiseContract,
  withPromise,
} from '../../../src/core/contract/contract.ts';
import type { Judgement } from '../../../src/gates/gate.ts';
import { type LoopPlan, startLoop } from '../../../src/hook/start/start-loop.ts';
import type { NewLoop } from '../../../src/ports/ports.ts';
import {
  all,
  any,
  contractWith,
  FAIL,
  fakeJudges,
  PASS,
  run,
  type Says,
} from '../../support/hook/judging.ts';

interface Given {
  says?: Record<string, Says>;
  trusted?: boolean;
  plan?: Partial<LoopPlan>;
}

async function start(contract: Contract, { says = {}, trusted = true, plan = {} }: Given = {}) {
  const judges = fakeJudges(says);
  const created: NewLoop[] = [];
  const asked: string[] = [];
  const result = await startLoop(
    {
      loop: 'l1',
      session: 's1',
      project: '/project',
      task: 'a task',
      contract,
      judgeMs: 5000,
      transcriptOffset: 7,
      costTotalUsd: 0,
      outputDir: '/output',
      ...plan,
    },
    {
      judges,
      isTrusted: (_, fingerprint) => {
        asked.push(fingerprint);
        return trusted;
      },
      create: (loop) => {
        created.push(loop);
        return { loop: loop.loop, dir: '/loops/l1' };
      },
    },
  );
  return { result, judges, loop: created[0], asked };
}

describe('a folder that has to be prepared', () => {
  test.each([true, false])(
    'is prepared before anything is judged, and only when you trust it (%s)',
    async (trusted) => {
      const order: string[] = [];
      const prepare = async () => void order.push('prepared');
      const tests: Says = () => {
        order.push('judged');
        return FAIL;
      };
      const contract = { ...contractWith({ tests: run('npm test') }), run: { setup: { run: ['npm ci'] } } };
      await start(contract, { says: { tests }, trusted, plan: { prepare } });
      expect(order).toEqual(trusted ? ['prepared', 'judged'] : []);
    },
  );
  test('that cannot be prepared begins nothing', async () => {
    const prepare = () => Promise.reject(new Error('npm ci failed'));
    await expect(start(contractWith({ tests: run('npm test') }), { plan: { prepare } })).rejects.toThrow(
      'npm ci failed',
    );
  });
});

const judge: GateSpec = { kind: 'judge', options: { question: 'good?' } };
const agent: GateSpec = { kind: 'agent', options: { instruction: 'try it' } };
const ci: GateSpec = { kind: 'ci', options: { provider: 'github' } };
const skip: Judgement = { outcome: 'skip', summary: 'nothing to see' };

describe('a loop begins', () => {
  test('with everything that it holds fast from then on', async () => {
    const { result, loop } = await start(contractWith({ tests: run() }), {
      says: { tests: FAIL },
      plan: { contractFile: 'file hash' },
    });
    expect(result).toMatchObject({
      kind: 'started',
      trusted: true,
      baseline: [{ gate: 'tests', outcome: 'fail' }],
    });
    expect(loop).toMatchObject({
      loop: 'l1',
      session: 's1',
      dialect: 'native',
      task: 'a task',
      transcriptOffset: 7,
      baseTree: 'tree 1',
      baseCommit: 'commit 1',
      contract: {
        frozen: { project: '/project', judgeMs: 5000, contractFile: 'file hash', parts: { tests: {} } },
      },
    });
    expect(loop?.contract.frozen.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });
  test('with a promise alone: no look at the project, nothing to approve', async () => {
    const { loop, judges, asked } = await start(promiseContract('DONE', contractWith({}).limits), {
      trusted: false,
    });
    expect(loop?.contract.frozen.fingerprint).toBe('');
    expect(judges.treesTaken + asked.length).toBe(0);
    expect(loop?.baseTree).toBeUndefined();
  });
  test('without a tree where none can be had', async () => {
    const judges = fakeJudges({ tests: FAIL });
    judges.tree = new Error('no git here');
    const made: NewLoop[] = [];
    const plan: LoopPlan = {
      ...{
        loop: 'l1',
        session: 's1',
        project: '/project',
        task: 't',
        contract: contractWith({ tests: run() }),
      },
      ...{ judgeMs: 1000, transcriptOffset: 0, costTotalUsd: 0, outputDir: '/output' },
    };
    const create = (loop: NewLoop) => {
      made.push(loop);
      return { loop: 'l1', dir: '/' };
    };
    await startLoop(plan, { judges, isTrusted: () => true, create });
    expect(made[0]?.baseTree).toBeUndefined();
  });
});

describe('what was done before', () => {
  test.each<[string, Contract, Record<string, Says>?]>([
    ['every gate passes', contractWith({ tests: run(), lint: run() })],
    ['one passes and the other does not apply', contractWith({ tests: run(), lint: run() }), { lint: skip }],
    ['none applies', contractWith({ tests: run() }), { tests: skip }],
    ['the combination passes', contractWith({ tests: run(), both: all('tests') }, { done: ['both'] })],
    [
      'any is fulfilled by what passes',
      contractWith({ tests: run(), ci, one: any('tests', 'ci') }, { done: ['one'] }),
    ],
    [
      'a gate that may stay open is open',
      contractWith({ a: run('a', { onUnproven: 'allow' }) }),
      { a: { outcome: 'unproven', summary: '' } },
    ],
  ])('%s: refused, and nothing is begun', async (_, contract, says = {}) => {
    const { result, loop } = await start(contract, { says });
    expect(result.kind).toBe('nothing_to_do');
    expect(loop).toBeUndefined();
  });

  test.each<[string, Contract, Record<string, Says>?]>([
    ['one fails', contractWith({ tests: run(), lint: run() }), { lint: FAIL }],
    ['one cannot be judged', contractWith({ tests: run() }), { tests: { outcome: 'unproven', summary: '' } }],
    ['a promise is asked for', withPromise(contractWith({ tests: run() }), 'DONE')],
    ['a judge is asked', contractWith({ tests: run(), judge })],
    ['an agent is asked', contractWith({ tests: run(), agent })],
    ['the checks of a commit are waited for', contractWith({ tests: run(), ci })],
    [
      'all of a combination has to pass, one only later',
      contractWith({ tests: run(), judge, both: all('tests', 'judge') }, { done: ['both'] }),
    ],
    [
      'any of what can only pass later',
      contractWith({ ci, judge, one: any('ci', 'judge'), tests: run() }, { done: ['tests', 'one'] }),
    ],
    ['nothing but a judge', contractWith({ judge })],
  ])('%s: begun', async (_, contract, says = {}) => {
    expect((await start(contract, { says })).result.kind).toBe('started');
  });
});

describe('the baseline', () => {
  test('asks nobody who costs money or can only be right later, however deep they stand', async () => {
    const contract = contractWith(
      { tests: run(), judge, agent, ci, seen: any('ci', 'judge'), ready: all('tests', 'seen', 'agent') },
      { done: ['ready', 'judge'] },
    );
    const { judges, result } = await start(withPromise(contract, 'DONE'));
    expect(judges.judged).toEqual(['tests']);
    expect(result).toMatchObject({ baseline: [{ gate: 'ready', children: [{ gate: 'tests' }] }] });
  });
  test('judges only what done asks for', async () => {
    const contract = contractWith({ tests: run(), tidy: run() }, { done: ['tests'], taskDone: ['tidy'] });
    expect((await start(contract, { says: { tests: FAIL } })).judges.judged).toEqual(['tests']);
  });
});

describe('what nobody approved', () => {
  test('is not run: the loop begins and waits', async () => {
    const { result, judges, asked, loop } = await start(contractWith({ tests: run('rm -rf /') }), {
      trusted: false,
    });
    expect(result).toMatchObject({ kind: 'started', trusted: false, baseline: [] });
    expect(judges.judged).toEqual([]);
    expect(asked).toEqual([loop?.contract.frozen.fingerprint]);
  });
  test('where nothing of the repository is run there is nothing to approve', async () => {
    const contract = contractWith({ clean: { kind: 'git', options: { checks: ['clean'] } } });
    const { result, loop, asked } = await start(contract, { says: { clean: FAIL }, trusted: false });
    expect(result).toMatchObject({ trusted: true, baseline: [{ gate: 'clean' }] });
    expect(loop?.contract.frozen.fingerprint).toBe('');
    expect(asked).toEqual([]);
  });
  test.each([
    { kind: 'judge', options: { question: 'Is it good?' } },
    { kind: 'agent', options: { instruction: 'Run what README says' } },
  ] as const)('a model that is asked ($kind) is something to approve', async (gate) => {
    const { loop, result } = await start(contractWith({ review: gate }), { trusted: false });
    expect(loop?.contract.frozen.fingerprint).not.toBe('');
    expect(result).toMatchObject({ trusted: false });
  });
  test('an address to be told is something to approve', async () => {
    const notify = [{ webhook: 'https://example.com', on: ['done'] }];
    const quiet = contractWith({ said: { kind: 'promise', options: { text: 'X' } } }, { notify });
    const { loop, result } = await start(quiet, { trusted: false });
    expect(loop?.contract.frozen.fingerprint).not.toBe('');
    expect(result).toMatchObject({ trusted: false });
  });
  test('once approved it is judged', async () => {
    const { judges } = await start(contractWith({ tests: run() }), { says: { tests: () => PASS } });
    expect(judges.judged).toEqual(['tests']);
  });
});

describe('phases', () => {
  const phases = [
    { name: 'plan', entry: ['ticket'], exit: ['plan'] },
    { name: 'make', entry: [], exit: ['tests'] },
  ];
  const gates = { ticket: run(), plan: run(), tests: run() };
  test('what fails on the way is something to do, although everything at the end passes', async () => {
    const contract = contractWith(gates, { done: ['tests'], phases });
    const { result, loop } = await start(contract, { says: { plan: FAIL } });
    expect(result).toMatchObject({ kind: 'started' });
    expect(result.baseline.map((v) => [v.gate, v.outcome])).toEqual([
      ['ticket', 'pass'],
      ['plan', 'fail'],
      ['tests', 'pass'],
    ]);
    expect(loop?.basePassing).toBeUndefined();
  });
  test('what only a person can say is something to do, too', async () => {
    const ok: GateSpec = { kind: 'approve', options: { ask: 'Good?' } };
    const asking = [{ name: 'plan', entry: [], exit: ['ok'] }];
    const contract = contractWith({ tests: run(), ok }, { done: ['tests'], phases: asking });
    const { result, judges } = await start(contract);
    expect(result.kind).toBe('started');
    expect(judges.judged).toEqual(['tests']);
  });
  test('where everything passes from the first to the last, there is nothing to do', async () => {
    const { result } = await start(contractWith(gates, { done: ['tests'], phases }));
    expect(result.kind).toBe('nothing_to_do');
  });
});
