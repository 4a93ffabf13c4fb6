import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { REFLECTION_CONFIG } from '../src/engine/formats/lock/reflection-config.ts';
import { HOOK, type HookScene } from './hook-scene.ts';
import { comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 60;

/** Measures what it costs a Stop that its session is queued to be looked back on: a small file is written, and synced. */
export function measureQueueing(scene: HookScene): Row[] {
  const project = join(scene.root, 'project');
  const config = join(project, REFLECTION_CONFIG);
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, '{"enabled": true}');
  const session = randomUUID();
  const stop = (more: Record<string, string> = {}) => {
    const began = performance.now();
    const { status, stderr } = spawnSync(process.execPath, HOOK, {
      cwd: project,
      env: { ...scene.environment(session), ...more },
      input: JSON.stringify({ hook_event_name: 'Stop', session_id: session, cwd: project }),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return performance.now() - began;
  };
  // The first one leaves the signs of document 004.
  stop();
  const samples = sampleInRounds(ROUNDS, {
    queued: () => stop(),
    not: () => stop({ CLAUDE_REFLECTION_MODE: '1' }),
  });
  return [
    comparePaired(samples.queued, samples.not, {
      name: 'Stop let go, session queued',
      against: 'not queued (CLAUDE_REFLECTION_MODE=1)',
      mostMoreMs: 20,
    }),
  ];
}
