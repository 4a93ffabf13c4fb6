import { describe, expect, it } from 'vitest';
import { log } from '../../../../src/cli/loop/log.ts';
import { status } from '../../../../src/cli/loop/status.ts';
import type { GateSpec } from '../../../../src/engine/core/contract/contract.ts';
import { subagentsGate } from '../../../../src/engine/gates/subagents/index.ts';
import { type HookScene, hookScene, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, run } from '../../../support/hook/judging.ts';

const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const workers: GateSpec = { kind: 'subagents', options: { type: 'chunk-*', atLeast: 2 } };

async function ends(scene: HookScene, agentId: string, lastMessage: string | undefined): Promise<void> {
  const agent = { agentId, agentType: `chunk-${agentId}` };
  await scene.hook({ name: 'SubagentStart', ...agent });
  await scene.hook({
    name: 'SubagentStop',
    stopHookActive: false,
    backgroundTasks: [],
    wakeUps: [],
    ...agent,
    lastMessage,
  });
}

/** Two subagents worked side by side, and ended. */
async function gathered(): Promise<HookScene> {
  const scene = hookScene({ tests: FAIL });
  scene.judges.gates = { ...scene.judges.gates, subagents: subagentsGate };
  scene.begin(contractWith({ tests: run(), workers }));
  await ends(scene, 'a', `The parser is done.\nIts key was ${SECRET}.\u001b[31m\u202e`);
  await ends(scene, 'b', 'The printer needs another day.');
  return scene;
}

const printed = async (scene: HookScene, options = {}) => {
  const lines: string[] = [];
  const ref = scene.store.loopOfSession('s1');
  if (!ref) throw new Error('no loop');
  const all = { json: false, follow: false, ...options };
  const clock = { now: () => Date.now() };
  await log(all, ref, { store: scene.store, home: scene.home, clock }, (line) => lines.push(line));
  return lines;
};

describe('what subagents say last', () => {
  it('is kept in the journal, without secrets', async () => {
    const scene = await gathered();
    const lines = await printed(scene);
    expect(lines.join('\n')).toContain('said: The parser is done. Its key was [redacted].');
    expect((await printed(scene, { json: true })).join('\n')).not.toContain(SECRET);
    expect(scene.state().agents).toMatchObject([
      {
        id: 'a',
        status: 'passed',
        said: expect.stringMatching(/^The parser is done\. Its key was \[redacted\]/),
      },
      { id: 'b', status: 'passed', said: 'The printer needs another day.' },
    ]);
  });

  it('is shown in one place, in whole', async () => {
    const lines = await printed(await gathered(), { subagents: true });
    expect(lines.map((line) => line.replace(/^.*\d:\d\d:\d\d {2}/, 'AT '))).toEqual([
      'AT chunk-a (a) passed',
      '    The parser is done.',
      expect.stringContaining('    Its key was [redacted].'),
      'AT chunk-b (b) passed',
      '    The printer needs another day.',
    ]);
  });

  it('is part of status', async () => {
    const scene = await gathered();
    const lines: string[] = [];
    const show = (json: boolean) =>
      status({ json, all: false, project: scene.project, foreign: [] }, scene.store, scene.now, (line) =>
        lines.push(line),
      );
    show(false);
    expect(lines).toContain('    chunk-b (b) ended: The printer needs another day.');
    lines.length = 0;
    show(true);
    expect(JSON.parse(lines.join('\n')).loops[0].agents[1]).toEqual({
      id: 'b',
      type: 'chunk-b',
      status: 'passed',
      said: 'The printer needs another day.',
    });
  });

  it('outlives a compaction: it is in the request for the summary, and told after it', async () => {
    const scene = await gathered();
    const before = await scene.hook({ name: 'other', eventName: 'PreCompact' });
    const after = await scene.hook({ name: 'SessionStart', source: 'compact' });
    for (const answer of [before, after]) {
      const context = answer.kind === 'inject' ? answer.context : '';
      expect(context).toContain('- chunk-b (b) ended: The printer needs another day.');
      expect(context).toContain('- chunk-a (a) ended: The parser is done.');
      expect(context).toContain('untildone log l1 --subagents');
      expect(context.length).toBeLessThan(9100);
    }
  });

  it('is told to a session that is held, all of it together, and once', async () => {
    const scene = await gathered();
    const held = reasonOf(await scene.stop());
    expect(held).toContain(
      'Subagents that ended since the last hold:\n- chunk-a (a) ended: The parser is done.',
    );
    expect(held).toContain('- chunk-b (b) ended: The printer needs another day.');
    await ends(scene, 'c', 'The printer is done.');
    const again = reasonOf(await scene.stop({ lastMessage: 'another try' }));
    expect(again).toContain(
      'Subagents that ended since the last hold:\n- chunk-c (c) ended: The printer is done.',
    );
    expect(again).not.toContain('The parser is done.');
    expect(reasonOf(await scene.stop({ lastMessage: 'a third' }))).not.toContain('Subagents that ended');
  });

  it('is the evidence of the gate that waits for them', async () => {
    const scene = await gathered();
    await scene.stop();
    const entry = scene.lastEntry();
    const verdict = entry.kind === 'stop' ? entry.verdicts.find(({ gate }) => gate === 'workers') : undefined;
    expect(verdict).toMatchObject({
      outcome: 'pass',
      evidence: expect.arrayContaining(['chunk-b (b): The printer needs another day.']),
    });
  });

  it('is bounded: of many subagents the newest, of long answers the beginning', async () => {
    const scene = await gathered();
    for (let i = 0; i < 30; i++) await ends(scene, `n${i}`, 'word '.repeat(20_000));
    await ends(scene, 'silent', '');
    const { agents = [] } = scene.state();
    expect(agents.filter(({ said }) => said !== undefined)).toHaveLength(20);
    expect(agents.at(-1)?.said).toBeUndefined();
    expect(agents.at(-2)?.said).toHaveLength(300);
    const lines = await printed(scene, { json: true });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(20_000);
    const after = await scene.hook({ name: 'SessionStart', source: 'compact' });
    expect(after.kind === 'inject' && after.context.length).toBeLessThan(9100);
  });
});
