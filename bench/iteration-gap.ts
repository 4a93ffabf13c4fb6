import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { addHooks } from '../src/engine/client/settings/our-hooks.ts';
import { openScene, type Scene } from '../test/support/live/scene.ts';
import { run } from './hook-scene.ts';
import { compareMedians, type Row } from './report.ts';
import { shuffled } from './sampler.ts';

const ROUNDS = 4;
const BLOCKS = 25;
/** The first ones pay for what Claude Code does once. */
const SKIPPED = 3;

const ANSWER = JSON.stringify({ decision: 'block', reason: 'Go on.' });

/** Hooks that decide nothing: what Claude Code itself needs, and what any hook written for Node needs. */
const CONSTANT = {
  shell: `printf '%s' '${ANSWER}'`,
  node: `node -e 'process.stdout.write(process.argv[1])' '${ANSWER}'`,
};

/** Measures the time from one model request of the real Claude Code to the next, across a Stop that is held. */
export async function measureIterationGap(): Promise<Row[]> {
  const gaps = { ours: [] as number[], shell: [] as number[], node: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const hook of shuffled(['ours', 'shell', 'node'] as const))
      gaps[hook].push(...(await gapsWith(hook)));
  }
  return [
    compareMedians(gaps.ours, gaps.shell, { name: 'iteration gap, real Claude Code', against: 'sh hook' }),
    compareMedians(gaps.ours, gaps.node, {
      name: 'iteration gap, real Claude Code',
      against: 'node -e hook',
    }),
  ];
}

async function gapsWith(hook: 'ours' | 'shell' | 'node'): Promise<number[]> {
  const scene = await openScene();
  try {
    const session = randomUUID();
    install(hook, session, scene);
    const client = await scene.startClient({
      prompt: 'Build the thing',
      script: { after: { text: 'Part {n} is done.' } },
      args: ['--session-id', session],
      env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0' },
    });
    await client.untilRequest(SKIPPED + BLOCKS + 1);
    client.process.kill('SIGKILL');
    const times = client
      .requests()
      .slice(SKIPPED, SKIPPED + BLOCKS + 1)
      .map(({ at }) => at);
    return times.slice(1).map((time, i) => time - (times[i] ?? time));
  } finally {
    await scene.close();
  }
}

function install(hook: 'ours' | 'shell' | 'node', session: string, scene: Scene): void {
  const folder = join(scene.project, '.claude');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'settings.json'),
    hook === 'ours' ? addHooks(undefined, {}).text : settingsWith(CONSTANT[hook]),
  );
  if (hook !== 'ours') return;
  const env = { ...scene.environment, CLAUDE_CODE_SESSION_ID: session };
  const limits = ['--max-iterations', 'unlimited', '--max-duration', 'unlimited'];
  const args = [resolve('dist/untildone.cjs'), 'start', 'Build the thing', ...limits];
  run(process.execPath, args, { cwd: scene.project, env, encoding: 'utf8' });
}

function settingsWith(command: string): string {
  return JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
}
