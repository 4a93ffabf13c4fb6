import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractScene, startedSession } from '../support/live/contract.ts';
import { waitFor } from '../support/live/processes.ts';
import { bash, decisionsOf, journalOf, loopOf, must } from '../support/live/untildone.ts';
import { longTest } from '../support/long.ts';

/** The gate runs what the agent writes, as a child of the hook itself. */
const PROJECT = {
  'untildone.yaml': 'gates:\n  tests: { run: exec sh test/all.sh, work: [test/all.sh] }\n',
  'test/all.sh': 'echo nothing is tested; false\n',
};
const KILLS = bash("echo 'kill -9 $PPID' > test/all.sh");
const MENDED = bash("echo 'true' > test/all.sh");

longTest(
  'a test that kills the hook: the session is held, told why, and ends verified once the test is mended',
  async () => {
    const scene = await contractScene(PROJECT);
    const session = await startedSession(scene);
    const run = await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: { turns: [{ tools: [KILLS] }, { text: 'done!' }, { tools: [MENDED] }, { text: 'mended' }] },
    });
    expect(run.requests).toHaveLength(4);
    expect(JSON.stringify(run.requests[2]?.body)).toContain('something ended the Stop hook');
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'verified_done', iteration: 1 });
    const entries = await journalOf(scene, loop.id);
    expect(decisionsOf(entries)).toEqual(['verified_done']);
    expect(entries).toContainEqual({
      kind: 'event',
      event: 'Stop',
      detail: {
        cutOff: 'cut off: something ended the hook while it judged tests',
        held: '1 in a row',
      },
    });
    expect(readdirSync(join(scene.untildoneHome, 'active'))).toEqual([]);
  },
);

longTest('the third time in a row the person is told, and the session is let go', async () => {
  const scene = await contractScene(PROJECT);
  const session = await startedSession(scene);
  const tries = Array.from({ length: 10 }, (_, i) => ({ text: `try ${i}` }));
  const run = await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: { turns: [{ tools: [KILLS] }, ...tries] },
  });
  expect(run.requests).toHaveLength(4);
  expect(run.lines.some((line) => JSON.stringify(line).includes('This session was let go'))).toBe(true);
  const loop = await loopOf(scene);
  expect(loop).toMatchObject({ status: 'active', iteration: 1 });
  expect(await must(scene, ['log', loop.id])).toContain('letGo: 3 in a row');
});

test('a person who wants out while gates run is not held', async () => {
  const scene = await contractScene(PROJECT);
  const session = await startedSession(scene);
  const client = await scene.startClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: {
      turns: [
        { tools: [bash("echo ': >running; sleep 60' > test/all.sh")] },
        { text: 'one' },
        { text: 'two' },
      ],
    },
  });
  await waitFor(
    () => (readdirSync(scene.project).includes('running') ? true : undefined),
    undefined,
    'the gate',
  );
  client.process.kill('SIGINT');
  const run = await client.finished;
  expect(run.requests).toHaveLength(2);
  expect(run.result?.terminal_reason).toBe('stop_hook_prevented');
  const loop = await loopOf(scene);
  expect(loop).toMatchObject({ status: 'active', iteration: 1 });
  const log = await must(scene, ['log', loop.id]);
  expect(log).toContain('(cut off: something ended the hook while it judged tests)');
});
