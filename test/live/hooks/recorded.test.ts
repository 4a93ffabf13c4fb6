/** Sessions that are played for what the client sends in them: each is a recording, which `npm test` plays without a client. */

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractScene, startedSession } from '../../support/live/contract.ts';
import { pluginIn } from '../../support/live/plugin.ts';
import { startRun } from '../../support/live/run.ts';
import { sceneOfTest } from '../../support/live/test-scene.ts';
import { bash, loopOf, must } from '../../support/live/untildone.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

const KEPT = { text: 'It is all there.\n\n<promise>DONE</promise>' };
const CONTRACT = { 'untildone.yaml': 'gates:\n  made: { run: test -e made }\n' };
const NO_RETRIES = { CLAUDE_CODE_MAX_RETRIES: '0' };
const REFUSED = { error: { status: 401, type: 'authentication_error', message: 'no' } };

/** A session that a promise holds. */
async function promised(recording: string) {
  const scene = await sceneOfTest({ recording });
  await must(scene, ['install']);
  const session = randomUUID();
  await must(scene, ['start', 'Make it', '--promise', 'DONE', '--session', session]);
  return { scene, session, own: ['--session-id', session], again: ['--resume', session] };
}

test('the API refuses a request: a turn ends without a Stop, and the next prompt goes on', async () => {
  const { scene, own } = await promised('StopFailure/refused-key');
  const turns = [{ text: 'one' }, REFUSED, { text: 'two' }, KEPT];
  const client = await scene.startClient({
    prompt: 'go',
    conversation: true,
    args: own,
    env: NO_RETRIES,
    script: { turns },
  });
  await client.untilLine(({ type, is_error }) => type === 'result' && is_error === true);
  execFileSync('sh', ['-c', scene.recorder?.waitsFor('StopFailure') ?? 'false'], { timeout: PATIENCE_MS });
  client.say('go on');
  await client.untilLine(({ type, result }) => type === 'result' && String(result).includes('DONE'));
  client.endInput();
  await client.finished;
  expect(await loopOf(scene)).toMatchObject({ status: 'claimed_done', iteration: 3 });
});

test('a fork of a session is not held', async () => {
  const { scene, own, again } = await promised('SessionStart/fork');
  await scene.runClient({ prompt: 'go', args: own, env: NO_RETRIES, script: { turns: [REFUSED] } });
  const fork = [...again, '--fork-session'];
  const run = await scene.runClient({ prompt: 'hello', args: fork, script: { turns: [{ text: 'hi' }] } });
  expect(run.requests).toHaveLength(1);
  expect(await loopOf(scene)).toMatchObject({ status: 'active', iteration: 1 });
});

test('a compaction that you ask for, in words of your own', async () => {
  const { scene, own, again } = await promised('PreCompact/by-a-person');
  await scene.runClient({
    prompt: 'go',
    args: own,
    env: NO_RETRIES,
    script: { turns: [{ text: 'one' }, REFUSED] },
  });
  const summary = {
    when: { any: 'create a detailed summary' },
    turns: [{ text: '<summary>So far.</summary>' }],
  };
  const client = await scene.startClient({
    prompt: '/compact keep the cat',
    conversation: true,
    args: again,
    script: { rules: [summary], turns: [KEPT] },
  });
  await client.untilLine(({ subtype }) => subtype === 'compact_boundary');
  client.say('go on');
  await client.untilLine(({ type, result }) => type === 'result' && String(result).includes('DONE'));
  client.endInput();
  await client.finished;
  expect(await loopOf(scene)).toMatchObject({ status: 'claimed_done' });
});

test('the agent switches all hooks off, which is refused', async () => {
  const scene = await contractScene(CONTRACT, { recording: 'ConfigChange/hooks-off' });
  const session = await startedSession(scene);
  const noticed = `for i in $(seq 1200); do grep -rqs ConfigChange '${join(scene.untildoneHome, 'projects')}' && break; sleep 0.1; done`;
  const off = `D=.claude/settings; echo '{"disableAllHooks":true}' > $D.local.json; ${noticed}`;
  const turns = [{ tools: [bash(off)] }, { text: 'done' }, { tools: [bash('touch made')] }, { text: 'done' }];
  await scene.runClient({ prompt: 'go', args: ['--session-id', session], script: { turns } });
  expect(await loopOf(scene)).toMatchObject({ status: 'verified_done', iteration: 2 });
});

test('a subagent whose request is refused', async () => {
  const { scene, own } = await promised('StopFailure/of-a-subagent');
  const waits = scene.recorder?.waitsFor('StopFailure') ?? 'false';
  const input = {
    description: 'paint',
    prompt: 'PAINT IT',
    subagent_type: 'general-purpose',
    run_in_background: false,
  };
  await scene.runClient({
    prompt: 'go',
    args: [...own, '--allowedTools', 'Bash Agent'],
    env: NO_RETRIES,
    script: {
      rules: [{ when: { first: 'PAINT IT' }, turns: [{ ...REFUSED, repeat: 30 }] }],
      turns: [{ tools: [{ name: 'Agent', input }] }, { tools: [bash(waits)] }, { text: 'it failed' }, KEPT],
    },
  });
  expect(await loopOf(scene)).toMatchObject({ status: 'claimed_done', iteration: 2 });
});

test('the hooks module of the plugin answers, and the hooks of the settings know that', async () => {
  const scene = await contractScene(CONTRACT, { recording: 'Stop/module' });
  const session = await startedSession(scene);
  const turns = [{ text: 'done' }, { text: 'done' }, { tools: [bash('touch made')] }, { text: 'done' }];
  const args = ['--session-id', session, '--plugin-dir', pluginIn(scene)];
  await scene.runClient({ prompt: 'go', args, script: { turns } });
  expect(await loopOf(scene)).toMatchObject({ status: 'verified_done', iteration: 3 });
});

test('a run in one session, which the API cuts off and which is resumed', async () => {
  const scene = await sceneOfTest({ recording: 'run/resumed' });
  // The Agent SDK asks hooks of yours beside those of the run, with the same fields.
  await mkdir(join(scene.home, '.claude'), { recursive: true });
  await writeFile(join(scene.home, '.claude/settings.json'), JSON.stringify(scene.recorder?.settings()));
  const cutOff = { error: { status: 500, type: 'api_error', message: 'no' } };
  const turns = [{ text: 'one' }, cutOff, { tools: [bash('echo hi')] }, { text: 'two' }, KEPT];
  const run = await startRun(scene, ['Build it', '--mode', 'session'], { turns }, NO_RETRIES).ended;
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  expect(await loopOf(scene)).toMatchObject({ status: 'claimed_done' });
});
