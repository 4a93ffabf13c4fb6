/** Claude Code's own sandbox around the shell of the agent, and rules for its file tools, with the real client. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionSandbox } from '../../src/core/run/client-sandbox.ts';
import { asked, askedTexts, drive } from '../support/live/driven-session.ts';
import type { Scene } from '../support/live/scene.ts';
import { calling } from '../support/live/session-port.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';

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
