import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOOK_LINE } from '../src/engine/home/hook-line.ts';
import { type HookScene, openHookScene } from './hook-scene.ts';
import { comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 60;
const TRANSCRIPT_BYTES = 140_000;
/** Names the `stop-hook.sh` of the official plugin ralph-loop, which is not ours to ship. */
const VARIABLE = 'RALPH_LOOP_HOOK';

const STATE = `---
active: true
iteration: 1
session_id: 
max_iterations: 0
completion_promise: "NEVER"
started_at: "2026-01-01T00:00:00Z"
---

Build the thing
`;

/** Measures a Stop that is held, by the installed line and by the hook of ralph-loop, each in a project of its own. */
export function measureRalphLoop(scene: HookScene): Row[] {
  const script = process.env[VARIABLE];
  if (script === undefined) {
    process.stderr.write(`not measured: set ${VARIABLE} to the stop-hook.sh of the plugin ralph-loop\n`);
    return [];
  }
  if (!existsSync(script)) throw new Error(`${VARIABLE} names ${script}, which does not exist`);
  const ours = scene.startLoop(TRANSCRIPT_BYTES);
  const theirScene = openHookScene();
  try {
    const theirs = theirScene.startLoop(TRANSCRIPT_BYTES);
    const claude = join(theirScene.root, 'project', '.claude');
    mkdirSync(claude);
    writeFileSync(join(claude, 'ralph-loop.local.md'), STATE);
    const samples = sampleInRounds(ROUNDS, {
      ours: () => ours.stop('/bin/sh', ['-c', HOOK_LINE]),
      theirs: () => theirs.stop('bash', [script]),
    });
    const compared = { name: 'Stop held, installed line', against: 'the hook of ralph-loop', target: 0.5 };
    return [comparePaired(samples.ours, samples.theirs, compared)];
  } finally {
    theirScene.close();
  }
}
