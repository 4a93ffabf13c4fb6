import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contractScene, startedSession } from '../support/live/contract.ts';
import type { Scene } from '../support/live/scene.ts';
import { hasTerminal, inTerminal } from '../support/live/terminal.ts';
import { bash, journalOf, loopOf } from '../support/live/untildone.ts';
import { few, isLong, longTest } from '../support/long.ts';

const PROJECT = {
  'untildone.yaml': `gates:
  never: { run: test -e never }
  tidy: { forbid: [debug, debugger, todo, placeholder] }
done: [never]
task_created: [tidy]
task_done: [tidy]
teammate: [tidy]
`,
  'src/a.js': 'exports.a = 1;\n',
};
const LEFT_IN = 'console.log("here");\ndebugger;\n';

if (hasTerminal) {
  test('a teammate that wants to rest is held back until what it left in is gone', async () => {
    const scene = await contractScene(PROJECT);
    const agent = { description: 'paint it', prompt: 'PAINT IT NOW', subagent_type: 'general-purpose' };
    const client = inTerminal(scene, {
      prompt: 'make a team',
      args: ['--teammate-mode', 'in-process'],
      env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' },
      script: {
        rules: [
          {
            when: { first: 'PAINT IT NOW' },
            turns: [
              { tools: [bash(`printf 'console.log("here");\\ndebugger;\\n' > src/b.js`)] },
              { text: 'painted' },
              { tools: [bash(`echo 'exports.b = 2;' > src/b.js`)] },
              { text: 'really painted' },
            ],
          },
        ],
        turns: [{ tools: [{ name: 'Agent', input: { ...agent, name: 'ada' } }] }, { text: 'team is up' }],
        after: { text: 'good' },
      },
    });
    const held = await client.untilRequest((body) => body.includes('TeammateIdle hook feedback'), 'feedback');
    const feedback = JSON.stringify(held.body);
    expect(feedback).toContain('untildone: ada, your work is not finished yet.');
    expect(feedback).toContain('src/b.js:1 debug (console.log)');
    expect(feedback).toContain('src/b.js:2 debug (debugger)');
    expect(held.servedBy).toBe('rule 1, turn 3');
    const rested = await client.untilRequest((body) => body.includes('idle_notification'), 'the rest');
    expect(JSON.stringify(rested.body)).toContain('really painted');
    const again = client
      .requests()
      .filter(({ body }) => JSON.stringify(body).split('TeammateIdle hook feedback').length > 2);
    expect(again).toEqual([]);
  });
}

/** What the client sent, 2.1.325, and the names that hooks were written for before. */
const IDLE = { hook_event_name: 'TeammateIdle', agent_id: 'aada-531ba997f2a23e51', agent_type: 'ada' };
const COMPLETED = { hook_event_name: 'TaskCompleted' };
const CREATED = { hook_event_name: 'TaskCreated' };
const PAYLOADS = [
  ['the client', { ...IDLE, teammate_name: 'ada', team_name: 'session-95bedade' }],
  ['before', { hook_event_name: 'TeammateIdle', agentName: 'ada', teamName: 'team' }],
  ['the client', { ...COMPLETED, task_id: '1', task_subject: 'Paint', task_description: 'Paint it' }],
  ['before', { ...COMPLETED, taskId: 1, taskSubject: 'Paint' }],
  ['the client', { ...CREATED, task_id: '1', task_subject: 'Paint', task_description: 'Paint it' }],
  ['before', { ...CREATED, taskId: '1', taskSubject: 'Paint' }],
] as const;
const HELD: Record<string, string> = {
  TeammateIdle: 'untildone: ada, your work is not finished yet.',
  TaskCompleted: 'untildone: task 1 "Paint" is not completed yet.',
  TaskCreated: 'untildone: this task was not created.',
};

/** Runs the line that is installed for this event, as the client does. */
function throughHookLine(scene: Scene, session: string, sent: { hook_event_name: string; source?: string }) {
  const settings = JSON.parse(readFileSync(join(scene.project, '.claude/settings.json'), 'utf8'));
  const line = settings.hooks[sent.hook_event_name][0].hooks[0].command;
  const event = { session_id: session, transcript_path: '', cwd: scene.project, prompt_id: 'p', ...sent };
  return spawnSync('/bin/sh', ['-c', line], {
    cwd: scene.project,
    input: JSON.stringify(event),
    encoding: 'utf8',
    env: {
      ...scene.environment,
      CLAUDE_PROJECT_DIR: scene.project,
      CLAUDE_CODE_SESSION_ID: session,
      CLAUDE_PID: String(process.pid),
      CLAUDECODE: '1',
    },
  });
}

const OF_THE_CLIENT = PAYLOADS.filter(([whose]) => whose === 'the client');

describe.each(isLong ? PAYLOADS : few(OF_THE_CLIENT, 1))('in the words of %s, %o', (_, sent) => {
  test('is refused in the way that the client takes, and no longer once it is put right', async () => {
    const scene = await contractScene(PROJECT);
    const session = randomUUID();
    throughHookLine(scene, session, { source: 'startup', hook_event_name: 'SessionStart' });
    writeFileSync(join(scene.project, 'src/b.js'), LEFT_IN);
    const refused = throughHookLine(scene, session, sent);
    const said = sent.hook_event_name === 'TaskCompleted' ? JSON.parse(refused.stdout) : undefined;
    const reason: string = said?.reason ?? refused.stderr;
    expect(refused.status).toBe(said ? 0 : 2);
    if (said) expect(said.decision).toBe('block');
    else expect(refused.stdout).toBe('');
    expect(reason).toContain(HELD[sent.hook_event_name]);
    expect(reason).toContain('src/b.js:2 debug (debugger)');
    writeFileSync(join(scene.project, 'src/b.js'), 'exports.b = 2;\n');
    expect(throughHookLine(scene, session, sent)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });
});

longTest('in a loop it is what changed since the loop began, and the journal has it', async () => {
  const scene = await contractScene(PROJECT);
  writeFileSync(join(scene.project, 'src/before.js'), LEFT_IN);
  const session = await startedSession(scene);
  expect(throughHookLine(scene, session, PAYLOADS[0][1]).status).toBe(0);
  writeFileSync(join(scene.project, 'src/b.js'), LEFT_IN);
  const refused = throughHookLine(scene, session, PAYLOADS[0][1]);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain('src/b.js:1');
  expect(refused.stderr).not.toContain('before.js');
  const { id } = await loopOf(scene);
  expect((await journalOf(scene, id)).at(-1)).toMatchObject({
    kind: 'guard',
    subject: 'teammate ada',
    refused: true,
  });
});
