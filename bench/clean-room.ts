import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HookScene } from './hook-scene.ts';
import { type JudgedLoop, judgedLoop } from './judged-loop.ts';
import { comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 20;
const FILES = 1_000;
const MOST_MORE_MS = 300;

/** Measures what a clean room costs a Stop in a project of 1,000 files, when its setup was made before. */
export function measureCleanRoom(scene: HookScene): Row[] {
  const setup = 'room: clean\nsetup: { run: mkdir -p node_modules/a, inputs: [package.json] }\n';
  const inPlace = loopOf(scene, 'in-place', '');
  const clean = loopOf(scene, 'clean-room', setup);
  for (const loop of [inPlace, clean]) judgedAnew(loop)();
  const samples = sampleInRounds(ROUNDS, {
    inPlace: judgedAnew(inPlace),
    clean: judgedAnew(clean),
    first: () => {
      forgetFiles(scene.untildoneHome);
      return judgedAnew(clean)();
    },
  });
  const against = 'Stop, the same in place';
  return [
    comparePaired(samples.clean, samples.inPlace, {
      name: 'Stop, a gate in a clean room, 1,000 files, one of them changed',
      against,
      mostMoreMs: MOST_MORE_MS,
    }),
    comparePaired(samples.first, samples.inPlace, { name: 'the same, the first room of a project', against }),
  ];
}

/** Removes the files that rooms keep for the next one. */
function forgetFiles(untildoneHome: string): void {
  const projects = join(untildoneHome, 'projects');
  const kept = readdirSync(projects).map((project) => join(projects, project, 'rooms', '0', 'kept'));
  for (const path of kept) rmSync(path, { recursive: true, force: true });
}

function loopOf(scene: HookScene, name: string, room: string): JudgedLoop {
  const texts = Array.from({ length: FILES }, (_, n) => [
    `src/${n % 40}/file-${n}.js`,
    `export const value${n} = ${n};\n`.repeat(40),
  ]);
  return judgedLoop(scene, name, {
    contract: `${room}gates: { test: { run: "test -f src/0/file-0.js" } }\n`,
    files: { ...Object.fromEntries(texts), 'package.json': '{ "private": true }\n' },
    git: true,
  });
}

let changes = 0;

/** Changes a file first, so that no verdict is used again. */
function judgedAnew(loop: JudgedLoop): () => number {
  return () => {
    loop.write({ 'src/0/file-0.js': `export const value = ${++changes};\n` });
    return loop.stop('Passes: test');
  };
}
