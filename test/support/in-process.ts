/**
 * The program without its processes: a hook call, or a plain command, is a function call in this process. Where tests run on
 * another Node, it is a process of it, which runs the bundles.
 */
import fs, { existsSync, readFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type CommandLine, type Ran, runCommand } from '../../src/dev/conformance/run-command.ts';
import { quoteForShell } from '../../src/engine/core/shell/words.ts';
import { otherNode } from './node-of-program.ts';
import { PATIENCE_MS } from './patience.ts';
import { sharedSoon } from './shared.ts';

const SOURCE = resolve(import.meta.dirname, '../../src');
const BUILT = resolve(import.meta.dirname, '../../dist/untildone.cjs');

export interface Program {
  answerEvent(): Promise<unknown>;
  /** As the bundle for tool calls does. */
  answerToolCall(): Promise<unknown>;
  main(argv: string[]): Promise<void>;
}

/** The bundles of the program, which it loads when it needs them, are parts of this one. */
const bundlesInside: Plugin = {
  name: 'bundles inside',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/\w+\.cjs$/ }, ({ path }) => {
      const entry = join(SOURCE, 'main', path.replace(/\.cjs$/, '.ts'));
      return existsSync(entry) ? { path: entry } : { path, external: true };
    });
  },
};

/** Packages of a queue are looked for where the sources are. */
const packagesOfQueues: Plugin = {
  name: 'packages of queues',
  setup({ onLoad }) {
    onLoad({ filter: /fleet[\\/]queue[\\/]load\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8').replaceAll('__filename', JSON.stringify(path));
      return { contents: text, loader: 'ts' };
    });
  },
};

/** Built once for a whole run. Every call gives a program of its own, which knows nothing of the others. */
export async function loadProgram(): Promise<Program> {
  const outfile = join(await sharedSoon('program', buildProgram), 'program.cjs');
  const load = createRequire(import.meta.url);
  delete load.cache[outfile];
  return load(outfile) as Program;
}

function buildProgram(folder: string): Promise<unknown> {
  return build({
    stdin: {
      contents: `export { main } from './cli/cli.ts';
        export { answerEvent } from './engine/hook/answer-event.ts';
        import { answerBy } from './engine/hook/answer-event.ts';
        import { TOOL_CALLS } from './engine/hook/wiring/tool-calls.ts';
        import { readInput } from './engine/hook/read-input.ts';
        export const answerToolCall = async () => answerBy(TOOL_CALLS, await readInput());`,
      resolveDir: SOURCE,
    },
    outfile: join(folder, 'program.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    external: ['@anthropic-ai/*'],
    alias: {
      'web-tree-sitter': join(SOURCE, '../node_modules/web-tree-sitter/web-tree-sitter.cjs'),
    },
    // Grammars are looked for above the sources, where their packages are installed.
    define: { UNTILDONE_VERSION: '"0.0.0"', __dirname: JSON.stringify(SOURCE) },
    logLevel: 'error',
    logOverride: { 'empty-import-meta': 'silent' },
    plugins: [bundlesInside, packagesOfQueues],
  });
}

/** Answers as a process would: the event on stdin, at most one object on stdout, and an exit code. */
export function runHook(program: Program, command: CommandLine): Promise<Ran> {
  if (otherNode !== undefined) return asProcess(['hook'], command);
  return inPlaceOfProcess(command, () => program.answerEvent());
}

/** The same by the bundle that answers tool calls alone. */
export function runToolHook(program: Program, command: CommandLine): Promise<Ran> {
  if (otherNode !== undefined) return asProcess(['hook'], command);
  return inPlaceOfProcess(command, () => program.answerToolCall());
}

/** `bin` is the program that it takes itself for, which it installs. */
export function runCli(
  program: Program,
  args: readonly string[],
  command: CommandLine,
  bin = 'untildone',
): Promise<Ran> {
  if (otherNode !== undefined) return asProcess(args, command);
  return inPlaceOfProcess(command, async () => {
    const { argv } = process;
    process.argv = [process.execPath, bin, ...args];
    try {
      await program.main(process.argv);
    } finally {
      process.argv = argv;
    }
  });
}

function asProcess(args: readonly string[], command: CommandLine): Promise<Ran> {
  const words = [process.execPath, BUILT, ...args];
  return runCommand({ ...command, line: `exec ${words.map(quoteForShell).join(' ')}`, limitMs: PATIENCE_MS });
}

/** One at a time: folder, environment and output are those of this process while the work lasts. */
async function inPlaceOfProcess(
  { cwd, env, input }: CommandLine,
  work: () => Promise<unknown>,
): Promise<Ran> {
  const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode };
  const listeners = LISTENED.map(([from, name]) => [from, name, from.listeners(name)] as const);
  const said = { 1: '', 2: '' };
  const giveBack = takeOutput(said, Buffer.from(input));
  const began = performance.now();
  try {
    process.chdir(cwd);
    setEnvironment(env);
    process.exitCode = undefined;
    await work();
    const ms = Math.round(performance.now() - began);
    const exitCode = Number(process.exitCode ?? 0);
    return { exitCode, timedOut: false, stdout: said[1], stderr: said[2], ms };
  } finally {
    giveBack();
    process.exitCode = before.exitCode;
    setEnvironment(before.env);
    process.chdir(before.cwd);
    for (const [from, name, known] of listeners)
      for (const added of from.listeners(name))
        if (!known.includes(added)) from.removeListener(name, added as () => void);
  }
}

const LISTENED: [NodeJS.EventEmitter, string][] = [
  ...['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((name): [NodeJS.EventEmitter, string] => [process, name]),
  [process.stdout, 'error'],
  [process.stderr, 'error'],
];

function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value;
}

/** Stands in for stdin, stdout and stderr, read and written as files or as streams. Returns what puts them back. */
function takeOutput(said: Record<1 | 2, string>, input: Buffer): () => void {
  const { readSync, writeSync, fstatSync } = fs;
  const writes = { 1: process.stdout.write, 2: process.stderr.write };
  let rest = input;
  const read = (fd: number, chunk: Buffer, ...more: never[]) => {
    if (fd !== 0) return readSync(fd, chunk, ...more);
    const size = rest.copy(chunk);
    rest = rest.subarray(size);
    return size;
  };
  const write = (fd: number, data: Buffer | string, from = 0, ...more: never[]) => {
    if (fd !== 1 && fd !== 2) return writeSync(fd, data as Buffer, from, ...more);
    const bytes = Buffer.from(data as string).subarray(from);
    said[fd] += bytes.toString();
    return bytes.length;
  };
  const file = import.meta.filename;
  const stat = (fd: number, ...more: never[]) =>
    fd === 0 ? fs.statSync(file, ...more) : fstatSync(fd, ...more);
  const take = (fd: 1 | 2) => (text: unknown) => {
    said[fd] += String(text);
    return true;
  };
  Object.assign(fs, { readSync: read, writeSync: write, fstatSync: stat });
  Object.assign(process.stdout, { write: take(1) });
  Object.assign(process.stderr, { write: take(2) });
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, { readSync, writeSync, fstatSync });
    Object.assign(process.stdout, { write: writes[1] });
    Object.assign(process.stderr, { write: writes[2] });
    syncBuiltinESMExports();
  };
}
