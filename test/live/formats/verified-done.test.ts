import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { formatScene } from '../../support/live/formats-scene.ts';
import { BIN, bash, decisionsOf, journalOf, loopOf, must } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

const untildone = `'${process.execPath}' '${BIN}'`;

test('an orchestrator is held until its conditions are met and its work is committed; its files are only read', async () => {
  const scene = await formatScene({ git: true, recording: 'Stop/verified-done' });
  const session = randomUUID();
  await scene.write('.gitignore', '.claude/\n');
  await must(scene, ['state', 'init', session, 'orchestrator', 'implement auth', '--complexity', '3']);
  const set = (...pairs: string[]) =>
    bash(`${untildone} state set ${session} orchestrator ${pairs.join(' ')}`);
  const run = await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: {
      turns: [
        { text: 'planned' },
        {
          tools: [
            set(
              ...[
                'memory_search',
                'task_classified',
                'must_have_answered',
                'plan_approved',
                'implementation_complete',
              ].map((c) => `conditions.${c}=true`),
              'phase=quality',
            ),
          ],
        },
        { text: 'implemented' },
        {
          tools: [
            set(
              'conditions.correctness_passed=true',
              'conditions.quality_passed=true',
              'conditions.retrospective_done=true',
            ),
          ],
        },
        { tools: [bash(`${untildone} state complete ${session}`)] },
        { text: 'all set' },
        { tools: [bash('git add -A && git commit -qm "auth"')] },
        { text: 'committed' },
      ],
    },
  });
  expect(run.code).toBe(0);
  const asked = run.requests.map((r) => JSON.stringify(r.body));
  expect(asked[1]).toContain('not complete.');
  expect(asked[3]).toContain("Orchestrator phase 'quality' not complete.");
  expect(asked[6]).toContain('Uncommitted changes detected.');
  const loop = await loopOf(scene, session);
  expect(loop).toMatchObject({ dialect: 'verified-done', status: 'claimed_done', task: 'implement auth' });
  expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'block', 'block', 'claimed_done']);
  const log = await scene.read('~/.ralph/logs/stop-hook.log');
  expect(log).toContain(`Stop hook fired: session=${session}`);
  expect(log).toContain('Stop BLOCKED:');
  expect(log).toContain('Stop APPROVED');
});

longTest('a loop is let go at its own maximum, and stop_hook_active does not let it go before', async () => {
  const scene = await formatScene();
  const session = randomUUID();
  const state = { task: 'fix all type errors', iteration: 1, max_iterations: 3, verified_done: false };
  await scene.write(`~/.ralph/state/${session}/loop.json`, state);
  const before = await scene.read(`~/.ralph/state/${session}/loop.json`);
  const run = await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: { turns: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] },
  });
  expect(run.requests).toHaveLength(3);
  expect(await loopOf(scene, session)).toMatchObject({
    status: 'reached_limit',
    iteration: 3,
    max_iterations: 3,
  });
  expect(await scene.read(`~/.ralph/state/${session}/loop.json`)).toBe(before);
});

longTest(
  'left alone, the agent that may read its state keeps it with Edit, outside of the project',
  async () => {
    const scene = await formatScene();
    const session = randomUUID();
    await must(scene, ['state', 'init', session, 'loop', 'implement auth']);
    const file = scene.place(`~/.ralph/state/${session}/loop.json`);
    const run = await scene.runClient({
      prompt: 'go',
      // The client asks before it reads outside of the project, too; that is left to the person's rules.
      settings: { permissions: { allow: ['Read(~/.ralph/**)'] } },
      args: ['--session-id', session, '--permission-mode', 'acceptEdits'],
      script: {
        turns: [
          { text: 'planned' },
          { tools: [{ name: 'Read', input: { file_path: file } }] },
          {
            tools: [
              {
                name: 'Edit',
                input: {
                  file_path: file,
                  old_string: '"verified_done": false',
                  new_string: '"verified_done": true',
                },
              },
            ],
          },
          { text: 'done' },
        ],
      },
    });
    expect(await loopOf(scene, run.session)).toMatchObject({ status: 'claimed_done' });
  },
);
