import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_ASK } from '../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import type { AskRule } from '../../../src/engine/core/run/options.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { FileStore } from '../../../src/engine/home/store.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';
import type { LoopJson } from '../../../src/read/loop/loop-json.ts';
import { seenStop } from '../../support/core/samples.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { contractWith, run } from '../../support/hook/judging.ts';
import { approve } from '../../support/hook/phase-scene.ts';
import { loadProgram, type Program, runCli } from '../../support/in-process.ts';

let program: Program;
beforeAll(async () => {
  program = await loadProgram();
});

let folder: string;
let project: string;
let store: FileStore;
beforeEach(() => {
  folder = temporaryFolder();
  project = join(folder, 'project');
  mkdirSync(project);
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  store = new FileStore(home, { now: Date.now });
});

const GATES = { tests: run(), ok: approve('Good?') };

function begin(loop = '20260101-000000-aaaaaa', session = 's1', ask: AskRule = DEFAULT_ASK): LoopRef {
  return store.create({
    loop,
    session,
    project,
    dialect: 'native',
    task: 'a task',
    transcriptOffset: 0,
    contract: {
      contract: contractWith(GATES, { done: ['tests', 'ok'], ask }),
      frozen: { project, fingerprint: '', parts: {}, gates: {}, judgeMs: 1000 },
    },
  });
}

const append = (ref: LoopRef, entry: Entry) => store.append(ref, () => entry);
const waits = (ref: LoopRef) =>
  append(ref, {
    kind: 'stop',
    seen: seenStop(),
    verdicts: [],
    decision: { kind: 'allow', cause: 'approval', wait: 'approval', detail: 'question 1' },
  });

async function untildone(args: string[], env: Record<string, string> = {}) {
  const base = { PATH: process.env.PATH ?? '', HOME: folder, UNTILDONE_HOME: join(folder, 'home') };
  const command = { line: '', cwd: project, env: { ...base, ...env }, input: '', limitMs: 0 };
  const { exitCode, stdout, stderr } = await runCli(program, args, command, 'untildone');
  return { code: exitCode, stdout, stderr };
}

const AGENT = { CLAUDE_CODE_SESSION_ID: 's1', CLAUDECODE: '1' };
const ask = (...args: string[]) => untildone(['ask', ...args], AGENT);
const state = (ref: LoopRef) => store.read(ref);

describe('untildone ask', () => {
  test('asks for the loop of the session, from the words or a file', async () => {
    const ref = begin();
    expect((await ask('Which', 'one?', '--option', 'A', '--option', 'B')).stdout).toContain('question 1');
    writeFileSync(join(project, 'q.txt'), `Long\n\u001b[31m${'x'.repeat(100_000)}`);
    expect(await ask('--file', 'q.txt')).toMatchObject({ code: 0 });
    expect(state(ref).questions).toMatchObject([
      { text: 'Which one?', options: ['A', 'B'] },
      { text: expect.stringMatching(/^Long x+…$/) },
    ]);
    expect((await ask('which one')).stdout).toContain('still open');
  });
  test('says what is wrong in one line', async () => {
    expect((await ask('Why?')).stderr).toContain('this session has no loop');
    expect((await untildone(['ask', 'Why?'])).stderr).toContain('no session that asks');
    expect((await untildone(['ask', 'Why?'], { ...AGENT, UNTILDONE_RUN: 'r' })).stderr).toContain(
      'walls hide it',
    );
    begin();
    expect(await ask()).toMatchObject({ code: 2, stderr: expect.stringContaining('the question is empty') });
    for (const text of ['a', 'b', 'c']) await ask(text);
    expect(await ask('d')).toMatchObject({ code: 2, stderr: expect.stringContaining('not asked: 3') });
    expect((await ask('--session', 'other', 'x')).stderr).toContain('is for a person');
  });
});

describe('untildone answer', () => {
  const asked = async (...questions: string[]) => {
    const ref = begin();
    for (const question of questions) await ask(question, '--option', 'red', '--option', 'blue');
    waits(ref);
    return ref;
  };
  const answers = (ref: LoopRef) => state(ref).answers;

  test.each([
    [['answer', 'the', 'first'], { note: 'the first' }],
    [['answer', '--option', '2'], { note: 'blue', option: 2 }],
    [['answer', '--option', '2', 'but dark'], { note: 'blue (but dark)', option: 2 }],
    [['answer', '20260101-000000', 'this'], { note: 'this' }],
    [['answer', '20260101-000000-aaaaaa', '--option', '1'], { note: 'red', option: 1 }],
    [['answer', '20260101-123456'], { note: '20260101-123456' }],
    [['answer', '--loop', '2026', '- [ ] not a flag'], { note: '- [ ] not a flag' }],
    [['approve', '--note', 'gladly', '1'], { note: 'yes: gladly' }],
    [['reject', 'question 1'], { note: 'no' }],
  ])('%j', async (args, answer) => {
    const ref = await asked('Which?');
    expect(await untildone(args)).toMatchObject({ code: 0, stderr: '' });
    expect(answers(ref)?.['question 1']).toMatchObject({ said: 'answered', ...answer });
    expect(state(ref).waiting).toBeUndefined();
  });
  test.each([
    [['answer'], 'the answer is empty'],
    [['answer', '--option', '3'], 'there is no option 3; there are: 1: red, 2: blue'],
    [['answer', '--option', 'x'], 'Type its number'],
    [['answer', '--question', '7', 'x'], 'question 7'],
    [['approve'], 'name one of: question 1, ok'],
    [['answer', '--loop', 'nope', 'x'], 'there is no loop'],
  ])('%j is refused', async (args, words) => {
    const ref = await asked('Which?');
    const { code, stderr } = await untildone(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
    expect(answers(ref)).toBeUndefined();
  });
  test('the agent cannot answer itself', async () => {
    const ref = await asked('Which?');
    expect(await untildone(['answer', 'mine'], AGENT)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is for a person'),
    });
    expect(answers(ref)).toBeUndefined();
  });
  test('several questions and loops are named; what is answered is answered once', async () => {
    const ref = await asked('a?', 'b?');
    expect((await untildone(['answer', 'x'])).stderr).toContain('name one with --question');
    expect((await untildone(['answer', '--question', '2', 'x'])).stdout).toContain('other answers');
    expect((await untildone(['answer', 'y'])).stdout).toContain('Its session goes on');
    expect((await untildone(['answer', 'z'])).stderr).toContain('no loop of this project waits');
    expect(answers(ref)).toMatchObject({ 'question 1': { note: 'y' }, 'question 2': { note: 'x' } });
  });
  test('a secret is left out, and you are told', async () => {
    const ref = await asked('Which key?');
    const { stdout } = await untildone(['answer', `sk-ant-${'a1'.repeat(20)}`]);
    expect(stdout).toContain('What looks like a secret was left out');
    expect(JSON.stringify(answers(ref))).not.toContain('a1a1');
  });
  test('nothing is answered when nobody asks, or the loop has ended', async () => {
    expect((await untildone(['answer', 'x'])).stderr).toContain('no loop of this project waits');
    const ref = await asked('Which?');
    append(ref, { kind: 'command', command: 'cancel' });
    expect((await untildone(['answer', 'x'])).stderr).toContain('no loop of this project waits');
    expect((await untildone(['answer', '--loop', ref.loop, 'x'])).stderr).toContain('has ended already');
  });
  test('status shows what was asked, as text and as JSON', async () => {
    const ref = await asked('Which?');
    expect((await untildone(['status'])).stdout).toContain('question 1: Which? (1: red, 2: blue) - open');
    await untildone(['answer', '--option', '2']);
    const json = JSON.parse((await untildone(['status', '--json'])).stdout) as { loops: LoopJson[] };
    expect(json.loops[0]?.questions).toMatchObject([
      {
        name: 'question 1',
        text: 'Which?',
        options: ['red', 'blue'],
        state: 'answered',
        answer: 'blue',
        option: 2,
      },
    ]);
    expect((await untildone(['log', ref.loop])).stdout).toContain(
      'you answered question 1 with option 2: blue',
    );
  });
});
