import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Script } from '../../src/dev/simulator/script.ts';
import type { ClientRun } from '../support/live/client.ts';
import { contractScene, startedSession } from '../support/live/contract.ts';
import { waitFor } from '../support/live/processes.ts';
import { startRun } from '../support/live/run.ts';
import type { Scene } from '../support/live/scene.ts';
import { bash, journalOf, loopOf, loopsOf, must } from '../support/live/untildone.ts';
import { longDescribe } from '../support/long.ts';

const PLAN = `# Plan

## Memory

Nothing was written down before; sum.js is empty and has a test.

## Classification

A small feature in one file.
complexity: 8

## Questions

- [x] Which type does it add? Numbers.

## Tasks

- [ ] write add
`;

const RETROSPECTIVE =
  'The function was quickly written. The test that was there told at once whether it adds, so nothing had to be guessed. Next time the plan can name the edge cases of numbers before the work begins, and the review finds less.';

const write = (file: string, text: string) => bash(`cat > ${file} <<'EOF'\n${text}\nEOF`);
const tool = (call: ReturnType<typeof bash>) => ({ tools: [call] });

/** What the model reads is JSON: its quotes are escaped. */
const asks = (phase: string) => `The phase .?"${phase}.?":`;

/** Does what each phase asks for, when it is asked. */
const WORKER: Script = {
  rules: [
    {
      when: { any: 'someone who wants to prove it wrong' },
      turns: [
        {
          tools: [
            {
              name: 'StructuredOutput',
              input: { verdict: 'pass', reason: 'it adds', missing: [], evidence: ['node sum.test.js'] },
            },
          ],
        },
      ],
    },
    {
      when: { last: 'name the types' },
      turns: [tool(write('PLAN.md', PLAN.replace('Numbers.', 'Finite numbers.')))],
    },
    { when: { last: asks('plan') }, turns: [tool(write('PLAN.md', PLAN))] },
    {
      when: { last: asks('implement') },
      turns: [
        tool(
          bash(
            `echo 'exports.add = (a, b) => a + b;' > sum.js; sed -i 's/- \\[ \\]/- [x]/' PLAN.md; echo implemented`,
          ),
        ),
      ],
    },
    {
      when: { last: asks('retrospect') },
      turns: [tool(write('RETROSPECTIVE.md', RETROSPECTIVE))],
    },
    { when: { any: '.' }, turns: Array.from({ length: 20 }, (_, i) => ({ text: `That is done (${i}).` })) },
  ],
};

async function verifiedDoneScene(): Promise<Scene> {
  return contractScene({
    'untildone.yaml': [
      'preset: verified-done',
      'gates:',
      '  correctness_passed: { run: node sum.test.js }',
      '  quality_passed: { run: sh lint.sh }',
      '',
    ].join('\n'),
    'sum.js': '',
    'lint.sh': 'node --check sum.js\n',
    'sum.test.js':
      "if (require('./sum.js').add?.(2, 3) !== 5) { console.error('add is wrong'); process.exit(1); }\n",
  });
}

const asked = (run: ClientRun, request: number) => JSON.stringify(run.requests[request]?.body);

const waitsFor = async (scene: Scene) => {
  const [loop] = await loopsOf(scene);
  return loop?.waiting?.why === 'approval' ? loop : undefined;
};

longDescribe('preset: verified-done', () => {
  test('a run goes from planning to the retrospective, with a person in between', async () => {
    const scene = await verifiedDoneScene();
    const run = startRun(scene, ['Write add()', '--allow', 'Bash', '--model', 'claude-sonnet-4-5'], WORKER);
    const asked = await waitFor(() => waitsFor(scene), 60_000, 'the question about the plan');
    expect(asked).toMatchObject({ status: 'active', phase: 'plan' });
    expect(asked.waiting?.text).toContain('Is this plan good? (PLAN.md)');
    const requests = run.requests().length;
    await must(scene, ['reject', '--note', 'name the types']);
    await waitFor(
      async () => {
        const text = readFileSync(join(scene.project, 'PLAN.md'), 'utf8');
        return text.includes('Finite') && (await waitsFor(scene)) !== undefined;
      },
      60_000,
      'the question about the changed plan',
    );
    expect(run.requests().length).toBeGreaterThan(requests);
    await must(scene, ['approve', 'plan', '--note', 'good now']);
    const ended = await run.ended;
    expect({ code: ended.code, stderr: ended.stderr, said: ended.code === 0 ? '' : ended.stdout }).toEqual({
      code: 0,
      stderr: '',
      said: '',
    });
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'verified_done', phase: 'retrospect' });
    expect(Object.fromEntries(loop.gates.map((g) => [g.name, `${g.verdict} ${g.class}`]))).toMatchObject({
      memory_search: 'pass claimed',
      task_classified: 'pass claimed',
      must_have_answered: 'pass claimed',
      plan_approved: 'pass judged',
      implementation_complete: 'pass claimed',
      correctness_passed: 'pass measured',
      quality_passed: 'pass measured',
      adversarial_passed: 'pass judged',
      retrospective_done: 'pass claimed',
    });
    const journal = await journalOf(scene, loop.id);
    expect(journal.flatMap((e) => (e.kind === 'answered' ? [`${e.said} ${e.gate}`] : []))).toEqual([
      'rejected plan_approved',
      'approved plan_approved',
    ]);
    const passed = journal.flatMap((e) => (e.kind === 'stop' ? (e.seen.phase?.passed ?? []) : []));
    expect(passed).toEqual(['plan', 'implement', 'verify']);
  });
});

describe('phases in a session', () => {
  const CONTRACT = [
    'gates:',
    '  notes: { run: test -s notes.md }',
    '  tests: { run: test -s made.txt }',
    'phases:',
    '  think: { do: Write notes.md, exit: [notes], checkpoint: "Shall it be made?" }',
    '  make: { do: Make made.txt, exit: [tests] }',
    '',
  ].join('\n');

  test('the session is let go for the question, and told the answer with the next prompt', async () => {
    const scene = await contractScene(
      { 'untildone.yaml': CONTRACT },
      { recording: 'UserPromptSubmit/answered-question' },
    );
    const session = await startedSession(scene);
    const first = await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: {
        turns: [{ text: 'Hello.' }, tool(bash('echo idea > notes.md')), { text: 'The notes are there.' }],
      },
    });
    expect(asked(first, 1)).toContain('The phase \\"think\\": Write notes.md');
    expect(asked(first, 1)).toContain('Fails: notes');
    expect(JSON.stringify(first.lines)).toContain('a question for you: think_approved: Shall it be made?');
    expect(await loopOf(scene)).toMatchObject({
      status: 'active',
      phase: 'think',
      waiting: { why: 'approval' },
    });
    expect(await must(scene, ['approve', '--note', 'in blue'])).toContain('claude --resume');
    const second = await scene.runClient({
      prompt: 'go on',
      args: ['--resume', session],
      script: { turns: [{ text: 'What now?' }, tool(bash('echo blue > made.txt')), { text: 'Made.' }] },
    });
    expect(asked(second, 0)).toContain('a person approved think_approved: \\"in blue\\"');
    expect(asked(second, 1)).toContain('The phase \\"think\\" is complete');
    expect(asked(second, 1)).toContain('Make made.txt');
    expect((await loopOf(scene)).status).toBe('verified_done');
  });
});
