import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Happening, parseStreamLine } from '../../engine/client/sdk/stream.ts';
import { quoteForShell } from '../../engine/core/shell/words.ts';
import { endMarked } from '../../engine/files/process-tree.ts';
import type { Simulator } from '../simulator/server.ts';
import type { Demo } from './demo-folder.ts';
import { type Evidence, openQuestion } from './expectation.ts';
import type { LiveView } from './live-view.ts';
import { realEnvironment, type Scratch, simulatedEnvironment, untildone } from './scratch.ts';

/** Types what you would type: a prompt in Claude Code, `untildone run`, and the answer to its question. */

/** Where a demo is played. */
export interface Stage {
  demo: Demo;
  /** The Claude Code that is started. */
  claude: string;
  scratch: Scratch;
  view: LiveView;
  /** Absent when the model is a real one. */
  simulator: Simulator | undefined;
  /** You watch on a terminal. */
  terminal: boolean;
  interrupted: AbortSignal;
}

type Typed = Evidence['typed'];

/** Types what the demo says, and returns how it ended. */
export function typeAll(stage: Stage): Promise<Typed> {
  const { session, run = [] } = stage.demo;
  return session ? typePrompt(session, stage) : typeRun(run, stage);
}

const REAL = { budgetUsd: '1', limitMs: 600_000 };
const GENTLY: ChildLaunch['gently'] = { signals: ['SIGTERM'], patienceMs: 3_000 };

async function typePrompt(session: NonNullable<Demo['session']>, stage: Stage): Promise<Typed> {
  const { demo, claude, scratch, view, simulator, interrupted } = stage;
  const seen: Happening[] = [];
  view.say('you', session.prompt);
  const end = await runChild({
    command: claude,
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'acceptEdits'],
      ...['--allowedTools', ...session.allow],
      ...(simulator
        ? ['--model', session.model]
        : ['--no-session-persistence', '--max-budget-usd', REAL.budgetUsd]),
    ],
    cwd: scratch.project,
    environment: simulator
      ? simulatedEnvironment(scratch, simulator.url)
      : realEnvironment(scratch, process.env),
    input: session.prompt,
    onLine: (line) => {
      for (const happening of parseStreamLine(line)) {
        seen.push(happening);
        view.show(happening);
      }
    },
    signal: interrupted,
    limitMs: simulator ? demo.seconds * 1_000 : REAL.limitMs,
    gently: GENTLY,
  });
  if (end.code !== 0 && !interrupted.aborted) view.say('demo', failureInWords(end));
  const began = seen.find((happening) => happening.kind === 'began');
  const finished = seen.findLast((happening) => happening.kind === 'finished');
  return { code: end.code, session: began?.session, failed: finished?.failed ?? true };
}

function failureInWords({ code, timedOut, stderr }: ChildEnd): string {
  if (timedOut) return 'Claude Code took too long and was ended';
  return `Claude Code ended ${code === null ? 'early' : `with exit code ${code}`}: ${stderr || 'it did not say why'}`;
}

/** A line of a run begins with the time. */
const CLOCK = '00:00:00 '.length;
/** The first signal asks a run to finish its step, the second to end at once. It ends Claude Code before itself. */
const TWICE: ChildLaunch['gently'] = { signals: ['SIGINT', 'SIGTERM'], patienceMs: 8_000 };

async function typeRun(args: readonly string[], stage: Stage): Promise<Typed> {
  const { demo, claude, scratch, view, simulator, interrupted } = stage;
  if (!simulator) throw new Error('the demo of a run is played by script');
  // The run finds this Claude Code first on PATH.
  await symlink(claude, join(scratch.bin, 'claude'));
  view.heading(commandLine(['run', ...args]));
  const over = new AbortController();
  const answered = answerFor(stage, AbortSignal.any([over.signal, interrupted])).catch((error: Error) =>
    view.say('demo', `no answer was given: ${error.message}`),
  );
  // A run draws its own view on a terminal, unless the demo has to write its answer between the lines.
  const drawn = stage.terminal && !demo.answer;
  const end = await runChild({
    command: join(scratch.bin, 'untildone'),
    args: ['run', ...args],
    cwd: scratch.project,
    environment: { ...simulatedEnvironment(scratch, simulator.url), ...lookOf(process.env) },
    signal: interrupted,
    limitMs: demo.seconds * 1_000,
    gently: TWICE,
    onLine: drawn ? undefined : (line: string) => view.quote(line, CLOCK),
  });
  over.abort();
  await answered;
  // Ends what a run that had to be killed left behind.
  await endMarked(`UNTILDONE_HOME=${scratch.untildoneHome}`);
  if (end.timedOut) view.say('demo', 'the run took too long and was ended');
  if (end.stderr !== '') view.quote(end.stderr);
  return { code: end.code, failed: end.code !== 0 };
}

/** Passes on what a run has to know of the terminal. */
function lookOf({ TERM, NO_COLOR }: NodeJS.ProcessEnv): Record<string, string> {
  return { ...(TERM === undefined ? {} : { TERM }), ...(NO_COLOR === undefined ? {} : { NO_COLOR }) };
}

const LOOK_AGAIN_MS = 100;
/** How long you need to read a few lines. */
const READING_MS = 2_500;

/** Answers the first question of the run; gives no answer when `over` comes first. */
async function answerFor({ demo, scratch, view, terminal }: Stage, over: AbortSignal): Promise<void> {
  if (!demo.answer) return;
  const { read, type } = demo.answer;
  const pause = (ms: number) => sleep(ms, undefined, { signal: over }).catch(() => undefined);
  let question = openQuestion(scratch);
  while (question === undefined && !over.aborted) {
    await pause(LOOK_AGAIN_MS);
    question = openQuestion(scratch);
  }
  // Lets the run print first that it waits.
  await pause(LOOK_AGAIN_MS);
  if (question === undefined || over.aborted) return;
  view.say('demo', `The run waits for you: ${question}`);
  view.say('demo', `The demo answers in your place. First it reads ${read}:`);
  view.quote(await readFile(join(scratch.project, read), 'utf8'));
  await pause(terminal ? READING_MS : 0);
  if (over.aborted) return;
  view.heading(commandLine(type));
  view.quote(await untildone(scratch, ...type));
  view.heading('The run goes on:');
}

function commandLine(words: readonly string[]): string {
  return `$ ${['untildone', ...words].map(quoteForShell).join(' ')}`;
}

/** How a child of the demo is started: Claude Code without a terminal, or untildone itself. */
export interface ChildLaunch {
  command: string;
  args: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  /** What it reads from stdin; absent: nothing. */
  input?: string;
  /** Every line of its output, as it comes. Must not throw. Absent: it writes to the same place as this program. */
  onLine?(line: string): void;
  /** Aborting ends it: gently first, so that it can end what it started. */
  signal: AbortSignal;
  /** After this time it is ended likewise. */
  limitMs: number;
  /** The signals that end it gently, and how long it has for that. */
  gently: { signals: readonly NodeJS.Signals[]; patienceMs: number };
}

interface ChildEnd {
  /** Null when a signal ended it. */
  code: number | null;
  timedOut: boolean;
  /** The last of what it wrote to stderr, or why it could not be started. */
  stderr: string;
}

/** How long a process that an ended child left behind may keep its output open. */
const DRAIN_MS = 1_000;
const STDERR_LIMIT = 4_000;

/** Runs a child. Resolves however it ends, when all of its output was read. */
export async function runChild(launch: ChildLaunch): Promise<ChildEnd> {
  const { command, cwd, environment: env, signal, onLine } = launch;
  const child = spawn(command, launch.args, {
    cwd,
    env,
    stdio: [launch.input === undefined ? 'ignore' : 'pipe', onLine ? 'pipe' : 'inherit', 'pipe'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_LIMIT);
  });
  if (child.stdout && onLine) createInterface({ input: child.stdout }).on('line', onLine);
  // A child that ends early causes EPIPE. Its exit code says more.
  child.stdin?.on('error', () => {});
  child.stdin?.end(launch.input);

  const limit = AbortSignal.timeout(launch.limitMs);
  const over = AbortSignal.any([signal, limit]);
  const end = () => endGently(child, launch.gently);
  over.addEventListener('abort', end, { once: true });
  if (over.aborted) end();
  const { code, problem } = await ended(child);
  over.removeEventListener('abort', end);
  return { code, timedOut: limit.aborted, stderr: problem ?? stderr.trim() };
}

function endGently(child: ChildProcess, { signals, patienceMs }: ChildLaunch['gently']): void {
  for (const signal of signals) child.kill(signal);
  const impatient = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  child.once('exit', () => clearTimeout(impatient));
}

function ended(child: ChildProcess): Promise<{ code: number | null; problem?: string }> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, problem: error.message }));
    child.once('close', (code) => resolve({ code }));
    child.once('exit', () => {
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, DRAIN_MS).unref();
    });
  });
}
