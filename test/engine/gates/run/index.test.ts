import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runGate } from '../../../../src/engine/gates/run/index.ts';
import type { Given } from '../../../support/gates/context.ts';
import { makeProject, noAbort, type TestProject } from '../../../support/gates/project.ts';

let project: TestProject;
beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

async function judge(
  command: string,
  more: { cwd?: string; env?: Record<string, string> } = {},
  signal = noAbort,
) {
  return runGate.judge({ command, ...more }, project.context({ name: 'tests' }), signal);
}

test('exit code 0 passes, with what the pass rests on', async () => {
  const judgement = await judge('echo fine');
  expect(judgement).toMatchObject({ outcome: 'pass', summary: '`echo fine` succeeds' });
  expect(judgement.proof).toMatchObject({ command: 'echo fine', exitCode: 0 });
  expect(judgement.proof?.outputSha256).toBe(createHash('sha256').update('fine\n').digest('hex'));
  expect(readFileSync(judgement.proof?.outputFile ?? '', 'utf8')).toBe('fine\n');
});

test('any other exit code fails, with the useful lines first', async () => {
  project.write(
    'check.sh',
    'echo starting; echo "src/a.ts(3,5): error TS2322: wrong type" >&2; echo finishing; exit 2',
  );
  const judgement = await judge('sh check.sh');
  expect(judgement).toMatchObject({ outcome: 'fail', summary: '`sh check.sh` fails with exit code 2' });
  expect(judgement.evidence).toEqual(['src/a.ts(3,5): error TS2322: wrong type', 'starting', 'finishing']);
  expect(judgement.proof?.exitCode).toBe(2);
});

describe('what could not be judged is unproven', () => {
  test('a command that is not there', async () => {
    const judgement = await judge('no-such-linter --fix');
    expect(judgement).toMatchObject({ outcome: 'unproven' });
    expect(judgement.summary).toContain('command not found');
  });

  test('a file that may not be run', async () => {
    project.write('check', 'exit 0');
    const judgement = await judge('./check');
    expect(judgement).toMatchObject({ outcome: 'unproven' });
    expect(judgement.summary).toContain('not executable');
  });

  test('a command that was ended by a signal', async () => {
    expect(await judge('kill -KILL $$')).toMatchObject({ outcome: 'unproven' });
  });

  test('a command that was stopped in time', async () => {
    const judgement = await judge('sleep 300', {}, AbortSignal.timeout(100));
    expect(judgement).toMatchObject({ outcome: 'unproven' });
    expect(judgement.proof?.exitCode).toBeUndefined();
  });

  test('a folder that is not there', async () => {
    const judgement = await judge('true', { cwd: 'packages/gone' });
    expect(judgement).toMatchObject({ outcome: 'unproven' });
    expect(judgement.evidence?.join('\n')).toContain('there is no folder');
  });

  test.each(['..', '../elsewhere', 'a/../../b', '/etc'])('a folder out of the project: %s', async (cwd) => {
    const judgement = await judge('touch ran', { cwd });
    expect(judgement).toMatchObject({ outcome: 'unproven' });
    expect(judgement.proof).toBeUndefined();
  });
});

test('a command runs in its folder, with the variables of the contract', async () => {
  project.write('packages/api/file', '');
  expect(
    await judge('test -f file && test "$MODE" = ci', { cwd: './packages/api/', env: { MODE: 'ci' } }),
  ).toMatchObject({
    outcome: 'pass',
  });
});

test('a person approves the command together with its folder', () => {
  expect(runGate.commands?.({ command: 'npm test' }, undefined)).toEqual(['npm test']);
  expect(runGate.commands?.({ command: 'npm test', cwd: 'packages/a b' }, undefined)).toEqual([
    "cd 'packages/a b' && npm test",
  ]);
});

test('the evidence shows no secret', async () => {
  const judgement = await judge('echo "Error: token ghp_0123456789abcdefghij0123456789 refused"; exit 1');
  expect(judgement.evidence).toEqual(['Error: token [redacted] refused']);
});

describe('the fingerprint of a failure', () => {
  const failing = (lines: string) => judge(`printf '%s\\n' '${lines}'; exit 1`);

  test('is the same for the same failing tests, whenever, in whatever order and wherever they stand', async () => {
    const first = await failing(
      '✖ adds prices (1.5ms)\n✖ gives a discount (3ms)\ntest at cart.test.js:5:3\n10:00:01 done',
    );
    const second = await failing(
      '✖ gives a discount (9ms)\n✖ adds prices (2.5ms)\ntest at cart.test.js:9:3\n10:07:33 done',
    );
    expect(first.fingerprint).toBe(second.fingerprint);
  });

  test('differs when another test fails', async () => {
    const first = await failing('✖ adds prices (1.5ms)\nend');
    const second = await failing('✖ gives a discount (1.5ms)\nend');
    expect(first.fingerprint).not.toBe(second.fingerprint);
  });

  test('of an output that no runner wrote follows its last lines', async () => {
    expect((await failing('something broke')).fingerprint).not.toBe(
      (await failing('something else')).fingerprint,
    );
    expect((await failing('took 3 s')).fingerprint).toBe((await failing('took 4 s')).fingerprint);
  });
});

test('a prompt, and a task that is new, are given on stdin; one that is completed is not', async () => {
  const of = (event: Given['event']) => {
    const context = project.context({ name: 'own', ...(event ? { event } : {}) });
    return runGate.judge({ command: 'cat > asked' }, context, noAbort);
  };
  await of({ name: 'UserPromptSubmit', session: 's', prompt: 'go on' });
  expect(JSON.parse(project.read('asked'))).toMatchObject({ prompt: 'go on' });
  const task = { session: 's', taskId: '1', subject: 'x' };
  await of({ ...task, name: 'TaskCreated' });
  expect(JSON.parse(project.read('asked'))).toMatchObject({ task_subject: 'x' });
  await of({ ...task, name: 'TaskCompleted' });
  expect(project.read('asked')).toBe('');
});
