/** Claude Code's own sandbox around the shell of the agent, and rules for its file tools, with the real client. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Script } from '../../src/dev/simulator/script.ts';
import type { SessionSandbox } from '../../src/engine/core/run/client-sandbox.ts';
import { approve, contractScene, startedSession } from '../support/live/contract.ts';
import { asked, askedTexts, drive } from '../support/live/driven-session.ts';
import { startRun } from '../support/live/run.ts';
import type { Scene } from '../support/live/scene.ts';
import { calling } from '../support/live/session-port.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';
import { BIN, bash, journalOf, loopOf, must } from '../support/live/untildone.ts';
import { longTest } from '../support/long.ts';
import { pathWithout } from '../support/project/walls.ts';

interface Secretive {
  scene: Scene;
  sandbox: SessionSandbox;
  ssh: string;
}

async function secretive(): Promise<Secretive> {
  const scene = await sceneOfTest();
  const ssh = join(scene.home, '.ssh');
  await mkdir(scene.untildoneHome, { recursive: true });
  await mkdir(ssh, { recursive: true });
  await writeFile(join(scene.untildoneHome, 'key'), 'THE-KEY');
  await writeFile(join(ssh, 'id'), 'THE-KEY');
  return { scene, ssh, sandbox: { choice: 'required', hidden: [scene.untildoneHome, ssh], network: false } };
}

/** What the tools answered, one after the other. */
function resultsOf(scene: Scene): string[] {
  const { messages = [] } = asked(scene).at(-1) as { messages?: { content: unknown }[] };
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => JSON.stringify(content));
}

/** A script, because Claude Code refuses a command that names a hidden file before anything runs. */
async function spyOn({ scene, ssh }: Secretive): Promise<void> {
  const key = join(scene.untildoneHome, 'key');
  const lines = [
    `cat '${key}' '${ssh}/id' ; ls -A '${scene.untildoneHome}' | wc -l`,
    `echo forged >'${key}' ; rm -rf '${scene.untildoneHome}'/*`,
    `echo x >'${scene.home}/made' ; echo worked >made`,
    'echo sandbox=$SANDBOX_RUNTIME',
  ];
  await writeFile(join(scene.project, 'spy.sh'), lines.join('\n'));
}

test('the shell and the file tools of the agent neither read nor write what is hidden, and cannot leave', async () => {
  const given = await secretive();
  const { scene, sandbox } = given;
  await spyOn(given);
  const key = join(scene.untildoneHome, 'key');
  await drive(
    scene,
    {
      turns: [
        calling('sh spy.sh'),
        { tools: [{ name: 'Bash', input: { command: 'sh spy.sh', dangerouslyDisableSandbox: true } }] },
        { tools: [{ name: 'Read', input: { file_path: key } }] },
        { tools: [{ name: 'Write', input: { file_path: key, content: 'forged' } }] },
        { text: 'tried' },
      ],
    },
    { plan: { sandbox, allow: ['Bash', 'Read', 'Write'] } },
  );
  const [shell, unsandboxed, read, write] = resultsOf(scene);
  expect(await readFile(join(scene.project, 'made'), 'utf8')).toBe('worked\n');
  for (const result of [shell, unsandboxed]) expect(result).toContain('sandbox=1');
  for (const result of [read, write]) expect(result).toContain('denied by your permission settings');
  expect(askedTexts(scene).join('\n')).not.toContain('THE-KEY');
  expect(await readFile(key, 'utf8')).toBe('THE-KEY');
  expect(existsSync(join(scene.home, 'made'))).toBe(false);
});

const SPY = (scene: Scene, by: string) =>
  `cat '${scene.untildoneHome}/key' >seen-by-${by}; echo x >'${scene.home}/made-by-${by}'; echo forged >'${scene.untildoneHome}/forged-by-${by}'; true`;

const contract = (sandbox: string) =>
  `gates: { it: { run: "sh gate.sh && test -e it" } }\nrun: { allow: [Bash] }\nsandbox: ${sandbox}\n`;

longTest(
  'in a run with walls, the shell of the agent and the code that gates run both stay inside',
  async () => {
    const scene = await contractScene({ 'untildone.yaml': contract('required'), 'gate.sh': 'true' });
    await writeFile(join(scene.project, 'agent.sh'), SPY(scene, 'agent'));
    await writeFile(join(scene.project, 'gate.sh'), SPY(scene, 'gate'));
    await approve(scene);
    const script: Script = {
      turns: [{ tools: [bash('sh agent.sh; untildone status; touch it')] }, { text: 'done' }],
    };
    const run = await startRun(scene, ['Make it'], script).ended;
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    const loop = await loopOf(scene);
    expect(loop.status).toBe('verified_done');
    for (const by of ['agent', 'gate']) {
      expect(await readFile(join(scene.project, `seen-by-${by}`), 'utf8'), by).toBe('');
      expect(existsSync(join(scene.home, `made-by-${by}`)), by).toBe(false);
      expect(existsSync(join(scene.untildoneHome, `forged-by-${by}`)), by).toBe(false);
    }
    expect(JSON.stringify(await journalOf(scene, loop.id))).toContain('"walls":"bubblewrap"');
  },
);

longTest(
  'a session of an installed project is held in by its settings, and its shell is told why untildone does not answer',
  async () => {
    const scene = await contractScene({ 'untildone.yaml': contract('required'), 'gate.sh': 'true' });
    await writeFile(join(scene.project, 'agent.sh'), SPY(scene, 'agent'));
    const session = await startedSession(scene);
    const start = `'${process.execPath}' '${BIN}' status`;
    const run = await scene.runClient({
      prompt: 'go',
      script: { turns: [{ tools: [bash(`sh agent.sh; ${start}; touch it`)] }, { text: 'done' }] },
      args: ['--session-id', session],
    });
    expect(JSON.stringify(run.requests.at(-1)?.body)).toContain('hides the home of untildone');
    expect(await readFile(join(scene.project, 'seen-by-agent'), 'utf8')).toBe('');
    expect((await loopOf(scene)).status).toBe('verified_done');
    await must(scene, ['uninstall']);
    expect(existsSync(join(scene.project, '.claude/settings.json'))).toBe(false);
  },
);

longTest(
  'required: a run does not begin without bubblewrap and socat, and says how to get them; preferred goes on',
  async () => {
    const scene = await contractScene({ 'untildone.yaml': contract('required') });
    const bin = pathWithout(join(scene.root, 'bin'), 'bwrap', 'socat');
    const { code, stderr, requests } = await startRun(scene, ['Make it'], {}, { PATH: bin }).ended;
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toMatch(/requires walls .*: apt-get install bubblewrap socat/);
    await writeFile(join(scene.project, 'untildone.yaml'), contract('preferred'));
    await writeFile(join(scene.project, 'gate.sh'), 'true');
    await approve(scene);
    const script: Script = { turns: [{ tools: [bash('touch it')] }, { text: 'done' }] };
    const run = await startRun(scene, ['Make it'], script, { PATH: bin }).ended;
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.stringify(await journalOf(scene, (await loopOf(scene)).id))).not.toContain('"walls"');
  },
);
