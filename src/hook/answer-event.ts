import { fstatSync, readSync, writeSync } from 'node:fs';
import { parseHookEvent } from '../client/hooks/parse.ts';
import { type HookOutput, renderAnswer } from '../client/hooks/render.ts';
import type { Entry } from '../core/loop/entry.ts';
import { type Answer, eventName, type HookEvent } from '../core/loop/event.ts';
import { oneLine } from '../core/text/clip.ts';
import { LockTimeout } from '../files/lock.ts';
import { homeFrom } from '../home/layout.ts';
import type { Ports } from '../ports/ports.ts';
import { handleHook } from './handle-hook.ts';
import { loadJudgeBundle } from './wiring/load-bundles.ts';
import { openPorts } from './wiring/ports.ts';

const STDIN_LIMIT = 32 * 1024 * 1024;

/**
 * `untildone hook`: reads one event from stdin and writes at most one JSON object (before a compaction, plain text). When
 * anything goes wrong, the session may stop.
 */
export async function hook(): Promise<void> {
  await answerEvent();
}

/** Returns the name of the event; undefined when it could not be answered. */
export async function answerEvent(): Promise<string | undefined> {
  // A run answers the events of its sessions itself. A second answer would judge everything twice.
  if (process.env.UNTILDONE_RUN !== undefined) return undefined;
  if (isTerminal()) return fail('expects one hook event as JSON on stdin; Claude Code calls it');
  const input = readStdin();
  if (!input.ok) return fail(input.problem);
  const parsed = parseHookEvent(input.text);
  if (!parsed.ok) return fail(parsed.problem);
  let ports: ReturnType<typeof openPorts> | undefined;
  try {
    leaveGoneFolder();
    const home = homeFrom(process.env);
    ports = openPorts(home, process.env, loadJudgeBundle);
    const answer = await handleHook(parsed.event, ports);
    print(renderAnswer(eventName(parsed.event), answer));
    return eventName(parsed.event);
  } catch (error) {
    const held = ports && (await heldForRoom(parsed.event, error as Error, ports));
    if (held) {
      print(renderAnswer('Stop', held));
      return undefined;
    }
    if (parsed.event.name === 'Stop') tellUnheld(error as Error);
    fail(`${eventName(parsed.event)} of session ${parsed.event.session}: ${(error as Error).message}`);
    // After a timeout of the lock, writing to the journal would wait for the same lock again.
    if (ports && !(error instanceof LockTimeout)) journalError(parsed.event, error as Error, ports);
    return undefined;
  }
}

/** Goes somewhere else when the current folder was removed: otherwise every path and every command would fail. */
function leaveGoneFolder(): void {
  try {
    process.cwd();
  } catch {
    process.chdir('/');
  }
}

function print(output: HookOutput): void {
  if (output.stdout) writeOut(1, `${output.stdout}\n`);
  if (output.stderr) writeOut(2, `${output.stderr}\n`);
  process.exitCode = output.exitCode;
}

function fail(problem: string): undefined {
  writeOut(2, `untildone hook: ${oneLine(problem, 500)}; Claude Code goes on without an answer\n`);
}

/** Holds a Stop of an active loop when the disk is full, so that the agent can make room. */
async function heldForRoom(
  event: HookEvent,
  error: NodeJS.ErrnoException,
  ports: ReturnType<typeof openPorts>,
): Promise<Answer | undefined> {
  if (event.name !== 'Stop' || (error.code !== 'ENOSPC' && error.code !== 'EDQUOT')) return undefined;
  try {
    const { store } = ports;
    const ref = store.activeLoopOf(event.session) ?? store.claimedLoopsOf(event.session)[0];
    if (!ref || store.read(ref).status !== 'active') return undefined;
    return (await ports.session()).holdForRoom(event, ref);
  } catch {
    return undefined;
  }
}

/** Tells the user that nothing was judged. Without a word, the session would look as if it were done. */
function tellUnheld(error: Error): void {
  const systemMessage = `untildone could not judge this Stop, so the session may stop; nothing is proven: ${oneLine(error.message, 300)}`;
  writeOut(1, `${JSON.stringify({ systemMessage })}\n`);
}

/** Records the failure in the journal, if that can be written. */
function journalError(event: HookEvent, error: Error, ports: Ports): void {
  try {
    const ref = ports.store.loopOfSession(event.session);
    if (!ref) return;
    const entry: Entry = { kind: 'error', message: oneLine(error.message, 500) };
    ports.store.append(ref, (state) => (state.session === event.session ? entry : undefined));
  } catch {
    // stderr has the message already.
  }
}

type Input = { ok: true; text: string } | { ok: false; problem: string };

/** Loads `node:tty` only for a character device, because it loads all streams with it. */
function isTerminal(): boolean {
  if (!isDevice()) return false;
  const { isatty } = require('node:tty') as typeof import('node:tty');
  return isatty(0);
}

function isDevice(): boolean {
  try {
    return fstatSync(0).isCharacterDevice();
  } catch {
    // There is no stdin. Reading it gives the error.
    return false;
  }
}

/** Reads stdin without a stream: a stream costs more time than the rest of an idle hook call. */
function readStdin(): Input {
  let bytes = Buffer.allocUnsafe(64 * 1024);
  for (let size = 0; ; ) {
    const got = readChunk(bytes.subarray(size));
    if (got === 0) return { ok: true, text: bytes.toString('utf8', 0, size) };
    size += got;
    if (size > STDIN_LIMIT)
      return { ok: false, problem: `stdin is larger than ${STDIN_LIMIT / 1024 / 1024} MiB` };
    if (size === bytes.length) bytes = Buffer.concat([bytes], 4 * size);
  }
}

function readChunk(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') return 0;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** Writes the whole text before the process ends. A reader that is gone is ignored. */
function writeOut(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
