import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, HOOK, type HookScene, rewinder, run } from './hook-scene.ts';
import { compareMedians, comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 30;
const SLOW = 'sleep 5';

/** Measures a Stop whose test passed before on the same tree: its verdict is looked up, the test is not run. */
export function measureVerdictReuse(scene: HookScene): Row[] {
  const slow = judgedLoop(scene, 'slow', SLOW);
  const instant = judgedLoop(scene, 'instant', 'true');
  const named = judgedLoop(scene, 'inputs', SLOW, ', inputs: ["src/**"]');
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

/** A loop with one measured gate that passes, and a promise that is never kept: every Stop is judged and blocked. */
function judgedLoop(
  scene: HookScene,
  name: string,
  command: string,
  settings = '',
): { stop(changesOtherFile?: boolean): number } {
  const project = join(scene.root, name);
  mkdirSync(project);
  writeFileSync(join(project, 'untildone.yaml'), `gates: { test: { run: "${command}"${settings} } }\n`);
  const session = randomUUID();
  const env = { ...scene.environment(session), CLAUDE_PROJECT_DIR: project };
  const cli = (args: string[]) =>
    run(process.execPath, [CLI, ...args], { cwd: project, env, encoding: 'utf8' });
  const fingerprint = /Fingerprint: (\w+)/.exec(cli(['trust', '--show']).stdout)?.[1] ?? '';
  cli(['trust', '--fingerprint', fingerprint]);
  cli([
    'start',
    'task',
    '--promise',
    'NEVER',
    '--max-iterations',
    'unlimited',
    '--max-duration',
    'unlimited',
  ]);
  // No work is done here: without this the loop would be taken for stalled.
  const rewind = rewinder(session, scene.untildoneHome);
  let stops = 0;
  return {
    stop(changesOtherFile = false) {
      const message = `part ${++stops}`;
      if (changesOtherFile) writeFileSync(join(project, 'NOTES.md'), `${message}\n`);
      const event = {
        hook_event_name: 'Stop',
        session_id: session,
        cwd: project,
        last_assistant_message: message,
      };
      const { took, stdout } = run(process.execPath, HOOK, {
        cwd: project,
        env,
        input: JSON.stringify(event),
        encoding: 'utf8',
      });
      if (!stdout.includes('Passes: test')) throw new Error(`the gate did not pass: ${stdout}`);
      rewind();
      return took;
    },
  };
}
