import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '../../core/text/duration.ts';
import { ProcessTree } from '../../files/process-tree.ts';
import type { Shell, ShellCommand, ShellResult } from '../../ports/ports.ts';
import { Recording } from './bounded-output.ts';

/** How long the output of an ended command may be held open by a process it left behind. */
const DRAIN_MS = 1_000;
/** For a process that even SIGKILL does not end, such as one that waits for a dead network drive. */
const LOST_MS = 2_000;
/** In the environment of everything that a command starts, so that it is found wherever it went. */
const MARK = 'UNTILDONE_GATE';

/** Runs the commands of contracts. `environment` is that of this process; commands get what is left after scrubbing. */
export function systemShell(environment: NodeJS.ProcessEnv): Shell {
  return { run: (command) => run(command, environment) };
}

/** The secrets and settings of the client and of untildone are none of a command's business. */
const WITHHELD = /^(?:ANTHROPIC_|CLAUDE|UNTILDONE_)/;
/** They point git at another repository than that of the working folder; git itself sets them for its hooks. */
const REDIRECTS_GIT = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
]);
const FORCES_COLOUR = new Set(['FORCE_COLOR', 'CLICOLOR_FORCE']);

export function scrubbedEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const scrubbed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || WITHHELD.test(name) || REDIRECTS_GIT.has(name) || FORCES_COLOUR.has(name))
      continue;
    scrubbed[name] = value;
  }
  // The hook's guard line takes them away, because they make Node slow to start.
  const certificates = environment.UNTILDONE_EXTRA_CA_CERTS;
  if (certificates) scrubbed.NODE_EXTRA_CA_CERTS = certificates;
  return { ...scrubbed, NO_COLOR: '1', TERM: 'dumb' };
}

async function run(command: ShellCommand, environment: NodeJS.ProcessEnv): Promise<ShellResult> {
  const began = performance.now();
  const recording = new Recording(command.outputFile);
  const result = (ending: Ending, endedAt = performance.now()): ShellResult => ({
    ...recording.finish(),
    ...ending,
    durationMs: Math.round(endedAt - began),
  });
  if (command.signal?.aborted) return result({ endedBy: 'abort' });
  const id = randomBytes(12).toString('hex');
  const child = await start(command, environment, id);
  if (child instanceof Error) {
    recording.add(Buffer.from(child.message), 'stderr');
    return result({ endedBy: 'not_started' });
  }
  child.stdout?.on('data', (chunk: Buffer) => recording.add(chunk, 'stdout'));
  child.stderr?.on('data', (chunk: Buffer) => recording.add(chunk, 'stderr'));
  const closed = new Promise<void>((resolve) => child.once('close', resolve));
  const ending = await endOf(child, command, new ProcessTree(child.pid ?? 0, id));
  const endedAt = performance.now();
  await Promise.race([closed, wait(DRAIN_MS, undefined, { ref: false })]);
  letGoOf(child);
  return result(ending, endedAt);
}

type Ending = Pick<ShellResult, 'exitCode' | 'endedBy'>;

/** The second shell replaces the first: one process, whose two streams are one. */
const ONE_STREAM = 'exec /bin/sh -c "$0" 2>&1';

async function start(
  { command, cwd, env, input, oneStream }: ShellCommand,
  environment: NodeJS.ProcessEnv,
  id: string,
): Promise<ChildProcess | Error> {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return new Error(`there is no folder ${cwd}`);
  try {
    const child = spawn('/bin/sh', oneStream ? ['-c', ONE_STREAM, command] : ['-c', command], {
      cwd,
      // A command that itself runs commands through untildone is found by the marks of both.
      env: {
        ...scrubbedEnvironment(environment),
        UNTILDONE_NODE: process.execPath,
        ...env,
        [MARK]: [environment[MARK], id].filter(Boolean).join(':'),
      },
      detached: true,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    if (child.pid === undefined) return new Promise((resolve) => child.once('error', resolve));
    // A command that does not read its stdin closes it; its exit code says more than EPIPE.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    return child;
  } catch (error) {
    return error as Error;
  }
}

/** When this resolves, the command has ended, and after a timeout or an abort so has everything it started. */
async function endOf(child: ChildProcess, command: ShellCommand, tree: ProcessTree): Promise<Ending> {
  const exited = new Promise<Ending>((resolve) => {
    child.once('exit', (code) => resolve(code === null ? { endedBy: 'signal' } : { exitCode: code }));
  });
  const interruption = awaitInterruption(command);
  endWithThisProcess(tree);
  try {
    const first = await Promise.race([exited, interruption.came]);
    if (typeof first === 'object') return first;
    await tree.end();
    await Promise.race([exited, wait(LOST_MS, undefined, { ref: false })]);
    return { endedBy: first };
  } finally {
    interruption.stopWaiting();
    running.delete(tree);
  }
}

function awaitInterruption({ timeoutMs, signal }: ShellCommand) {
  let stopWaiting = () => {};
  const came = new Promise<'timeout' | 'abort'>((resolve) => {
    const timer = setTimeout(() => resolve('timeout'), Math.min(timeoutMs, LONGEST_TIMER_MS));
    const onAbort = () => resolve('abort');
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
  });
  return { came, stopWaiting: () => stopWaiting() };
}

/** What the command left running on purpose lives on; it must keep neither us waiting nor this process alive. */
function letGoOf(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

const running = new Set<ProcessTree>();

/** A process that exits while its commands are still being ended gently must not leave them behind. */
function endWithThisProcess(tree: ProcessTree): void {
  if (!process.listeners('exit').includes(killRunning)) process.on('exit', killRunning);
  running.add(tree);
}

function killRunning(): void {
  for (const tree of running) tree.signal('SIGKILL');
}
