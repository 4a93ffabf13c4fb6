import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { layoutFor, layoutNames } from '../src/dev/conformance/layouts.ts';
import { FORMATS, type Format } from '../src/dev/conformance/scenario.ts';
import { CLI, HOOK, type HookScene, run } from './hook-scene.ts';
import { judgedLoop } from './judged-loop.ts';
import { comparePaired, type Row } from './report.ts';
import { type Samples, sampleInRounds } from './sampler.ts';

const ROUNDS = 40;

/**
 * Measures what events cost that load more than one bundle, or must not: a held Stop of each foreign format from the second
 * on, a tool call of a session beside such a state, and a Stop with one instant command gate that is judged anew.
 */
export function measureBundles(scene: HookScene): Row[] {
  const foreign = FORMATS.map((format) => ({ format, ...foreignLoop(scene, format) }));
  const gated = gatedLoop(scene);
  // Not with the environment of this process: reading extra certificates would triple its start.
  const env = scene.environment('none');
  const bare = () => run(scene.node, ['-e', '0'], { env, encoding: 'utf8' }).took;
  const variants: Record<string, () => number> = { bare, gated };
  for (const { format, stop, besideTool } of foreign) {
    variants[`stop ${format}`] = stop;
    variants[`tool ${format}`] = besideTool;
  }
  const samples = sampleInRounds(ROUNDS, variants);
  const row = (variant: string, name: string, target: number) =>
    comparePaired(samples[variant] as Samples, samples.bare as Samples, {
      name,
      against: 'node -e 0',
      target,
    });
  return [
    ...FORMATS.map((format) => row(`stop ${format}`, `Stop held, ${format}, from the second on`, 2)),
    ...FORMATS.map((format) => row(`tool ${format}`, `tool call beside ${format} of another session`, 1.6)),
    row('gated', 'Stop, one instant command gate', 3.5),
  ];
}

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

function foreignLoop(scene: HookScene, format: Format) {
  const session = randomUUID();
  const project = join(scene.root, `foreign-${format}`);
  mkdirSync(project);
  const loop = { session: 'S1', iteration: 1, maxIterations: 100_000, promise: 'NEVER', task: 'Build it' };
  const filled = (text: string) =>
    text.replaceAll('{S1}', session).replaceAll('{now}', new Date().toISOString());
  for (const [path, text] of Object.entries(layoutFor(format, layoutNames(format)).layOut(loop))) {
    const home = scene.environment(session).HOME ?? '';
    const file = path.startsWith('home/') ? join(home, path.slice(5)) : join(project, path.slice(8));
    mkdirSync(dirname(filled(file)), { recursive: true });
    writeFileSync(filled(file), filled(text));
  }
  let said = 0;
  const call = (by: string, event: object) =>
    run(scene.node, HOOK, {
      cwd: project,
      env: { ...scene.environment(by), CLAUDE_PROJECT_DIR: project },
      input: JSON.stringify({ session_id: by, cwd: project, transcript_path: '/nowhere', ...event }),
      encoding: 'utf8',
    });
  const stop = () => {
    const event = { hook_event_name: 'Stop', last_assistant_message: `Part ${++said} is written.` };
    const { took, stdout } = call(session, event);
    if (!stdout.includes('"decision":"block"')) throw new Error(`${format} did not hold: ${stdout}`);
    return took;
  };
  const other = randomUUID();
  const besideTool = () => {
    const tool = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };
    const { took, stdout } = call(other, { hook_event_name: 'PreToolUse', ...tool });
    if (stdout !== '') throw new Error(`the tool call was not let through: ${stdout}`);
    return took;
  };
  stop();
  return { stop, besideTool };
}

function gatedLoop(scene: HookScene): () => number {
  const contract = 'gates: { test: { run: "true" } }\n';
  const loop = judgedLoop(scene, 'gated', { contract, files: { 'a.txt': '0\n' }, git: true });
  let changes = 0;
  const stop = () => {
    loop.write({ 'a.txt': `${++changes}\n` });
    return loop.stop('Passes: test');
  };
  stop();
  return stop;
}
