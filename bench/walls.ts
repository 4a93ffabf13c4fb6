import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { wallsFor } from '../src/engine/project/walls/walls-for.ts';
import type { HookScene } from './hook-scene.ts';
import { comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 60;
const MOST_MORE_MS = 30;

/** Measures what walls cost a command that does nothing, with everything hidden that a real command must not see. */
export function measureWalls(scene: HookScene): Row[] {
  const { walls, problem } = wallsFor(
    { choice: 'required' },
    { env: process.env, untildoneHome: scene.untildoneHome },
  );
  if (!walls) throw new Error(problem);
  const room = join(scene.root, 'room');
  mkdirSync(room);
  const bare = ['/bin/sh', '-c', ':'];
  const within = { cwd: room, writable: [room], hidden: walls.hidden, network: false };
  const samples = sampleInRounds(ROUNDS, {
    bare: () => timed(() => bare),
    // What is hidden is looked up anew for every command.
    walled: () => timed(() => walls.walls.around(bare, within)),
  });
  return [
    comparePaired(samples.walled, samples.bare, {
      name: 'a command within walls',
      against: 'the same without',
      mostMoreMs: MOST_MORE_MS,
    }),
  ];
}

function timed(words: () => string[]): number {
  const began = performance.now();
  const [program = '', ...args] = words();
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the command did not run: ${stderr}`);
  return performance.now() - began;
}
