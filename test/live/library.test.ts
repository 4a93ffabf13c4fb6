import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Script } from '../../src/dev/simulator/script.ts';
import type { RunEvent, RunResult } from '../../src/library/index.ts';
import { git } from '../support/live/contract.ts';
import { type Consumer, installConsumer, runProgram } from '../support/live/library.ts';
import type { Scene } from '../support/live/scene.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';
import { bash, loopOf } from '../support/live/untildone.ts';
import { few, isLong, longDescribe, longTest } from '../support/long.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guides/library.md'), 'utf8');

let consumer: Consumer;
beforeAll(() => {
  consumer = installConsumer();
  // Runs with the options of its first argument, and says on stdout what came of it.
  consumer.write('program.mjs', PROGRAM);
});
afterAll(() => consumer.remove());

const PROGRAM = `
import { run, UsageError } from 'untildone';

const { abortOn, throwOn, ...options } = JSON.parse(process.argv[2]);
const events = [];
const abort = new AbortController();
const signals = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name));
const most = [0, 0, 0];
const onEvent = (event) => {
  events.push(event);
  signals().forEach((count, i) => { most[i] = Math.max(most[i], count); });
  if (event.type === abortOn) abort.abort();
  if (event.type === throwOn) throw new RangeError('the watcher has had enough');
};
const said = {};
try {
  said.result = await run({ model: 'claude-sonnet-4-5', ...options, signal: abort.signal, onEvent });
} catch (error) {
  const { name, message, fingerprint, problems } = error;
  said.error = { name, message, isUsage: error instanceof UsageError, fingerprint, problems };
}
console.log(JSON.stringify({ ...said, events, signals: most, exitCode: process.exitCode }));
`;

async function projectScene(files: Record<string, string> = {}): Promise<Scene> {
  const scene = await sceneOfTest({ git: true });
  for (const [name, text] of Object.entries({ 'README.md': 'x\n', ...files }))
    writeFileSync(join(scene.project, name), text);
  git(scene, 'add', '-A');
  git(scene, 'commit', '--quiet', '-m', 'begin');
  return scene;
}

interface Said {
  result?: RunResult;
  error?: { name: string; message: string; isUsage: boolean; fingerprint?: string; problems?: string[] };
  events: RunEvent[];
  signals: number[];
  exitCode?: number;
}

async function program(scene: Scene, options: object, script: Script) {
  const run = await runProgram(consumer, scene, {
    file: 'program.mjs',
    args: [JSON.stringify(options)],
    script,
  });
  // One line of its own, and not a word of ours.
  expect({ code: run.code, stderr: run.stderr, lines: run.stdout.trim().split('\n').length }).toEqual({
    code: 0,
    stderr: '',
    lines: 1,
  });
  return { ...(JSON.parse(run.stdout) as Said), requests: run.requests };
}

const MAKES_IT: Script = {
  rules: [
    { when: { last: 'made' }, turns: [{ text: 'It is there.' }] },
    { when: { any: '.' }, turns: [{ text: 'I am done.' }, { tools: [bash('touch it && echo made')] }] },
  ],
};
const CONTRACT = { gates: { it: { run: 'test -e it' } }, run: { allow: ['Bash'] } };

describe('a program that uses the library', () => {
  test('drives a run to its end, hears of it, and is given what it rests on', async () => {
    const scene = await projectScene();
    const { result, events, signals, exitCode } = await program(
      scene,
      { task: 'Make it', contract: CONTRACT },
      MAKES_IT,
    );
    expect(result).toMatchObject({
      status: 'verified_done',
      iteration: 2,
      sessions: 1,
      gates: [{ name: 'it', class: 'measured', verdict: 'pass' }],
      why: expect.stringContaining('done, and verified: every gate passed (it); rung: '),
    });
    expect(result?.costUsd).toBeGreaterThan(0);
    expect(result?.tokens).toBeGreaterThan(0);
    expect(result?.receipt?.text).toContain('test -e it');
    expect(existsSync(result?.receipt?.file ?? '')).toBe(true);
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe('begun');
    expect(types.at(-1)).toBe('ended');
    expect(types).toEqual(expect.arrayContaining(['session', 'happening', 'judging', 'stop']));
    // It belongs to the program what a signal or an exit code means.
    expect(signals).toEqual([0, 0, 0]);
    expect(exitCode).toBeUndefined();
    expect(await loopOf(scene)).toMatchObject({ id: result?.loop, status: 'verified_done' });
  });

  longTest('calls a run off, which rests, and goes on with it', async () => {
    const scene = await projectScene();
    const first = await program(
      scene,
      { task: 'Make it', contract: CONTRACT, abortOn: 'stop' },
      { after: { text: 'I am done.' } },
    );
    expect(first.result).toMatchObject({ status: 'paused', gates: [{ verdict: 'fail' }] });
    expect(first.result).not.toHaveProperty('receipt');
    const second = await program(scene, { resume: first.result?.loop }, MAKES_IT);
    expect(second.result).toMatchObject({ status: 'verified_done', loop: first.result?.loop });
  });

  longTest('gets back what its own watcher threw, and the run rests', async () => {
    const scene = await projectScene();
    const { error } = await program(
      scene,
      { task: 'Make it', contract: CONTRACT, throwOn: 'judging' },
      MAKES_IT,
    );
    expect(error).toMatchObject({ name: 'RangeError', isUsage: false });
    expect((await loopOf(scene)).status).toBe('paused');
  });

  longTest('ends at its limits', async () => {
    const scene = await projectScene();
    const { result } = await program(
      scene,
      { task: 'Make it', contract: CONTRACT, limits: { iterations: 1 } },
      { after: { text: 'I am done.' } },
    );
    expect(result).toMatchObject({ status: 'reached_limit', iteration: 1 });
  });
});

describe('a run that cannot begin', () => {
  test('says by which fingerprint a person would approve what the file runs; that one is accepted', async () => {
    const scene = await projectScene();
    const yaml = 'gates: { it: { run: test -e it } }\nrun: { allow: [Bash] }\n';
    writeFileSync(join(scene.project, 'other.yaml'), yaml);
    const refused = await program(scene, { task: 'Make it', contract: 'other.yaml' }, MAKES_IT);
    expect(refused.error).toMatchObject({
      name: 'NotApproved',
      isUsage: true,
      message: expect.stringContaining('untildone trust'),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(refused.requests).toEqual([]);
    if (!isLong) return;
    const trust = refused.error?.fingerprint;
    const { result } = await program(scene, { task: 'Make it', contract: 'other.yaml', trust }, MAKES_IT);
    expect(result?.status).toBe('verified_done');
  });

  longTest('where everything passes already, something has to change', async () => {
    const scene = await projectScene();
    const contract = { gates: { t: { run: 'true' } } };
    const turns = [{ text: 'It is there.' }, { tools: [bash('echo made > made.txt')] }, { text: 'Made.' }];
    const { result } = await program(scene, { task: 'Make it', contract, allow: ['Bash'] }, { turns });
    // The first Stop was held.
    expect(result).toMatchObject({ status: 'verified_done', iteration: 2 });
  });

  test.each(
    few<[string, object, object]>(
      [
        [
          'a contract with mistakes',
          { task: 'x', contract: { gates: { t: { run: 'true', timout: '1m' } } } },
          {
            name: 'ContractError',
            problems: [expect.stringMatching(/^contract: .*"timout" in gates\.t .*"timeout"/)],
          },
        ],
        [
          'no task',
          { contract: CONTRACT },
          { name: 'UsageError', message: expect.stringContaining('empty') },
        ],
        [
          'a file that is not there',
          { task: 'x', contract: 'gone.yaml' },
          { name: 'UsageError', message: expect.stringContaining('gone.yaml') },
        ],
        [
          'a project that is not there',
          { task: 'x', project: 'gone' },
          { name: 'UsageError', message: expect.stringContaining('gone') },
        ],
      ],
      2,
    ),
  )('throws what is wrong: %s', async (_what, options, expected) => {
    const scene = await projectScene();
    const { error, requests } = await program(scene, options, {});
    expect(error).toMatchObject({ isUsage: true, ...expected });
    expect(requests).toEqual([]);
  });
});

longDescribe('the types', () => {
  test('let through what is right and refuse what is wrong', () => {
    consumer.write(
      'types.ts',
      `import { ContractError, defineGate, run, type ContractInput, type RunEvent, type RunResult } from 'untildone';

const contract: ContractInput = {
  gates: {
    tests: { run: 'npm test', timeout: '10m' },
    more: { run: { command: 'x', env: { A: 1 } } },
    git: { git: ['clean', { branch: 'main' }] },
    tidy: { forbid: ['debug', { name: 'a', pattern: 'b' }], paths: ['src/**'] },
    both: { all: ['tests', 'more'] },
  },
  run: { mode: 'fresh', client: { mcpServers: {} } },
};
// @ts-expect-error misspelt
const misspelt: ContractInput = { gates: { tests: { runn: 'npm test' } } };
// @ts-expect-error only a person may
const bypass: ContractInput = { run: { permission_mode: 'bypassPermissions' } };

export default defineGate<{ file?: string }>({
  judge({ with: settings, task }) {
    return { outcome: settings.file === task ? 'pass' : 'fail', summary: 'looked' };
  },
});
// @ts-expect-error no such outcome
defineGate({ judge: () => ({ outcome: 'good', summary: '' }) });

export async function main(): Promise<number> {
  try {
    const result: RunResult = await run({
      task: 'x',
      contract,
      signal: AbortSignal.timeout(1000),
      onEvent: (event: RunEvent) => event.type === 'stop' && event.run.gates[0]?.verdict === 'pass',
    });
    // @ts-expect-error a run that was driven is not active
    if (result.status === 'active') return 1;
    return result.status === 'verified_done' ? result.costUsd : 1;
  } catch (error) {
    return error instanceof ContractError ? error.problems.length : 1;
  }
}
// @ts-expect-error a number is no task
void run({ task: 1 });
void misspelt;
void bypass;
`,
    );
    expect(consumer.typeCheck('types.ts')).toBe('');
  });
});

describe('the guide', () => {
  longTest('shows a program that runs', async () => {
    const [, text = ''] = /```js run-until-done\.mjs\n(.*?)```/s.exec(GUIDE) ?? [];
    consumer.write('guide.mjs', text);
    const scene = await projectScene({ 'package.json': '{ "scripts": { "test": "test -e it" } }' });
    const run = await runProgram(consumer, scene, { file: 'guide.mjs', script: MAKES_IT });
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(run.stdout).toContain('verified_done');
  });

  longTest('has an example, which needs neither account nor network', async () => {
    cpSync(join(import.meta.dirname, '../../examples/library'), join(consumer.folder, 'example'), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    });
    const scene = await projectScene();
    const run = await runProgram(consumer, scene, { file: 'example/run.mjs', script: {} });
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(run.stdout).toContain('HELD: tests fail, intact pass');
    expect(run.stdout).toContain('verified_done after 2 iterations in 1 session(s)');
  });

  test('shows a gate that judges', async () => {
    const [, text = ''] = /```js checks\/it\.mjs\n(.*?)```/s.exec(GUIDE) ?? [];
    consumer.write('gate.mjs', text);
    const { default: gate } = await import(join(consumer.folder, 'gate.mjs'));
    const ask = { v: 1, gate: 'it', project: '', task: '', session: '', with: { file: 'no/such/file' } };
    expect(await gate.judge(ask)).toMatchObject({ outcome: 'fail' });
    expect(await gate.judge({ ...ask, with: { file: 'package.json' } })).toMatchObject({ outcome: 'pass' });
  });
});
