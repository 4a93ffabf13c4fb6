import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { waitFor } from '../support/live/processes.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';
import {
  bash,
  decisionsOf,
  journalOf,
  loopOf,
  loopsOf,
  must,
  startCall,
  untildone,
} from '../support/live/untildone.ts';
import { longTest } from '../support/long.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const PROMISE = 'ALL TESTS PASS';
const KEPT = { text: `Everything is there.\n\n<promise>${PROMISE}</promise>` };

/** A scene with our hooks installed in the project's settings. */
async function installed(options: Parameters<typeof sceneOfTest>[0] = {}) {
  const scene = await sceneOfTest(options);
  await must(scene, ['install']);
  return scene;
}

/** A session that exists in our state before the client starts, so that the loop holds it from its first Stop on. */
async function heldSession(scene: Awaited<ReturnType<typeof installed>>, ...flags: string[]) {
  const session = randomUUID();
  await must(scene, ['start', 'Make all tests pass', '--promise', PROMISE, '--session', session, ...flags]);
  return session;
}

describe('a promise loop', () => {
  test('started by the agent itself goes on over five iterations until the promise is kept', async () => {
    const scene = await installed({ project: 'a project with späces', recording: 'Stop/promise' });
    const run = await scene.runClient({
      prompt: 'go',
      script: {
        turns: [
          { tools: [startCall('Make all tests pass', '--promise', PROMISE)] },
          { text: 'started' },
          { text: 'second try' },
          { text: 'third try' },
          { text: `I will say <promise>${PROMISE}</promise> when I am done, not now.` },
          KEPT,
        ],
      },
    });
    expect(run.code).toBe(0);
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'claimed_done', iteration: 5, session: run.session });
    expect(run.requests).toHaveLength(6);
    expect(JSON.stringify(run.requests.at(-1)?.body)).toContain('iteration 5 of 50');
    expect(decisionsOf(await journalOf(scene, loop.id))).toEqual([...Array(4).fill('block'), 'claimed_done']);
    expect(run.lines.some((l) => JSON.stringify(l).includes("ended on the agent's word alone"))).toBe(true);
  });

  longTest(
    'a long prompt with quotes, front matter and shell syntax reaches the model by its file',
    async () => {
      const scene = await installed();
      const session = randomUUID();
      const task = `---\niteration: 7\n---\n$(touch pwned) \`x\` "q" 'r'\n${'long '.repeat(20_000)}`;
      await must(scene, ['start', '--prompt-file', '-', '--promise', PROMISE, '--session', session], {
        input: task,
      });
      const run = await scene.runClient({
        prompt: 'go',
        args: ['--session-id', session],
        script: { turns: [{ text: 'working' }, KEPT] },
      });
      const asked = JSON.stringify(run.requests.at(-1)?.body);
      const file = /The whole task is in ([^:]+task\.md): read it/.exec(asked)?.[1];
      expect(await readFile(file ?? '', 'utf8')).toBe(task);
      expect(asked).toContain('$(touch pwned)');
    },
  );

  longTest('only the owner of two sessions in one project is held', async () => {
    const scene = await installed();
    const session = await heldSession(scene);
    const [owner, other] = await Promise.all([
      scene.runClient({
        prompt: 'go',
        args: ['--session-id', session],
        script: { turns: [{ text: 'one' }, { text: 'two' }, KEPT] },
      }),
      scene.runClient({ prompt: 'hello', script: { turns: [{ text: 'hi' }] } }),
    ]);
    expect(owner.requests).toHaveLength(3);
    expect(other.requests).toHaveLength(1);
    expect(other.result?.result).toBe('hi');
  });

  longTest(
    'goes on beyond eight blocks when tools are called in between, with the cap as the client has it',
    async () => {
      const scene = await installed();
      const session = await heldSession(scene);
      const turns = Array.from({ length: 9 }, (_, i) => [
        { tools: [bash(`echo ${i}`)] },
        { text: `try ${i}` },
      ]).flat();
      await scene.runClient({
        prompt: 'go',
        args: ['--session-id', session],
        env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '8' },
        script: { turns: [...turns, KEPT] },
      });
      expect(await loopOf(scene)).toMatchObject({ status: 'claimed_done', iteration: 10 });
    },
  );
});

describe('what moves around the loop', () => {
  longTest('cd into a subfolder does not lose it', async () => {
    const scene = await installed();
    await mkdir(join(scene.project, 'sub'));
    const run = await scene.runClient({
      prompt: 'go',
      script: {
        turns: [
          { tools: [bash('cd sub && pwd')] },
          { tools: [startCall('task', '--promise', PROMISE)] },
          { text: 'one' },
          KEPT,
        ],
      },
    });
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'claimed_done', iteration: 2, session: run.session });
    const [started] = await journalOf(scene, loop.id);
    expect(started).toMatchObject({ project: scene.project });
  });

  test('a shell still running in the background: let through, not counted, judged again when it has ended', async () => {
    const scene = await installed({ recording: 'Stop/background-shell' });
    const session = await heldSession(scene);
    const gate = join(scene.project, 'go-on');
    const command = `while [ ! -e '${gate}' ]; do sleep 0.05; done; echo finished`;
    const client = await scene.startClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: {
        turns: [
          { tools: [{ name: 'Bash', input: { command, run_in_background: true } }] },
          { text: 'waiting for the shell' },
          { text: 'the shell has ended' },
          KEPT,
        ],
      },
    });
    await waitFor(
      async () => (await loopOf(scene)).waiting?.why === 'background' || undefined,
      undefined,
      'the wait',
    );
    expect(await loopOf(scene)).toMatchObject({ status: 'active', iteration: 1 });
    await writeFile(gate, '');
    await client.finished;
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'claimed_done', iteration: 2 });
    expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['allow', 'block', 'claimed_done']);
  });

  longTest('resuming the session keeps the loop', async () => {
    const scene = await installed();
    const session = await heldSession(scene);
    const first = await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session],
      env: { CLAUDE_CODE_MAX_RETRIES: '0' },
      script: {
        turns: [
          { text: 'one' },
          { error: { status: 401, type: 'authentication_error', message: 'no' }, repeat: 30 },
        ],
      },
    });
    expect(first.result?.is_error).toBe(true);
    const between = await loopOf(scene);
    expect(between).toMatchObject({ status: 'active', iteration: 2 });
    const second = await scene.runClient({
      prompt: 'go on',
      args: ['--resume', session],
      script: { turns: [{ text: 'two' }, KEPT] },
    });
    expect(second.session).toBe(session);
    expect(JSON.stringify(second.requests[0]?.body)).toContain(
      'this session works in a loop (iteration 2 of 50)',
    );
    expect(await loopOf(scene)).toMatchObject({ status: 'claimed_done', iteration: 3 });
  });

  longTest('compaction keeps the instruction', async () => {
    const scene = await installed();
    const session = await heldSession(scene);
    const full = { input_tokens: 980_000, output_tokens: 10 };
    const run = await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: {
        rules: [
          { when: { last: 'summary of the conversation|detailed summary' }, turns: [{ text: 'A summary.' }] },
        ],
        turns: [{ tools: [bash('echo x')], usage: full }, { text: 'after' }, KEPT],
      },
    });
    const afterCompaction = run.requests
      .map((r) => JSON.stringify(r.body))
      .find((b) => b.includes('This session is being continued'));
    expect(afterCompaction).toContain('this session works in a loop');
    expect(afterCompaction).toContain(PROMISE);
    const entries = await journalOf(scene, (await loopOf(scene)).id);
    expect(
      entries.some((e) => e.kind === 'event' && e.event === 'SessionStart' && e.detail?.source === 'compact'),
    ).toBe(true);
  });

  test('/clear begins a session that is not held', async () => {
    const scene = await installed({ recording: 'SessionStart/clear' });
    const session = await heldSession(scene);
    const client = await scene.startClient({
      prompt: '/clear',
      conversation: true,
      args: ['--session-id', session],
      script: { turns: [{ text: 'a fresh start' }] },
    });
    client.say('hello');
    await client.untilLine((l) => l.type === 'result' && l.result === 'a fresh start');
    client.endInput();
    const run = await client.finished;
    expect(run.requests).toHaveLength(1);
    expect(await loopOf(scene)).toMatchObject({ status: 'active', iteration: 1, session });
  });

  longTest('eight sessions at once, each with its own loop', async () => {
    const scene = await installed();
    const sessions = await Promise.all(Array.from({ length: 8 }, () => heldSession(scene)));
    const runs = await Promise.all(
      sessions.map((session) =>
        scene.runClient({
          prompt: 'go',
          args: ['--session-id', session],
          script: { turns: [{ text: 'one' }, { tools: [bash('echo x')] }, { text: 'two' }, KEPT] },
        }),
      ),
    );
    expect(runs.map((r) => r.requests.length)).toEqual(Array(8).fill(4));
    const loops = await loopsOf(scene);
    expect(loops.map((l) => `${l.status} ${l.iteration}`)).toEqual(Array(8).fill('claimed_done 3'));
    expect(new Set(loops.map((l) => l.session))).toEqual(new Set(sessions));
  });
});

describe('what cuts a session off', () => {
  test('Ctrl-C: the loop lives, waits, and goes on when the session is resumed', async () => {
    const scene = await installed({ recording: 'SessionStart/resume' });
    const session = await heldSession(scene);
    const client = await scene.startClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: { turns: [{ text: 'one' }, { hang: true }] },
    });
    await client.untilRequest(2);
    client.process.kill('SIGINT');
    await client.finished;
    expect(await loopOf(scene)).toMatchObject({
      status: 'active',
      iteration: 2,
      waiting: { why: 'session_ended' },
    });
    await scene.runClient({ prompt: 'go on', args: ['--resume', session], script: { turns: [KEPT] } });
    expect(await loopOf(scene)).toMatchObject({ status: 'claimed_done', iteration: 2, waiting: null });
  });

  longTest(
    'the client killed while our hook runs: nothing is lost, nothing blocks the next call',
    async () => {
      const scene = await installed();
      const session = await heldSession(scene);
      for (let round = 0; round < 3; round++) {
        const client = await scene.startClient({
          prompt: 'go',
          args: round === 0 ? ['--session-id', session] : ['--resume', session],
          script: { turns: Array.from({ length: 40 }, (_, i) => ({ text: `round ${round} try ${i}` })) },
        });
        await client.untilRequest(3 + round);
        client.process.kill('SIGKILL');
        await client.finished;
      }
      // A hook outlives its client, and may still be writing between the two looks.
      await vi.waitFor(
        async () => {
          const before = await loopOf(scene);
          expect(before.status).toBe('active');
          const entries = await journalOf(scene, before.id);
          expect(before.iteration).toBe(1 + decisionsOf(entries).filter((d) => d === 'block').length);
        },
        { timeout: PATIENCE_MS },
      );
      await scene.runClient({ prompt: 'go on', args: ['--resume', session], script: { turns: [KEPT] } });
      expect(await loopOf(scene)).toMatchObject({ status: 'claimed_done' });
    },
  );

  longTest('an API error spends no iteration', async () => {
    const scene = await installed();
    const session = await heldSession(scene);
    await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session],
      env: { CLAUDE_CODE_MAX_RETRIES: '0' },
      script: { turns: [{ error: { status: 401, type: 'authentication_error', message: 'bad key' } }] },
    });
    expect(await loopOf(scene)).toMatchObject({ status: 'active', iteration: 1 });
  });

  longTest('a person cancels from another terminal in mid-loop', async () => {
    const scene = await installed();
    const session = await heldSession(scene);
    const client = await scene.startClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: { turns: [{ text: 'one' }, { text: 'two', delayMs: 1500 }, { text: 'never' }] },
    });
    await client.untilRequest(2);
    await must(scene, ['cancel', '--note', 'wrong task']);
    const run = await client.finished;
    expect(run.requests).toHaveLength(2);
    expect(await loopOf(scene)).toMatchObject({ status: 'cancelled', ending: { detail: 'wrong task' } });
  });

  longTest('the agent cannot cancel its own loop from its shell', async () => {
    const scene = await installed();
    const session = await heldSession(scene);
    const cancel = startCall('').input.command.replace(/ 'start' ''$/, ' cancel');
    await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: {
        turns: [
          { tools: [bash(cancel)] },
          { tools: [bash(`env -u CLAUDECODE -u CLAUDE_PID ${cancel}`)] },
          { text: 'ha' },
          KEPT,
        ],
      },
    });
    expect(await loopOf(scene)).toMatchObject({ status: 'claimed_done', iteration: 2 });
  });
});

longTest('start inside a session that has a living loop is refused', async () => {
  const scene = await installed();
  const session = await heldSession(scene);
  const again = await untildone(scene, ['start', 'another', '--session', session]);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('already has a loop that has not ended');
});
