import { existsSync } from 'node:fs';
import { HOOK_LINE } from '../src/engine/home/hook-line.ts';
import { compileCache } from '../src/engine/home/layout.ts';
import { HOOK, type HookScene } from './hook-scene.ts';
import { comparePaired, type Row } from './report.ts';
import { type Samples, sampleInRounds } from './sampler.ts';

const ROUNDS = 100;
const TRANSCRIPT_BYTES = 140_000;
const UNCACHED = { NODE_DISABLE_COMPILE_CACHE: '1' };

/**
 * Measures a Stop that is held: by the hook alone, and by the installed line, which starts a shell first. Measures a tool
 * call that is allowed, too, which happens far more often, what keeping the figures of a call costs, and what the compile
 * cache saves where Node has one.
 */
export function measureActive(scene: HookScene): Row[] {
  const { node } = scene;
  const direct = scene.startLoop(TRANSCRIPT_BYTES);
  const installed = scene.startLoop(TRANSCRIPT_BYTES);
  direct.stop(node, HOOK);
  const isCached = existsSync(compileCache(scene.untildoneHome));
  const uncached: Record<string, () => number> = {
    'uncached Stop': () => direct.stop(node, HOOK, UNCACHED),
    'uncached tool': () => direct.tool(node, HOOK, UNCACHED),
  };
  const samples: Record<string, Samples> = sampleInRounds<string>(ROUNDS, {
    bare: () => direct.compare(node, ['-e', '0']),
    Stop: () => direct.stop(node, HOOK),
    'uncounted Stop': () => direct.stop(node, HOOK, { UNTILDONE_METRICS: '0' }),
    installed: () => installed.stop('/bin/sh', ['-c', HOOK_LINE]),
    tool: () => direct.tool(node, HOOK),
    ...(isCached ? uncached : {}),
  });
  const row = (variant: string, base: string, compared: Parameters<typeof comparePaired>[2]) =>
    comparePaired(samples[variant] as Samples, samples[base] as Samples, compared);
  const against = 'node -e 0';
  const cached = (event: string) =>
    row(event, `uncached ${event}`, {
      name: `${event}, with the compile cache`,
      against: 'without (NODE_DISABLE_COMPILE_CACHE=1)',
      target: 1,
    });
  return [
    row('Stop', 'bare', { name: 'Stop held, hook alone', against, target: 2 }),
    row('installed', 'bare', { name: 'Stop held, installed line', against, target: 2 }),
    row('Stop', 'uncounted Stop', {
      name: 'Stop held, with its figures',
      against: 'without (UNTILDONE_METRICS=0)',
      mostMoreMs: 1,
    }),
    row('tool', 'bare', { name: 'tool call allowed, hook alone', against, target: 1.6 }),
    ...(isCached ? ['Stop', 'tool'].map(cached) : []),
  ];
}
