import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/engine/core/loop/entry.ts';
import type { LoopState } from '../../src/engine/core/loop/state.ts';
import { contractScene, git, startedSession } from '../support/live/contract.ts';
import type { Scene } from '../support/live/scene.ts';
import { bash, decisionsOf, journalOf, loopOf, must } from '../support/live/untildone.ts';
import { longDescribe } from '../support/long.ts';

const agentFile = (name: string) => `---\nname: ${name}\ndescription: does ${name}\n---\nYou do ${name}.\n`;
const PROJECT = {
  '.claude/agents/chunk-a.md': agentFile('chunk-a'),
  '.claude/agents/chunk-b.md': agentFile('chunk-b'),
  'untildone.yaml':
    'gates:\n  made: { run: echo judged >> ../judged; test -e a.js && test -e b.js }\n  tidy: { forbid: [todo] }\n' +
    '  workers: { subagents: "chunk-*", at_least: 2 }\n' +
    'done: [made, workers]\nsubagent: { "chunk-*": [tidy] }\n',
};
const TOOLS = ['--allowedTools', 'Bash Agent Write Edit'];

const agent = (type: string, prompt: string, more = {}) => ({
  name: 'Agent',
  input: { description: type, prompt, subagent_type: type, ...more },
});
const write = (scene: Scene, file: string, content: string) => ({
  name: 'Write',
  input: { file_path: join(scene.project, file), content },
});

function guardsOf(entries: readonly Entry[], type: string): string[] {
  return entries.flatMap((e) =>
    e.kind === 'guard' && e.agent?.type === type ? [e.refused ? 'held' : 'let through'] : [],
  );
}

/** The state after each line of the journal. */
async function statesOf(scene: Scene, loop: string): Promise<LoopState[]> {
  const lines = (await must(scene, ['log', loop, '--json'])).trim().split('\n');
  return lines.map((line) => JSON.parse(line).state);
}

longDescribe('subagents beside each other', () => {
  test('each is judged by what it did itself; the session waits until all passed, through a compaction', async () => {
    const scene = await contractScene(PROJECT);
    const session = await startedSession(scene);
    const run = await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session, ...TOOLS],
      script: {
        rules: [
          {
            when: { last: 'summary of the conversation|detailed summary' },
            turns: [{ text: 'A summary.' }],
          },
          {
            when: { first: 'DO CHUNK A' },
            turns: [
              { tools: [write(scene, 'a.js', '// TODO: the rest\n')] },
              { text: 'a is done' },
              { tools: [write(scene, 'a.js', 'exports.a = 1;\n')] },
              { text: 'now a is done' },
            ],
          },
          {
            when: { first: 'DO CHUNK B' },
            turns: [
              { tools: [write(scene, 'b.js', 'exports.b = 1;\n')] },
              // The baseline, the Stop before it began, and one that has to wait for it.
              { tools: [bash('until [ "$(wc -l < ../judged)" -ge 3 ]; do sleep 0.05; done')] },
              { text: 'b is done' },
            ],
          },
        ],
        turns: [
          { text: 'I did it all myself' },
          { tools: [agent('chunk-a', 'DO CHUNK A'), agent('chunk-b', 'DO CHUNK B')] },
          { tools: [bash('echo x')], usage: { input_tokens: 980_000, output_tokens: 10 } },
          { text: 'I wait', repeat: 20 },
        ],
      },
    });
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'verified_done', iteration: 2 });
    const entries = await journalOf(scene, loop.id);
    const decisions = decisionsOf(entries);
    expect(decisions[0]).toBe('block');
    expect(decisions.at(-1)).toBe('verified_done');
    expect(new Set(decisions.slice(1, -1))).toEqual(new Set(['allow']));
    expect(guardsOf(entries, 'chunk-a')).toEqual(['held', 'let through']);
    expect(guardsOf(entries, 'chunk-b')).toEqual(['let through']);

    const asked = run.requests.map(({ body }) => JSON.stringify(body));
    expect(asked.some((text) => text.includes('2 more are to be started'))).toBe(true);
    const toA = asked.filter((text) => text.includes('DO CHUNK A') && text.includes('You do chunk-a.'));
    expect(toA[0]).toContain('your work is checked when you stop');
    expect(toA[0]).toContain('no added line has any of todo');
    expect(toA.at(-1)).toContain('Fails: tidy');

    const states = await statesOf(scene, loop.id);
    const agents = states.at(-1)?.agents;
    expect(agents).toMatchObject([
      { type: expect.stringMatching(/^chunk-[ab]$/), status: 'passed', measured: true },
      { type: expect.stringMatching(/^chunk-[ab]$/), status: 'passed', measured: true },
    ]);
    const a = agents?.find(({ type }) => type === 'chunk-a');
    const counts = new Set(states.map(({ guarded }) => JSON.stringify(guarded)));
    expect(counts).toEqual(new Set(['{}', JSON.stringify({ [`agent ${a?.id}`]: 1 })]));

    const compactions = entries.filter((e) => e.kind === 'event' && e.detail?.source === 'compact');
    expect(compactions).toHaveLength(1);
    expect(entries).toContainEqual({
      kind: 'event',
      event: 'SubagentStop',
      detail: expect.objectContaining({ type: '' }),
    });
  });

  test('one in a worktree of its own is judged there, by what was approved', async () => {
    const scene = await contractScene({
      ...PROJECT,
      'untildone.yaml':
        'gates:\n  made: { run: sh check.sh }\n  tidy: { forbid: [todo] }\n' +
        'done: [made]\nsubagent: { "chunk-*": [made, tidy] }\n',
      'check.sh': 'test -e made.js && echo "checked in $PWD"\n',
    });
    const session = await startedSession(scene);
    await writeFile(join(scene.project, 'mine.js'), '// TODO: not the business of the agent\n');
    const run = await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session, ...TOOLS],
      script: {
        rules: [
          {
            when: { first: 'DO CHUNK A' },
            turns: [
              {
                tools: [
                  bash(
                    'echo "// TODO: here" > made.js; git add .; git commit -qm made; echo true > check.sh',
                  ),
                ],
              },
              { text: 'done' },
              { tools: [bash('git checkout check.sh; echo "exports.a = 1;" > made.js')] },
              { text: 'done now' },
            ],
          },
        ],
        turns: [
          { tools: [agent('chunk-a', 'DO CHUNK A', { isolation: 'worktree', run_in_background: false })] },
          { tools: [bash('echo "exports.a = 1;" > made.js')] },
          { text: 'all done' },
        ],
      },
    });
    const loop = await loopOf(scene);
    expect(loop.status).toBe('verified_done');
    const entries = await journalOf(scene, loop.id);
    const guards = entries.filter((e) => e.kind === 'guard');
    expect(guards.map((e) => e.refused)).toEqual([true, false]);
    expect(guards[0]?.verdicts).toMatchObject([
      { gate: 'made', outcome: 'fail', summary: expect.stringContaining('what this gate runs was changed') },
      { gate: 'tidy', outcome: 'fail', evidence: [expect.stringMatching(/^made\.js:1 todo/)] },
    ]);
    expect(guards[1]?.verdicts).toMatchObject([
      { gate: 'made', outcome: 'pass' },
      { gate: 'tidy', outcome: 'pass' },
    ]);
    const began = entries.find((e) => e.kind === 'event' && e.event === 'SubagentStart');
    expect(began).toMatchObject({
      detail: {
        type: 'chunk-a',
        worktree: expect.stringContaining('worktrees'),
        commit: git(scene, 'rev-parse', 'main').trim(),
      },
    });
    expect(run.code).toBe(0);
  });
});

/** Waits until the journal of the loop says that the session waits for background work. */
const untilWaiting = (scene: Scene) =>
  bash(
    `until grep -q '"cause":"background"' ${scene.untildoneHome}/projects/*/loops/*/journal.jsonl; do sleep 0.05; done`,
  );

test('what subagents spend counts, nested ones too; what they say is kept; the session waits while one works', async () => {
  const scene = await contractScene({
    ...PROJECT,
    'untildone.yaml': 'gates:\n  made: { run: test -e made.js }\ndone: [made]\nlimits: { tokens: 60k }\n',
  });
  const session = await startedSession(scene);
  const spends = (tokens: number) => ({ usage: { input_tokens: tokens, output_tokens: 0 } });
  await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session, ...TOOLS],
    script: {
      rules: [
        { when: { first: 'DO INNER' }, turns: [{ text: 'three files are wrong', ...spends(30_000) }] },
        {
          when: { first: 'DO CHUNK A' },
          turns: [
            { tools: [agent('chunk-b', 'DO INNER', { run_in_background: false })], ...spends(50_000) },
            { text: 'a is done', ...spends(40_000) },
          ],
        },
        {
          when: { first: 'DO BEHIND' },
          turns: [
            { tools: [untilWaiting(scene)], ...spends(100) },
            { tools: [bash('echo still at work')], ...spends(100) },
            { text: 'behind is done', ...spends(100) },
          ],
        },
      ],
      turns: [
        { tools: [agent('chunk-a', 'DO BEHIND', { run_in_background: true })], ...spends(1000) },
        { tools: [agent('chunk-a', 'DO CHUNK A', { run_in_background: false })], ...spends(1000) },
        { text: 'I wait', ...spends(10), repeat: 20 },
      ],
    },
  });
  const loop = await loopOf(scene);
  expect(loop).toMatchObject({
    status: 'reached_limit',
    subagent_tokens: 120_300,
    ending: { cause: 'tokens', text: expect.stringContaining('of these 120,300 by subagents') },
  });
  const lines = (await must(scene, ['log', loop.id, '--json'])).trim().split('\n');
  const journal = lines.map((line) => JSON.parse(line) as { entry: Entry; state: LoopState });
  const waits = journal.findIndex(({ entry }) => entry.kind === 'stop' && entry.decision.kind === 'allow');
  const working = journal
    .slice(waits)
    .filter(({ entry }) => entry.kind === 'event' && entry.detail?.agent !== undefined);
  expect(working).toMatchObject([
    { entry: { event: 'PreToolUse' }, state: { waiting: { why: 'background' } } },
  ]);
  const said = await must(scene, ['log', loop.id, '--subagents']);
  for (const text of ['three files are wrong', 'a is done', 'behind is done']) expect(said).toContain(text);
});

describe('in a plain session of an approved project', () => {
  test('an agent is told what it is judged by, and held until it passes', async () => {
    const scene = await contractScene({ ...PROJECT }, { recording: 'SubagentStop/held' });
    await mkdir(join(scene.project, 'src'));
    const run = await scene.runClient({
      prompt: 'go',
      args: TOOLS,
      script: {
        rules: [
          {
            when: { first: 'DO CHUNK A' },
            turns: [
              { tools: [write(scene, 'src/a.js', '// TODO: the rest\n')] },
              { text: 'a is done' },
              { tools: [write(scene, 'src/a.js', 'exports.a = 1;\n')] },
              { text: 'now a is done' },
            ],
          },
        ],
        turns: [{ tools: [agent('chunk-a', 'DO CHUNK A', { run_in_background: false })] }, { text: 'done' }],
      },
    });
    const asked = run.requests.map(({ body }) => JSON.stringify(body));
    expect(asked.some((text) => text.includes('no added line has any of todo'))).toBe(true);
    expect(asked.filter((text) => text.includes('You do chunk-a.'))).toHaveLength(4);
    expect(run.result?.result).toBe('done');
  });
});
