import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOOK_LINE } from '../../../src/engine/home/hook-line.ts';
import { PATIENCE_MS } from '../patience.ts';
import { newWorld, type World } from './world.ts';

export interface LineEnd {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A world whose loop measures, and the line that Claude Code runs in it with `/bin/sh -c`, as it does. */
export interface LineWorld {
  world: World;
  write(path: string, text: string): void;
  cli(...args: string[]): string;
  /** A file beside the marker of the session. */
  beside(kind?: string): string;
  run(fields: Record<string, unknown>, options?: { line?: string; env?: Record<string, string> }): LineEnd;
  /** The same with any text on stdin. */
  give(input: string | Uint8Array, options?: { line?: string; env?: Record<string, string> }): LineEnd;
  stop(options?: { line?: string; env?: Record<string, string> }): LineEnd;
  /** A Stop whose Node is killed so many milliseconds after it began. Undefined: it had ended before. */
  killedStop(afterMs: number): Promise<LineEnd & { killed: boolean; ms: number }>;
  close(): void;
}

export const LINE_SESSION = 's1';

/** `gate`: what the only gate runs, as a child of the hook itself. */
export function lineWorld(gate = 'false\n'): LineWorld {
  const world = newWorld();
  rmSync(join(world.project, '.git'), { recursive: true });
  execFileSync('git', ['init', '--quiet'], { cwd: world.project, env: world.env });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(world.project, path)), { recursive: true });
    writeFileSync(join(world.project, path), text);
  };
  const cli = (...args: string[]) =>
    execFileSync(process.execPath, [join(world.folder, 'dist', 'untildone.cjs'), ...args], {
      cwd: world.project,
      env: world.env,
      encoding: 'utf8',
    });
  write('untildone.yaml', 'gates:\n  tests: { run: exec sh test/all.sh, work: [test/all.sh] }\n');
  write('test/all.sh', gate);
  const fingerprint = /Fingerprint: (\w+)/.exec(cli('trust', '--show'))?.[1] ?? '';
  cli('trust', '--fingerprint', fingerprint);
  cli('start', 'a task', '--session', LINE_SESSION, '--max-iterations', 'unlimited');

  const environment = (more: Record<string, string> = {}) => ({
    ...world.env,
    CLAUDE_CODE_SESSION_ID: LINE_SESSION,
    CLAUDE_PROJECT_DIR: world.project,
    ...more,
  });
  const give: LineWorld['give'] = (input, { line = HOOK_LINE, env } = {}) => {
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
      cwd: world.project,
      env: environment(env),
      input,
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    });
    return { status, stdout, stderr };
  };
  const run: LineWorld['run'] = (fields, options) =>
    give(JSON.stringify({ session_id: LINE_SESSION, ...fields }), options);
  let said = 0;
  const stopFields = () => ({ hook_event_name: 'Stop', last_assistant_message: `try ${++said}` });
  return {
    world,
    write,
    cli,
    beside: (kind = '') => join(world.home, 'active', `${LINE_SESSION}${kind}`),
    run,
    give,
    stop: (options) => run(stopFields(), options),
    killedStop: async (afterMs) => {
      const began = performance.now();
      const child = spawn('/bin/sh', ['-c', HOOK_LINE], { cwd: world.project, env: environment() });
      const heard = { stdout: '', stderr: '' };
      child.stdout.on('data', (data) => (heard.stdout += data));
      child.stderr.on('data', (data) => (heard.stderr += data));
      const ended = new Promise<number | null>((done) => child.on('close', (code) => done(code)));
      child.stdin.on('error', () => {});
      child.stdin.end(JSON.stringify({ session_id: LINE_SESSION, ...stopFields() }));
      const killing = killChildOf(child.pid ?? 0, afterMs, () => child.exitCode !== null);
      const status = await ended;
      return { ...heard, status, killed: await killing, ms: performance.now() - began };
    },
    close: () => rmSync(world.folder, { recursive: true, force: true }),
  };
}

/** Kills the Node that a shell waits for. False: the shell ended before. */
async function killChildOf(shell: number, afterMs: number, ended: () => boolean): Promise<boolean> {
  const node = await nodeBelow(shell, ended);
  if (node === undefined) return false;
  await new Promise((done) => setTimeout(done, afterMs));
  if (ended()) return false;
  try {
    process.kill(node, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

async function nodeBelow(shell: number, ended: () => boolean): Promise<number | undefined> {
  while (!ended()) {
    const found = childrenOf(shell).find((pid) => commandOf(pid).includes('untildone.cjs'));
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, 1));
  }
  return undefined;
}

function childrenOf(pid: number): number[] {
  const children = contentOf(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .flatMap((word) => (word === '' ? [] : [Number(word)]));
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

const commandOf = (pid: number) => contentOf(`/proc/${pid}/cmdline`);

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
