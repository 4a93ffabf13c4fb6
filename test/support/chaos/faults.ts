import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { newWorld, type World } from './world.ts';

/** A home and a project that can be put back as they were, and a program whose file operations can be made to fail. */
export interface FaultWorld extends World {
  /** Where fallback counts go. */
  counts: string;
  restore(): void;
}

export interface Fault {
  at: number;
  /** An error code, or `KILL`. */
  code: string;
  /** All operations from there on fail, not only this one. */
  on?: boolean;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Operation {
  name: string;
  writes: boolean;
  path: string;
}

const PRELOAD = resolve(import.meta.dirname, 'fault-preload.cjs');
export const SESSION = 's1';

/** A project with a failing test, and a session whose loop measures it and was held once. */
export async function faultWorld(): Promise<FaultWorld> {
  const world = newWorld();
  const { folder, project, home } = world;
  const counts = join(folder, 'tmp');
  const env = { ...world.env, TMPDIR: counts, CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: project };
  const made: FaultWorld = { ...world, env, counts, restore: () => restore(made) };
  rmSync(join(project, '.git'), { recursive: true });
  mkdirSync(counts);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, env, stdio: 'ignore' });
  writeFileSync(join(project, 'untildone.yaml'), CONTRACT);
  mkdirSync(join(project, 'test'));
  writeFileSync(join(project, 'test/all.sh'), 'test -f done.txt\n');
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'start');
  const shown = await call(made, ['trust', '--show']);
  await call(made, ['trust', '--fingerprint', /Fingerprint: (\w+)/.exec(shown.stdout)?.[1] ?? '']);
  await call(made, ['start', 'a task', '--session', SESSION]);
  await stop(made, 'begun');
  for (const [from, to] of [
    [home, 'home'],
    [project, 'project'],
  ] as const)
    cpSync(from, join(folder, 'as-it-was', to), { recursive: true, preserveTimestamps: true });
  return made;
}

const CONTRACT = `gates:
  tests: { run: sh test/all.sh }
  intact: { tests_intact: true }
`;

function restore({ folder, home, project, counts }: FaultWorld): void {
  for (const [path, name] of [
    [home, 'home'],
    [project, 'project'],
  ] as const) {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    cpSync(join(folder, 'as-it-was', name), path, { recursive: true, preserveTimestamps: true });
  }
  rmSync(counts, { recursive: true, force: true });
  mkdirSync(counts);
}

/** Makes the work of the loop done. */
export function finish({ project }: FaultWorld): void {
  writeFileSync(join(project, 'done.txt'), 'done\n');
}

export function stop(world: FaultWorld, message: string, fault?: Fault): Promise<Ended> {
  return call(world, ['hook'], stopInput(message), fault);
}

export function stopInput(message: string): string {
  return JSON.stringify({
    hook_event_name: 'Stop',
    session_id: SESSION,
    stop_hook_active: false,
    last_assistant_message: message,
    background_tasks: [],
    session_crons: [],
  });
}

export function call(world: FaultWorld, args: string[], input = '', fault?: Fault): Promise<Ended> {
  return run(world, args, input, fault === undefined ? {} : faultEnvironment(fault));
}

function faultEnvironment({ at, code, on }: Fault): Record<string, string> {
  return { FAULT_AT: String(at), FAULT_CODE: code, ...(on ? { FAULT_ON: '1' } : {}) };
}

/** The file operations of a call that is let alone. */
export async function operationsOf(world: FaultWorld, args: string[], input = ''): Promise<Operation[]> {
  const log = join(world.folder, 'operations');
  rmSync(log, { force: true });
  await run(world, args, input, { FAULT_LOG: log });
  return readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [name = '', kind, ...path] = line.split(' ');
      return { name, writes: kind === 'w', path: path.join(' ') };
    });
}

export const stopOperations = (world: FaultWorld, message: string) =>
  operationsOf(world, ['hook'], stopInput(message));

function run(world: FaultWorld, args: string[], input: string, more: Record<string, string>): Promise<Ended> {
  const program = join(world.folder, 'dist', 'untildone.cjs');
  const preload = Object.keys(more).length === 0 ? [] : ['--require', PRELOAD];
  const child = spawn(process.execPath, [...preload, program, ...args], {
    cwd: world.project,
    env: { ...world.env, ...more },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      output[name] += chunk.toString('utf8');
    });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolveEnd, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolveEnd({ code, signal, ...output }));
  });
}

export function removeWorld({ folder }: FaultWorld): void {
  if (folder.startsWith(tmpdir()) || folder.includes('untildone-chaos-'))
    rmSync(folder, { recursive: true, force: true });
}
