import { expect, test } from 'vitest';
import { homeAt, projectFolder } from '../../../src/engine/home/layout.ts';
import { rememberLoop } from '../../../src/engine/home/lessons/files.ts';
import { contractScene } from '../../support/live/contract.ts';
import { startRun } from '../../support/live/run.ts';
import type { Scene } from '../../support/live/scene.ts';
import { bash, loopOf, startCall } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

const FILES = { 'untildone.yaml': 'gates:\n  lint: { run: test -f built }\n' };
const WORDS =
  '`test -f built` (gate `lint`) blocked 3 of the last 4 loops on `no-unused-vars`: run it before you finish.';

/** A project with a lesson. */
function learned(scene: Scene): void {
  const home = homeAt(scene.untildoneHome);
  const folder = projectFolder(home, scene.project);
  for (const at of [1, 2, 3, 4])
    rememberLoop(home, folder, {
      loop: `l${at}`,
      at: Date.now() - 100 + at,
      gates: { lint: { held: at > 1 ? 1 : 0, at: [1], rules: ['no-unused-vars'], files: [] } },
      commands: { lint: 'test -f built' },
    });
}

test('a lesson reaches the model at the start of a session', async () => {
  const scene = await contractScene(FILES);
  learned(scene);
  const turns = [{ tools: [startCall('Build it')] }, { tools: [bash('touch built')] }, { text: 'built' }];
  const told = await scene.runClient({ prompt: 'go', script: { turns } });
  expect(JSON.stringify(told.requests[0]?.body)).toContain(WORDS);
  expect((await loopOf(scene)).status).toBe('verified_done');
});

longTest('and in each session of a run, also after a hand-over', async () => {
  const scene = await contractScene(FILES);
  learned(scene);
  const args = ['Build more', '--mode', 'fresh', '--model', 'claude-opus-5-5', '--allow', 'Bash'];
  const script = {
    turns: [{ text: 'not yet' }, { tools: [bash('touch built more')] }, { text: 'built' }],
  };
  const run = await startRun(scene, args, script).ended;
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  const sessions = run.requests.filter((body) => !body.includes('tool_result'));
  expect(sessions.length).toBeGreaterThanOrEqual(2);
  const handedOver = sessions.find((body) => body.includes('an earlier session began'));
  for (const body of [sessions[0], handedOver]) expect(body).toContain(WORDS);
});
