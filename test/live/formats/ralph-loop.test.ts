import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../../support/live/processes.ts';
import { sceneOfTest } from '../../support/live/test-scene.ts';
import { BIN, bash, decisionsOf, journalOf, loopOf, loopsOf, must } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

const STATE = '.claude/ralph-loop.local.md';

async function installed(options: Parameters<typeof sceneOfTest>[0] = {}) {
  const scene = await sceneOfTest(options);
  await must(scene, ['install']);
  return scene;
}

/** The state file as the plugin writes it. */
function stateFile(session: string, max = 10): string {
  return [
    '---',
    'active: true',
    'iteration: 1',
    `session_id: ${session}`,
    `max_iterations: ${max}`,
    'completion_promise: "ALL TESTS PASS"',
    'started_at: "2026-11-15T08:00:00Z"',
    'kept: as it is',
    '---',
    '',
    'Run the failing tests. Fix the code. $(touch pwned)',
    '',
  ].join('\n');
}

test('a state file of the plugin holds its session until the promise is kept, and is gone then', async () => {
  const scene = await installed({ recording: 'Stop/ralph-loop' });
  const session = randomUUID();
  await writeFile(join(scene.project, STATE), stateFile(session));
  const run = await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: {
      turns: [
        { text: 'first' },
        { tools: [bash(`cat ${STATE}`)] },
        { text: 'second' },
        { text: 'All of them.\n\n<promise>ALL TESTS PASS</promise>' },
      ],
    },
  });
  expect(run.code).toBe(0);
  const loop = await loopOf(scene, session);
  expect(loop).toMatchObject({
    dialect: 'ralph-loop',
    status: 'claimed_done',
    iteration: 3,
    max_iterations: 10,
  });
  expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'block', 'claimed_done']);
  const asked = JSON.stringify(run.requests.at(-1)?.body);
  expect(asked).toContain('Run the failing tests. Fix the code. $(touch pwned)');
  expect(asked).toContain('iteration: 2');
  expect(asked).toContain('kept: as it is');
  expect(existsSync(join(scene.project, STATE))).toBe(false);
  expect(existsSync(join(scene.project, 'pwned'))).toBe(false);
  expect(run.lines.some((l) => JSON.stringify(l).includes('Ralph iteration 2 | To stop: output'))).toBe(true);
});

longTest('the session next to it is not held, and its Stop leaves the file as it is', async () => {
  const scene = await installed();
  await mkdir(join(scene.project, '.claude'), { recursive: true });
  const text = stateFile(randomUUID());
  await writeFile(join(scene.project, STATE), text);
  const run = await scene.runClient({ prompt: 'go', script: { turns: [{ text: 'hello' }] } });
  expect(run.requests).toHaveLength(1);
  expect(await readFile(join(scene.project, STATE), 'utf8')).toBe(text);
  expect(await loopsOf(scene)).toEqual([]);
});

longTest('the agent starts one as the plugin would, and cancels it', async () => {
  const scene = await installed();
  const untildone = `'${process.execPath}' '${BIN}'`;
  const run = await scene.runClient({
    prompt: 'go',
    script: {
      turns: [
        {
          tools: [
            bash(`${untildone} ralph-loop Fix the tests --completion-promise ALL DONE --max-iterations=4`),
          ],
        },
        { text: 'one' },
        { tools: [bash(`cat ${STATE}`)] },
        { tools: [bash(`${untildone} cancel-ralph`)] },
        { text: 'bye' },
      ],
    },
  });
  const loop = await loopOf(scene, run.session);
  expect(loop).toMatchObject({ dialect: 'ralph-loop', status: 'cancelled', iteration: 2, max_iterations: 4 });
  expect(loop.task).toBe('Fix the tests');
  expect(existsSync(join(scene.project, STATE))).toBe(false);
  expect(JSON.stringify(run.requests.at(-1)?.body)).toContain('was at iteration 2');
});

longTest('a person who removes the file cancels the loop', async () => {
  const scene = await installed();
  const session = randomUUID();
  const file = join(scene.project, STATE);
  await writeFile(file, stateFile(session));
  const client = await scene.startClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: {
      turns: [
        { text: 'first' },
        { tools: [bash(`touch waiting; while [ -e '${file}' ]; do sleep 0.02; done`)] },
        { text: 'second' },
      ],
    },
  });
  await waitFor(() => existsSync(join(scene.project, 'waiting')));
  await rm(file);
  const run = await client.finished;
  expect(run.requests).toHaveLength(3);
  expect(await loopOf(scene, session)).toMatchObject({
    status: 'cancelled',
    ending: { cause: 'state_removed' },
  });
});

longTest('the slash commands of the guide start and cancel a loop as those of the plugin did', async () => {
  const scene = await installed({ project: 'mein prōjekt 項目' });
  const guide = await readFile(join(import.meta.dirname, '../../../docs/migrating/ralph-loop.md'), 'utf8');
  const files = [...guide.matchAll(/^`([\w-]+\.md)`:\n\n````md\n(.*?)^````$/gms)];
  expect(files.map(([, name]) => name)).toEqual(['ralph-loop.md', 'cancel-ralph.md']);
  const [commands, bin] = [join(scene.project, '.claude/commands'), join(scene.root, 'bin')];
  await mkdir(commands, { recursive: true });
  await mkdir(bin);
  for (const [, name = '', text = ''] of files) await writeFile(join(commands, name), text);
  await writeFile(join(bin, 'untildone'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`, {
    mode: 0o755,
  });
  const env = { PATH: [bin, process.env.PATH].join(delimiter) };
  const prompt = 'Run the tests. Fix the code.\nRepeat until all pass.';
  const started = await scene.runClient({
    env,
    prompt: `/ralph-loop "${prompt}" --max-iterations 5 --completion-promise "ALL TESTS PASS"`,
    script: { turns: [{ text: 'one' }, { text: '<promise>ALL TESTS PASS</promise>' }] },
  });
  const done = { status: 'claimed_done', iteration: 2, max_iterations: 5, task: prompt.replace('\n', ' ') };
  expect(await loopOf(scene, started.session)).toMatchObject(done);

  const session = randomUUID();
  await writeFile(join(scene.project, STATE), stateFile(session));
  const cancelled = await scene.runClient({
    env,
    args: ['--session-id', session],
    prompt: '/cancel-ralph',
    script: { turns: [{ text: 'It is cancelled.' }, { text: 'held' }] },
  });
  expect(cancelled.requests).toHaveLength(1);
  expect(await loopOf(scene, session)).toMatchObject({ status: 'cancelled' });
});
