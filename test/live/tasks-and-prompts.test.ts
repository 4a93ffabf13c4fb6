import { describe, expect, test } from 'vitest';
import type { ClientRun } from '../support/live/client.ts';
import { contractScene, startedSession } from '../support/live/contract.ts';
import type { Scene } from '../support/live/scene.ts';
import { bash, journalOf, loopOf } from '../support/live/untildone.ts';
import { longTest } from '../support/long.ts';

/** Naming one of them brings the task tools to models that have none by default. */
const WITH_TASKS = ['--allowedTools', 'Bash,TaskCreate,TaskUpdate'];
const create = (subject: string, description: string) => ({
  name: 'TaskCreate',
  input: { subject, description },
});
const complete = (taskId: string) => ({ name: 'TaskUpdate', input: { taskId, status: 'completed' } });

const KEY = `sk-ant-api03-${'Qw8zT2mLp9RkV4nX'.repeat(4)}`;
const CONTRACT = `gates:
  there: { run: test -e never }
  tidy: { forbid: [debug, debugger, todo, placeholder] }
  named: { text: { matches: '[A-Z]+-\\d+', say: name the ticket } }
  no-secrets: { text: { forbid: [secrets, private_keys] } }
done: [there]
task_created: [named]
task_done: [tidy]
prompt: { gates: [no-secrets], tell: "The API lives in src/api." }
`;
const PROJECT = { 'untildone.yaml': CONTRACT, 'src/a.js': 'exports.a = 1;\n' };

/** What the model was sent last, of its n-th request. */
const request = (run: ClientRun, n: number) => JSON.stringify(run.requests[n - 1]?.body ?? 'no such request');
const lastMessage = (run: ClientRun, n: number) =>
  JSON.stringify((run.requests[n - 1]?.body as { messages?: unknown[] })?.messages?.slice(-2) ?? []);

const PLACEHOLDER = bash(`printf '// TODO: write it\\nthrow new Error("not implemented");\\n' > src/b.js`);
const FINISHED = bash(`echo 'exports.b = 2;' > src/b.js`);
const TASK_TURNS = [
  { tools: [create('ABC-1 Write b', 'Write src/b.js')] },
  { tools: [PLACEHOLDER] },
  { tools: [complete('1')] },
  { tools: [FINISHED] },
  { tools: [complete('1')] },
  { text: 'done' },
];

async function completesATask(scene: Scene, args: string[]): Promise<ClientRun> {
  return scene.runClient({
    prompt: 'write b',
    args: [...WITH_TASKS, ...args],
    script: { turns: TASK_TURNS, after: { text: 'done' } },
  });
}

describe('a task is not completed until the placeholder is gone', () => {
  test('in a session without a loop', async () => {
    const scene = await contractScene(PROJECT, { recording: 'TaskCompleted/placeholder' });
    const run = await completesATask(scene, []);
    const refused = lastMessage(run, 4);
    expect(refused).toContain('task 1 \\"ABC-1 Write b\\" is not completed yet');
    expect(refused).toContain('src/b.js:1 todo (TODO)');
    expect(refused).toContain('src/b.js:2 placeholder (not implemented)');
    expect(refused).toContain('Next: remove these lines, or finish what they stand for');
    const accepted = lastMessage(run, 6);
    expect(accepted).toContain('Updated task #1 status');
    expect(accepted).not.toContain('not completed yet');
    expect(run.requests).toHaveLength(6);
  });

  longTest('in a loop, which has it in its journal', async () => {
    const scene = await contractScene(PROJECT);
    const session = await startedSession(scene, '--max-iterations', '1');
    const run = await completesATask(scene, ['--session-id', session]);
    expect(lastMessage(run, 4)).toContain('is not completed yet');
    const { id } = await loopOf(scene);
    const guards = (await journalOf(scene, id)).flatMap((entry) => (entry.kind === 'guard' ? [entry] : []));
    expect(guards.map(({ event, subject, refused }) => [event, subject, refused])).toEqual([
      ['UserPromptSubmit', 'prompt', false],
      ['TaskCreated', 'new task 1', false],
      ['TaskCompleted', 'task 1', true],
      ['TaskCompleted', 'task 1', false],
    ]);
  });
});

longTest('a task is not created before it says what it has to', async () => {
  const scene = await contractScene(PROJECT);
  const run = await scene.runClient({
    prompt: 'plan',
    args: WITH_TASKS,
    script: {
      turns: [
        { tools: [create('Write b', 'Write src/b.js')] },
        { tools: [create('ABC-1 Write b', 'Write src/b.js')] },
        { text: 'planned' },
      ],
    },
  });
  expect(lastMessage(run, 2)).toContain('untildone: this task was not created.');
  expect(lastMessage(run, 2)).toContain('name the ticket');
  expect(lastMessage(run, 3)).toContain('created successfully');
  expect(lastMessage(run, 3)).not.toContain('was not created');
});

describe('a prompt', () => {
  test('with a secret is not sent, and the person reads why', async () => {
    const scene = await contractScene(PROJECT, { recording: 'UserPromptSubmit/secret' });
    const run = await scene.runClient({ prompt: `Log in with ${KEY}`, script: { turns: [{ text: 'hi' }] } });
    expect(run.requests).toEqual([]);
    expect(run.code).toBe(0);
    const shown = run.lines.map((line) => JSON.stringify(line)).join('\n');
    expect(shown).toContain('untildone: this prompt was not sent to the model.');
    expect(shown).toContain('line 1: secrets (Anthropic key)');
    expect(shown).toContain('send it again');
  });

  longTest('without one is sent, with what the contract tells', async () => {
    const scene = await contractScene(PROJECT);
    const run = await scene.runClient({ prompt: 'Log in', script: { turns: [{ text: 'hi' }] } });
    expect(run.requests).toHaveLength(1);
    expect(request(run, 1)).toContain('The API lives in src/api.');
  });

  longTest('that is refused in a loop leaves it as it was, and no word of it in the journal', async () => {
    const scene = await contractScene(PROJECT);
    const session = await startedSession(scene);
    const refused = await scene.runClient({
      prompt: `Log in with ${KEY}`,
      args: ['--session-id', session],
      script: { turns: [{ text: 'hi' }] },
    });
    expect(refused.requests).toEqual([]);
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'active', iteration: 1 });
    const journal = await journalOf(scene, loop.id);
    expect(journal).toContainEqual(
      expect.objectContaining({ kind: 'guard', event: 'UserPromptSubmit', subject: 'prompt', refused: true }),
    );
    expect(JSON.stringify(journal)).not.toContain('Qw8zT2mLp9RkV4nX');
    expect(JSON.stringify(journal)).not.toContain('Log in with');
  });

  longTest('of a task that ended in the background is not one of the person', async () => {
    const clear = CONTRACT.replace('{ forbid: [secrets, private_keys] }', '{ at_most: 30 }');
    const scene = await contractScene({ ...PROJECT, 'untildone.yaml': clear });
    const run = await scene.runClient({
      prompt: 'start it in the background',
      script: {
        turns: [
          { tools: [{ name: 'Bash', input: { command: 'sleep 0.2', run_in_background: true } }] },
          { text: 'started' },
          { text: 'it has ended' },
        ],
      },
    });
    expect(run.requests).toHaveLength(3);
    expect(lastMessage(run, 3)).toContain('<task-notification>');
    const told = request(run, 3).split('The API lives in src/api.').length - 1;
    expect(told).toBe(1);
  });
});
