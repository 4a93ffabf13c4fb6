import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { shared } from '../shared.ts';

/** A home, a project and the built program in a folder of their own: what others build meanwhile does not matter. */
export interface World {
  folder: string;
  home: string;
  project: string;
  hookEntry: string;
  env: Record<string, string>;
}

/** The bundles as they were when the first test needed them. Worlds share these files: nobody writes into one. */
function bundlesOfRun(): string {
  const built = resolve(import.meta.dirname, '../../../dist');
  return shared('bundles', (made) => {
    for (const name of readdirSync(built))
      if (name.endsWith('.cjs')) copyFileSync(join(built, name), join(made, name));
    cpSync(join(built, 'program'), join(made, 'program'), { recursive: true });
  });
}

export function newWorld(): World {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-chaos-')));
  const dist = join(folder, 'dist');
  mkdirSync(dist);
  const bundles = bundlesOfRun();
  for (const file of readdirSync(bundles, { recursive: true, withFileTypes: true })) {
    const place = file.parentPath === bundles ? dist : join(dist, 'program');
    if (file.isDirectory()) mkdirSync(join(dist, file.name));
    else linkSync(join(file.parentPath, file.name), join(place, file.name));
  }
  symlinkSync(resolve(import.meta.dirname, '../../../dist/grammars'), join(dist, 'grammars'));
  const project = join(folder, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  mkdirSync(join(folder, 'calls'));
  const home = join(folder, 'home');
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    UNTILDONE_HOME: home,
    // Held as often as it takes: the client's own cap is not what is tested here.
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0',
  };
  return { folder, home, project, hookEntry: join(dist, 'hook.cjs'), env };
}

/** Starts a loop that only its promise ends. */
export function startLoop(world: World, session: string): void {
  const args = ['start', `task of ${session}`, '--session', session, '--promise', 'ALL DONE'];
  const limits = ['--max-iterations', 'unlimited', '--max-duration', 'unlimited'];
  const cli = join(world.folder, 'dist', 'untildone.cjs');
  execFileSync(process.execPath, [cli, ...args, ...limits], { cwd: world.project, env: world.env });
}

/** The folder of a session's only loop. */
export function loopFolder(world: World, session: string): string {
  const record = JSON.parse(readFileSync(join(world.home, 'sessions', `${session}.json`), 'utf8')) as {
    loopDir: string;
  };
  return record.loopDir;
}

export interface HookCall {
  pid: number;
  /** Resolves however the process ends. */
  ended: Promise<HookEnd>;
  kill(): void;
  hasAnswered(): boolean;
}

export interface HookEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  ms: number;
}

let calls = 0;

/**
 * Calls the hook with files as stdin, stdout and stderr: what it does then depends on nothing that this process does,
 * so that a busy caller can watch it and kill it at an exact step. `within` is a command line that runs it.
 */
export function callHook(world: World, input: string | Uint8Array, within: string[] = []): HookCall {
  const name = join(world.folder, 'calls', String(++calls));
  writeFileSync(`${name}.in`, input);
  const fds = [openSync(`${name}.in`, 'r'), openSync(`${name}.out`, 'w'), openSync(`${name}.err`, 'w')];
  const started = performance.now();
  const [command = '', ...args] = [...within, process.execPath, world.hookEntry];
  const child = spawn(command, args, {
    env: world.env,
    cwd: world.project,
    stdio: fds as [number, number, number],
  });
  for (const fd of fds) closeSync(fd);
  const ended = new Promise<HookEnd>((done, failed) => {
    child.on('error', failed);
    child.on('exit', (code, signal) => {
      const ms = performance.now() - started;
      done({
        code,
        signal,
        ms,
        stdout: readFileSync(`${name}.out`, 'utf8'),
        stderr: readFileSync(`${name}.err`, 'utf8'),
      });
    });
  });
  return {
    pid: child.pid ?? 0,
    ended,
    kill: () => void child.kill('SIGKILL'),
    hasAnswered: () => statSync(`${name}.out`).size > 0,
  };
}

/** Every file of the home that is about one session, with its bytes. */
export function filesOf(world: World, session: string): Record<string, string> {
  const folder = loopFolder(world, session);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const all = [
    ...paths,
    join(world.home, 'sessions', `${session}.json`),
    join(world.home, 'active', session),
  ];
  return Object.fromEntries(all.map((path) => [path, readFileSync(path, 'latin1')]));
}
