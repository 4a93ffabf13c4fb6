import type { HookScene } from './hook-scene.ts';
import { judgedLoop } from './judged-loop.ts';
import { compareMedians, comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 30;
const SLOW = 'sleep 5';

/** Measures a Stop whose test passed before on the same tree: its verdict is looked up, the test is not run. */
export function measureVerdictReuse(scene: HookScene): Row[] {
  const slow = testedLoop(scene, 'slow', SLOW);
  const instant = testedLoop(scene, 'instant', 'true');
  const named = testedLoop(scene, 'inputs', SLOW, ', inputs: ["src/**"]');
  const firstMs = slow.stop();
  instant.stop();
  named.stop();
  const samples = sampleInRounds(ROUNDS, {
    slow: slow.stop,
    instant: instant.stop,
    inputs: () => named.stop(true),
  });
  return [
    comparePaired(samples.inputs, samples.slow, {
      name: 'Stop, 5 s test re-used by `inputs`',
      against: 'Stop, 5 s test re-used',
    }),
    comparePaired(samples.slow, samples.instant, {
      name: 'Stop, 5 s test re-used',
      against: 'Stop, instant test re-used',
      target: 1.2,
    }),
    compareMedians(samples.slow.values, [firstMs], {
      name: 'Stop, 5 s test re-used',
      against: 'Stop, 5 s test run',
    }),
  ];
}

function testedLoop(scene: HookScene, name: string, command: string, settings = '') {
  const contract = `gates: { test: { run: "${command}"${settings} } }\n`;
  const loop = judgedLoop(scene, name, { contract });
  let changes = 0;
  return {
    stop(changesOtherFile = false): number {
      if (changesOtherFile) loop.write({ 'NOTES.md': `${++changes}\n` });
      return loop.stop('Passes: test');
    },
  };
}
