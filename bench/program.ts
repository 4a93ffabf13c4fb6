import { CLI, type HookScene, run } from './hook-scene.ts';
import { comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 40;

/** Measures what commands cost that you type often, in a project with a loop. */
export function measureProgram(scene: HookScene): Row[] {
  const { session } = scene.startLoop(1024);
  const env = scene.environment(session);
  const call = (...args: string[]) => run(process.execPath, args, { env, encoding: 'utf8' }).took;
  const samples = sampleInRounds(ROUNDS, {
    bare: () => call('-e', '0'),
    version: () => call(CLI, '--version'),
    status: () => call(CLI, 'status'),
    log: () => call(CLI, 'log'),
  });
  const row = (variant: keyof typeof samples, name: string, target?: number) =>
    comparePaired(samples[variant], samples.bare, {
      name,
      against: 'node -e 0',
      ...(target === undefined ? {} : { target }),
    });
  return [
    row('status', 'untildone status', 2.5),
    row('log', 'untildone log'),
    row('version', 'untildone --version'),
  ];
}
