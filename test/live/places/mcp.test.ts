import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approve, contractScene, git, startedSession } from '../../support/live/contract.ts';
import { waitFor } from '../../support/live/processes.ts';
import type { Scene } from '../../support/live/scene.ts';
import { BIN, bash, loopOf } from '../../support/live/untildone.ts';

/** The real Claude Code as a host: it starts the server, calls its tools and gives their texts to the model. */

const NAMES = ['status', 'verify', 'receipt'].map((name) => `mcp__untildone__${name}`);
const call = (name: string, input: Record<string, unknown> = {}) => ({
  name: `mcp__untildone__${name}`,
  input,
});

test('Claude Code calls status, verify and receipt; a contract that was changed runs nothing', async () => {
  const scene = await contractScene({
    'untildone.yaml': 'gates:\n  result: { run: grep -q good result.txt }\n',
    'result.txt': 'bad\n',
  });
  await startedSession(scene);
  const config = join(scene.root, 'mcp.json');
  const server = {
    command: process.execPath,
    args: [BIN, 'mcp'],
    env: { UNTILDONE_HOME: scene.untildoneHome },
  };
  await writeFile(config, JSON.stringify({ mcpServers: { untildone: server } }));
  const before = await loopOf(scene);
  const run = await scene.runClient({
    prompt: 'Is it done?',
    args: ['--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'Bash', ...NAMES],
    script: {
      turns: [
        { tools: [call('status')] },
        { tools: [call('verify')] },
        { tools: [bash('echo good > result.txt')] },
        { tools: [call('verify', { gates: ['result'] })] },
        { tools: [call('receipt')] },
        { tools: [bash('echo "  evil: { run: touch ran }" >> untildone.yaml')] },
        { tools: [call('verify')] },
        { text: 'over' },
      ],
    },
  });
  const results = run.lines.flatMap((line) => toolResults(line));
  expect(results).toHaveLength(7);
  expect(results[0]).toContain('task: Make add() add');
  expect(results[1]).toMatch(/fail +result[\s\S]*untildone: NOT done/);
  expect(results[3]).toContain('untildone: done, and verified');
  expect(results[4]).toContain('has no receipt: it is active');
  expect(results[6]).toContain('is not trusted on this machine, so nothing was run');
  expect(existsSync(join(scene.project, 'ran'))).toBe(false);
  // The loop of another session is as it was.
  expect(await loopOf(scene)).toMatchObject({ id: before.id, status: 'active', iteration: before.iteration });

  // The server by itself: closed while it judges, it ends what it started, and itself.
  git(scene, 'checkout', '--quiet', 'untildone.yaml');
  await slowGate(scene);
});

/** Texts of tool results in a line of the stream. */
function toolResults(line: object): string[] {
  const { type, message } = line as { type: string; message?: { content?: unknown } };
  if (type !== 'user' || !Array.isArray(message?.content)) return [];
  return (message.content as { type: string; content?: unknown }[])
    .filter((part) => part.type === 'tool_result')
    .map(({ content }) =>
      typeof content === 'string'
        ? content
        : (content as { text?: string }[]).map(({ text }) => text).join(''),
    );
}

async function slowGate(scene: Scene): Promise<void> {
  await writeFile(
    join(scene.project, 'untildone.yaml'),
    'gates:\n  slow: { run: "touch begun; sleep 300; touch late" }\n',
  );
  await approve(scene);
  const child = spawn(process.execPath, [BIN, 'mcp', '--project', scene.project], {
    cwd: scene.root,
    env: scene.environment,
  });
  let said = '';
  child.stdout.on('data', (data) => {
    said += data;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  child.stdin.write('nonsense\n');
  const params = { name: 'verify', arguments: {} };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  await waitFor(() => existsSync(join(scene.project, 'begun')), 60_000, 'the gate');
  child.stdin.end();
  expect(await ended).toBe(0);
  expect(JSON.parse(said)).toMatchObject({ error: { code: -32700 } });
}
