import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Script } from '../../src/dev/simulator/script.ts';
import type { ClientRun } from '../support/live/client.ts';
import { contractScene, startedSession } from '../support/live/contract.ts';
import { startRun } from '../support/live/run.ts';
import type { Scene } from '../support/live/scene.ts';
import { bash, journalOf, loopOf, must } from '../support/live/untildone.ts';
import { longDescribe, longTest } from '../support/long.ts';

const CONTRACT = `gates:
  planned: { artefact: PLAN.md, section: Plan, words: 5 }
  tests: { run: test -f built }
  worked: { changed: true, except: [PLAN.md, MEMORY.md] }
phases:
  plan: { do: Write PLAN.md with a section Plan., exit: [planned] }
  build: { do: Make the file that is called built., exit: [tests, worked] }
done: [tests]
memory: MEMORY.md
`;
const FILES = { 'untildone.yaml': CONTRACT, 'MEMORY.md': 'The cart is hard.\n' };
const PLAN = bash("printf '## Plan\\n\\nFirst we look, then we build the file.\\n' > PLAN.md");
const BUILD = bash('touch built');
const FULL = { input_tokens: 980_000, output_tokens: 10 };

const INSTRUCTION = 'Make the file that is called built.';
/** Not by the last message: behind the request there may be what the client says about an earlier block. */
const summary = {
  when: { any: 'create a detailed summary' },
  turns: [{ text: '<summary>A summary.</summary>' }],
};

const bodies = (run: ClientRun) => run.requests.map((request) => JSON.stringify(request.body));
const asksForSummary = (body: string) => body.includes('create a detailed summary');

function copiesOf(scene: Scene, loop: string): string[] {
  const projects = join(scene.untildoneHome, 'projects');
  const [project = ''] = readdirSync(projects);
  const folder = join(projects, project, 'loops', loop, 'transcripts');
  return readdirSync(folder).map((name) => join(folder, name));
}

/** The session is full after the first step of the second phase. */
const FULL_IN_BETWEEN = [
  { tools: [PLAN] },
  { text: 'planned' },
  { tools: [bash('echo looking')], usage: FULL },
  { tools: [BUILD] },
  { text: 'built' },
];

describe('a compaction in mid-phase', () => {
  test('keeps phase and instruction: in the summary, after it, and in a copy of the transcript', async () => {
    const scene = await contractScene(FILES, { recording: 'PreCompact/mid-phase' });
    const session = await startedSession(scene);
    const run = await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: {
        rules: [summary],
        turns: FULL_IN_BETWEEN,
      },
    });
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'verified_done', iteration: 2 });
    const all = bodies(run);
    const asked = all.findIndex(asksForSummary);
    for (const part of [
      'phase \\"build\\" (2 of 2)',
      INSTRUCTION,
      'Fails: tests',
      'Make add() add',
      'The checks are run again when you stop.',
    ])
      expect(all[asked]?.split('Additional Instructions:')[1]).toContain(part);
    const next = all.slice(asked).find((body) => !asksForSummary(body)) ?? '';
    expect(next).toContain('This session is being continued');
    expect(next).toContain('this session works in a loop (iteration 2 of 50, phase \\"build\\" (2 of 2))');
    expect(next).toContain(INSTRUCTION);
    expect(next).toContain('The cart is hard.');

    const entry = (await journalOf(scene, loop.id)).find(
      (e) => e.kind === 'event' && e.event === 'PreCompact',
    );
    const [copy = '', second] = copiesOf(scene, loop.id);
    expect(second).toBeUndefined();
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const text = readFileSync(copy, 'utf8');
    expect(text).toContain(session);
    expect(text.endsWith('\n')).toBe(true);
    expect(entry).toMatchObject({
      detail: { copy: `transcripts/${copy.split('/').at(-1)}`, size: `${statSync(copy).size} bytes` },
    });
    expect(readFileSync(join(scene.project, 'MEMORY.md'), 'utf8')).toMatch(
      /^The cart is hard\.\n[\s\S]*- Phase: build \(2 of 2\)\n/,
    );
  });

  longTest('by a person, with words of their own, keeps both', async () => {
    const scene = await contractScene(FILES);
    const session = await startedSession(scene);
    const client = await scene.startClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: { turns: [{ tools: [PLAN] }, { text: 'planned' }, { hang: true }] },
    });
    await client.untilRequest(3);
    client.process.kill('SIGINT');
    await client.finished;
    const again = await scene.startClient({
      prompt: '/compact keep the cat',
      conversation: true,
      args: ['--resume', session],
      script: { rules: [summary], turns: [{ tools: [BUILD] }, { text: 'built' }] },
    });
    await again.untilLine((line) => line.subtype === 'compact_boundary');
    again.say('go on');
    await again.untilLine((line) => line.type === 'result' && line.result === 'built');
    again.endInput();
    const all = bodies(await again.finished);
    const asked = all.find(asksForSummary)?.split('Additional Instructions:')[1];
    expect(asked).toContain('keep the cat');
    expect(asked).toContain(INSTRUCTION);
    expect(all.at(-1)).toContain(INSTRUCTION);
    expect(await loopOf(scene)).toMatchObject({ status: 'verified_done' });
  });

  longTest('of a session that a run drives does the same', async () => {
    const scene = await contractScene(FILES);
    const script: Script = {
      rules: [summary],
      turns: FULL_IN_BETWEEN,
    };
    const args = ['Make it', '--mode', 'session', '--model', 'claude-opus-5-5', '--allow', 'Bash'];
    const run = await startRun(scene, args, script).ended;
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    const asked = run.requests.find(asksForSummary)?.split('Additional Instructions:')[1];
    expect(asked).toContain('phase \\"build\\" (2 of 2)');
    expect(asked).toContain(INSTRUCTION);
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'verified_done' });
    expect(copiesOf(scene, loop.id)).toHaveLength(1);
  });
});

longDescribe('a session with an id of its own', () => {
  const told = (run: ClientRun) => run.lines.map((line) => JSON.stringify(line)).join('\n');

  test('after /clear is not held, and the person is told how the loop goes on', async () => {
    const scene = await contractScene(FILES);
    const client = await scene.startClient({
      prompt: 'hello',
      conversation: true,
      script: { turns: [{ text: 'hi' }, { text: 'a fresh start' }] },
    });
    const { session_id: session = '' } = await client.untilLine((line) => line.type === 'result');
    await must(scene, ['start', 'Make it', '--session', session]);
    client.say('/clear');
    client.say('hello again');
    await client.untilLine((line) => line.type === 'result' && line.result === 'a fresh start');
    client.endInput();
    const run = await client.finished;
    expect(run.requests).toHaveLength(2);
    expect(told(run)).toContain('/clear began a session of its own, which is not held.');
    expect(told(run)).toContain(`claude --resume ${session}`);
    const resumed = await scene.runClient({
      prompt: 'go on',
      args: ['--resume', session],
      script: { turns: [{ tools: [PLAN, BUILD] }, { text: 'all of it' }] },
    });
    expect(bodies(resumed)[0]).toContain('this session works in a loop');
    expect(await loopOf(scene)).toMatchObject({ status: 'verified_done', session });
  });

  test('by a fork is not held, and the loop stays where it was', async () => {
    const scene = await contractScene(FILES);
    const session = await startedSession(scene);
    const first = await scene.startClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: { turns: [{ text: 'one' }, { hang: true }] },
    });
    await first.untilRequest(2);
    first.process.kill('SIGINT');
    await first.finished;
    const fork = await scene.runClient({
      prompt: 'hello',
      args: ['--resume', session, '--fork-session'],
      script: { turns: [{ text: 'hi' }] },
    });
    expect(fork.requests).toHaveLength(1);
    expect(fork.session).not.toBe(session);
    expect(told(fork)).toContain('this copy is a session of its own, which is not held.');
    expect(told(fork)).toContain(`stays with session ${session}`);
    expect(await loopOf(scene)).toMatchObject({ status: 'active', session });
  });
});
