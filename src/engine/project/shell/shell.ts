import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '../../core/text/duration.ts';
import { shellWords, thisSystem } from '../../files/platform.ts';
import { ProcessTree } from '../../files/process-tree.ts';
import { writeAll } from '../../files/whole-file.ts';
import type { Shell, ShellCommand, ShellResult } from '../../ports/ports.ts';
import { type Enclosure, type Within, wallsName } from '../walls/walls.ts';
import { saysForJob } from './ci-variables.ts';
import { ownMark } from './left-over.ts';

/** How long to wait for output that a process left behind by an ended command keeps open. */
const DRAIN_MS = 1_000;
/** How long to wait for a process that even SIGKILL does not end, such as one that reads a dead network drive. */
const LOST_MS = 2_000;
/** A variable in the environment of everything that a command starts, by which these processes are found. */
const MARK = 'UNTILDONE_GATE';

/** Walls, and what a command may reach inside of them. */
export interface Walled extends Enclosure, Pick<Within, 'writable' | 'readOnly' | 'absent'> {}

/** Runs the commands of contracts. `environment` is that of this process; commands get it scrubbed. */
export function systemShell(environment: NodeJS.ProcessEnv, walled?: Walled): Shell {
  return { run: (command) => run(command, environment, walled) };
}

/** Variables of Claude Code and of untildone, with secrets among them, which commands do not get. */
const WITHHELD = /^(?:ANTHROPIC_|CLAUDE|UNTILDONE_)/;
/** Marks of the run around a command: by them its processes are found and ended when the process of the run is killed. */
const MARKS = ['UNTILDONE_RUN', 'UNTILDONE_DRIVE', 'UNTILDONE_FLEET_PROCESS'];
/** Variables that point git at another repository. Git itself sets them for its hooks. */
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

/** `isOurs`: for a program that is no code of the work. It may speak for the job of CI that it runs in. */
export function scrubbedEnvironment(environment: NodeJS.ProcessEnv, isOurs = false): Record<string, string> {
  const scrubbed: Record<string, string> = {};
  const isOfJob = isOurs ? () => false : saysForJob(environment);
  for (const [name, value] of Object.entries(environment)) {
    if (
      value === undefined ||
      WITHHELD.test(name) ||
      REDIRECTS_GIT.has(name) ||
      FORCES_COLOUR.has(name) ||
      isOfJob(name)
    )
      continue;
    scrubbed[name] = value;
  }
  // `hook.sh` moved the certificates to this name, because they make Node slow to start.
  const certificates = environment.UNTILDONE_EXTRA_CA_CERTS;
  if (certificates) scrubbed.NODE_EXTRA_CA_CERTS = certificates;
  // Not NO_COLOR: outputs are no terminal, and tests of programs that paint would fail with it.
  return { ...scrubbed, TERM: 'dumb' };
}

function marksIn(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(MARKS.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

async function run(
  command: ShellCommand,
  environment: NodeJS.ProcessEnv,
  walled: Walled | undefined,
): Promise<ShellResult> {
  const began = performance.now();
  const recording = new Recording(command.outputFile);
  const result = (ending: Ending, endedAt = performance.now()): ShellResult => ({
    ...recording.finish(),
    ...ending,
    durationMs: Math.round(endedAt - began),
    ...(walled ? { walls: wallsName({ ...walled, network: command.network ?? walled.network }) } : {}),
  });
  if (command.signal?.aborted) return result({ endedBy: 'abort' });
  const id = ownMark() + randomBytes(6).toString('hex');
  const child = await start(command, environment, id, walled);
  if (child instanceof Error) {
    recording.add(Buffer.from(child.message), 'stderr');
    return result({ endedBy: 'not_started' });
  }
  child.stdout?.on('data', (chunk: Buffer) => recording.add(chunk, 'stdout'));
  child.stderr?.on('data', (chunk: Buffer) => recording.add(chunk, 'stderr'));
  const closed = new Promise<void>((resolve) => child.once('close', resolve));
  const stands = walled?.walls.stands === true;
  const said = stands ? saidByWalls(child) : undefined;
  const ended = await endOf(child, command, new ProcessTree(child.pid ?? 0, id, { rootWaits: stands }));
  const endedAt = performance.now();
  const ending = said && ended.exitCode !== undefined ? endingWithin(ended.exitCode, await said) : ended;
  await Promise.race([closed, wait(DRAIN_MS, undefined, { ref: false })]);
  detach(child);
  return result(ending, endedAt);
}

type Ending = Pick<ShellResult, 'exitCode' | 'endedBy'>;

async function start(
  { command, cwd, env, input, oneStream, network, isOurs }: ShellCommand,
  environment: NodeJS.ProcessEnv,
  id: string,
  walled: Walled | undefined,
): Promise<ChildProcess | Error> {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return new Error(`there is no folder ${cwd}`);
  try {
    const system = thisSystem(environment);
    const { words, verbatim } = shellWords(command, oneStream === true, system);
    const within = walled && { ...walled, cwd, network: network ?? walled.network };
    const [program = '', ...args] = within ? within.walls.around(words, within, STATUS_FD) : words;
    const child = spawn(program, args, {
      cwd,
      // A command may itself run commands through untildone: their processes carry both marks.
      env: {
        ...scrubbedEnvironment(environment, isOurs),
        ...marksIn(environment),
        UNTILDONE_NODE: process.execPath,
        ...env,
        [MARK]: [environment[MARK], id].filter(Boolean).join(':'),
      },
      // A group of its own, by which it is ended. On Windows it would be a window of its own, and the tree is known.
      detached: system.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
      stdio: [
        input === undefined ? 'ignore' : 'pipe',
        'pipe',
        'pipe',
        ...(walled?.walls.stands ? (['pipe'] as const) : []),
      ],
    });
    if (child.pid === undefined) return new Promise((resolve) => child.once('error', resolve));
    // A command that does not read its input closes it; its exit code says more than EPIPE.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    return child;
  } catch (error) {
    return error as Error;
  }
}

/** Where walls say whether a command has really run: what they could not start has not failed. */
const STATUS_FD = 3;
const STATUS_LIMIT = 4096;

/** Everything that the walls say about a command, once they have nothing more to say. */
function saidByWalls(child: ChildProcess): Promise<string> {
  const stream = child.stdio[STATUS_FD] as Readable | undefined;
  let said = '';
  stream?.on('data', (chunk: Buffer) => {
    if (said.length < STATUS_LIMIT) said += chunk.toString('latin1');
  });
  const over = new Promise<void>((resolve) => (stream ? stream.once('close', resolve) : resolve()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return ended.then(() => Promise.race([over, wait(DRAIN_MS, undefined, { ref: false })])).then(() => said);
}

/** Walls say 128 and the number of the signal for a command that a signal ended, as shells do. */
const FIRST_SIGNAL = 129;
const LAST_SIGNAL = 128 + 64;

function endingWithin(exitCode: number, said: string): Ending {
  if (!said.includes('"exit-code"')) return { endedBy: 'not_started' };
  return exitCode >= FIRST_SIGNAL && exitCode <= LAST_SIGNAL ? { endedBy: 'signal' } : { exitCode };
}

/** Waits until the command has ended. After a timeout or an abort, ends everything that it started, too. */
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

/** Stops listening to a command. Processes that it left running on purpose go on without keeping this process alive. */
function detach(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.stdio[STATUS_FD]?.destroy();
  child.unref();
}

const running = new Set<ProcessTree>();

/** Kills the command when this process exits before the command has ended. */
function endWithThisProcess(tree: ProcessTree): void {
  if (!process.listeners('exit').includes(killRunning)) process.on('exit', killRunning);
  running.add(tree);
}

function killRunning(): void {
  for (const tree of running) tree.signal('SIGKILL');
}

/** The first and the last bytes of a stream of any length. */
class BoundedText {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head: Buffer[] = [];
  #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #droppedBytes = 0;

  constructor(headLimit: number, tailLimit: number) {
    this.#headLimit = headLimit;
    this.#tailLimit = tailLimit;
  }

  add(chunk: Buffer): void {
    const room = this.#headLimit - this.#headBytes;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#head.push(part);
      this.#headBytes += part.length;
    }
    const rest = chunk.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    this.#dropWhatIsTooMuch();
  }

  #dropWhatIsTooMuch(): void {
    while (this.#tailBytes > this.#tailLimit) {
      const [first] = this.#tail;
      if (first === undefined) return;
      const excess = Math.min(first.length, this.#tailBytes - this.#tailLimit);
      if (excess === first.length) this.#tail.shift();
      else this.#tail[0] = first.subarray(excess);
      this.#tailBytes -= excess;
      this.#droppedBytes += excess;
    }
  }

  /** Bytes that are not UTF-8 become replacement characters. Where bytes are left out, a line says how many. */
  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (this.#droppedBytes === 0) return Buffer.concat([head, tail]).toString('utf8');
    const note = `\n[... ${this.#droppedBytes} bytes left out ...]\n`;
    return `${head.toString('utf8').replace(/\uFFFD+$/, '')}${note}${tail.toString('utf8').replace(/^\uFFFD+/, '')}`;
  }
}

const FILE_LIMIT = 32 * 1024 * 1024;

/** The output in a file, up to a limit. A full disk costs the rest of the file, never the verdict. */
class OutputFile {
  #fd: number | undefined;
  #written = 0;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#fd = openSync(path, 'w', 0o600);
  }

  add(chunk: Buffer): void {
    if (this.#fd === undefined) return;
    const part = chunk.subarray(0, FILE_LIMIT - this.#written);
    try {
      writeAll(this.#fd, part);
      this.#written += part.length;
      if (part.length === chunk.length) return;
      writeAll(this.#fd, Buffer.from(`\n[cut: only the first ${FILE_LIMIT} bytes are kept]\n`));
    } catch {
      // The disk is full, perhaps: the part that was written stays.
    }
    this.close();
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 64 * 1024;
const ANSWER_BYTES = 1024 * 1024;

/** Collects a command's output: bounded texts, the digest of all bytes, and a file. */
class Recording {
  readonly #hash = createHash('sha256');
  readonly #both = new BoundedText(HEAD_BYTES, TAIL_BYTES);
  readonly #stdout = new BoundedText(ANSWER_BYTES, 0);
  readonly #stderr = new BoundedText(0, TAIL_BYTES);
  readonly #file: OutputFile | undefined;
  #bytes = 0;

  constructor(outputFile: string | undefined) {
    this.#file = outputFile === undefined ? undefined : new OutputFile(outputFile);
  }

  add(chunk: Buffer, stream: 'stdout' | 'stderr'): void {
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
    this.#both.add(chunk);
    (stream === 'stdout' ? this.#stdout : this.#stderr).add(chunk);
    this.#file?.add(chunk);
  }

  finish(): { output: string; stdout: string; stderr: string; outputSha256: string; outputBytes: number } {
    this.#file?.close();
    return {
      output: this.#both.text(),
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      outputSha256: this.#hash.digest('hex'),
      outputBytes: this.#bytes,
    };
  }
}
