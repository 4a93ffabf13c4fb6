import { describe, expect, it } from 'vitest';
import { describeWait } from '../../../../src/engine/core/words/endings.ts';
import { type HookScene, hookScene } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, run } from '../../../support/hook/judging.ts';

const AGENT = { agentId: 'a1', agentType: 'Explore' };
const RUNNING = [{ id: 'a1', type: 'subagent', status: 'running', description: 'looks around' }];

/** A session that stopped while a subagent works in the background. */
async function waiting(blockCap = 0): Promise<HookScene> {
  const scene = hookScene({ tests: FAIL });
  scene.ports.blockCap = blockCap;
  scene.begin(contractWith({ tests: run() }));
  await scene.hook({ name: 'SubagentStart', ...AGENT });
  scene.now += 1000;
  await scene.stop({ backgroundTasks: RUNNING });
  return scene;
}

const why = (scene: HookScene) => scene.state().waiting?.why;
const tool = (scene: HookScene, more = {}) =>
  scene.hook({ name: 'PreToolUse', tool: 'Bash', input: { command: 'ls' }, ...more });

describe('a session that waits for a subagent in the background', () => {
  it('still waits while that subagent works, and its time is no working time', async () => {
    const scene = await waiting();
    const { since } = scene.state().waiting ?? {};
    for (let i = 0; i < 3; i++) {
      scene.now += 60_000;
      await tool(scene, AGENT);
    }
    expect(scene.state().waiting).toMatchObject({ why: 'background', since });
    expect(describeWait(scene.state())).toBe('waiting for background work (subagent a1)');
    expect(scene.lastEntry()).toMatchObject({ detail: { tool: 'Bash', agent: 'Explore a1' } });
    await scene.hook({ name: 'StopFailure', error: 'server_error', ...AGENT });
    await scene.hook({ name: 'PermissionRequest', tool: 'Bash', input: {}, ...AGENT });
    expect(why(scene)).toBe('background');
    await scene.stop();
    expect(scene.state()).toMatchObject({ waitedMs: 180_000 });
  });

  it.each([
    ['is told of its end', { name: 'UserPromptSubmit' as const, prompt: '<task-notification>' }],
    ['calls a tool itself', { name: 'PreToolUse' as const, tool: 'Bash', input: {} }],
  ])('goes on when it %s', async (_, event) => {
    const scene = await waiting();
    await scene.hook(event);
    expect(why(scene)).toBeUndefined();
  });

  it('is judged anew after the tool calls of a subagent, which do not reset the holds in a row', async () => {
    const scene = await waiting(8);
    await scene.stop({ promptId: 'p1' });
    expect(scene.state().blocksInARow).toBe(1);
    await tool(scene, AGENT);
    expect(scene.state()).toMatchObject({ toolSeen: false, agentToolSeen: true });
    await scene.stop({ promptId: 'p1' });
    expect(scene.state().blocksInARow).toBe(2);
    expect(scene.state().agentToolSeen).toBeUndefined();
  });

  it('that starts a subagent has called a tool', async () => {
    const scene = await waiting();
    await scene.stop();
    await scene.hook({ name: 'SubagentStart', agentId: 'a2', agentType: 'Explore' });
    expect(scene.state().toolSeen).toBe(true);
  });
});
