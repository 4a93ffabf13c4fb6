import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { callHook, newWorld, type World } from '../chaos/world.ts';
import { loadProgram, type Program, runCli, runHook } from '../in-process.ts';
import { isLong } from '../long.ts';

/** So many tests without processes come after each one with them; in a long run, none. */
const WITHOUT = isLong ? 0 : 19;

let worldOfTest: World;
let program: Program;
let tests = 0;
let areProcesses: boolean;

/** A fresh world for every test of a file, gone after it. In most tests commands and hooks are calls in this process. */
export function useWorld(): void {
  beforeAll(async () => {
    program = await loadProgram();
  });
  beforeEach(() => {
    worldOfTest = newWorld();
    areProcesses = tests++ % (WITHOUT + 1) === 0;
  });
  afterEach(() => rmSync(worldOfTest.folder, { recursive: true, force: true }));
}

export const world = () => worldOfTest;

/** For a test that is about processes: several at once, their stdin, or the program that is installed. */
export function asProcesses(): void {
  areProcesses = true;
}

interface Result {
  code: number | null | undefined;
  stdout: string;
  stderr: string;
}

interface Options {
  input?: string;
  env?: Record<string, string>;
  cwd?: string;
}

export function spawnCli(args: string[], { env = {}, cwd = worldOfTest.project }: Options = {}) {
  const cli = join(worldOfTest.folder, 'dist', 'untildone.cjs');
  return spawn(process.execPath, [cli, ...args], { cwd, env: { ...worldOfTest.env, ...env } });
}

export async function cli(args: string[], options: Options = {}): Promise<Result> {
  if (areProcesses) return cliProcess(args, options);
  const { exitCode, stdout, stderr } = await runCli(program, args, commandLine(options));
  return { code: exitCode, stdout, stderr };
}

function commandLine({ env = {}, cwd = worldOfTest.project, input = '' }: Options) {
  return { line: '', env: { ...worldOfTest.env, ...env }, cwd, input, limitMs: 0 };
}

function cliProcess(args: string[], options: Options): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawnCli(args, options);
    const result: Result = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (data) => {
      result.stdout += data;
    });
    child.stderr.on('data', (data) => {
      result.stderr += data;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...result, code }));
    child.stdin.end(options.input ?? '');
  });
}

export async function ok(args: string[], options: Options = {}): Promise<string> {
  const { code, stdout, stderr } = await cli(args, options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Wrong use: exit 2, nothing on stdout, one line on stderr that says what to do. */
export async function refusal(args: string[], options: Options = {}): Promise<string> {
  const { code, stdout, stderr } = await cli(args, options);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^untildone: [^\n]+\n$/);
  return stderr;
}

export async function start(session: string, ...args: string[]): Promise<string> {
  const said = await ok(['start', '--session', session, ...args]);
  return /^Loop (\S+) started/.exec(said)?.[1] ?? '';
}

interface Status {
  id: string;
  session: string;
  status: string;
  iteration: number;
  [field: string]: unknown;
}

export async function loops(...args: string[]): Promise<Status[]> {
  return (JSON.parse(await ok(['status', '--json', ...args])) as { loops: Status[] }).loops;
}

export async function stop(
  session: string,
  message = 'not yet',
): Promise<Record<string, string> | undefined> {
  const event = { hook_event_name: 'Stop', session_id: session, last_assistant_message: message };
  const { code, stdout, stderr } = await hook(JSON.stringify(event));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout === '' ? undefined : (JSON.parse(stdout) as Record<string, string>);
}

/** What is answered to an event of a session; undefined for silence. */
export async function sendEvent(
  session: string,
  name: string,
  fields: Record<string, unknown> = {},
): Promise<Record<string, unknown> | undefined> {
  const input = { hook_event_name: name, session_id: session, ...fields };
  const { code, stdout, stderr } = await hook(JSON.stringify(input));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.startsWith('{') ? (JSON.parse(stdout) as Record<string, unknown>) : undefined;
}

async function hook(input: string): Promise<Result> {
  if (areProcesses) return callHook(worldOfTest, input).ended;
  const { exitCode, stdout, stderr } = await runHook(program, commandLine({ input }));
  return { code: exitCode, stdout, stderr };
}
