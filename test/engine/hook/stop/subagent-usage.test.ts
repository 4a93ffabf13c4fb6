import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../src/engine/core/contract/contract.ts';
import { type HookScene, hookScene, messageOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, run } from '../../../support/hook/judging.ts';

const TESTS = contractWith({ tests: run() }, { limits: { ...DEFAULT_LIMITS, tokens: 60_000 } });
const AGENT = { agentId: 'a1', agentType: 'writer' };

/** Adds an answer to the transcript of a subagent. */
function spend(scene: HookScene, agent: string, tokens: number): void {
  const folder = join(scene.project, '../s1/subagents');
  mkdirSync(folder, { recursive: true });
  const usage = { input_tokens: tokens, output_tokens: 0, cache_read_input_tokens: 9 };
  const line = { type: 'assistant', isSidechain: true, message: { id: `m${Math.random()}`, usage } };
  appendFileSync(join(folder, `agent-${agent}.jsonl`), `${JSON.stringify(line)}\n`);
}

const transcriptOf = (scene: HookScene) => ({ transcript: join(scene.project, '../s1.jsonl') });
const subagentStop = (scene: HookScene) => ({
  name: 'SubagentStop' as const,
  stopHookActive: false,
  backgroundTasks: [],
  wakeUps: [],
  ...AGENT,
  ...transcriptOf(scene),
  lastMessage: 'done',
});

describe('the tokens of subagents', () => {
  it('count for the limit, and the ending says how many they were', async () => {
    const scene = hookScene({ tests: FAIL });
    scene.begin(TESTS);
    spend(scene, 'a1', 120_000);
    const answer = await scene.stop(transcriptOf(scene));
    expect(scene.state()).toMatchObject({
      status: 'reached_limit',
      spent: { tokens: 120_010 },
      spentBySubagents: 120_000,
      ending: { cause: 'tokens', detail: '120,010 of 60,000 tokens, of these 120,000 by subagents' },
    });
    expect(messageOf(answer)).toContain('of these 120,000 by subagents');
  });

  it('are counted when a subagent stops, and not again at the Stop', async () => {
    const scene = hookScene({ tests: FAIL });
    scene.begin(TESTS);
    spend(scene, 'a1', 20_000);
    spend(scene, 'still-works', 1000);
    await scene.hook(subagentStop(scene));
    expect(scene.state()).toMatchObject({ status: 'active', spent: { tokens: 21_000 } });
    spend(scene, 'still-works', 500);
    await scene.stop(transcriptOf(scene));
    expect(scene.state()).toMatchObject({ spent: { tokens: 21_510 }, spentBySubagents: 21_500 });
    await scene.stop(transcriptOf(scene));
    expect(scene.state()).toMatchObject({ spent: { tokens: 21_520 }, spentBySubagents: 21_500 });
  });

  it('of subagents that stop at the same time are counted once', async () => {
    const scene = hookScene({ tests: FAIL });
    scene.begin(TESTS);
    for (const agent of ['a1', 'a2', 'a3']) spend(scene, agent, 1000);
    const stops = ['a1', 'a2', 'a3'].map((agentId) => scene.hook({ ...subagentStop(scene), agentId }));
    await Promise.all([...stops, scene.stop(transcriptOf(scene))]);
    expect(scene.state()).toMatchObject({ spent: { tokens: 3010 }, spentBySubagents: 3000 });
  });

  it('of a run are counted by what its sessions report, and not from transcripts', async () => {
    const scene = hookScene({ tests: FAIL });
    const ref = scene.begin(TESTS);
    scene.store.append(ref, () => ({ kind: 'run_begun' }));
    spend(scene, 'a1', 120_000);
    await scene.hook(subagentStop(scene));
    await scene.stop(transcriptOf(scene));
    expect(scene.state()).toMatchObject({ status: 'active', spent: { tokens: 10 } });
    expect(scene.state().spentBySubagents).toBeUndefined();
  });

  it('that another session spent before it took the loop over do not count', async () => {
    const scene = hookScene({ tests: FAIL });
    const ref = scene.begin(TESTS);
    scene.now = Date.now() + 60_000;
    spend(scene, 'a1', 120_000);
    scene.store.append(ref, () => ({ kind: 'claimed', session: 's1', transcriptOffset: 0 }));
    await scene.stop(transcriptOf(scene));
    expect(scene.state()).toMatchObject({ status: 'active', spent: { tokens: 10 } });
  });
});
