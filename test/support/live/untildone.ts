import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import type { LoopJson } from '../../../src/read/loop/loop-json.ts';
import { loadProgram, type Program, runCli } from '../in-process.ts';
import { isLong } from '../long.ts';
import type { Scene } from './scene.ts';

export const BIN = resolve(import.meta.dirname, '../../../dist/untildone.cjs');

export interface CommandRun {
  code: number;
  stdout: string;
  stderr: string;
}

interface CommandOptions {
  cwd?: string;
  input?: string;
  env?: Record<string, string>;
}

/** Of so many commands one is a process; in a long run each is. */
const EVERY = isLong ? 1 : 20;
let commands = 0;
let program: Promise<Program> | undefined;
let lastCommand: Promise<unknown> = Promise.resolve();

/** Runs our own command beside the client, as a person in a terminal of their own would; mostly in this process. */
export async function untildone(
  scene: Scene,
  args: string[],
  options: CommandOptions = {},
): Promise<CommandRun> {
  const run = () => runBeside(scene, args, options);
  return scene.recorder ? scene.recorder.command(args, run) : run();
}

async function runBeside(scene: Scene, args: string[], options: CommandOptions): Promise<CommandRun> {
  if (commands++ % EVERY === 0 || options.input !== undefined) return asProcess(scene, args, options);
  program ??= loadProgram();
  const loaded = await program;
  const env = { ...scene.environment, ...options.env };
  const command = { line: '', cwd: options.cwd ?? scene.project, env, input: '', limitMs: 0 };
  const run = lastCommand.then(() => runCli(loaded, args, command, BIN));
  lastCommand = run.catch(() => undefined);
  const { exitCode, stdout, stderr } = await run;
  return { code: exitCode ?? 1, stdout, stderr };
}

function asProcess(scene: Scene, args: string[], options: CommandOptions): Promise<CommandRun> {
  return new Promise((done) => {
    const env = { ...scene.environment, ...options.env };
    const child = execFile(
      process.execPath,
      [BIN, ...args],
      { cwd: options.cwd ?? scene.project, env },
      (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
    );
    child.stdin?.end(options.input ?? '');
  });
}

export async function must(scene: Scene, args: string[], options = {}): Promise<string> {
  const run = await untildone(scene, args, options);
  if (run.code !== 0)
    throw new Error(`untildone ${args.join(' ')}: exit ${run.code}\n${run.stdout}${run.stderr}`);
  return run.stdout;
}

export async function loopsOf(scene: Scene): Promise<LoopJson[]> {
  return JSON.parse(await must(scene, ['status', '--json', '--all'])).loops;
}

/** The newest loop; a test that started one expects it to be there. */
export async function loopOf(scene: Scene, session?: string): Promise<LoopJson> {
  const loop = (await loopsOf(scene)).find((l) => session === undefined || l.session === session);
  if (!loop) throw new Error(`no loop of session ${session}`);
  return loop;
}

export async function journalOf(scene: Scene, loop: string): Promise<Entry[]> {
  const text = await must(scene, ['log', loop, '--json']);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).entry);
}

export function decisionsOf(entries: readonly Entry[]): string[] {
  return entries.flatMap((e) =>
    e.kind === 'stop' ? [e.decision.kind === 'end' ? e.decision.status : e.decision.kind] : [],
  );
}

/** A tool call with which the scripted model starts a loop in its own session, as a slash command would. */
export function startCall(task: string, ...flags: string[]): { name: string; input: { command: string } } {
  const words = ['start', task, ...flags].map((w) => `'${w.replaceAll("'", "'\\''")}'`);
  return { name: 'Bash', input: { command: `'${process.execPath}' '${BIN}' ${words.join(' ')}` } };
}

export function bash(command: string): { name: string; input: { command: string } } {
  return { name: 'Bash', input: { command } };
}
