import { expect, test } from 'vitest';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { contractScene, startedSession } from '../../support/live/contract.ts';
import { waitFor } from '../../support/live/processes.ts';
import { startRun } from '../../support/live/run.ts';
import type { Scene } from '../../support/live/scene.ts';
import { bash, journalOf, loopOf, loopsOf, must, untildone } from '../../support/live/untildone.ts';

const FILES = { 'untildone.yaml': 'gates:\n  made: { run: grep -q blue made.txt }\n' };
const tool = (command: string) => ({ tools: [bash(command)] });

const waiting = async (scene: Scene) => {
  const [loop] = await loopsOf(scene);
  return loop?.waiting?.why === 'approval' ? loop : undefined;
};

/** The permissions of a run are the default: its shell may run nothing unasked, and `untildone` is not on its PATH. */
test('a run asks, waits without a session, and goes on with the answer', async () => {
  const scene = await contractScene(FILES);
  const script: Script = {
    rules: [
      {
        when: { last: 'A person answered' },
        turns: [
          {
            tools: [{ name: 'Write', input: { file_path: `${scene.project}/made.txt`, content: 'blue\n' } }],
          },
        ],
      },
      { when: { last: 'Asked as question 1' }, turns: [{ text: 'I wait for the colour.' }] },
      {
        when: { last: 'Make it' },
        turns: [tool('untildone ask "Which colour?" --option red --option blue')],
      },
      { when: { any: '.' }, turns: Array.from({ length: 5 }, (_, i) => ({ text: `Made (${i}).` })) },
    ],
  };
  const run = startRun(scene, ['Make it', '--model', 'claude-sonnet-4-5'], script);
  const asked = await waitFor(() => waiting(scene), 60_000, 'the question');
  expect(asked).toMatchObject({ iteration: 1, questions: [{ text: 'Which colour?', state: 'open' }] });
  const requests = run.requests().length;
  expect(await must(scene, ['answer', '--option', '2'])).toContain('Its run goes on by itself.');
  const ended = await run.ended;
  expect({ code: ended.code, stderr: ended.stderr, said: ended.code === 0 ? '' : ended.stdout }).toEqual({
    code: 0,
    stderr: '',
    said: '',
  });
  expect(ended.requests[requests]).toContain('option 2, \\"blue\\"');
  // The answer may come before the Stop, which is then held with it: that is an iteration.
  expect((await loopOf(scene)).status).toBe('verified_done');
  expect(await must(scene, ['receipt'])).toContain('asked: Which colour? answered by a person: blue');
});

test('a session is let go unanswered, refused when it asks too often, and reads the answer with the next prompt', async () => {
  const scene = await contractScene(FILES);
  const session = await startedSession(scene);
  const first = await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: {
      turns: [
        tool('untildone ask "Which colour?"'),
        tool('untildone answer "red"'),
        ...['b', 'c', 'd'].map((name) => tool(`untildone ask "Which ${name}?"`)),
        { text: 'I wait.' },
        { text: 'This is never asked for.' },
      ],
    },
  });
  const said = JSON.stringify(first.requests.at(-1)?.body);
  expect(said).toContain('is for the person who started this');
  expect(said).toContain('not asked: 3 questions');
  expect(first.requests).toHaveLength(6);
  expect(JSON.stringify(first.lines)).toContain('the agent asks you: question 1: Which colour?');
  const loop = await loopOf(scene);
  expect(loop).toMatchObject({ status: 'active', iteration: 1, waiting: { why: 'approval' } });
  expect(loop.questions.map(({ state }) => state)).toEqual(['open', 'open', 'open']);
  for (const n of ['2', '3']) await must(scene, ['answer', '--question', n, 'as you like']);
  expect(await must(scene, ['answer', loop.id, 'blue,', 'of', 'course'])).toContain('claude --resume');
  expect((await untildone(scene, ['answer', 'again'])).code).toBe(2);
  const second = await scene.runClient({
    prompt: 'go on',
    args: ['--resume', session],
    script: { turns: [{ text: 'What now?' }, tool('echo blue > made.txt'), { text: 'Made.' }] },
  });
  expect(JSON.stringify(second.requests[0]?.body)).toContain('A person answered: \\"blue, of course\\"');
  expect(JSON.stringify(second.requests[1]?.body)).toContain('Fails: made');
  expect((await loopOf(scene)).status).toBe('verified_done');
  const entries = (await journalOf(scene, loop.id)).map(({ kind }) => kind);
  expect(entries.filter((kind) => kind === 'asked' || kind === 'answered')).toHaveLength(6);
});
