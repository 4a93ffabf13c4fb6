import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { processesOf } from '../support/live/processes.ts';
import { openScene } from '../support/live/scene.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';
import { longTest } from '../support/long.ts';

const callBash = (command: string) => ({ tools: [{ name: 'Bash', input: { command } }] });

test('one text answer ends the session with that text', async () => {
  const scene = await sceneOfTest();
  const run = await scene.runClient({
    prompt: 'say hello',
    script: { turns: [{ text: 'Hello from turn {n}.' }] },
  });

  expect(run).toMatchObject({ code: 0, signal: null, unparsed: [], stderr: '' });
  expect(run.result).toMatchObject({
    result: 'Hello from turn 1.',
    is_error: false,
    terminal_reason: 'completed',
  });
  expect(run.requests).toHaveLength(1);
  expect(JSON.stringify(run.requests[0]?.body)).toContain('say hello');
  expect(run.session).toMatch(/^[0-9a-f-]{36}$/);
});

test('the client asks the simulator and nobody else', async () => {
  const strangers: string[] = [];
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      strangers.push(data.toString().split('\r\n', 1)[0] ?? '');
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const address = proxy.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const scene = await sceneOfTest();
  const env = { HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: '127.0.0.1' };
  const noisy = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: undefined, DISABLE_AUTOUPDATER: undefined };

  const script = { turns: [callBash('true')] };
  const quiet = await scene.runClient({ prompt: 'hello', script, env });
  expect(quiet.code).toBe(0);
  expect(strangers).toEqual([]);
  expect(scene.simulator.requests().filter(({ kind }) => kind !== 'messages')).toEqual([]);

  // The proxy does see what a client without these settings asks for.
  await scene.runClient({ prompt: 'hello', script, env: { ...env, ...noisy } });
  expect(strangers.length).toBeGreaterThan(0);
});

longTest('a Bash call runs in the project, even when its folder has spaces', async () => {
  const scene = await sceneOfTest({ project: 'my own project', git: true });
  const run = await scene.runClient({
    prompt: 'write the file',
    script: {
      turns: [
        callBash('echo "written in {n}" > out.txt && git rev-parse --show-toplevel'),
        { text: 'Done.' },
      ],
    },
  });

  expect(run.result).toMatchObject({ result: 'Done.', is_error: false });
  expect(await readFile(join(scene.project, 'out.txt'), 'utf8')).toBe('written in 1\n');
  expect(JSON.stringify(run.requests[1]?.body)).toContain('my own project');
});

longTest('thinking and several tools in one turn reach the client', async () => {
  const scene = await sceneOfTest();
  const tools = ['a', 'b'].map((name) => ({ name: 'Bash', input: { command: `touch ${name}` } }));
  const run = await scene.runClient({
    prompt: 'make two files',
    script: { turns: [{ thinking: 'Two files.', text: 'Making both.', tools }, { text: 'Made.' }] },
  });

  expect(run.result).toMatchObject({ result: 'Made.' });
  expect(['a', 'b'].map((name) => existsSync(join(scene.project, name)))).toEqual([true, true]);
});

longTest('a rate limit is retried after the time the simulator asks for', async () => {
  const scene = await sceneOfTest();
  const error = { status: 429, message: 'slow down', headers: { 'retry-after': 1 } };
  const run = await scene.runClient({ prompt: 'hello', script: { turns: [{ error }, { text: 'Served.' }] } });

  expect(run.result).toMatchObject({ result: 'Served.', is_error: false });
  const [refused, served] = run.requests;
  expect((served?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(950);
  expect(run.lines.find(({ subtype }) => subtype === 'api_retry')).toMatchObject({ error_status: 429 });
});

longTest('errors that last end the session as an API error', async () => {
  const scene = await sceneOfTest();
  const run = await scene.runClient({ prompt: 'hello', script: { after: { error: { status: 403 } } } });

  expect(run.code).toBe(1);
  expect(run.result).toMatchObject({ is_error: true, api_error_status: 403 });
});

longTest('dropped connections and broken streams are retried', async () => {
  const scene = await sceneOfTest();
  const run = await scene.runClient({
    prompt: 'hello',
    script: {
      turns: [{ drop: true }, { streamError: { type: 'overloaded_error' } }],
      after: { text: 'Through.' },
    },
  });

  expect(run.result).toMatchObject({ result: 'Through.', is_error: false });
  expect(run.requests.length).toBeGreaterThanOrEqual(3);
});

longTest('an empty answer is taken for an empty answer', async () => {
  const scene = await sceneOfTest();
  const run = await scene.runClient({ prompt: 'hello', script: { after: { text: '' } } });

  expect(run).toMatchObject({ code: 0, result: { result: '' } });
});

longTest('a Stop hook that blocks once makes the session go on', async () => {
  const scene = await sceneOfTest();
  const block = JSON.stringify({ decision: 'block', reason: 'The tests still fail.' });
  const command = `mkdir "$UNTILDONE_HOME" 2>/dev/null && echo '${block}' || true`;
  const run = await scene.runClient({
    prompt: 'fix the tests',
    settings: { hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } },
    script: {
      rules: [{ when: { any: 'The tests still fail' }, turns: [{ text: 'Fixed now.' }] }],
      turns: [{ text: 'I think it is done.' }],
    },
  });

  expect(run.result).toMatchObject({ result: 'Fixed now.', num_turns: 2 });
  expect(run.requests.map(({ servedBy }) => servedBy)).toEqual(['turn 1', 'rule 1, turn 1']);
});

longTest('a conversation takes further prompts', async () => {
  const scene = await sceneOfTest();
  const client = await scene.startClient({
    prompt: 'first',
    conversation: true,
    script: { after: { text: 'No. {n}' } },
  });
  await client.untilLine(({ type, result }) => type === 'result' && result === 'No. 1');
  client.say('second');
  await client.untilLine(({ type, result }) => type === 'result' && result === 'No. 2');
  client.endInput();

  expect(await client.finished).toMatchObject({
    code: 0,
    results: [{ result: 'No. 1' }, { result: 'No. 2' }],
  });
});

longTest('Ctrl-C in the middle of an answer is an interrupted result', async () => {
  const scene = await sceneOfTest();
  const script = { turns: [{ text: 'word '.repeat(2_000), chunkMs: 20 }] };
  const client = await scene.startClient({ prompt: 'talk', script, args: ['--include-partial-messages'] });
  await client.untilLine(({ type }) => type === 'stream_event');
  await client.untilRequest(1);
  client.process.kill('SIGINT');

  expect(await client.finished).toMatchObject({ code: 0, result: { terminal_reason: 'aborted_streaming' } });
});

longTest(
  'closing a scene ends a hanging client and the shell it left behind, and removes the folder',
  async () => {
    const scene = await openScene();
    const orphan = callBash('(setsid sleep 300 >/dev/null 2>&1 &) ; true');
    const client = await scene.startClient({ prompt: 'hello', script: { turns: [orphan, { hang: true }] } });
    await client.untilRequest(2);
    const running = await processesOf(scene.root);
    expect(running).toContain(client.process.pid);
    expect(running.length).toBeGreaterThanOrEqual(2);
    await scene.close();

    expect(await processesOf(scene.root)).toEqual([]);
    expect(existsSync(scene.root)).toBe(false);
    expect(await client.finished).toMatchObject({ code: null, signal: 'SIGKILL', result: undefined });
  },
);

longTest('waiting for a request fails at once, with the story, when the client has ended', async () => {
  const scene = await sceneOfTest();
  const client = await scene.startClient({ prompt: 'hello', script: { turns: [{ text: 'Only one.' }] } });

  await expect(client.untilRequest(2)).rejects.toThrow(/ended before request 2[\s\S]*Only one\./);
});
