/** The real client in `-p`, against the simulator. Knows nothing of the test runner: benches use it too. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { SimulatorRequest } from '../../../src/dev/simulator/server.ts';
import { waitFor } from './processes.ts';

export interface StreamLine {
  type: string;
  subtype?: string;
  session_id?: string;
  [field: string]: unknown;
}

export interface ResultLine extends StreamLine {
  type: 'result';
  result?: string;
  is_error?: boolean;
  terminal_reason?: string;
  num_turns?: number;
}

export interface ClientRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  lines: StreamLine[];
  /** What stood on stdout and was no JSON. */
  unparsed: string[];
  results: ResultLine[];
  /** The last one; absent when the client was ended by a signal. */
  result: ResultLine | undefined;
  session: string | undefined;
  stderr: string;
  requests: SimulatorRequest[];
}

export interface RunningClient {
  process: ChildProcessWithoutNullStreams;
  /** Grows while the client runs. */
  lines: readonly StreamLine[];
  /** What the client asked the simulator so far, `messages` only. */
  requests(): SimulatorRequest[];
  /** Waits for the n-th `messages` request, from 1. Fails at once when the client ends before. */
  untilRequest(n: number, limitMs?: number): Promise<SimulatorRequest>;
  untilLine(wanted: (line: StreamLine) => boolean, limitMs?: number): Promise<StreamLine>;
  /** Sends a further prompt; only for a client started as a `conversation`. */
  say(prompt: string): void;
  /** No more prompts: a `conversation` ends once it has answered. */
  endInput(): void;
  /** Resolves however it ends; rejects when it does not end within the limit of its start. */
  finished: Promise<ClientRun>;
}

export interface Launch {
  binary: string;
  args: string[];
  cwd: string;
  environment: Record<string, string>;
  prompt: string;
  /** Prompts are sent as JSON lines, and stdin stays open for more. */
  conversation: boolean;
  limitMs: number;
  requests(): SimulatorRequest[];
}

/** How long the output of an ended client may be held open by a process it left behind. */
const DRAIN_MS = 2_000;

export function launchClient(launch: Launch): RunningClient {
  const child = spawn(launch.binary, launch.args, { cwd: launch.cwd, env: launch.environment });
  const lines: StreamLine[] = [];
  const unparsed: string[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = parseLine(text);
    if (line) lines.push(line);
    else unparsed.push(text);
  });
  // A client that ended early has closed its stdin; its exit code says so better than EPIPE.
  child.stdin.on('error', () => {});
  const say = (prompt: string) => child.stdin.write(launch.conversation ? userMessage(prompt) : prompt);
  say(launch.prompt);
  if (!launch.conversation) child.stdin.end();

  const requests = () => launch.requests().filter(({ kind }) => kind === 'messages');
  const story = () => `${lines.map((line) => JSON.stringify(line).slice(0, 400)).join('\n')}\n${stderr}`;
  const finished = ended(child, launch.limitMs, story).then(({ code, signal }): ClientRun => {
    const results = lines.filter((line): line is ResultLine => line.type === 'result');
    const session = lines.find((line) => line.session_id !== undefined)?.session_id;
    return {
      code,
      signal,
      lines,
      unparsed,
      results,
      result: results.at(-1),
      session,
      stderr,
      requests: requests(),
    };
  });
  // Whoever waits for it gets the rejection; a test that waits for something else first must not crash the runner.
  finished.catch(() => {});

  const until = <Found>(find: () => Found | undefined, what: string, limitMs?: number) => {
    const alive = () => {
      const found = find();
      if (found === undefined && hasEnded(child))
        throw new Error(`the client ended before ${what}\n${story()}`);
      return found;
    };
    return waitFor(alive, limitMs, what) as Promise<Found>;
  };
  return {
    process: child,
    lines,
    requests,
    untilRequest: (n, limitMs) => until(() => requests()[n - 1], `request ${n}`, limitMs),
    untilLine: (wanted, limitMs) => until(() => lines.find(wanted), 'the line', limitMs),
    say,
    endInput: () => child.stdin.end(),
    finished,
  };
}

function hasEnded(child: ChildProcessWithoutNullStreams): boolean {
  return (child.exitCode !== null || child.signalCode !== null) && child.stdout.closed;
}

function ended(
  child: ChildProcessWithoutNullStreams,
  limitMs: number,
  story: () => string,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the client did not end within ${limitMs} ms\n${story()}`));
    }, limitMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('exit', () => {
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS).unref();
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal });
    });
  });
}

function parseLine(text: string): StreamLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null && 'type' in line ? (line as StreamLine) : undefined;
  } catch {
    return undefined;
  }
}

function userMessage(text: string): string {
  const message = { role: 'user', content: [{ type: 'text', text }] };
  return `${JSON.stringify({ type: 'user', session_id: '', parent_tool_use_id: null, message })}\n`;
}
