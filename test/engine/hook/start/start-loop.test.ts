import { describe, expect, test } from 'vitest';
import {
  type Contract,
  type GateSpec,
  promiseContract,
  withPromise,
} from '../../../../src/engine/core/contract/contract.ts';
import type { Judgement } from '../../../../src/engine/gates/gate.ts';
import { type LoopPlan, startLoop } from '../../../../src/engine/hook/start/start-loop.ts';
import type { NewLoop } from '../../../../src/engine/ports/ports.ts';
import {
  all,
  any,
  contractWith,
  FAIL,
  fakeJudges,
  PASS,
  run,
  type Says,
} from '../../../support/hook/judging.ts';

interface Given {
  says?: Record<string, Says>;
  trusted?: boolean;
  plan?: Partial<LoopPlan>;
  judges?: ReturnType<typeof fakeJudges>;
}

async function start(
  contract: Contract,
  { says = {}, trusted = true, plan = {}, judges = fakeJudges(says) }: Given = {},
) {
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
      loop: 'l1',
      session: 's1',
      project: '/project',
      task: 't',
      contract: contractWith({ tests: run() }),
      judgeMs: 1000,
      transcriptOffset: 0,
      costTotalUsd: 0,
      outputDir: '/output',
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
    ['a promise is asked for', withPromise(contractWith({ tests: run() }), 'DONE')],
    ['a judge is asked', contractWith({ tests: run(), judge })],
    ['the checks of a commit are waited for', contractWith({ tests: run(), ci })],
    ['the name is taken', contractWith({ tests: run(), changed: run() })],
  ])('%s: begun, and a change is asked for, too', async (_, contract, says = {}) => {
    const { result, loop } = await start(contract, { says });
    const gate = loop?.changeGate ?? '';
    expect(result).toMatchObject({ kind: 'started', changeGate: gate });
    expect(result.baseline.at(-1)).toMatchObject({ gate, kind: 'changed', outcome: 'fail' });
    expect(loop?.contract.contract.done).toEqual([...contract.done, gate]);
    expect(Object.keys(contract.gates)).not.toContain(gate);
    expect(loop?.contract.contract.gates[gate]).toMatchObject({
      kind: 'changed',
      options: { implicit: { start: 'green' } },
    });
    expect(loop).toMatchObject({ basePassing: true, baseTree: 'tree 1' });
  });

  test('the trust of a person counts for a contract that asks for a change besides', async () => {
    const contract = contractWith({ tests: run() });
    const [green, red] = [await start(contract), await start(contract, { says: { tests: FAIL } })];
    expect(green.loop?.contract.frozen.fingerprint).toBe(red.loop?.contract.frozen.fingerprint);
  });

  test('what the gates wrote while they were judged is no change', async () => {
    const judges = fakeJudges({
      tests: () => {
        judges.tree = 'report.xml';
        return PASS;
      },
    });
    const { loop } = await start(contractWith({ tests: run() }), { judges });
    expect(loop?.baseTree).toBe('report.xml');
  });

  test.each([
    ['a child whose features pass', {}, { plan: { isMeasuredPiece: true } }],
    ['a project without trees', { tree: new Error('no git here') }, {}],
  ])('%s: nothing is begun', async (_, world, given) => {
    const judges = Object.assign(fakeJudges(), world);
    const { result, loop } = await start(contractWith({ tests: run() }), { judges, ...given });
    expect(result.kind).toBe('nothing_to_do');
    expect(loop).toBeUndefined();
  });

  test('a child is not asked for the change that its run was asked for', async () => {
    const { loop: parent } = await start(contractWith({ tests: run() }));
    const { loop } = await start(parent?.contract.contract ?? contractWith({}), { says: { tests: FAIL } });
    expect(loop?.contract.contract.done).toEqual(['tests']);
    expect(loop?.changeGate).toBeUndefined();
  });

  test.each<[string, Contract, Record<string, Says>?]>([
    ['one fails', contractWith({ tests: run(), lint: run() }), { lint: FAIL }],
    ['one cannot be judged', contractWith({ tests: run() }), { tests: { outcome: 'unproven', summary: '' } }],
    ['nothing but a judge', contractWith({ judge })],
    ['nothing but a promise', promiseContract('DONE', contractWith({}).limits)],
  ])('%s: begun as the contract says', async (_, contract, says = {}) => {
    const { result, loop } = await start(contract, { says });
    expect(result).toMatchObject({ kind: 'started', changeGate: undefined });
    expect(loop?.contract.contract).toEqual(contract);
  });
});

describe('the baseline', () => {
  test('judges every gate, and once, whatever comes before it', async () => {
    const tests = run('npm test', { after: ['lint'], repeat: 3 });
    const gates = { lint: run(), ready: { ...all('tests'), after: ['lint'] }, tests };
    const { judges } = await start(contractWith(gates), { says: { lint: FAIL } });
    expect(judges.judged.sort()).toEqual(['lint', 'tests']);
  });

  test('asks nobody who costs money or can only be right later, however deep they stand', async () => {
    const contract = contractWith(
      { tests: run(), judge, agent, ci, seen: any('ci', 'judge'), ready: all('tests', 'seen', 'agent') },
      { done: ['ready', 'judge'] },
    );
    const { judges, result } = await start(withPromise(contract, 'DONE'));
    expect(judges.judged).toEqual(['tests']);
    expect(result.baseline[0]).toMatchObject({ gate: 'ready', children: [{ gate: 'tests' }] });
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
    // Nobody knows what passed at the start, so only a change can show work.
    expect(loop?.contract.contract.gates.changed).toMatchObject({
      options: { implicit: { start: 'unjudged' } },
    });
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
    expect(loop?.changeGate).toBeUndefined();
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
  test('where everything passes from the first to the last, a change is asked for at the end', async () => {
    const { loop } = await start(contractWith(gates, { done: ['tests'], phases }));
    expect(loop?.contract.contract).toMatchObject({ done: ['tests', 'changed'], phases });
  });
});
