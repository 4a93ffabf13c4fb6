import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contractScene, startedSession } from '../../support/live/contract.ts';
import { type Change, pluginIn } from '../../support/live/plugin.ts';
import { startRun } from '../../support/live/run.ts';
import { hasTerminal, inTerminal } from '../../support/live/terminal.ts';
import { bash, decisionsOf, journalOf, loopOf, must } from '../../support/live/untildone.ts';
import { few, longTest } from '../../support/long.ts';

const PROJECT = { 'untildone.yaml': 'gates:\n  made: { run: test -e made }\n', 'a.txt': 'a\n' };

/** Two stops that say the same, then the work. */
const TURNS = [{ text: 'done' }, { text: 'done' }, { tools: [bash('touch made')] }, { text: 'done' }];

/** What the module does when its hook process is broken, and no other hook holds. */
const BROKEN: [name: string, changes: Change[], why: string][] = [
  [
    'it throws',
    [{ file: 'hooks/events.ts', from: 'const cwd =', to: "if (e) throw new Error('a fault'); const cwd =" }],
    'a fault',
  ],
  [
    'its hook takes too long',
    [{ file: 'hooks/events.ts', from: '3_600_000', to: '700' }],
    'it took more than 0.7 s',
  ],
];

longTest('a run judges alone, with hooks in the settings and the plugin beside it', async () => {
  const scene = await contractScene(PROJECT);
  const env = { CLAUDE_CODE_PLUGIN_DIRS: pluginIn(scene) };
  const run = await startRun(scene, ['make it'], { turns: TURNS }, env).ended;
  const loop = await loopOf(scene);
  expect([run.code, decisionsOf(await journalOf(scene, loop.id))]).toEqual([
    0,
    ['block', 'block', 'verified_done'],
  ]);
  expect(run.requests.filter((body) => body.includes('"messages"'))).toHaveLength(4);
});

describe('the hooks module, when it cannot answer', () => {
  test.each(few(BROKEN, 1))(
    '%s: the session is held all the same, and let go after two holds',
    async (_, changes, why) => {
      const scene = await contractScene(PROJECT);
      const session = await startedSession(scene);
      const plugin = pluginIn(scene, [...changes, { file: 'hooks/hooks.json', from: '3600', to: '1' }]);
      await must(scene, ['uninstall']);
      // No command hook answers either, and the plugin does not mend that: it has prepared this home already.
      const broken = '[ $untildone = Stop ] && { sleep 30 & wait; }; exit 1\n';
      writeFileSync(join(scene.untildoneHome, 'hook.sh'), broken);
      writeFileSync(join(scene.untildoneHome, 'plugin-hooks'), '');
      const run = await scene.runClient({
        prompt: 'go',
        args: ['--session-id', session, '--plugin-dir', plugin],
        script: { turns: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] },
      });
      expect(run.requests).toHaveLength(3);
      const last = JSON.stringify(run.requests[2]?.body);
      expect(last.split(`this could not be judged (${why}), so nothing is proven`).length - 1).toBe(2);
      expect(JSON.stringify(run.lines)).toContain(`3 times in a row (${why}). The session was let go`);
    },
  );

  longTest('the command hooks judge in its place', async () => {
    const scene = await contractScene(PROJECT);
    const session = await startedSession(scene);
    await must(scene, ['uninstall']);
    const run = await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session, '--plugin-dir', pluginIn(scene, BROKEN[0]?.[1])],
      script: { turns: TURNS },
    });
    expect(run.requests).toHaveLength(4);
    const loop = await loopOf(scene);
    expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'block', 'verified_done']);
  });
});

describe('commands of the plugin', () => {
  test('cost no request; a program may ask, but not give what only a person may', async () => {
    const scene = await contractScene(PROJECT);
    const session = await startedSession(scene);
    const client = await scene.startClient({
      prompt: '/untildone:status',
      conversation: true,
      args: ['--session-id', session, '--plugin-dir', pluginIn(scene)],
    });
    const answers = () => client.lines.filter(({ type }) => type === 'result').map(({ result }) => result);
    const refused = ['pause', 'approve', 'release', 'cancel', 'lock off'];
    for (const command of refused) client.say(`/untildone:${command} "it's" $(touch pwned)`);
    await client.untilLine(() => answers().length > refused.length);
    client.endInput();
    const { requests } = await client.finished;
    expect(requests).toHaveLength(0);
    const [status, ...others] = answers();
    expect(status).toContain('Make add() add');
    expect(others).toEqual(refused.map(() => expect.stringContaining('is for a person')));
    expect(await loopOf(scene)).toMatchObject({ status: 'active', iteration: 1 });
  });

  if (hasTerminal)
    longTest('a person at the prompt sees why the session is held, and pauses it', async () => {
      const scene = await contractScene(PROJECT);
      const session = await startedSession(scene);
      const client = inTerminal(scene, {
        prompt: 'go',
        args: ['--session-id', session, '--plugin-dir', pluginIn(scene)],
        script: { turns: [{ text: 'one' }, { hang: true }] },
      });
      await client.untilShown(/untildone: held: made .*iteration 2 of 50/, 'the band');
      await client.untilShown(/Gates: ✗ made/, 'the gates');
      await client.untilShown(/Ends: when all gates pass, at the latest after iteration 50/, 'the end');
      client.type('\u001b');
      await client.untilShown(/Interrupted/, 'the interruption');
      client.type(`/untildone:pause "it's" $(touch pwned)`);
      await client.untilShown(/touch pwned/, 'the command');
      client.type('\r');
      await client.untilShown(/paused\. Its session may stop now/, 'the answer');
      await client.untilShown(/untildone: paused, the session may stop/, 'the band of a paused loop');
      expect(client.requests()).toHaveLength(2);
      const loop = await loopOf(scene);
      expect(loop).toMatchObject({ status: 'paused', iteration: 2 });
      const entries = await journalOf(scene, loop.id);
      expect(entries.at(-1)).toMatchObject({
        kind: 'command',
        command: 'pause',
        note: `"it's" $(touch pwned)`,
      });
    });
});
