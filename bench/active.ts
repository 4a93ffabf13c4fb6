import { HOOK_LINE } from '../src/home/hook-line.ts';
import { HOOK, type HookScene } from './hook-scene.ts';
import { comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 100;
const TRANSCRIPT_BYTES = 140_000;

/**
 * Measures a Stop that is held: by the hook alone, and by the installed line, which starts a shell first. Measures a tool
 * call that is allowed, too, which happens far more often, and what keeping the figures of a call costs.
 */
export function measureActive(scene: HookScene): Row[] {
  const direct = scene.startLoop(TRANSCRIPT_BYTES);
  const installed = scene.startLoop(TRANSCRIPT_BYTES);
  const samples = sampleInRounds(ROUNDS, {
    bare: () => direct.compare(process.execPath, ['-e', '0']),
    direct: () => direct.stop(process.execPath, HOOK),
    uncounted: () => direct.stop(process.execPath, HOOK, { UNTILDONE_METRICS: '0' }),
    installed: () => installed.stop('/bin/sh', ['-c', HOOK_LINE]),
    tool: () => direct.tool(process.execPath, HOOK),
  });
  const against = 'node -e 0';
  return [
    comparePaired(samples.direct, samples.bare, { name: 'Stop held, hook alone', against, target: 2 }),
    comparePaired(samples.installed, samples.bare, {
      name: 'Stop held, installed line',
      against,
      target: 2,
    }),
    comparePaired(samples.direct, samples.uncounted, {
      name: 'Stop held, with its figures',
      against: 'without (UNTILDONE_METRICS=0)',
      mostMoreMs: 1,
    }),
    comparePaired(samples.tool, samples.bare, {
      name: 'tool call allowed, hook alone',
      against,
      target: 1.6,
    }),
  ];
}
