import { describe, expect, test } from 'vitest';
import type { GateOptions } from '../../../../src/engine/core/contract/gate-options.ts';
import type { HookEvent } from '../../../../src/engine/core/loop/event.ts';
import type { Judgement } from '../../../../src/engine/gates/gate.ts';
import { textGate } from '../../../../src/engine/gates/text/index.ts';
import { gateContext } from '../../../support/gates/context.ts';
import { workMs } from '../../../support/work-time.ts';

const prompt = (text: string) => ({ name: 'UserPromptSubmit', session: 's', prompt: text }) as HookEvent;
const task = (subject: string, description?: string) =>
  ({ name: 'TaskCreated', session: 's', taskId: '1', subject, description }) as HookEvent;

async function judged(options: Partial<GateOptions['text']>, event?: HookEvent): Promise<Judgement> {
  return textGate.judge({ forbid: [], custom: [], ...options }, gateContext({ event }));
}
const outcome = async (options: Partial<GateOptions['text']>, text: string) =>
  (await judged(options, prompt(text))).outcome;

const KEY = `sk-ant-api03-${'Qw8zT2mLp9RkV4nX'.repeat(4)}`;
const GITHUB = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0'.repeat(2)}`.slice(0, 40);

test('is measured, and skips what is no prompt and no task', async () => {
  expect(textGate.class).toBe('measured');
  const stop = { name: 'Stop', session: 's', stopHookActive: false, backgroundTasks: [], wakeUps: [] };
  expect((await judged({ atLeast: 1 }, stop as HookEvent)).outcome).toBe('skip');
  expect((await judged({ atLeast: 1 })).outcome).toBe('skip');
  const idle = { name: 'TeammateIdle', session: 's', teammate: 'ada', team: 't' };
  expect((await judged({ atLeast: 1 }, idle as HookEvent)).outcome).toBe('skip');
});

describe('secrets', () => {
  const secrets = { forbid: ['secrets'] };
  test.each([
    ['a key', `use ${KEY} please`],
    ['a token at the end of a very long line', `${'word '.repeat(5000)}${GITHUB}`],
    ['a key in the middle of pieces of a line', `${'x '.repeat(225)}${KEY}${' y'.repeat(400)}`],
    ['a key after one that is made up', `like sk-ant-${'your-key-example-'.repeat(3)} but ${KEY}`],
    ['a password that is assigned', 'log in with DB_PASSWORD=hunter2horse'],
    ['a password that is named', 'the password: Tr0ub4dor&3x'],
    ['credentials in an address', 'clone https://me:Zx81kuLpq@example.test/repo.git'],
    ['a bearer', 'curl -H "Authorization: Bearer 8f3kQ0sLm2VnB7xT"'],
  ])('%s is found, and not repeated', async (_, text) => {
    const found = await judged(secrets, prompt(text));
    expect(found.outcome).toBe('fail');
    const said = JSON.stringify(found);
    for (const secret of [KEY, GITHUB, 'hunter2horse', 'Tr0ub4dor', 'Zx81kuLpq', '8f3kQ0sLm2VnB7xT'])
      expect(said).not.toContain(secret);
    expect(said).not.toContain(KEY.slice(0, 16));
    expect(found.next).toContain('take the secret out');
  });
  test.each([
    ['prose about secrets', 'Rotate the API key and write down how passwords and tokens are kept.'],
    ['a type', 'the field is `token: string`'],
    ['a name without a value', 'read DB_PASSWORD from the environment'],
    ['a variable', 'run it with API_KEY=$API_KEY'],
    ['what is made up', 'write `API_KEY=your-key-here-1` into the example'],
    ['code that takes it from somewhere', 'const token = config.oauth2.token'],
    ['the login of any local database', 'use postgres://postgres:postgres@localhost:5432/app'],
  ])('%s is none', async (_, text) => {
    expect(await outcome(secrets, text)).toBe('pass');
  });
  test('are named with their line', async () => {
    const found = await judged(secrets, prompt(`one\ntwo ${KEY}\nthree ${GITHUB}`));
    expect(found.evidence).toEqual(['line 2: secrets (Anthropic key)', 'line 3: secrets (GitHub token)']);
    expect(found.summary).toBe('the prompt contains what is forbidden: secrets');
  });
});

test('a private key is found by its own group, and its header alone is none', async () => {
  const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';
  const head = '-----BEGIN PRIVATE KEY-----';
  expect(await outcome({ forbid: ['private_keys'] }, `here:\n${head}\n${body}\n`)).toBe('fail');
  expect(await outcome({ forbid: ['private_keys'] }, `the file begins with ${head}`)).toBe('pass');
  expect(await outcome({ forbid: ['secrets'] }, `the file begins with ${head}`)).toBe('pass');
});

test('todo and placeholder are found in plain words, those of other languages are not', async () => {
  const found = await judged(
    { forbid: ['todo', 'placeholder'] },
    task('Parser', 'TODO: decide\nlorem ipsum'),
  );
  expect(found).toMatchObject({
    outcome: 'fail',
    summary: 'the task contains what is forbidden: todo, placeholder',
    evidence: ['line 2: todo (TODO)', 'line 3: placeholder (lorem ipsum)'],
  });
  expect(await outcome({ forbid: ['todo', 'placeholder'] }, 'Why does it say ??? here')).toBe('pass');
  expect(await outcome({ forbid: ['todo'] }, 'Build a TODO list')).toBe('pass');
});

test('a pattern of your own is named, and what it found is not repeated', async () => {
  const custom = [{ name: 'customer', pattern: 'C-\\d{6}' }];
  const found = await judged({ custom }, prompt('look at C-123456'));
  expect(found.evidence).toEqual(['line 1: customer']);
  expect(JSON.stringify(found)).not.toContain('C-123456');
});

describe('what has to be there', () => {
  const matches = { pattern: '[A-Z]+-\\d+', say: 'name the ticket' };
  test('is found in any line, however long', async () => {
    expect(await outcome({ matches }, `${'a '.repeat(3000)}ABC-12`)).toBe('pass');
    expect((await judged({ matches }, task('Fix it', 'see ABC-12'))).outcome).toBe('pass');
  });
  test('is asked for in the words of the contract', async () => {
    expect(await judged({ matches }, task('Fix it'))).toMatchObject({
      outcome: 'fail',
      summary: 'something is missing in the task: name the ticket',
      next: 'name the ticket',
    });
  });
});

describe('length', () => {
  test('counts characters as people do, without the space around', async () => {
    expect(await outcome({ atLeast: 3 }, '  äöü ')).toBe('pass');
    expect(await outcome({ atMost: 3 }, '👍👍👍')).toBe('pass');
    expect(await judged({ atLeast: 20 }, prompt('go'))).toMatchObject({
      outcome: 'fail',
      summary: 'the prompt has 2 characters, at least 20 are asked for',
    });
    expect((await judged({ atMost: 3 }, prompt('four'))).summary).toContain('at most 3 are allowed');
  });
  test('a task counts with its description', async () => {
    expect((await judged({ atLeast: 20 }, task('Parser', 'Write a parser for it'))).outcome).toBe('pass');
  });
});

test('everything that is wrong is said at once', async () => {
  const found = await judged(
    { forbid: ['todo'], atLeast: 50, matches: { pattern: 'ABC-\\d', say: 'name the ticket' } },
    prompt('TODO'),
  );
  expect(found.summary.split('; ')).toHaveLength(3);
});

test('what is too long to be looked through is not let through, and takes no time', async () => {
  expect(await judged({ forbid: ['secrets'] }, prompt('x'.repeat(2_000_000)))).toMatchObject({
    outcome: 'unproven',
  });
});

test('a long text of many lines is looked through in a moment', async () => {
  const text = `${'token: sk- Bearer password= throw "not \n'.repeat(20_000)}`;
  const before = workMs();
  await judged({ forbid: ['secrets', 'private_keys', 'todo', 'placeholder'] }, prompt(text));
  expect(workMs() - before).toBeLessThan(5000);
});
