import type { HookScene } from './hook-scene.ts';
import { type JudgedLoop, judgedLoop } from './judged-loop.ts';
import { comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 20;
const FILES = 1_000;
const MOST_MORE_MS = 300;

/** Measures what a clean room costs a Stop in a project of 1,000 files, when its setup was made before. */
export function measureCleanRoom(scene: HookScene): Row[] {
  const inPlace = loopOf(scene, 'in-place', '');
  const clean = loopOf(
    scene,
    'clean-room',
    'room: clean\nsetup: { run: mkdir -p node_modules/a, inputs: [package.json] }\n',
  );
  for (const loop of [inPlace, clean]) judgedAnew(loop)();
  const samples = sampleInRounds(ROUNDS, { inPlace: judgedAnew(inPlace), clean: judgedAnew(clean) });
  return [
    comparePaired(samples.clean, samples.inPlace, {
      name: 'Stop, a gate in a clean room, 1,000 files',
      against: 'Stop, the same in place',
      mostMoreMs: MOST_MORE_MS,
    }),
  ];
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
