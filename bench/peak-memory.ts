import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchLoop, HOOK, type HookScene } from './hook-scene.ts';

/**
 * Runs inside the program, at its exit. The system's own figure is better where there is one: the peak that Node reports
 * may be that of the process which started it.
 */
export const REPORT_PEAK = `
const fs = require('node:fs');
if (require('node:worker_threads').isMainThread) process.on('exit', () => {
  let kilobytes = process.resourceUsage().maxRSS;
  try {
    kilobytes = Number(/VmHWM:\\s*(\\d+) kB/.exec(fs.readFileSync('/proc/self/status', 'latin1'))[1]);
  } catch {}
  fs.writeFileSync(process.env.BENCH_PEAK_FILE, String(kilobytes));
});
`;

/** The most memory, in megabytes, that one decision of this loop ever held. */
export function peakMemoryOf(loop: BenchLoop, scene: HookScene): number {
  const preloaded = join(scene.root, 'report-peak.cjs');
  const peakFile = join(scene.root, 'peak');
  writeFileSync(preloaded, REPORT_PEAK);
  loop.stop(process.execPath, ['--require', preloaded, ...HOOK], { BENCH_PEAK_FILE: peakFile });
  return Number(readFileSync(peakFile, 'utf8')) / 1024;
}
