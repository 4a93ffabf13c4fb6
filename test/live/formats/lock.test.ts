import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { formatScene } from '../../support/live/formats-scene.ts';
import { waitFor } from '../../support/live/processes.ts';
import { bash, decisionsOf, journalOf, loopOf, loopsOf } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

const LOCK = '.claude/runtime/locks/.lock_active';

test('a lock holds the session that stops first, in the words of lock mode, until it is removed', async () => {
  const scene = await formatScene({ recording: 'Stop/lock' });
  await scene.write(LOCK, '');
  await scene.write('.claude/runtime/locks/.lock_goal', 'Ship the login');
  const client = await scene.startClient({
    prompt: 'Implement the login of the application',
    script: {
      turns: [
        { text: 'first part' },
        { tools: [bash(`touch waiting; while [ -e '${scene.place(LOCK)}' ]; do sleep 0.02; done`)] },
        { text: 'second part' },
      ],
    },
  });
  await waitFor(() => existsSync(scene.place('waiting')));
  await rm(scene.place(LOCK));
  const run = await client.finished;
  expect(run.requests).toHaveLength(3);
  const asked = JSON.stringify(run.requests[1]?.body);
  expect(asked).toContain("we must keep pursuing the user's objective and must not stop the turn");
  expect(asked).toContain('Ship the login');
  const loop = await loopOf(scene, run.session);
  expect(loop).toMatchObject({ dialect: 'lock', status: 'cancelled', ending: { cause: 'state_removed' } });
  expect(await scene.read('.claude/runtime/metrics/stop_hook_metrics.jsonl')).toContain('"lock_blocks"');
  expect(await scene.read(`.claude/runtime/logs/${run.session}/hook_logs.txt`)).toContain('stop: blocked');
  expect(await scene.read(`.claude/runtime/logs/${run.session}/ORIGINAL_REQUEST.md`)).toContain(
    'Implement the login',
  );
});

longTest(
  'another session next to it is not held; when the owner has ended, the next one goes on',
  async () => {
    const scene = await formatScene();
    await scene.write(LOCK, '');
    const owner = randomUUID();
    const first = await scene.startClient({
      prompt: 'go',
      args: ['--session-id', owner],
      script: {
        turns: [
          { text: 'mine' },
          { tools: [bash('touch held; while [ ! -e go-on ]; do sleep 0.02; done')] },
          { tools: [bash('kill -9 $CLAUDE_PID')] },
        ],
      },
    });
    await waitFor(() => existsSync(scene.place('held')));
    const second = await scene.runClient({ prompt: 'hello', script: { turns: [{ text: 'hi' }] } });
    expect(second.requests).toHaveLength(1);
    await scene.write('go-on', '');
    await first.finished;
    expect(await loopsOf(scene)).toMatchObject([{ session: owner, dialect: 'lock', iteration: 2 }]);
    // Nobody said goodbye: the process is gone, and that is enough.
    const third = await scene.startClient({
      prompt: 'hello',
      script: {
        turns: [
          { text: 'hi' },
          { tools: [bash(`touch taken; while [ -e '${scene.place(LOCK)}' ]; do sleep 0.02; done`)] },
          { text: 'bye' },
        ],
      },
    });
    await waitFor(() => existsSync(scene.place('taken')));
    await rm(scene.place(LOCK));
    const { session } = await third.finished;
    const loops = await loopsOf(scene);
    expect(loops).toMatchObject([{ session, dialect: 'lock', iteration: 3, status: 'cancelled' }]);
    expect(decisionsOf(await journalOf(scene, loops[0]?.id ?? ''))).toEqual(['block', 'block']);
  },
);
