/** What the real client starts, and what is left of it when a session has ended. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Turn } from '../../src/dev/simulator/script.ts';
import type { Answer, HookEvent } from '../../src/engine/core/loop/event.ts';
import { nameEnd } from '../../src/engine/core/run/session-end.ts';
import { asked, askedTexts, clientOf, drive, planIn, portOf } from '../support/live/driven-session.ts';
import { processesOf, waitFor } from '../support/live/processes.ts';
import { calling, limits, listener, named } from '../support/live/session-port.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';
import { longTest } from '../support/long.ts';

const HALT: Answer = { kind: 'halt', message: 'Enough.' };

describe('work in the background', () => {
  const inBackground = (command: string): Turn => ({
    tools: [{ name: 'Bash', input: { command, run_in_background: true } }],
  });

  test('brings the client back, and its Stop is still heard', async () => {
    const scene = await sceneOfTest();
    const script = {
      turns: [
        inBackground('node -e "setTimeout(() => {}, 700)"'),
        { text: 'It runs.' },
        { text: 'It is through.' },
      ],
    };
    const { end, facts, heard } = await drive(scene, script);
    expect(end.kind).toBe('completed');
    expect(facts.result?.text).toBe('It is through.');
    expect(named(heard, 'Stop')).toMatchObject([
      { lastMessage: 'It runs.', backgroundTasks: [{ type: 'shell' }] },
      { lastMessage: 'It is through.', backgroundTasks: [] },
    ]);
  });

  longTest('that ends while the model writes its last words brings it back, too', async () => {
    const scene = await sceneOfTest();
    const go = join(scene.project, 'go');
    const script = {
      turns: [
        inBackground(`until [ -e ${go} ]; do sleep 0.05; done`),
        { text: 'Last words.', delayMs: 1_500 },
        { text: 'One more thing.' },
      ],
    };
    const driven = drive(scene, script);
    await waitFor(() => asked(scene).length === 2);
    await writeFile(go, '');
    const { heard } = await driven;
    expect(named(heard, 'Stop')).toMatchObject([
      { lastMessage: 'Last words.', backgroundTasks: [] },
      { lastMessage: 'One more thing.' },
    ]);
  });

  longTest('that never ends keeps a session no longer than it may, and ends with it', async () => {
    const scene = await sceneOfTest();
    const server = 'node -e "setTimeout(() => {}, 600000)"';
    const script = { turns: [inBackground(server), { text: 'The server runs.' }] };
    const { end, facts } = await drive(scene, script, { limits: { backgroundMs: 300 } });
    expect(end.kind).toBe('completed');
    expect(facts.result?.text).toBe('The server runs.');
    expect(await processesOf(scene.root)).toEqual([]);
  });

  longTest('does not keep a session that is told to halt, and nothing of it is lost', async () => {
    const scene = await sceneOfTest();
    const heard = listener((event) => (event.name === 'Stop' ? HALT : undefined));
    const server = 'node -e "setTimeout(() => {}, 600000)"';
    const script = { turns: [inBackground(server), { text: 'The server runs.' }] };
    const { end, plan } = await drive(scene, script, { heard });
    expect(end.kind).toBe('stopped_by_hook');
    expect(await processesOf(scene.root)).toEqual([]);
    await portOf(scene).run({ ...plan, resume: true }, 'Go on', listener(), limits());
    expect(askedTexts(scene).at(-1)).toMatch(/Build a cuckoo clock.*The server runs\..*Go on/s);
  });
});

describe('processes', () => {
  longTest('what a command left running ends with the session', async () => {
    const scene = await sceneOfTest();
    const command = '(setsid sleep 300 >/dev/null 2>&1 &); sleep 301 >/dev/null 2>&1 & echo started';
    await drive(scene, { turns: [calling(command)] });
    expect(askedTexts(scene)[1]).toContain('started');
    expect(await processesOf(scene.root)).toEqual([]);
  });

  longTest('a client that was killed leaves no command behind', async () => {
    const scene = await sceneOfTest();
    const begun = join(scene.project, 'begun');
    scene.simulator.load('driven', {
      turns: [calling(`touch ${begun}; node -e "setTimeout(() => {}, 600000)"`)],
    });
    const run = portOf(scene).run(planIn(scene), 'Build a cuckoo clock', listener(), limits());
    await waitFor(() => existsSync(begun));
    process.kill(await clientOf(scene), 'SIGKILL');
    expect(nameEnd(await run).kind).toBe('crashed');
    expect(await processesOf(scene.root)).toEqual([]);
  });

  test('a session that is called off leaves none, whatever it was doing', async () => {
    const scene = await sceneOfTest();
    const begun = join(scene.project, 'begun');
    scene.simulator.load('driven', {
      turns: [calling(`touch ${begun}; node -e "setTimeout(() => {}, 600000)"`)],
    });
    const abort = new AbortController();
    const run = portOf(scene).run(
      planIn(scene),
      'Build a cuckoo clock',
      listener(),
      limits({ signal: abort.signal }),
    );
    await waitFor(() => existsSync(begun));
    abort.abort();
    expect(nameEnd(await run).kind).toBe('aborted');
    expect(await processesOf(scene.root)).toEqual([]);
  });

  longTest('a client that does not even answer an interruption is ended', async () => {
    const scene = await sceneOfTest();
    scene.simulator.load('driven', { after: { hang: true } });
    const abort = new AbortController();
    const run = portOf(scene).run(
      planIn(scene),
      'Build a cuckoo clock',
      listener(),
      limits({ signal: abort.signal }),
    );
    await waitFor(() => asked(scene).length === 1);
    process.kill(await clientOf(scene), 'SIGSTOP');
    abort.abort();
    expect(await run).toEqual({ cutBy: 'abort' });
    expect(await processesOf(scene.root)).toEqual([]);
  });

  longTest('one prepared client is one process, which is gone when it was discarded', async () => {
    const scene = await sceneOfTest();
    scene.simulator.load('driven', {});
    const ready = await portOf(scene).prepare(planIn(scene));
    const client = await clientOf(scene);
    expect(asked(scene)).toEqual([]);
    await ready.discard();
    expect(await processesOf(scene.root)).not.toContain(client);
    expect(await processesOf(scene.root)).toEqual([]);
  });

  longTest('a prepared client is the one that is run, and one that died is replaced', async () => {
    const scene = await sceneOfTest();
    scene.simulator.load('driven', { after: calling('echo "I am $CLAUDE_PID"') });
    const port = portOf(scene);
    const ready = await port.prepare(planIn(scene, { maxTurns: 1 }));
    const client = await clientOf(scene);
    const pids: unknown[] = [];
    const heard = listener();
    heard.event = async (event: HookEvent) => {
      if (event.name === 'PreToolUse') pids.push(await clientOf(scene));
      return { kind: 'silence' };
    };
    await port.run(ready, 'Build a cuckoo clock', heard, limits());
    expect(pids).toEqual([client]);

    const other = await port.prepare(planIn(scene, { maxTurns: 1 }));
    process.kill(await clientOf(scene), 'SIGKILL');
    await waitFor(async () => (await processesOf(scene.root)).length === 0);
    expect(nameEnd(await port.run(other, 'Build a cuckoo clock', listener(), limits()))).toMatchObject({
      kind: 'max_turns',
    });
  });
});
